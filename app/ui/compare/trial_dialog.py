"""Asks for a trial: prompts from anywhere, the variants that answer them, and their checks."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QWidget,
)

from app import flows
from app.chats import trials
from app.chats.library import ChatLibrary
from app.chats.panel import MOST, Member
from app.chats.table import MOST_CELLS, guide
from app.models.names import adapter_of, base_of, model_fallback_name, model_location
from app.settings.language import counted, mark, number, tr
from app.store import Attachments
from app.ui.compare.compare_dialog import AskField, CompareFiles
from app.ui.compare.panel_dialog import MemberRow
from app.ui.pane.files import PaneFiles
from app.ui.style.theme import scaled
from app.ui.widgets import asking
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.manners import WheelGuard, plain_tip
from app.ui.widgets.row_list import RowList
from app.ui.widgets.sheet import Sheet, keep_place
from engine.sandbox.python_cell import offered
from engine.serve import json_input
from engine.trial.plan import Check, PlanError, Prompt, Trial, Variant, parsed, prompts_of
from engine.trial.report import Table, opened, write

CHECKS = {
    "contains": mark("Replies contain"),
    "equals": mark("Replies equal"),
    "regex": mark("Replies match the regular expression"),
    "json_schema": mark("Replies are JSON of the schema"),
    "python": mark("Python says so of answer"),
    "judge": mark("A model judges this true"),
    "eye": mark("I judge the replies"),
}
"""What may be asked of each reply, as `engine.trial.plan` names it."""
_LARGEST = 64 << 20
_CHATS = 25
_WARM, _SEEDS = 2.0, 2**31
_BITS = ((None, mark("KV: usual")), (8, mark("KV: 8-bit")), (4, mark("KV: 4-bit")))
_KINDS = "{} (*.toml *.json)"


class VariantRow(MemberRow):
    """One column: what a panel's member has, and how it keeps its KV cache, and more."""

    def __init__(self, variant: Variant, models: Mapping[str, str], parent: QWidget) -> None:
        told = dict(variant.sampling)
        warm, seed = told.get("temperature"), told.get("seed")
        if warm is not None and 0 <= warm <= _WARM and round(warm, 2) == warm:
            del told["temperature"]
        else:
            warm = None
        if seed is not None and 0 <= seed < _SEEDS:
            del told["seed"]
        else:
            seed = None
        member = Member(variant.name, trials.model_of(variant), variant.system or "", warm, seed)
        super().__init__(member, models, parent)
        told |= {} if variant.reasoning is None else {"reasoning": variant.reasoning}
        self.temperature.setSpecialValueText(tr("Model default"))
        self.seed.setSpecialValueText("0")
        self.system.setPlaceholderText(tr("Instructions"))
        self.kv = QComboBox(self)
        for bits, words in _BITS:
            self.kv.addItem(tr(words), bits)
        self.kv.setCurrentIndex(self.kv.findData(variant.kv_bits))
        self.more = QLineEdit(_toml(told)[1:-1], self)
        self.more.setPlaceholderText(_toml({"top_p": 0.9})[1:-1])
        self.more.setToolTip(tr("More settings, as in the file of a trial"))
        grid = self.layout()
        assert isinstance(grid, QGridLayout)
        grid.removeWidget(self.system)
        grid.addWidget(self.system, 1, 0, 1, 2)
        for column, field in ((2, self.kv), (3, self.more)):
            grid.addWidget(field, 1, column)
        self.narrow(132, self.temperature, self.seed, self.more)
        self.kv.setFixedWidth(self.temperature.maximumWidth())
        for edited in (self.name, self.system, self.more):
            edited.textChanged.connect(self.changed)
        for spun in (self.temperature, self.seed):
            spun.valueChanged.connect(self.changed)
        self.kv.currentIndexChanged.connect(self.changed)

    def set_number(self, number: int) -> None:
        for field, words in (
            (self.name, mark("Name of variant {number}")),
            (self.model, mark("Model of variant {number}")),
            (self.temperature, mark("Temperature of variant {number}")),
            (self.seed, mark("Seed of variant {number}")),
            (self.system, mark("Instructions of variant {number}")),
            (self.kv, mark("KV cache of variant {number}")),
            (self.more, mark("More settings of variant {number}")),
            (self.remove, mark("Remove variant {number}")),
        ):
            field.setAccessibleName(tr(words, number=number))
        self.remove.setToolTip(tr("Remove variant {number}", number=number))
        self.temperature.setToolTip(tr("Temperature"))
        self.seed.setToolTip(tr("Seed"))

    def told(self, model: str) -> dict[str, Any]:
        """As a trial's file has it; ``model``: of one that has the chat's.

        Raises ValueError for more settings that are none.
        """
        member = self.member
        ref = member.model or model
        told = tomllib.loads(f"x = {{{self.more.text()}}}")["x"]
        given = {"adapter": adapter_of(ref), "kv_bits": self.kv.currentData()}
        given |= {"system": member.system, "name": member.name}
        told |= {key: value for key, value in given.items() if value}
        fields = {"temperature": member.temperature, "seed": member.seed}
        told |= {key: value for key, value in fields.items() if value is not None}
        return {**told, "model": model_location(base_of(ref))}


def _toml(value: Any) -> str:
    """A value of JSON in one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(k)} = {_toml(v)}' for k, v in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else json.dumps(name, ensure_ascii=False)


def value_line(kind: str, value: Any) -> str:
    """What a check looks for, in one line."""
    value = value[0] if kind == "contains" and len(value) == 1 else value
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def check_line(check: Check) -> str:
    """What a check asks of a reply, as its row says it: "Replies contain · Paris"."""
    value = "" if check.kind == "eye" else value_line(check.kind, check.value)
    return " · ".join(filter(None, (tr("Not") * check.turned, tr(CHECKS[check.kind]), value)))


def _narrow(choice: QComboBox, least: int) -> None:
    """Let it be so many letters wide, and say in its tooltip what is longer."""
    choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    choice.setMinimumContentsLength(least)
    choice.currentTextChanged.connect(lambda words: choice.setToolTip(plain_tip(words)))
    choice.setToolTip(plain_tip(choice.currentText()))


class CheckRow(QWidget):
    """What each reply has to be."""

    changed = Signal()  # that is another

    def __init__(self, told: Mapping[str, Any], parent: QWidget) -> None:
        """``told``: as a trial's file has it."""
        super().__init__(parent)
        kind = next(kind for kind in CHECKS if kind in told)
        self._more = {k: v for k, v in told.items() if k in ("model", "against")}
        self.name = QComboBox(self)
        for each, words in CHECKS.items():
            if each != "python" or offered() or kind == "python":
                self.name.addItem(tr(words), each)
        self.name.setCurrentIndex(self.name.findData(kind))
        self.value = QLineEdit(value_line(kind, told[kind]), self)
        self.turned, self.cased = QCheckBox(tr("Not"), self), QCheckBox(tr("Any case"), self)
        self.turned.setToolTip(tr("The check is turned around"))
        self.turned.setChecked(told.get("not") is True)
        self.cased.setChecked(told.get("ignore_case") is True)
        self.against = QComboBox(self)
        self.remove = IconButton("x", tr("Remove Check"), self, side=24)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 4)
        row.setSpacing(6)
        for field in (self.name, self.value, self.against, self.turned, self.cased, self.remove):
            row.addWidget(field, {self.name: 2, self.value: 3}.get(field, 0))
        _narrow(self.name, 14)
        _narrow(self.against, 8)
        self.name.currentIndexChanged.connect(self._on_kind)
        self.value.textChanged.connect(self.changed)
        self.against.currentIndexChanged.connect(self.changed)
        for box in (self.turned, self.cased):
            box.toggled.connect(self.changed)
        self._on_kind()

    def set_number(self, number: int) -> None:
        for field, words in (
            (self.name, mark("Kind of check {number}")),
            (self.value, mark("What check {number} looks for")),
            (self.against, mark("Variant that check {number} compares with")),
            (self.turned, mark("Turn check {number} around")),
            (self.cased, mark("Check {number} in any case")),
            (self.remove, mark("Remove check {number}")),
        ):
            field.setAccessibleName(tr(words, number=number))

    def set_variants(self, names: Iterable[str]) -> None:
        """These can be compared with by a judge."""
        chosen = self.against.currentData() or self._more.pop("against", "")
        self.against.blockSignals(True)
        self.against.clear()
        self.against.addItem(tr("By itself"), "")
        for name in names:
            self.against.addItem(tr("Against {variant}", variant=name), name)
        self.against.setCurrentIndex(max(0, self.against.findData(chosen)))
        self.against.blockSignals(False)

    def told(self) -> dict[str, Any]:
        """As a trial's file has it. Raises ValueError where it is not whole."""
        kind, text = self.name.currentData(), self.value.text()
        value: Any = True if kind == "eye" else text
        if value is text and not (text if kind == "contains" else text.strip()):
            raise ValueError
        if kind == "json_schema" or (kind == "contains" and text.startswith('["')):
            value = json_input.decode(f'{{"value": {text}}}'.encode())["value"]
        told = {kind: value} | ({"not": True} if self.turned.isChecked() else {})
        if kind == "judge":
            told |= {k: v for k, v in self._more.items() if k == "model"}
            told |= {"against": against} if (against := self.against.currentData()) else {}
        elif self.cased.isChecked() and self.cased.isVisibleTo(self):
            told["ignore_case"] = True
        return told

    @Slot()
    def _on_kind(self) -> None:
        kind = self.name.currentData()
        self.value.setVisible(kind != "eye")
        self.turned.setVisible(kind != "eye")
        self.against.setVisible(kind == "judge")
        self.cased.setVisible(kind in ("contains", "equals", "regex"))
        self.changed.emit()


def prompt_line(prompt: Prompt) -> str:
    """A prompt as a line of the field: its text, or as a .jsonl has it where it is more."""
    told = prompt.told()
    if told.get("id", "").rpartition(" ")[2].isdecimal():
        del told["id"]  # its place has given it
    text = str(told.get("prompt", ""))
    if told.keys() == {"prompt"} and text.isprintable() and text.strip()[:1] not in ("", "{"):
        return text
    line = json.dumps(told, ensure_ascii=False)
    return line if line.isprintable() else json.dumps(told)


def _entry(line: str) -> Any:
    if line.startswith("{"):
        try:
            told = json_input.decode(line.encode())
        except ValueError:
            return line
        return told if "prompt" in told or "messages" in told else line
    return line


class TrialDialog(Sheet):
    """Prompts, variants and checks."""

    def __init__(
        self,
        models: Mapping[str, str],  # names by reference
        first: Variant,  # how the chat in front would answer
        parent: QWidget,
        *,
        library: ChatLibrary,
        chat_id: str = "",  # of that chat, "" for none
        text: str = "",  # what stands in its message
        prompts: Mapping[str, str] | None = None,  # as in `Settings`
        files: PaneFiles | None = None,  # of that message
    ) -> None:
        super().__init__("trial-dialog", tr("New Trial"), parent, spacing=8)
        self._models, self._library, self._chat_id = dict(models), library, chat_id
        self._current, self._saved = trials.model_of(first), dict(prompts or {})
        self._known = Table(Trial("", (), ()), {})
        self.prompts = AskField(text, tr("Prompts"), self)
        self.prompts.lines = True
        self.prompts.setPlaceholderText(tr("One prompt per line"))
        self.prompts.setMinimumHeight(scaled(92))
        self.source = self.button(tr("Add Prompts"), lambda: None)
        self.menu = QMenu(self)
        self.menu.aboutToShow.connect(self._fill_menu)
        self.source.setMenu(self.menu)
        self.files = CompareFiles(files, self.prompts, self) if files is not None else None
        add_variant = self.button(tr("Add Variant"), self._add_variant)
        add_check = self.button(tr("Add Check"), lambda: self._add_check({"contains": [""]}, True))
        self.variants, self.checks = RowList(add_variant, self), RowList(add_check, self)
        self.variants.setMinimumHeight(scaled(164))
        self.checks.setMinimumHeight(scaled(74))
        self.judge = QComboBox(self)
        self.judge.setAccessibleName(tr("Judge"))
        for ref, name in self._models.items():
            self.judge.addItem(tr("Judged by {model}", model=name), ref)
        _narrow(self.judge, 12)
        self.blind = QCheckBox(tr("Hide names until I show them"), self)
        self.same = QCheckBox(tr("Exactly reproducible, slower"), self)
        self.same.setChecked(True)
        self.why = self.label()
        keep_place(self.why)
        self.go = self.button(tr("Start"), self.accept)
        self.go.setShortcut(QKeySequence("Ctrl+Return"))
        self.open_file = self.button(tr("Open…"), lambda: flows.start(self, self._open()))
        self.open_file.setShortcut(QKeySequence.StandardKey.Open)
        self.save = self.button(tr("Save As…"), lambda: flows.start(self, self._save()))
        self.save.setShortcut(QKeySequence.StandardKey.Save)
        heads = []
        for words, button in (
            (tr("Prompts"), self.source),
            (tr("Variants"), add_variant),
            (tr("Checks"), add_check),
        ):
            head = QHBoxLayout()
            head.addWidget(QLabel(words, self))
            head.addStretch(1)
            head.addWidget(button)
            heads.append(head)
        options = QHBoxLayout()
        options.setSpacing(16)
        for part in (self.same, self.blind):
            options.addWidget(part)
        options.addStretch(1)
        options.addWidget(self.judge, 9)
        self.put(heads[0], self.prompts, *([self.files] if self.files is not None else []))
        self.put(heads[1], self.variants, heads[2], self.checks, options, self.why)
        self.rows.setStretchFactor(self.variants, 2)
        self.rows.setStretchFactor(self.checks, 1)
        self.put_foot(self.go, self.open_file, self.save)
        self.resize(scaled(760), scaled(600))
        self.prompts.textChanged.connect(self._refresh)
        for listed in (self.variants, self.checks):
            listed.changed.connect(self._refresh)
        for seed in (1, 2):
            sampling = {**first.sampling, "seed": seed}
            self._put_variant(
                Variant(
                    tr("Seed {n}", n=seed),
                    first.model,
                    first.adapter,
                    first.kv_bits,
                    first.system,
                    first.reasoning,
                    sampling,
                )
            )
        if self.files is not None:
            self.files.changed.connect(self._refresh)
        WheelGuard(self)
        self._refresh()
        self.prompts.setFocus()

    # What stands in it.

    def trial(self) -> Trial:
        """What was chosen. Raises ValueError, saying what is missing or wrong."""
        entries = [_entry(line) for line in self._lines()]
        if not entries:
            raise ValueError(tr("Enter one prompt per line."))
        variants = []
        for number_, row in enumerate(self.variants.items, 1):
            try:
                variants.append(row.told(self._current))
            except ValueError as error:
                words = tr("More settings of variant {number}: {why}", number=number_, why=error)
                raise ValueError(words) from None
        if not variants:
            raise ValueError(tr("Add a variant first."))
        if (count := len(entries) * len(variants)) > MOST_CELLS:
            words = tr(
                "A trial in the window has {most} replies at most, not {count}.",
                most=number(MOST_CELLS),
                count=number(count),
            )
            raise ValueError(words)
        checks = []
        for row in self.checks.items:
            try:
                checks.append(row.told())
            except ValueError:
                raise ValueError(tr("Enter what the replies are checked for.")) from None
        told = {"prompts": entries, "variants": variants, "checks": checks}
        judge = model_location(base_of(self.judge.currentData() or self._current))
        trial = parsed(told | {"judge": judge, "reproducible": self.same.isChecked()}, guide())
        for variant in trial.variants:
            trials.options_of(variant, reproducible=trial.reproducible)
        for prompt in trial.prompts:
            trials.turns_of(prompt)
        return replace(trial, name=self._known.trial.name)

    def known(self) -> Table:
        """The answers that were there in the file that was opened."""
        return self._known

    @property
    def attachments(self) -> Attachments:
        """The files that go with each prompt."""
        return self.files.attachments if self.files is not None else ()

    def show_trial(self, table: Table) -> None:
        """Let this stand in the fields."""
        trial, self._known = table.trial, table
        self.variants.clear()
        self.checks.clear()
        for variant in trial.variants:
            self._put_variant(variant)
        for check in trial.checks:
            self._add_check(check.told())
        ref = trials.ref_of(trial.judge)
        if self.judge.findData(ref) < 0:
            self.judge.addItem(tr("Judged by {model}", model=model_fallback_name(ref)), ref)
        self.judge.setCurrentIndex(self.judge.findData(ref))
        self.same.setChecked(trial.reproducible)
        self.prompts.setPlainText("\n".join(map(prompt_line, trial.prompts)))

    def add_prompts(self, lines: Iterable[str]) -> None:
        """Add these below what is there."""
        self.prompts.setPlainText("\n".join([*self._lines(), *filter(str.strip, lines)]))
        self.prompts.setFocus()

    def _lines(self) -> list[str]:
        return [line for line in map(str.strip, self.prompts.toPlainText().split("\n")) if line]

    def _put_variant(self, variant: Variant, *, focus: bool = False) -> None:
        row = VariantRow(variant, self._models, self)
        row.changed.connect(self._refresh)
        self.variants.put(row, focus=focus)

    def _add_variant(self) -> None:
        """Another one like the last."""
        told = {"model": model_location(base_of(self._current))}
        if self.variants.items:
            with suppress(ValueError):
                told = self.variants.items[-1].told(self._current)
        trial = parsed({"prompts": ["x"], "variants": [told]}, guide())
        self._put_variant(replace(trial.variants[0], name=""), focus=True)

    def _add_check(self, told: Mapping[str, Any], focus: bool = False) -> None:
        row = CheckRow(told, self)
        row.changed.connect(self._refresh)
        self.checks.put(row, focus=focus)

    @Slot()
    def _refresh(self) -> None:
        names = [row.name.text() for row in self.variants.items]
        for row in self.checks.items:
            row.set_variants(filter(None, names))
        self.checks.setVisible(bool(self.checks.items))
        self.judge.setVisible(any(r.name.currentData() == "judge" for r in self.checks.items))
        why, trial = "", None
        try:
            trial = self.trial()
        except PlanError as error:
            why = tr("This trial cannot be used: {why}", why=error)
        except ValueError as error:
            why = str(error)
        if self.files is not None and self.files.reading:
            why = tr("“{file}” is still being read.", file=self.files.reading[0])
        cells = len(trial.prompts) * len(trial.variants) if trial is not None else 0
        self.why.setText(why or counted("%n reply", "%n replies", cells))
        for part in (self.go, self.save):
            part.setEnabled(not why)
        self.go.setToolTip(why)
        self.variants.add.setEnabled(len(self.variants.items) < MOST)

    # Where prompts come from, and files of trials.

    def _fill_menu(self) -> None:
        self.menu.clear()
        add = self.menu.addAction
        add(tr("From File…")).triggered.connect(lambda: flows.start(self, self._from_file()))
        add(tr("From Clipboard")).triggered.connect(self._from_clipboard)
        if self._saved:
            texts = [prompt_line(Prompt("1", t)) for t in self._saved.values() if "{{" not in t]
            add(tr("Saved prompts")).triggered.connect(partial(self.add_prompts, texts))
        if self._chat_id and self._library.chat(self._chat_id) is not None:
            words = tr("Questions of This Chat")
            add(words).triggered.connect(partial(self._from_chat, self._chat_id))
        others = self.menu.addMenu(tr("Questions of Another Chat"))
        chats = [chat for chat in self._library.chats() if chat.id != self._chat_id]
        for chat in chats[:_CHATS]:
            action = others.addAction(chat.shown_title.replace("&", "&&"))
            action.triggered.connect(partial(self._from_chat, chat.id))
        others.setEnabled(bool(chats))

    def _from_chat(self, chat_id: str, _checked: bool = False) -> None:
        path = self._library.open(chat_id, "").transcript.path
        said = [m.content for m in path if m.role == "user" and m.content.strip()]
        self.add_prompts([prompt_line(Prompt("1", text)) for text in said])

    @Slot()
    def _from_clipboard(self) -> None:
        lines = QGuiApplication.clipboard().text().split("\n", MOST_CELLS + 1)
        self.add_prompts(lines[: MOST_CELLS + 1])

    async def _from_file(self) -> None:
        kinds = tr("Prompts") + " (*.txt *.csv *.jsonl *.toml *.json)"
        path = await asking.file(self, tr("Add Prompts"), kinds)
        if path is not None and (found := await self._read(path, prompts_of)) is not None:
            self.add_prompts(map(prompt_line, found))

    async def _open(self) -> None:
        path = await asking.file(self, tr("Open Trial"), _KINDS.format(tr("Trials")))
        if path is not None and (found := await self._read(path, partial(opened, guide=guide()))):
            self.show_trial(found)

    async def _read(self, path: Path, reading: Any) -> Any:
        unfit = tr("it is too large, or no file")

        def work(_: Event) -> Any:
            if not path.is_file() or path.stat().st_size > _LARGEST:
                raise PlanError(unfit)
            return reading(path)

        try:
            return await flows.aside(work)
        except (OSError, ValueError) as error:
            why = (isinstance(error, OSError) and error.strerror) or error
            self.why.setText(tr("{file} cannot be read: {why}", file=path.name, why=why))
        return None

    async def _save(self) -> None:
        text = json.dumps(self.trial().told(), indent=1, ensure_ascii=False) + "\n"
        start = asking.documents() / "Trial.json"
        path = await asking.place(self, tr("Save Trial"), start, "JSON (*.json)")
        if path is not None:
            self.why.setText(await written(path, text))


async def written(path: Path, text: str) -> str:
    """Write a file in one step; returns what the person should know."""

    try:
        await flows.aside(lambda _: write(path, text))
    except OSError as error:
        why = error.strerror or type(error).__name__
        return tr("“{file}” could not be saved: {why}.", file=path.name, why=why)
    return tr("Saved as {file}", file=path.name)

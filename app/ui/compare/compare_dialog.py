"""Asks what to compare: one prompt for several models, seeds or temperatures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.chats.options import ChatOptions
from app.language import mark, tr
from app.paths import model_fallback_name
from app.store import Attachments
from app.ui.compare.compare_files import CompareFiles
from app.ui.compare.messages_field import MessagesField
from app.ui.pane.pane_files import PaneFiles
from app.ui.widgets.wheel import WheelGuard
from app.ui.widgets.width import keep_wide

TEMPERATURES = (0.0, 0.7, 1.2, 0.4, 1.0, 1.5)
"""Of n columns the first n, in rising order."""
BY_SEED, BY_TEMPERATURE, BY_MODEL = mark("Seeds"), mark("Temperatures"), mark("Models")
"""What may differ; `tr` of it is shown."""
MOST = 6
"""Columns: narrower ones could not be read."""


@dataclass(frozen=True)
class Column:
    """One answer: a model, its settings, and in a few words what tells it from the others."""

    model: str
    options: ChatOptions
    words: str


def told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """By reference what each model is called; where two have one name, with its folder's place."""
    times = Counter(names.values())
    return {
        ref: f"{name} ({Path(ref).parent.name or ref})" if times[name] > 1 else name
        for ref, name in names.items()
    }


def tally(kept: Mapping[str, Sequence[int]], names: Mapping[str, str]) -> str:
    """How often each model's answer was kept, the most often kept first; "" for none so far."""
    ordered = sorted(kept.items(), key=lambda one: (-one[1][0] / max(1, one[1][1]), one[0]))
    parts = [
        tr(
            "{model} {kept} of {times}",
            model=names.get(ref) or model_fallback_name(ref),
            kept=times[0],
            times=times[1],
        )
        for ref, times in ordered
    ]
    return tr("Kept so far: {models}", models=", ".join(parts)) if parts else ""


class CompareDialog(QDialog):
    """What to say, what differs, and how many columns."""

    def __init__(
        self,
        models: list[tuple[str, str]],
        current: str,
        options: ChatOptions,
        prompt: str,
        parent: QWidget,
        *,
        kept: Mapping[str, Sequence[int]] | None = None,
        prompts: Mapping[str, str] | None = None,
        files: PaneFiles | None = None,
    ) -> None:
        """``models``: pairs of reference and name; ``kept``, ``prompts``: as in `Settings`;
        ``files``: of the message that the comparison begins with."""
        super().__init__(parent)
        self.setObjectName("compare")
        self.setWindowTitle(tr("Compare"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._current = current
        self._options = options
        self._names = dict(models)
        self.asked = MessagesField(prompt, prompts or {}, self)
        self.prompt = self.asked.prompt
        self.files = CompareFiles(files, self.prompt, self) if files is not None else None
        self.kinds = {
            kind: QRadioButton(tr(kind), self) for kind in (BY_SEED, BY_TEMPERATURE, BY_MODEL)
        }
        self.kinds[BY_SEED].setChecked(True)
        self.count = QSpinBox(self)
        self.count.setAccessibleName(tr("How many"))
        self.count.setRange(2, MOST)
        self.count.setValue(3)
        self.count.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.count.setSuffix(" " + tr("columns"))
        self.models = [QCheckBox(name, self) for _, name in models]
        for place, ((ref, _), box) in enumerate(zip(models, self.models, strict=True)):
            box.setToolTip(ref)
            box.setChecked(place < MOST)
            box.toggled.connect(self._refresh)
        self.blind = QCheckBox(tr("Hide which is which until I keep one"), self)
        self.tally = QLabel(tally(kept or {}, self._names), self)
        self.tally.setTextFormat(Qt.TextFormat.PlainText)
        self.tally.setProperty("muted", True)
        self.tally.setWordWrap(True)
        self.why = QLabel(self)
        self.why.setProperty("muted", True)
        self.why.setWordWrap(True)
        buttons = QDialogButtonBox(self)
        self.go = buttons.addButton(tr("Compare"), QDialogButtonBox.ButtonRole.AcceptRole)
        # Enter breaks the line in the message, where the keys go.
        self.go.setShortcut(QKeySequence("Ctrl+Return"))
        buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.setSpacing(10)
        rows: list[QWidget] = [
            self.asked,
            *([self.files] if self.files is not None else []),
            QLabel(tr("What differs"), self),
            *self.kinds.values(),
            self.count,
            *self.models,
            self.tally,
            self.blind,
            self.why,
        ]
        for widget in rows:
            layout.addWidget(widget)
        layout.addSpacing(6)
        layout.addWidget(buttons)
        keep_wide(self, 420)
        for button in self.kinds.values():
            button.toggled.connect(self._refresh)
        self.asked.changed.connect(self._refresh)
        if self.files is not None:
            self.files.changed.connect(self._refresh)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        WheelGuard(self)
        self._refresh()
        self.prompt.setFocus()

    @property
    def kind(self) -> str:
        """What differs between the columns."""
        return next(kind for kind, button in self.kinds.items() if button.isChecked())

    def columns(self) -> list[Column]:
        """What was chosen, from left to right."""
        kind, count = self.kind, self.count.value()
        if kind == BY_MODEL:
            chosen = [box.toolTip() for box in self.models if box.isChecked()]
            words = told_apart({ref: self._names[ref] for ref in chosen})
            return [Column(ref, self._options, words[ref]) for ref in chosen]
        if kind == BY_SEED:
            return [
                Column(self._current, replace(self._options, seed=n), tr("Seed {n}", n=n))
                for n in range(1, count + 1)
            ]
        return [
            Column(
                self._current,
                replace(self._options, temperature=t),
                tr("Temperature {value}", value=t),
            )
            for t in sorted(TEMPERATURES[:count])
        ]

    @property
    def attachments(self) -> Attachments:
        """The files that all columns get."""
        return self.files.attachments if self.files is not None else ()

    @Slot()
    def _refresh(self) -> None:
        by_model = self.kind == BY_MODEL
        self.count.setVisible(not by_model)
        for box in self.models:
            box.setVisible(by_model)
        several = self.asked.several
        self.blind.setEnabled(not several)
        self.blind.setToolTip(
            tr("A table names its columns")
            if several
            else tr("The columns are mixed, and called Answer A, Answer B and so on")
        )
        self.tally.setVisible(by_model and bool(self.tally.text()))
        why = self._why_not()
        self.why.setText(why)
        self.why.setVisible(bool(why))
        self.go.setEnabled(not why)
        self.go.setToolTip(why)
        self.adjustSize()

    def _why_not(self) -> str:
        """Why there is nothing to compare yet; empty when there is."""
        columns = len(self.columns())
        if self.kind == BY_MODEL and len(self.models) < 2:
            return tr("Open a second model first, with File > Open Model Folder.")
        if columns < 2:
            return tr("Choose at least two models.")
        if columns > MOST:
            return tr(
                "Choose at most {most} models: {columns} are chosen, and each takes a column.",
                most=MOST,
                columns=columns,
            )
        if self.files is not None and self.files.reading:
            return tr("“{file}” is still being read.", file=self.files.reading[0])
        return self.asked.why_not()

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from app.settings.language import tr
from app.settings.settings import Settings
from app.ui.style.theme import scaled
from app.ui.widgets.fields import make_text_field
from app.ui.widgets.layout_helpers import make_column_layout, make_row_layout, nest
from app.ui.widgets.sheet import Sheet
from app.ui.widgets.two_lines import TwoLineList

LONGEST = 60


def clean_name(name: str) -> str:
    """Collapse whitespace in a name, and truncate it to `LONGEST` characters."""
    return " ".join(name.split())[:LONGEST].rstrip()


class NameDialog(Sheet):
    name_confirmed = Signal(str)  # (name)

    def __init__(
        self, title: str, verb: str, names: Iterable[str], parent: QWidget, name: str = ""
    ) -> None:
        """``verb`` is the button's text, ``names`` are the existing names."""
        super().__init__("name-dialog", title, parent, spacing=8)
        self._verb = verb
        self._names = set(names)
        self._warned_name = ""
        self._words = ""
        self.field = QLineEdit(name, self)
        self.field.setMaxLength(LONGEST)
        self.field.selectAll()
        self.field.setAccessibleName(tr("Name"))
        self._hint = self.make_label()
        self.ok = self.button(verb, self._on_ok)
        self.add_rows(QLabel(tr("Name"), self), self.field, self._hint)
        self.add_buttons(self.ok)
        self.set_scaled_width(400)
        self.field.textChanged.connect(self._refresh)
        self._refresh()

    @property
    def hint(self) -> str:
        return self._hint.text()

    @hint.setter
    def hint(self, words: str) -> None:
        self._words = words
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        self._warned_name = ""
        self._hint.setText(self._words)
        self.ok.setText(self._verb)
        has_name = bool(clean_name(self.field.text()))
        self.ok.setEnabled(has_name)
        self.ok.setToolTip("" if has_name else tr("Enter a name first"))

    @Slot()
    def _on_ok(self) -> None:
        name = clean_name(self.field.text())
        if name in self._names and self._warned_name != name:
            self._warned_name = name
            self._hint.setText(tr("“{name}” already exists. Replace it?", name=name))
            self.ok.setText(tr("Replace"))
        elif name:
            self.accept()
            self.name_confirmed.emit(name)


class PromptsDialog(Sheet):
    changed = Signal()

    def __init__(self, settings: Settings, parent: QWidget) -> None:
        super().__init__("prompts", tr("Prompts"), parent)
        self._settings = settings
        self._deleted: list[tuple[int, str, str]] = []
        self.list = TwoLineList(tr("Prompts"), self)
        self.list.itemSelectionChanged.connect(self._show_chosen)
        self.name = QLineEdit(self)
        self.name.setMaxLength(LONGEST)
        self.name.setPlaceholderText(tr("Name"))
        self.name.setAccessibleName(tr("Name"))
        self.name.textEdited.connect(self._on_name)
        hint = tr("Explain {{topic}} to {{audience}} in three sentences.")
        self.text = make_text_field(self, tr("Prompt text"), hint=hint)
        self.text.textChanged.connect(self._on_text)
        self.hint = self.make_label()
        self.new_button = self.button(tr("New"), self.add)
        self.delete_button = self.button(tr("Delete"), self.delete)
        self.undo_button = self.button(tr("Restore"), self.undo_deletion)
        both = make_row_layout(
            (self.list, 2),
            (make_column_layout(self.name, (self.text, 1), self.hint), 3),
            spacing=14,
        )
        nest(self.rows, both, 1)
        buttons = self.new_button, self.delete_button, self.undo_button
        self.close_button = self.add_buttons(None, *buttons)
        self.close_button.setDefault(False)  # Enter finishes editing the name instead
        self.resize(scaled(640), scaled(420))
        self._fill("")

    def add(self, text: str = "", name: str = "") -> None:
        prompts = dict(self._settings.prompts)
        name = self._unused_name(clean_name(name) or tr("New prompt"))
        prompts[name] = text
        self._save(prompts)
        self._fill(name)
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)
        self.name.selectAll()

    @Slot()
    def delete(self) -> None:
        name = self._selected_name()
        prompts = dict(self._settings.prompts)
        if name in prompts:
            at = list(prompts).index(name)
            self._deleted.append((at, name, prompts.pop(name)))
            self._save(prompts)
            rest = list(prompts)
            self._fill(rest[min(at, len(rest) - 1)] if rest else "")

    @Slot()
    def undo_deletion(self) -> None:
        at, name, text = self._deleted.pop()
        name = self._unused_name(name)
        pairs = list(self._settings.prompts.items())
        pairs.insert(at, (name, text))
        self._save(dict(pairs))
        self._fill(name)

    def _unused_name(self, name: str) -> str:
        prompts, number, free = self._settings.prompts, 2, name
        while free in prompts:
            free, number = f"{name} {number}", number + 1
        return free

    def _selected_name(self) -> str:
        return next(iter(self.list.selected_keys()), "")

    def _save(self, prompts: dict[str, str]) -> None:
        self._settings.set(prompts=prompts)
        self.changed.emit()

    def _fill(self, name: str) -> None:
        names = list(self._settings.prompts)
        with QSignalBlocker(self.list):
            self.list.clear()
            self.list.fill([(n, n, _first_line(t)) for n, t in self._settings.prompts.items()])
            if names:
                self.list.setCurrentRow(names.index(name) if name in names else 0)
        self._show_chosen()

    @Slot()
    def _show_chosen(self) -> None:
        name = self._selected_name()
        self.name.setText(name)
        with QSignalBlocker(self.text):
            self.text.setPlainText(self._settings.prompts.get(name, ""))
        for widget in (self.name, self.text, self.delete_button):
            widget.setEnabled(bool(name))
        self.delete_button.setToolTip("" if name else tr("There’s no prompt to delete"))
        self.undo_button.setEnabled(bool(self._deleted))
        self.undo_button.setToolTip(
            "" if self._deleted else tr("There’s no deleted prompt to restore")
        )
        self._show_problem("")

    def _show_problem(self, problem: str) -> None:
        default_hint = (
            tr(
                "Type / in an empty message to insert a prompt. Tab moves through its "
                "{{variables}}."
            )
            if self._settings.prompts
            else tr("Choose New to create your first prompt.")
        )
        self.hint.setText(problem or default_hint)
        self.hint.setProperty("danger", bool(problem))
        self.hint.style().polish(self.hint)

    @Slot(str)
    def _on_name(self, typed: str) -> None:
        before, name = self._selected_name(), clean_name(typed)
        if not before or name == before:
            self._show_problem("")
        elif not name:
            self._show_problem(
                tr("A prompt needs a name. It is still called “{before}”.", before=before)
            )
        elif name in self._settings.prompts:
            self._show_problem(
                tr(
                    "Another prompt has this name. This one is still called “{before}”.",
                    before=before,
                )
            )
        else:
            pairs = self._settings.prompts.items()
            self._save({name if n == before else n: text for n, text in pairs})
            self._relabel(before, name)
            self._show_problem("")

    @Slot()
    def _on_text(self) -> None:
        if name := self._selected_name():
            self._save({**self._settings.prompts, name: self.text.toPlainText()})
            self._relabel(name, name)

    def _relabel(self, before: str, name: str) -> None:
        self.list.rename_row(before, name, _first_line(self._settings.prompts[name]))


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")

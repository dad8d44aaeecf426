"""The prompts that "/" puts into a message: written, renamed and taken away."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.language import tr
from app.settings import Settings
from app.ui.dialogs.name_dialog import LONGEST, tidy
from app.ui.dialogs.two_lines import TwoLines
from app.ui.style.theme import scaled
from app.ui.widgets.mirror import begin_at_edge


class PromptsDialog(QDialog):
    """The list at the left, the chosen one at the right. What is written is kept at once.

    Signals:
        changed(): a prompt was added, changed or taken away.
    """

    changed = Signal()

    def __init__(self, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("prompts")
        self.setWindowTitle(tr("Prompts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._settings = settings
        self._filling = False
        self._deleted: list[tuple[int, str, str]] = []
        self.list = TwoLines(tr("Prompts"), self)
        self.list.itemSelectionChanged.connect(self._show_chosen)
        self.name = QLineEdit(self)
        self.name.setMaxLength(LONGEST)
        self.name.setPlaceholderText(tr("Name"))
        self.name.setAccessibleName(tr("Name"))
        self.name.textEdited.connect(self._on_name)
        self.text = QPlainTextEdit(self)
        begin_at_edge(self.text)
        self.text.setObjectName("field")
        self.text.setAccessibleName(tr("Text of the prompt"))
        self.text.setPlaceholderText(tr("Explain {{topic}} to {{audience}} in three sentences."))
        self.text.setTabChangesFocus(True)
        self.text.textChanged.connect(self._on_text)
        self.hint = QLabel(self)
        self.hint.setProperty("muted", True)
        self.hint.setWordWrap(True)
        self.hint.setTextFormat(Qt.TextFormat.PlainText)
        self.new_button = self._push_button(tr("New"))
        self.new_button.clicked.connect(self._on_new)
        self.delete_button = self._push_button(tr("Delete"))
        self.delete_button.clicked.connect(self.delete)
        self.undo_button = self._push_button(tr("Bring Back"))
        self.undo_button.clicked.connect(self.bring_back)
        self.close_button = self._push_button(tr("Close"))
        self.close_button.clicked.connect(self.close)
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(self.name)
        right.addWidget(self.text, 1)
        right.addWidget(self.hint)
        both = QHBoxLayout()
        both.setSpacing(14)
        both.addWidget(self.list, 2)
        both.addLayout(right, 3)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        for button in (self.new_button, self.delete_button, self.undo_button):
            foot.addWidget(button)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(20, 18, 20, 16)
        whole.setSpacing(12)
        whole.addLayout(both, 1)
        whole.addLayout(foot)
        self.resize(scaled(640), scaled(420))
        self._fill("")

    def add(self, text: str = "", name: str = "") -> None:
        """Begin another prompt, to be named."""
        prompts = dict(self._settings.prompts)
        name = self._free(tidy(name) or tr("New prompt"))
        prompts[name] = text
        self._keep(prompts)
        self._fill(name)
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)
        self.name.selectAll()

    @Slot()
    def _on_new(self) -> None:
        self.add()

    @Slot()
    def delete(self) -> None:
        """Take the chosen one away; "Bring Back" undoes it."""
        name = self._chosen()
        prompts = dict(self._settings.prompts)
        if name in prompts:
            at = list(prompts).index(name)
            self._deleted.append((at, name, prompts.pop(name)))
            self._keep(prompts)
            rest = list(prompts)
            self._fill(rest[min(at, len(rest) - 1)] if rest else "")

    @Slot()
    def bring_back(self) -> None:
        """Undo the latest deleting."""
        at, name, text = self._deleted.pop()
        name = self._free(name)
        pairs = list(self._settings.prompts.items())
        pairs.insert(at, (name, text))
        self._keep(dict(pairs))
        self._fill(name)

    def _push_button(self, words: str) -> QPushButton:
        button = QPushButton(words, self)
        button.setAutoDefault(False)
        return button

    def _free(self, name: str) -> str:
        """A name like it that no prompt has."""
        taken, number, free = self._settings.prompts, 2, name
        while free in taken:
            free, number = f"{name} {number}", number + 1
        return free

    def _chosen(self) -> str:
        return next(iter(self.list.chosen()), "")

    def _keep(self, prompts: dict[str, str]) -> None:
        self._settings.set(prompts=prompts)
        self.changed.emit()

    def _fill(self, chosen: str) -> None:
        """Show the list with this one chosen."""
        names = list(self._settings.prompts)
        self._filling = True
        self.list.clear()
        self.list.fill([(n, n, _first_line(t)) for n, t in self._settings.prompts.items()])
        if names:
            self.list.setCurrentRow(names.index(chosen) if chosen in names else 0)
        self._filling = False
        self._show_chosen()

    @Slot()
    def _show_chosen(self) -> None:
        if self._filling:
            return
        name = self._chosen()
        self._filling = True
        self.name.setText(name)
        self.text.setPlainText(self._settings.prompts.get(name, ""))
        self._filling = False
        for widget in (self.name, self.text, self.delete_button):
            widget.setEnabled(bool(name))
        self.delete_button.setToolTip("" if name else tr("There is no prompt to delete"))
        self.undo_button.setEnabled(bool(self._deleted))
        self.undo_button.setToolTip("" if self._deleted else tr("Nothing was deleted here"))
        self._say("")

    def _say(self, problem: str) -> None:
        usual = (
            tr("Type / in an empty message to put a prompt in. Tab goes through its {{variables}}.")
            if self._settings.prompts
            else tr("Choose New to write your first prompt.")
        )
        self.hint.setText(problem or usual)
        self.hint.setProperty("danger", bool(problem))
        self.hint.style().polish(self.hint)

    @Slot(str)
    def _on_name(self, typed: str) -> None:
        before, name = self._chosen(), tidy(typed)
        if not before or name == before:
            self._say("")
        elif not name:
            self._say(tr("A prompt needs a name. It is still called “{before}”.", before=before))
        elif name in self._settings.prompts:
            self._say(
                tr(
                    "Another prompt is called so. This one is still called “{before}”.",
                    before=before,
                )
            )
        else:
            pairs = self._settings.prompts.items()
            self._keep({name if n == before else n: text for n, text in pairs})
            self._relabel(before, name)
            self._say("")

    @Slot()
    def _on_text(self) -> None:
        name = self._chosen()
        if not self._filling and name:
            self._keep({**self._settings.prompts, name: self.text.toPlainText()})
            self._relabel(name, name)

    def _relabel(self, before: str, name: str) -> None:
        self._filling = True
        self.list.relabel(before, name, _first_line(self._settings.prompts[name]))
        self._filling = False


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")

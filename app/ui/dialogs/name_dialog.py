"""Asks for a name, and whether what has it already is to be replaced."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.language import tr
from app.ui.widgets.width import keep_wide

LONGEST = 60


def tidy(name: str) -> str:
    """The name without needless spaces, cut at its greatest length; may be empty."""
    return " ".join(name.split())[:LONGEST].rstrip()


class NameDialog(QDialog):
    """One field. A name in use is asked about in the dialog itself, before it is taken.

    Signals:
        named(name): the person has settled on it.
    """

    named = Signal(str)

    def __init__(
        self, title: str, verb: str, taken: Iterable[str], parent: QWidget, name: str = ""
    ) -> None:
        """``verb`` is the button's; ``taken`` are the names to ask about."""
        super().__init__(parent)
        self.setObjectName("name-dialog")
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._verb = verb
        self._taken = set(taken)
        self._asked = ""
        self._words = ""
        self.field = QLineEdit(name, self)
        self.field.setMaxLength(LONGEST)
        self.field.selectAll()
        self.field.setAccessibleName(tr("Name"))
        self._hint = QLabel(self)
        self._hint.setWordWrap(True)
        self._hint.setProperty("muted", True)
        buttons = QDialogButtonBox(self)
        self.go = buttons.addButton(verb, QDialogButtonBox.ButtonRole.AcceptRole)
        self.go.setDefault(True)
        cancel = buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setAutoDefault(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.setSpacing(8)
        layout.addWidget(QLabel(tr("Name"), self))
        layout.addWidget(self.field)
        layout.addWidget(self._hint)
        layout.addSpacing(8)
        layout.addWidget(buttons)
        keep_wide(self, 400)
        self.field.textChanged.connect(self._refresh)
        buttons.accepted.connect(self._on_go)
        buttons.rejected.connect(self.reject)
        self._refresh()

    @property
    def hint(self) -> str:
        """What stands below the field."""
        return self._hint.text()

    @hint.setter
    def hint(self, words: str) -> None:
        self._words = words
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        """Another name: whatever was asked about the one before is void."""
        self._asked = ""
        self._hint.setText(self._words)
        self.go.setText(self._verb)
        named = bool(tidy(self.field.text()))
        self.go.setEnabled(named)
        self.go.setToolTip("" if named else tr("Write a name first"))

    @Slot()
    def _on_go(self) -> None:
        name = tidy(self.field.text())
        if name in self._taken and self._asked != name:
            self._asked = name
            self._hint.setText(tr("“{name}” exists already. Replace it?", name=name))
            self.go.setText(tr("Replace"))
        elif name:
            self.accept()
            self.named.emit(name)

"""Asks which pages of a file the model gets."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.chats.attached.choosing import pages_in
from app.language import tr
from app.ui.pane.units import has_line, unit_words
from app.ui.widgets.width import keep_wide


class PagesDialog(QDialog):
    """One field for numbers; what is wrong with them stands below it.

    Signals:
        chosen(numbers): these pages.
    """

    chosen = Signal(list)

    def __init__(
        self, name: str, unit: str, count: int, numbers: list[int], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("pages-dialog")
        words = unit_words(unit)
        self.setWindowTitle(tr(words.title, name=name))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._count = count
        self.field = QLineEdit(", ".join(map(str, numbers)), self)
        self.field.setPlaceholderText("1-3, 7")
        self.field.setAccessibleName(tr(words.numbers))
        self.hint = QLabel(has_line(unit, count), self)
        self.hint.setWordWrap(True)
        self.hint.setProperty("muted", True)
        buttons = QDialogButtonBox(self)
        go = buttons.addButton(tr("Choose"), QDialogButtonBox.ButtonRole.AcceptRole)
        go.setDefault(True)
        cancel = buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setAutoDefault(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.setSpacing(8)
        label = QLabel(tr(words.question), self)
        label.setBuddy(self.field)
        for part in (label, self.field, self.hint):
            layout.addWidget(part)
        layout.addSpacing(8)
        layout.addWidget(buttons)
        keep_wide(self, 400)
        buttons.accepted.connect(self._on_go)
        buttons.rejected.connect(self.reject)

    @Slot()
    def _on_go(self) -> None:
        try:
            numbers = pages_in(self.field.text(), self._count)
        except ValueError as wrong:
            self.hint.setText(str(wrong))
            return
        self.accept()
        self.chosen.emit(numbers)

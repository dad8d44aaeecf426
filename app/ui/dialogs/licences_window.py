"""What others wrote, with the licences: a list, and the text of the one that is chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.language import mark, tr
from app.licences import components
from app.ui.style.theme import ui_font

QT = mark(
    "Stretto is under the MIT licence. Qt, PySide6 and Qt Advanced Docking are used under the "
    "LGPL: they are separate libraries beside the program, and you may put your own builds in "
    "their place."
)


class LicencesWindow(QDialog):
    """Everything the program is made of."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("licences")
        self.setWindowTitle(tr("Licences"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(860, 560)
        self._parts = components()
        words = QLabel(tr(QT), self)
        words.setWordWrap(True)
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Parts"))
        self.list.setFixedWidth(260)
        self.list.addItems([f"{part.name} {part.version}" for part in self._parts])
        self.text = QPlainTextEdit(self)
        self.text.setAccessibleName(tr("Licence"))
        self.text.setReadOnly(True)
        self.text.setFont(ui_font(12))
        self.list.currentRowChanged.connect(self._on_row)
        middle = QHBoxLayout()
        middle.setSpacing(12)
        middle.addWidget(self.list)
        middle.addWidget(self.text, 1)
        buttons = QDialogButtonBox(self)
        buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole).clicked.connect(
            self.close
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(12)
        layout.addWidget(words)
        layout.addLayout(middle, 1)
        layout.addWidget(buttons)
        self.list.setCurrentRow(0)

    @Slot(int)
    def _on_row(self, row: int) -> None:
        part = self._parts[row]
        self.text.setPlainText(f"{part.name} {part.version}: {part.licence}\n\n{part.text}")

"""What is left of the sidebar while it is hidden."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.language import tr
from app.ui.style.theme import theme
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.mirror import mirrored


class Rail(QFrame):
    """The sidebar's buttons, one below the other.

    Signals:
        unfold_asked(), new_asked(), menu_asked(at): the buttons.
    """

    unfold_asked = Signal()
    new_asked = Signal()
    menu_asked = Signal(QPoint)

    def __init__(self, parent: QWidget | None = None, *, menu: bool = True) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setAccessibleName(tr("Folded sidebar"))
        self.setFixedWidth(44)
        self.menu_button = IconButton("list", tr("Menu  F10"), self)
        self.menu_button.setVisible(menu)
        unfold = IconButton("sidebar", tr("Show the sidebar  Ctrl+B"), self)
        new = IconButton("note-pencil", tr("New chat  Ctrl+N"), self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 8)
        layout.setSpacing(4)
        for button in (self.menu_button, unfold, new):
            layout.addWidget(button)
        layout.addStretch(1)
        unfold.clicked.connect(self.unfold_asked)
        new.clicked.connect(self.new_asked)
        self.menu_button.clicked.connect(self._on_menu_button)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        edge = mirrored(self, QRectF(self.width() - 1, 0, 1, self.height()))
        QPainter(self).fillRect(edge, theme().color("border"))

    @Slot()
    def _on_menu_button(self) -> None:
        beside = QPoint(self.menu_button.width() + 8, 0)
        self.menu_asked.emit(self.menu_button.mapToGlobal(beside))

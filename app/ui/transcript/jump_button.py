"""The round button that leads back to the newest text."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.language import tr
from app.ui.style.icons import icon
from app.ui.style.theme import theme


class JumpButton(QAbstractButton):
    """Shown while the end is out of view; has a dot while text arrives."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._living = False
        self.setFixedSize(34, 34)
        self.setToolTip(tr("Jump to newest"))
        self.setAccessibleName(tr("Jump to newest"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme().changed.connect(self._on_theme)

    def set_living(self, living: bool) -> None:
        if living != self._living:
            self._living = living
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(tokens.accent if self.hasFocus() else tokens.border_strong))
        painter.setBrush(QColor(tokens.hover if self.underMouse() else tokens.raised))
        painter.drawEllipse(QRectF(1.5, 1.5, 31, 31))
        icon("arrow-down", tokens.text).paint(painter, 9, 9, 16, 16)
        if self._living:
            painter.setPen(QColor(tokens.background))
            painter.setBrush(QColor(tokens.accent))
            painter.drawEllipse(QPointF(27, 7), 4.5, 4.5)

    @Slot()
    def _on_theme(self) -> None:
        self.update()

"""How full the model's context is, as a ring."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.ui.style.theme import theme


class ContextMeter(QWidget):
    """A ring that fills as the chat fills the model's context; the figures on hover."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._share = 0.0
        self.setFixedSize(28, 28)
        self.hide()

    @property
    def share(self) -> float:
        """How much of the context the last turn took, 0 to 1."""
        return self._share

    def show_context(self, used: int, reused: int, limit: int) -> None:
        """Show tokens of the last turn, those of them that were reused, and the limit."""
        self.setVisible(used > 0 and limit > 0)
        if not limit:
            return
        self._share = min(1.0, used / limit)
        words = f"{used:,} of {limit:,} tokens of context"
        if reused:
            words += f", {reused:,} reused in the last turn"
        if self._share > 0.9:
            words += ". Nearly full: start a new chat, or let this one forget its oldest turns."
        self.setToolTip(words)
        self.setAccessibleName(f"Context: {words}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ring = QRectF(7, 7, 14, 14)
        painter.setPen(QPen(QColor(tokens.divider), 2.2))
        painter.drawEllipse(ring)
        colour = QColor(tokens.danger if self._share > 0.9 else tokens.accent)
        painter.setPen(QPen(colour, 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawArc(ring, 90 * 16, -round(max(0.03, self._share) * 360 * 16))

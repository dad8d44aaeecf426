"""How full the model's context is, as a ring."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.language import counted, number, tr
from app.ui.style.theme import theme


class ContextMeter(QWidget):
    """A ring that fills as the chat fills the model's context; the figures on hover."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._share = 0.0
        self._words = ""
        self.setFixedSize(28, 28)
        self.hide()

    @property
    def share(self) -> float:
        """How much of the context the last turn took, 0 to 1."""
        return self._share

    @property
    def words(self) -> str:
        """How many tokens of how many the last turn took, in few words."""
        return self._words

    def show_context(self, used: int, reused: int, limit: int) -> None:
        """Show tokens of the last turn, those of them that were reused, and the limit."""
        self.setVisible(used > 0 and limit > 0)
        if not limit:
            return
        self._share = min(1.0, used / limit)
        figures = {"used": number(used), "limit": number(limit)}
        self._words = counted(
            "{used} of {limit} tokens", "{used} of {limit} tokens", limit, **figures
        )
        words = counted(
            "{used} of {limit} tokens of context",
            "{used} of {limit} tokens of context",
            limit,
            **figures,
        )
        if reused:
            words = tr(
                "{context}, {count} reused in the last turn", context=words, count=number(reused)
            )
        if self._share > 0.9:
            words = tr(
                "{context}. Nearly full: start a new chat, "
                "or let this one forget its oldest turns.",
                context=words,
            )
        self.setToolTip(words)
        self.setAccessibleName(tr("Context: {words}", words=words))
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

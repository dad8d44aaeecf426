"""How the card of a call is painted, and how its buttons stand in it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QPushButton

from app.ui.style import tokens as t
from app.ui.style.theme import theme, ui_font
from app.ui.widgets.mirror import mirror

PAD, GAP, HEAD = 14, 8, 24


def paint_card(painter: QPainter, card: QRect, headline: str, waits: bool) -> None:
    """The frame with its first line; ``waits``: the person is to say something."""
    tokens = theme().tokens
    painter.setPen(QColor(tokens.accent if waits else tokens.border_strong))
    painter.setBrush(QColor(tokens.raised))
    edge = QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(edge, t.RADIUS_SMALL, t.RADIUS_SMALL)
    head = QRectF(PAD, PAD, card.width() - 2 * PAD, HEAD)
    font = ui_font(t.UI_PX, QFont.Weight.DemiBold)
    painter.setFont(font)
    painter.setPen(QColor(tokens.text))
    middle = Qt.TextElideMode.ElideMiddle
    words = QFontMetrics(font).elidedText(headline, middle, round(head.width()))
    painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, words)


def paint_note(painter: QPainter, area: QRect, words: str, danger: bool) -> None:
    """A line or more below what the card holds."""
    painter.setFont(ui_font())
    painter.setPen(QColor(theme().tokens.danger if danger else theme().tokens.muted))
    painter.drawText(area, Qt.TextFlag.TextWordWrap, words)


def place_buttons(buttons: Sequence[QPushButton], y: int, width: int) -> int:
    """Put them in rows from ``y`` on; returns where they end."""
    x, height = PAD, 0
    for button in buttons:
        button.adjustSize()
        if x > PAD and x + button.width() > width - PAD:
            x, y = PAD, y + height + GAP
        button.move(x, y)
        x, height = x + button.width() + GAP, button.height()
        parent = button.parentWidget()
        if parent is not None:
            mirror(parent, button, width=width)
    return y + height

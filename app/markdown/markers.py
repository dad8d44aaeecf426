"""Bullets and task boxes, painted because Qt's stand too close to the text and are too small."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from app.markdown.rows import ListItem
from app.markdown.style import MarkdownStyle


def paint_marker(painter: QPainter, style: MarkdownStyle, item: ListItem, text: QPointF) -> None:
    """A bullet or box left of where the text's baseline begins; numbers are Qt's."""
    px = style.font_px
    middle = text.y() - 0.36 * px  # of the lower-case letters and the digits between
    colour = QColor(style.muted)
    if item.task:
        _paint_box(painter, style, item.task == "done", QPointF(text.x() - 24, middle - 7))
    elif not item.ordered:
        centre = QPointF(text.x() - 0.9 * px, middle)
        if item.depth % 3 == 1:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(colour, 1.2))
            painter.drawEllipse(centre, 2.3, 2.3)
            painter.setPen(Qt.PenStyle.NoPen)
        elif item.depth % 3 == 2:
            painter.fillRect(QRectF(centre.x() - 2, centre.y() - 2, 4.5, 4.5), colour)
        else:
            painter.setBrush(colour)
            painter.drawEllipse(centre, 2.6, 2.6)


def _paint_box(painter: QPainter, style: MarkdownStyle, done: bool, corner: QPointF) -> None:
    box = QRectF(corner.x() + 0.5, corner.y() + 0.5, 13, 13)
    accent, muted = QColor(style.accent), QColor(style.muted)
    painter.setPen(QPen(accent if done else muted, 1.2))
    painter.setBrush(accent if done else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, 3.5, 3.5)
    if done:
        tick = QPainterPath(box.topLeft() + QPointF(3.2, 6.8))
        tick.lineTo(box.topLeft() + QPointF(5.6, 9.2))
        tick.lineTo(box.topLeft() + QPointF(9.9, 4.2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        white = QColor("#12201e" if style.dark else "#ffffff")
        painter.setPen(QPen(white, 1.6, c=Qt.PenCapStyle.RoundCap))
        painter.drawPath(tick)
    painter.setPen(Qt.PenStyle.NoPen)

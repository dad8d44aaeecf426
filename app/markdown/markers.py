"""The markers of lists: numbers, bullets and task boxes.

Qt's own bullets stand too close to the text and are too small. Its numbers are cut off where they
need more room than the list has, and those of a text from right to left are not drawn at all.
"""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from app.markdown.formats import Formats
from app.markdown.rows import ListItem
from app.markdown.spacing import MARKER_GAP
from app.markdown.style import MarkdownStyle

# Of the font's size.
_MIDDLE = 0.36  # of the lower-case letters and the digits, above the baseline
_BULLET = 0.9  # from the text to a bullet's centre
_RADIUS = 0.17
_BOX = 0.87  # a box's side
_BOX_GAP = 0.7  # between a box and its text


def marker_area(formats: Formats, item: ListItem, text: QPointF, rtl: bool) -> QRectF:
    """Where an item's marker stands.

    Args:
        text: where the first line of the item's text begins, on its baseline.
        rtl: the text goes from there to the left, so the marker stands at its right.
    """
    px = formats.style.font_px
    if item.task:
        width = height = float(round(_BOX * px))
        gap = _BOX_GAP * px
    elif item.ordered:
        width, height = formats.marker_width(number_text(item, rtl)), float(px)
        gap = MARKER_GAP * px
    else:
        width = height = 2 * _RADIUS * px
        gap = (_BULLET - _RADIUS) * px
    left = text.x() + gap if rtl else text.x() - gap - width
    return QRectF(left, text.y() - _MIDDLE * px - height / 2, width, height)


def number_text(item: ListItem, rtl: bool) -> str:
    """The number as it is drawn from left to right: "3)", or "(3" beside text from the right."""
    if rtl:
        return f"{item.delimiter.replace(')', '(')}{item.number}"
    return f"{item.number}{item.delimiter}"


def paint_marker(
    painter: QPainter, formats: Formats, item: ListItem, text: QPointF, rtl: bool
) -> None:
    """Paints an item's marker; `text` and `rtl` as for `marker_area`."""
    area = marker_area(formats, item, text, rtl)
    colour = QColor(formats.style.muted)
    if item.task:
        _paint_box(painter, formats.style, item.task == "done", area)
    elif item.ordered:
        painter.setFont(formats.font())
        painter.setPen(colour)
        window = painter.layoutDirection()
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # as `number_text` is written
        painter.drawText(QPointF(area.left(), text.y()), number_text(item, rtl))
        painter.setLayoutDirection(window)
        painter.setPen(Qt.PenStyle.NoPen)
    elif item.depth % 3 == 1:
        line = 0.08 * formats.style.font_px
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, line))
        painter.drawEllipse(area.adjusted(line / 2, line / 2, -line / 2, -line / 2))
        painter.setPen(Qt.PenStyle.NoPen)
    elif item.depth % 3 == 2:
        inset = 0.02 * formats.style.font_px
        painter.fillRect(area.adjusted(inset, inset, -inset, -inset), colour)
    else:
        painter.setBrush(colour)
        painter.drawEllipse(area)


def _paint_box(painter: QPainter, style: MarkdownStyle, done: bool, area: QRectF) -> None:
    box = QRectF(round(area.left()) + 0.5, round(area.top()) + 0.5, area.width(), area.height())
    accent, muted = QColor(style.accent), QColor(style.muted)
    painter.setPen(QPen(accent if done else muted, 1.2))
    painter.setBrush(accent if done else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, 0.27 * box.width(), 0.27 * box.width())
    if done:
        unit = box.width() / 13
        tick = QPainterPath(box.topLeft() + QPointF(3.2, 6.8) * unit)
        tick.lineTo(box.topLeft() + QPointF(5.6, 9.2) * unit)
        tick.lineTo(box.topLeft() + QPointF(9.9, 4.2) * unit)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        white = QColor("#12201e" if style.dark else "#ffffff")
        painter.setPen(QPen(white, 1.6 * unit, c=Qt.PenCapStyle.RoundCap))
        painter.drawPath(tick)
    painter.setPen(Qt.PenStyle.NoPen)

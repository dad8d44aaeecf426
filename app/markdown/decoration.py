"""What lies under the text: tinted code with its label, quotation bars, bullets, boxes, rules."""

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen, QTextBlock, QTextDocument

from app.markdown.formats import Formats
from app.markdown.layout import CODE_HEADER, CODE_PAD
from app.markdown.painter import Painter
from app.markdown.rows import Bar, ListItem, Row, TextRow

RADIUS = 8
_BAR = 3
_LABEL_PX = 12
_BASELINE = 0.8  # Qt puts the baseline of a line of fixed height at four fifths


class Decoration:
    """Paints around the rows of one document."""

    def __init__(self, rows: Painter, document: QTextDocument, formats: Formats) -> None:
        self._rows = rows
        self._document = document
        self._style = formats.style
        self._label_font = formats.font()
        self._label_font.setPixelSize(_LABEL_PX)
        self._label_font.setWeight(QFont.Weight.Normal)

    def code_area(self, first_position: int, last_position: int) -> QRectF:
        """The tinted area around the code between the positions, in document coordinates."""
        find = self._document.findBlock
        return self._code_area(find(first_position), find(last_position))

    def paint(self, painter: QPainter, clip: QRectF | None) -> None:
        """Paints what touches `clip` (None: all), in document coordinates."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        rows, blocks = self._rows.rows, self._rows.blocks
        for first, last in _codes(rows):
            area = self._code_area(blocks(first)[0], blocks(last)[1])
            if clip is None or area.intersects(clip):
                self._paint_code(painter, area, rows[first])
        for bar, first, last in _bars(rows):
            area = self._between(blocks(first)[0], blocks(last)[1])
            if clip is None or area.intersects(clip):
                painter.setBrush(QColor(self._style.quote_bar))
                line = QRectF(bar.x, area.top() + 2, _BAR, area.height() - 2)
                painter.drawRoundedRect(line, _BAR / 2, _BAR / 2)
        for place, row in enumerate(rows):
            if not isinstance(row, TextRow) or (row.kind != "rule" and row.item is None):
                continue
            block = blocks(place)[0]
            area = self._between(block, block)
            if clip is not None and not area.intersects(clip):
                continue
            if row.kind == "rule":
                line = QRectF(row.left, round(area.top()), area.width() - row.left, 1)
                painter.fillRect(line, QColor(self._style.border))
            elif row.item is not None:
                baseline = area.top() + _BASELINE * block.blockFormat().lineHeight()
                self._paint_marker(painter, row.item, QPointF(row.left, baseline))
        painter.restore()

    def _paint_code(self, painter: QPainter, area: QRectF, row: Row) -> None:
        painter.setBrush(QColor(self._style.code_background))
        painter.drawRoundedRect(area, RADIUS, RADIUS)
        if isinstance(row, TextRow) and row.code is not None:
            painter.setFont(self._label_font)
            painter.setPen(QColor(self._style.muted))
            left, width = area.left() + CODE_PAD, area.width() - 4 * CODE_PAD
            place = QRectF(left, area.top() + 3, max(width, 0), CODE_HEADER - 3)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, row.code.language)
            painter.setPen(Qt.PenStyle.NoPen)

    def _paint_marker(self, painter: QPainter, item: ListItem, text: QPointF) -> None:
        """A bullet or box left of where the text's baseline begins; numbers are Qt's."""
        px = self._style.font_px
        middle = text.y() - 0.36 * px  # of the lower-case letters and the digits between
        colour = QColor(self._style.muted)
        if item.task:
            self._paint_box(painter, item.task == "done", QPointF(text.x() - 24, middle - 7))
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

    def _paint_box(self, painter: QPainter, done: bool, corner: QPointF) -> None:
        box = QRectF(corner.x() + 0.5, corner.y() + 0.5, 13, 13)
        accent, muted = QColor(self._style.accent), QColor(self._style.muted)
        painter.setPen(QPen(accent if done else muted, 1.2))
        painter.setBrush(accent if done else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 3.5, 3.5)
        if done:
            tick = QPainterPath(box.topLeft() + QPointF(3.2, 6.8))
            tick.lineTo(box.topLeft() + QPointF(5.6, 9.2))
            tick.lineTo(box.topLeft() + QPointF(9.9, 4.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            white = QColor("#12201e" if self._style.dark else "#ffffff")
            painter.setPen(QPen(white, 1.6, c=Qt.PenCapStyle.RoundCap))
            painter.drawPath(tick)
        painter.setPen(Qt.PenStyle.NoPen)

    def _between(self, first: QTextBlock, last: QTextBlock) -> QRectF:
        """From the top of one block's first line to the foot of another's last, full width."""
        layout = self._document.documentLayout()
        width = self._document.textWidth()
        if width <= 0:
            width = self._document.size().width()
        # Asking for its rectangle lays a block out. The rectangle itself is the glyphs' own, which
        # differs from the lines' when their height is fixed.
        foot = layout.blockBoundingRect(last)
        if last.blockFormat().lineHeight() and last.layout().lineCount():
            lines = last.layout().lineCount() * last.blockFormat().lineHeight()
            foot.setBottom(last.layout().position().y() + lines)
        top = min(first.layout().position().y(), layout.blockBoundingRect(first).bottom())
        return QRectF(QPointF(0, top), QPointF(width, foot.bottom()))

    def _code_area(self, first: QTextBlock, last: QTextBlock) -> QRectF:
        lines = self._between(first, last)
        left = first.blockFormat().leftMargin() - CODE_PAD
        return lines.adjusted(left, -CODE_HEADER, 0, CODE_PAD)


def _codes(rows: list[Row]) -> Iterator[tuple[int, int]]:
    """First and last row of each code block."""
    first = 0
    for place, row in enumerate(rows):
        if isinstance(row, TextRow) and row.code is not None:
            if row.first:
                first = place
            if row.kind == "pad":
                yield first, place - 1


def _bars(rows: list[Row]) -> Iterator[tuple[Bar, int, int]]:
    """Each quotation's bar with its first and last row."""
    open_bars: dict[Bar, int] = {}
    for place, row in enumerate(rows):
        for bar in [b for b in open_bars if b not in row.bars]:
            yield bar, open_bars.pop(bar), place - 1
        for bar in row.bars:
            open_bars.setdefault(bar, place)
    for bar, first in open_bars.items():
        yield bar, first, len(rows) - 1

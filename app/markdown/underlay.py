"""Painting of the parts behind the text: code backgrounds, quote bars, list markers, rules.

Qt's own bullets are too small and too close to the text. Its list numbers are clipped if they're
wider than the indentation, and missing in right-to-left text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPainterPath,
    QPen,
    QTextBlock,
    QTextCursor,
    QTextDocument,
)

from app.markdown.row_writer import RowWriter
from app.markdown.rows import (
    CELL_PAD,
    CODE_HEADER,
    CODE_PAD,
    MARKER_GAP,
    Bar,
    ListItem,
    Row,
    Span,
    TableRow,
    TextRow,
)
from app.markdown.style import INLINE_CODE, Formats, MarkdownStyle

# The following are fractions of the font size.
_MIDDLE = 0.36  # height of the center of lower-case letters and digits above the baseline
_BULLET = 0.9  # distance between the center of a bullet and the text
_RADIUS = 0.17
_BOX = 0.87  # size of a check box
_BOX_GAP = 0.7  # gap between check box and text


def marker_area(formats: Formats, item: ListItem, text: QPointF, rtl: bool) -> QRectF:
    """Return the rectangle of a list item's marker.

    ``text`` is the start of the baseline of the item's first line. The marker of right-to-left text
    (``rtl``) is on the right.
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
    """Return a list number in visual order: "3)", or "(3" for right-to-left text."""
    if rtl:
        return f"{item.delimiter.replace(')', '(')}{item.number}"
    return f"{item.number}{item.delimiter}"


def paint_marker(
    painter: QPainter, formats: Formats, item: ListItem, text: QPointF, rtl: bool
) -> None:
    area = marker_area(formats, item, text, rtl)
    color = QColor(formats.style.muted)
    if item.task:
        _paint_box(painter, formats.style, item.task == "done", area)
    elif item.ordered:
        painter.setFont(formats.marker_font())
        painter.setPen(color)
        window = painter.layoutDirection()
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # the text is in visual order
        painter.drawText(QPointF(area.left(), text.y()), number_text(item, rtl))
        painter.setLayoutDirection(window)
        painter.setPen(Qt.PenStyle.NoPen)
    elif item.depth % 3 == 1:
        line = 0.08 * formats.style.font_px
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(color, line))
        painter.drawEllipse(area.adjusted(line / 2, line / 2, -line / 2, -line / 2))
        painter.setPen(Qt.PenStyle.NoPen)
    elif item.depth % 3 == 2:
        inset = 0.02 * formats.style.font_px
        painter.fillRect(area.adjusted(inset, inset, -inset, -inset), color)
    else:
        painter.setBrush(color)
        painter.drawEllipse(area)


def _paint_box(painter: QPainter, style: MarkdownStyle, is_done: bool, area: QRectF) -> None:
    box = QRectF(round(area.left()) + 0.5, round(area.top()) + 0.5, area.width(), area.height())
    accent, muted = QColor(style.accent), QColor(style.muted)
    painter.setPen(QPen(accent if is_done else muted, 1.2))
    painter.setBrush(accent if is_done else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, 0.27 * box.width(), 0.27 * box.width())
    if is_done:
        unit = box.width() / 13
        tick = QPainterPath(box.topLeft() + QPointF(3.2, 6.8) * unit)
        tick.lineTo(box.topLeft() + QPointF(5.6, 9.2) * unit)
        tick.lineTo(box.topLeft() + QPointF(9.9, 4.2) * unit)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        white = QColor("#12201e" if style.dark else "#ffffff")
        painter.setPen(QPen(white, 1.6 * unit, c=Qt.PenCapStyle.RoundCap))
        painter.drawPath(tick)
    painter.setPen(Qt.PenStyle.NoPen)


RADIUS = 8
_BAR = 3
_LABEL_PX = 12
_BASELINE = 0.8  # baseline position that Qt uses in a line of fixed height


class Underlay:
    def __init__(self, writer: RowWriter, document: QTextDocument, formats: Formats) -> None:
        self._writer = writer
        self._document = document
        self._formats = formats
        self._style = formats.style
        self._label_font = formats.font()
        self._label_font.setPixelSize(_LABEL_PX)
        self._label_font.setWeight(QFont.Weight.Normal)
        # Arguments and result of the last call to `_visible_rows`.
        self._cached: tuple[tuple[float, ...], tuple[int, int]] | None = None
        # Cached areas by first and last block, and inline code backgrounds by block.
        self._areas: dict[tuple[int, int], QRectF] = {}
        self._grounds: dict[int, list[QRectF]] = {}
        self._width = 0.0  # document width for which the caches are valid

    def code_area(self, first_position: int, last_position: int) -> QRectF:
        find = self._document.findBlock
        return self._code_area(find(first_position), find(last_position))

    def paint(self, painter: QPainter, clip: QRectF | None) -> None:
        """Paint everything that intersects `clip` (None: everything), in document coordinates.

        The cost depends only on the number of visible rows.
        """
        rows, blocks = self._writer.rows, self._writer.blocks
        begin, end = self._visible_rows(clip)
        self._update_width()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for first, last in self._find_code_row_ranges(begin, end):
            area = self._code_area(blocks(first)[0], blocks(last)[0])
            self._paint_code(painter, area, rows[first])
        for bar, first, last in _quote_bars(rows, begin, end):
            area = self._area_between(blocks(first)[0], blocks(last)[1])
            if _is_first(rows[first]):
                area.setTop(area.top() - CODE_HEADER)
            painter.setBrush(QColor(self._style.quote_bar))
            x = self._left_of_text(rows[first], bar.level, area.width(), _BAR)
            line = QRectF(x, area.top() + 2, _BAR, area.height() - 2)
            painter.drawRoundedRect(line, _BAR / 2, _BAR / 2)
        for index in range(begin, end):
            self._paint_row(painter, index)
        painter.restore()

    def code_row_ranges(self, clip: QRectF | None) -> Iterator[tuple[int, int]]:
        return self._find_code_row_ranges(*self._visible_rows(clip))

    def drop_areas_from(self, index: int) -> None:
        number = self._writer.number(index - 1) if index else 0
        self._areas = {key: area for key, area in self._areas.items() if key[1] < number}
        self._grounds = {key: ground for key, ground in self._grounds.items() if key < number}

    def _update_width(self) -> float:
        width = self._document.textWidth()
        if width != self._width or width <= 0:
            self.drop_areas_from(0)
            self._width = width
        return width

    def repaint_from(self, index: int) -> None:
        """Repaint everything from this row on.

        Qt repaints only changed lines, not a code block's header and footer.
        """
        if self._document.textWidth() <= 0:
            return  # Not shown yet. Reading the size would trigger a layout.
        size = self._document.size()
        top = 0.0
        if 0 < index < len(self._writer.rows):
            layout = self._document.documentLayout()
            top = layout.blockBoundingRect(self._writer.blocks(index - 1)[0]).top()
        area = QRectF(0, top, max(size.width(), 1.0), max(size.height() - top, 1.0) + CODE_PAD)
        update: Any = self._document.documentLayout().update  # overloaded, but not in the stub
        update[QRectF].emit(area)

    def _visible_rows(self, clip: QRectF | None) -> tuple[int, int]:
        count = len(self._writer.rows)
        if clip is None or not count:
            return 0, count
        document = self._document
        at = clip.top(), clip.bottom(), document.textWidth()
        inputs: tuple[float, ...] = (*at, count, document.revision())
        # This is called several times per repaint.
        if self._cached is not None and self._cached[0] == inputs:
            return self._cached[1]
        find, number = document.findBlockByNumber, self._writer.number
        place_of = document.documentLayout().blockBoundingRect

        def top(index: int) -> float:
            return place_of(find(number(index))).top()

        # Calls tend to be close to the previous one, near the end of a growing text.
        _, (near, _) = self._cached or (inputs, (0, 0))
        near = near if near < count and top(near) < clip.top() else 0
        # Add a row at both ends, because a code block's header is above its first row.
        first = max(bisect_left(range(count), clip.top(), near, key=top) - 2, 0)
        last = min(bisect_right(range(count), clip.bottom(), first, key=top) + 1, count)
        self._cached = inputs, (first, last)
        return first, last

    def _paint_row(self, painter: QPainter, index: int) -> None:
        row = self._writer.rows[index]
        if row.kind in {"code", "pad"}:
            return
        first, last = self._writer.blocks(index)
        if isinstance(row, TableRow):
            if any(_has_code(cell) for cells in row.cells for cell in cells):
                block = first
                while block != last:
                    self._paint_inline_code(painter, block)
                    block = block.next()
            return
        if _has_code(row.spans):
            self._paint_inline_code(painter, first)
        if row.kind == "rule":
            area = self._area_between(first, first)
            indent = self._formats.indent(row.levels)
            line = QRectF(0 if row.rtl else indent, round(area.top()), area.width() - indent, 1)
            painter.fillRect(line, QColor(self._style.border))
        if row.item is not None:
            area = self._area_between(first, first)
            baseline = area.top() + _first_baseline(first)
            edge = self._left_of_text(row, len(row.levels), area.width())
            paint_marker(painter, self._formats, row.item, QPointF(edge, baseline), row.rtl)

    def _left_of_text(self, row: Row, level: int, width: float, width_used: float = 0.0) -> float:
        indent = self._formats.indent(row.levels[:level])
        return width - indent - width_used if row.rtl else indent

    def _paint_inline_code(self, painter: QPainter, block: QTextBlock) -> None:
        number = block.blockNumber()
        if number not in self._grounds:
            self._grounds[number] = list(self._code_grounds(block))
        painter.setBrush(QColor(self._style.inline_code_background))
        for area in self._grounds[number]:
            painter.drawRoundedRect(area, 4, 4)

    def _code_grounds(self, block: QTextBlock) -> Iterator[QRectF]:
        origin = self._document.documentLayout().blockBoundingRect(block).topLeft()
        layout = block.layout()
        for start, end in self._code_runs(block):
            for number in range(layout.lineCount()):
                line = layout.lineAt(number)
                begin = max(start, line.textStart())
                stop = min(end, line.textStart() + line.textLength())
                if begin >= stop:
                    continue
                # Use glyph positions, because cursor positions jump to the other side where the
                # text direction changes. They're relative to the block's left edge, including its
                # margin.
                runs = [run.boundingRect() for run in line.glyphRuns(begin, stop - begin)]
                if not runs:
                    continue
                left, right = min(r.left() for r in runs), max(r.right() for r in runs)
                top = origin.y() + line.y() + line.ascent() - 1.02 * self._style.code_px
                # At the edge of the text, omit the padding, so that both corners stay rounded.
                left = max(0.0, origin.x() + left - 2.5)
                right = min(origin.x() + right + 2.5, self._document.size().width())
                yield QRectF(left, top, right - left, 1.4 * self._style.code_px)

    def _code_runs(self, block: QTextBlock) -> Iterator[tuple[int, int]]:
        iterator = block.begin()
        while not iterator.atEnd():
            fragment = iterator.fragment()
            if fragment.charFormat().boolProperty(INLINE_CODE):
                start = fragment.position() - block.position()
                yield start, start + fragment.length()
            iterator += 1

    def _paint_code(self, painter: QPainter, area: QRectF, row: Row) -> None:
        painter.setBrush(QColor(self._style.code_background))
        painter.drawRoundedRect(area, RADIUS, RADIUS)
        if isinstance(row, TextRow) and row.code is not None:
            painter.setFont(self._label_font)
            painter.setPen(QColor(self._style.muted))
            left, width = area.left() + CODE_PAD, area.width() - 5 * CODE_PAD
            header = QRectF(left, area.top() + 3, max(width, 0), CODE_HEADER - 3)
            # Code and its label are always left-to-right, even in a right-to-left UI.
            left_side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute
            painter.drawText(header, Qt.AlignmentFlag.AlignVCenter | left_side, row.code.language)
            painter.setPen(Qt.PenStyle.NoPen)

    def _area_between(self, first: QTextBlock, last: QTextBlock) -> QRectF:
        width = self._update_width()
        key = first.blockNumber(), last.blockNumber()
        if key not in self._areas:
            self._areas[key] = self._measure_code_area(first, last, width)
        return QRectF(self._areas[key])

    def _measure_code_area(self, first: QTextBlock, last: QTextBlock, width: float) -> QRectF:
        layout = self._document.documentLayout()
        if width <= 0:
            width = self._document.size().width()
        # Force a layout of the block. Its rectangle is based on glyphs, which differ from the lines
        # of fixed height.
        foot = layout.blockBoundingRect(last)
        if last.blockFormat().lineHeight() and last.layout().lineCount():
            lines = last.layout().lineCount() * last.blockFormat().lineHeight()
            foot.setBottom(last.layout().position().y() + lines)
        if table := QTextCursor(first).currentTable():
            # Blocks in a cell use cell coordinates, and Qt ignores the first cell's padding.
            top = layout.frameBoundingRect(table).top() - CELL_PAD
        else:
            top = min(first.layout().position().y(), layout.blockBoundingRect(first).bottom())
        return QRectF(QPointF(0, top), QPointF(width, foot.bottom()))

    def _code_area(self, first: QTextBlock, last: QTextBlock) -> QRectF:
        lines = self._area_between(first, last)
        form = first.blockFormat()
        left, right = form.leftMargin() - CODE_PAD, form.rightMargin() - CODE_PAD
        return lines.adjusted(left, -CODE_HEADER, -right, CODE_PAD)

    def _find_code_row_ranges(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        firsts, feet = self._writer.code_firsts, self._writer.code_feet
        for number in range(bisect_left(feet, begin), len(firsts)):
            if firsts[number] >= end:
                break
            yield firsts[number], feet[number] - 1


def _has_code(spans: tuple[Span, ...]) -> bool:
    return any(span.ink.code or "kbd" in span.ink.tags for span in spans)


def _is_first(row: Row) -> bool:
    return isinstance(row, TextRow) and row.first


def _first_baseline(block: QTextBlock) -> float:
    line = block.layout().lineAt(0)
    if line.isValid():  # a tall formula moves the baseline down
        return line.y() + line.ascent()
    return _BASELINE * block.blockFormat().lineHeight()


def _quote_bars(rows: Sequence[Row], begin: int, end: int) -> Iterator[tuple[Bar, int, int]]:
    """Yield each quote bar in a range, with the first and last row of the quote."""
    bars: set[Bar] = set()
    for index in range(begin, end):
        for bar in rows[index].bars:
            if bar in bars:
                continue
            bars.add(bar)
            first = last = index
            while first > 0 and bar in rows[first - 1].bars:
                first -= 1
            while last + 1 < len(rows) and bar in rows[last + 1].bars:
                last += 1
            yield bar, first, last

"""What is painted under the text: ground of code, quotation bars, markers of lists, rules.

Qt's own bullets stand too close to the text and are too small. Its numbers are cut off where they
need more room than the list has, and those of a text from right to left are not drawn at all.
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
from app.markdown.writing import RowWriter

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
        painter.setFont(formats.marker_font())
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


RADIUS = 8
_BAR = 3
_LABEL_PX = 12
_BASELINE = 0.8  # Qt puts the baseline of a line of fixed height at four fifths


class Underlay:
    """Paints what lies under the text of one document's rows."""

    def __init__(self, writer: RowWriter, document: QTextDocument, formats: Formats) -> None:
        self._writer = writer
        self._document = document
        self._formats = formats
        self._style = formats.style
        self._label_font = formats.font()
        self._label_font.setPixelSize(_LABEL_PX)
        self._label_font.setWeight(QFont.Weight.Normal)
        # What was asked for last, and which rows that were.
        self._looked: tuple[tuple[float, ...], tuple[int, int]] | None = None
        # Where blocks stand, by the numbers of the first and the last, and the grounds of the code
        # in a block's text: what has not changed since is asked of Qt once.
        self._areas: dict[tuple[int, int], QRectF] = {}
        self._grounds: dict[int, list[QRectF]] = {}
        self._width = 0.0  # of the document that these hold for

    def code_area(self, first_position: int, last_position: int) -> QRectF:
        """The tinted area around the code between the positions, in document coordinates."""
        find = self._document.findBlock
        return self._code_area(find(first_position), find(last_position))

    def paint(self, painter: QPainter, clip: QRectF | None) -> None:
        """Paints what touches `clip` (None: all), in document coordinates.

        Costs what is visible: geometry is asked only of the rows in the clip.
        """
        rows, blocks = self._writer.rows, self._writer.blocks
        begin, end = self._visible(clip)
        self._heed_width()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for first, last in self._codes(begin, end):
            area = self._code_area(blocks(first)[0], blocks(last)[0])
            self._paint_code(painter, area, rows[first])
        for bar, first, last in _bars(rows, begin, end):
            area = self._between(blocks(first)[0], blocks(last)[1])
            if _is_first(rows[first]):
                area.setTop(area.top() - CODE_HEADER)
            painter.setBrush(QColor(self._style.quote_bar))
            left = self._aside(rows[first], bar.level, area.width(), _BAR)
            line = QRectF(left, area.top() + 2, _BAR, area.height() - 2)
            painter.drawRoundedRect(line, _BAR / 2, _BAR / 2)
        for place in range(begin, end):
            self._paint_row(painter, place)
        painter.restore()

    def codes(self, clip: QRectF | None) -> Iterator[tuple[int, int]]:
        """First and last line of each code block that touches `clip` (None: all), as rows."""
        return self._codes(*self._visible(clip))

    def forget(self, place: int) -> None:
        """The rows from this one on have changed."""
        number = self._writer.number(place - 1) if place else 0
        self._areas = {key: area for key, area in self._areas.items() if key[1] < number}
        self._grounds = {key: kept for key, kept in self._grounds.items() if key < number}

    def _heed_width(self) -> float:
        width = self._document.textWidth()
        if width != self._width or width <= 0:
            self.forget(0)
            self._width = width
        return width

    def repaint_from(self, place: int) -> None:
        """Asks the views to paint again from this row on, its surroundings included.

        Qt asks for the changed lines only; a code block's header and foot lie outside of them.
        """
        if self._document.textWidth() <= 0:
            return  # not shown yet; asking for its size would lay it out in vain
        size = self._document.size()
        top = 0.0
        if 0 < place < len(self._writer.rows):
            layout = self._document.documentLayout()
            top = layout.blockBoundingRect(self._writer.blocks(place - 1)[0]).top()
        area = QRectF(0, top, max(size.width(), 1.0), max(size.height() - top, 1.0) + CODE_PAD)
        update: Any = self._document.documentLayout().update  # overloaded; the stub does not say
        update[QRectF].emit(area)

    def _visible(self, clip: QRectF | None) -> tuple[int, int]:
        """The rows that may touch the clip, as a range."""
        count = len(self._writer.rows)
        if clip is None or not count:
            return 0, count
        document = self._document
        at = clip.top(), clip.bottom(), document.textWidth()
        asked: tuple[float, ...] = (*at, count, document.revision())
        if self._looked is not None and self._looked[0] == asked:  # a painting asks more than once
            return self._looked[1]
        find, number = document.findBlockByNumber, self._writer.number
        place_of = document.documentLayout().blockBoundingRect

        def top(place: int) -> float:
            return place_of(find(number(place))).top()

        # What is looked at next is mostly near: the end of a text that grows.
        _, (near, _) = self._looked or (asked, (0, 0))
        near = near if near < count and top(near) < clip.top() else 0
        # One row more at each end: a code block's header stands above its first row.
        first = max(bisect_left(range(count), clip.top(), near, key=top) - 2, 0)
        last = min(bisect_right(range(count), clip.bottom(), first, key=top) + 1, count)
        self._looked = asked, (first, last)
        return first, last

    def _paint_row(self, painter: QPainter, place: int) -> None:
        row = self._writer.rows[place]
        if row.kind in {"code", "pad"}:
            return
        first, last = self._writer.blocks(place)
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
            area = self._between(first, first)
            indent = self._formats.indent(row.levels)
            line = QRectF(0 if row.rtl else indent, round(area.top()), area.width() - indent, 1)
            painter.fillRect(line, QColor(self._style.border))
        if row.item is not None:
            area = self._between(first, first)
            baseline = area.top() + _first_baseline(first)
            edge = self._aside(row, len(row.levels), area.width())
            paint_marker(painter, self._formats, row.item, QPointF(edge, baseline), row.rtl)

    def _aside(self, row: Row, level: int, width: float, own: float = 0.0) -> float:
        """Where something `own` pixels wide begins that stands at a level of a row."""
        indent = self._formats.indent(row.levels[:level])
        return width - indent - own if row.rtl else indent

    def _paint_inline_code(self, painter: QPainter, block: QTextBlock) -> None:
        """A soft rounded ground behind each piece of `code`, line by line."""
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
                # By the letters, not by the cursor's places: where the direction of the text
                # turns, those are on the other side. From the block's left, margin included.
                runs = [run.boundingRect() for run in line.glyphRuns(begin, stop - begin)]
                if not runs:
                    continue
                left, right = min(r.left() for r in runs), max(r.right() for r in runs)
                top = origin.y() + line.y() + line.ascent() - 1.02 * self._style.code_px
                width, height = right - left + 5, 1.4 * self._style.code_px
                yield QRectF(origin.x() + left - 2.5, top, width, height)

    def _code_runs(self, block: QTextBlock) -> Iterator[tuple[int, int]]:
        """Where inline code begins and ends within the block, in UTF-16 units."""
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
            place = QRectF(left, area.top() + 3, max(width, 0), CODE_HEADER - 3)
            # Code runs from left to right in every window, and so does its name.
            left_side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | left_side, row.code.language)
            painter.setPen(Qt.PenStyle.NoPen)

    def _between(self, first: QTextBlock, last: QTextBlock) -> QRectF:
        """From the top of one block's first line to the foot of another's last, full width."""
        width = self._heed_width()
        key = first.blockNumber(), last.blockNumber()
        if key not in self._areas:
            self._areas[key] = self._measured(first, last, width)
        return QRectF(self._areas[key])

    def _measured(self, first: QTextBlock, last: QTextBlock, width: float) -> QRectF:
        layout = self._document.documentLayout()
        if width <= 0:
            width = self._document.size().width()
        # Asking for its rectangle lays a block out. The rectangle itself is the glyphs' own, which
        # differs from the lines' when their height is fixed.
        foot = layout.blockBoundingRect(last)
        if last.blockFormat().lineHeight() and last.layout().lineCount():
            lines = last.layout().lineCount() * last.blockFormat().lineHeight()
            foot.setBottom(last.layout().position().y() + lines)
        if table := QTextCursor(first).currentTable():
            # A cell's block counts from its cell, and Qt leaves out the first cell's padding.
            top = layout.frameBoundingRect(table).top() - CELL_PAD
        else:
            top = min(first.layout().position().y(), layout.blockBoundingRect(first).bottom())
        return QRectF(QPointF(0, top), QPointF(width, foot.bottom()))

    def _code_area(self, first: QTextBlock, last: QTextBlock) -> QRectF:
        lines = self._between(first, last)
        form = first.blockFormat()
        left, right = form.leftMargin() - CODE_PAD, form.rightMargin() - CODE_PAD
        return lines.adjusted(left, -CODE_HEADER, -right, CODE_PAD)

    def _codes(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """First and last line of each code block that has rows in the range."""
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
    """How far below its top a block's first line has its baseline."""
    line = block.layout().lineAt(0)
    if line.isValid():  # a tall formula moves it down
        return line.y() + line.ascent()
    return _BASELINE * block.blockFormat().lineHeight()


def _bars(rows: Sequence[Row], begin: int, end: int) -> Iterator[tuple[Bar, int, int]]:
    """Each quotation's bar in the range, with its quotation's first and last row."""
    done: set[Bar] = set()
    for place in range(begin, end):
        for bar in rows[place].bars:
            if bar in done:
                continue
            done.add(bar)
            first = last = place
            while first > 0 and bar in rows[first - 1].bars:
                first -= 1
            while last + 1 < len(rows) and bar in rows[last + 1].bars:
                last += 1
            yield bar, first, last

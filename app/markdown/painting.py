"""What is painted under the text: ground of code, quotation bars, markers of lists, rules."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QTextBlock,
    QTextCursor,
    QTextDocument,
)

from app.markdown.formats import INLINE_CODE, Formats
from app.markdown.markers import paint_marker
from app.markdown.row_writer import RowWriter
from app.markdown.rows import Bar, Row, Span, TableRow, TextRow
from app.markdown.spacing import CELL_PAD, CODE_HEADER, CODE_PAD

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

        # One row more at each end: a code block's header stands above its first row.
        first = max(bisect_left(range(count), clip.top(), key=top) - 2, 0)
        last = min(bisect_right(range(count), clip.bottom(), first, key=top) + 1, count)
        self._looked = asked, (first, last)
        return first, last

    def _paint_row(self, painter: QPainter, place: int) -> None:
        row = self._writer.rows[place]
        first, last = self._writer.blocks(place)
        if isinstance(row, TableRow):
            if any(_has_code(cell) for cells in row.cells for cell in cells):
                block = first
                while block != last:
                    self._paint_inline_code(painter, block)
                    block = block.next()
            return
        if row.code is None and _has_code(row.spans):
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
        origin = self._document.documentLayout().blockBoundingRect(block).topLeft()
        layout = block.layout()
        painter.setBrush(QColor(self._style.inline_code_background))
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
                area = QRectF(origin.x() + left - 2.5, top, width, height)
                painter.drawRoundedRect(area, 4, 4)

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
    return any(span.ink.code for span in spans)


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

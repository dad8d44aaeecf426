"""QTextDocument for a message's Markdown, updated while the text streams in."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar
from weakref import WeakKeyDictionary

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QObject, QRectF, QTimer, Slot
from PySide6.QtGui import QPainter, QTextDocument

from app.markdown.blocks import TAIL_LIMIT, BlockSplitter, OpenFence
from app.markdown.highlight import HIGHLIGHT_LIMIT, HighlightScheduler, Lines
from app.markdown.inline import InlineParser, raw_rows
from app.markdown.layout import GrowingCode, block_rows, line_rows
from app.markdown.maths import OBJECT, MathObject
from app.markdown.plain_text import remove_markup
from app.markdown.range_text import markdown_text
from app.markdown.row_writer import RowWriter, Widths
from app.markdown.rows import CodeKey, Row, TextRow
from app.markdown.style import LIGHT, MarkdownStyle, formats_of
from app.markdown.underlay import Underlay

# Pause after a refresh, as a multiple of its duration: 20 ms after 2 ms of work. This limits
# rendering to an eleventh of the time.
_REST = 10
_SHORTEST_S = 0.016
_LONGEST_S = 0.25  # maximum pause added because other documents are streaming
_RECENT_S = 1.0
APART_S = 0.004
"""Minimum time between refreshes of two documents, left for painting and key presses."""


SLICE, SLICE_LINES = 4_000, 50
"""Characters and lines to render per step, which take 10 to 40 ms in the worst case."""


class RefreshPace:
    """Schedule of a document's refreshes, with pauses and in alternation with other documents."""

    def __init__(self) -> None:
        self.cost = 0.0  # duration of the last refresh in seconds
        self._rested_from = 0.0

    # Last refresh time of each document, removed along with the document.
    refreshed: ClassVar[WeakKeyDictionary[RefreshPace, float]] = WeakKeyDictionary()

    @contextmanager
    def measure_refresh(self) -> Iterator[None]:
        start = time.monotonic()
        yield
        self._rested_from = self.refreshed[self] = time.monotonic()
        self.cost = self._rested_from - start

    def remove_document(self) -> None:
        self.refreshed.pop(self, None)

    def seconds_left(self) -> float:
        """Return the seconds until the next refresh is due, 0 or less if it is due now."""
        last_refresh = max(
            (at for pace, at in self.refreshed.items() if pace is not self), default=0.0
        )
        return max(self._rested_from + self.pause_s(), last_refresh + APART_S) - time.monotonic()

    def pause_s(self) -> float:
        """Return the pause, based on the last refresh's duration and the number of documents."""
        since = time.monotonic() - _RECENT_S
        for document in [document for document, last in self.refreshed.items() if last < since]:
            del self.refreshed[document]
        alone = self.cost * _REST
        shared = alone * max(len(self.refreshed) / 2, 1)
        return max(min(shared, max(alone, _LONGEST_S)), _SHORTEST_S)


class Rendering:
    def __init__(self, colors: HighlightScheduler, parts: Collection[str]) -> None:
        self.codes: dict[CodeKey, str] = {}  # source of each code block
        self._colors = colors
        self._splitter = BlockSplitter()
        self._final_inline = InlineParser(parts)
        self._open_inline = InlineParser(parts)
        self._ends: list[int] = []  # end row of each finished block
        self._uses: dict[str, int] = {}  # bracketed label -> first finished block with that label
        self._labels: set[str] = set()  # labels defined at the time finished blocks were rendered
        self._open_parse = -1
        self._open_kept: list[Row] = []
        self._growing = GrowingCode()

    def rows_of(self, number: int) -> tuple[int, int]:
        if number >= len(self._ends):
            return 0, 0
        return self._ends[number - 1] if number else 0, self._ends[number]

    def feed(self, text: str) -> None:
        self._splitter.feed(text)
        self._take_back()

    def finish(self) -> None:
        self._splitter.finish()

    def free_caches(self) -> None:
        self._final_inline.forget()
        self._open_inline.forget()

    def advance(self, old_rows: Sequence[Row]) -> tuple[int, list[Row]]:
        """Update the rows. Return how many of `old_rows` to keep, and the rows after them."""
        splitter = self._splitter
        splitter.advance()
        first_block = self._first_to_render()
        begin = self._ends[first_block - 1] if first_block else 0
        above = old_rows[begin - 1] if begin else None
        del self._ends[first_block:]
        rows: list[Row] = []
        self._colors.begin()
        self._final_inline.begin(splitter.references, steady=True, previous=self._open_inline)
        if (grown := self._rows_of_closed_code(first_block, begin, above)) is not None:
            unchanged, rows = grown
            begin += unchanged
            self._ends.append(begin + len(rows))
            first_block += 1
        for number in range(first_block, len(splitter.finished)):
            block = splitter.finished[number]
            previous = rows[-1] if rows else above
            rows += block_rows(
                block, number, self._final_inline, previous, self.codes, self._colors.lines
            )
            splitter.forget_tokens(number)
            self._ends.append(begin + len(rows))
            for label in block.labels:
                self._uses.setdefault(label, number)
        unchanged, tail = self._open_rows(rows, begin, above)
        return begin + unchanged, [*rows, *tail]

    def _rows_of_closed_code(
        self, number: int, begin: int, above: Row | None
    ) -> tuple[int, list[Row]] | None:
        """Render a long fence that was just closed. Return the number of rows to keep, and new
        rows.

        Long code isn't highlighted, so only the last lines change.
        """
        if number >= len(self._splitter.finished):
            return None
        block = self._splitter.finished[number]
        if block.typed or len(block.source) <= HIGHLIGHT_LIMIT + TAIL_LIMIT:
            return None
        tokens = block.tokens
        if len(tokens) != 1 or tokens[0].type != "fence":
            return None
        token = tokens[0]
        fence = OpenFence(token.info, token.content)
        if not self._growing.is_showing(fence, number, begin):
            return None
        return self._growing.rows(fence, number, above, begin, self.codes)

    def _take_back(self) -> None:
        count = len(self._splitter.finished)
        if len(self._ends) <= count:
            return
        for label in self._labels - self._splitter.references.keys():
            count = min(count, self._uses.get(label, count))
        del self._ends[count:]
        self._labels.intersection_update(self._splitter.references)
        self._uses = {label: number for label, number in self._uses.items() if number < count}

    def _first_to_render(self) -> int:
        """Return the first finished block without rows, or with rows affected by a new
        definition.
        """
        first = len(self._ends)
        references = self._splitter.references
        if len(references) > len(self._labels):
            for label in references.keys() - self._labels:
                first = min(first, self._uses.get(label, first))
            self._labels.update(references)
        return first

    def _open_rows(
        self, finished: list[Row], begin: int, above: Row | None
    ) -> tuple[int, list[Row]]:
        """Render the open block. Return the rows to keep after `begin`, and the new rows."""
        splitter = self._splitter
        number = len(splitter.finished)
        previous = finished[-1] if finished else above
        if finished or splitter.open_fence is None:
            self._growing.clear()
        if fence := splitter.open_fence:
            index = begin + len(finished)
            return self._growing.rows(fence, number, previous, index, self.codes)
        if not splitter.tail:
            return 0, []
        if splitter.parses != self._open_parse:
            self._open_parse = splitter.parses
            self._open_kept = self._render_open(number, previous)
        rows = self._open_kept
        if splitter.unparsed_text:
            return 0, [
                *rows,
                *raw_rows(splitter.unparsed_text.strip("\n"), rows[-1] if rows else previous),
            ]
        return 0, rows

    def _render_open(self, number: int, previous: Row | None) -> list[Row]:
        splitter = self._splitter
        references = splitter.open_references
        self._open_inline.begin(references, steady=len(references) == len(splitter.references))
        block = splitter.open_block
        return block_rows(block, number, self._open_inline, previous, self.codes)


class CodeBlock(Struct, frozen=True):
    """Rendered code block with its text and position.

    `first_position` and `last_position` are cursor positions (start of the first line, end of the
    last line), which are only valid until the document changes. `name` is stable while the text
    grows.
    """

    source: str
    language: str
    first_position: int
    last_position: int
    name: tuple[int, int] = (0, 0)
    wrapped: bool = False


class MarkdownDocument(QObject):
    """Renders streaming Markdown into `document`. For the GUI thread.

    The cost of `append` depends only on the open tail. Finished blocks don't change, unless a link
    reference definition follows its use, so selections in them survive. Each refresh is followed by
    a pause of at least ten times its duration. `refresh` renders everything immediately. Code is
    highlighted when its block is finished, long code in slices of a few milliseconds; `settle`
    waits for that. After `finish` and highlighting, the document equals a single rendering of
    `source`.

    HTML is shown as text, images as their alt text, and formulas are typeset. Links are http, https
    or mailto. Nothing is ever loaded. If `parts` has the letters of a panel's columns, "[A]"
    becomes a link to "#A".

    Views must call `paint_under(painter, clip)` before drawing the document. It paints code
    backgrounds with their language labels, list markers, quote bars and rules, because Qt's rich
    text supports neither rounded corners nor one-sided borders.
    """

    def __init__(
        self,
        style: MarkdownStyle = LIGHT,
        parent: QObject | None = None,
        parts: Collection[str] = (),
    ) -> None:
        super().__init__(parent)
        self.style = style
        self._parts = parts
        self._source: list[str] = []
        self._formats = formats_of(style)
        # The document is never replaced.
        self.document = QTextDocument()  # no parent: kept alive by its references
        self.document.setUndoRedoEnabled(False)
        self.document.setDocumentMargin(0)
        self.document.setDefaultFont(self._formats.font())
        self._maths = MathObject(self)
        self.document.documentLayout().registerHandler(OBJECT, self._maths)
        self._writer = RowWriter(self.document, self._formats)
        self._underlay = Underlay(self._writer, self.document, self._formats)
        self._widths = Widths(self._writer)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._refresh_or_wait)
        self._colors = HighlightScheduler(self._recolor, self)
        self._reset()

    def _reset(self) -> None:
        self._rendering = Rendering(self._colors, self._parts)
        self._colors.clear()
        for name in self.wrapped_blocks:
            self._writer.set_wrapped(name, False)
        self._pace = RefreshPace()
        self._source = []
        self._pending: list[str] = []  # text appended since the last rendering
        self._finishing = False  # `finish` was called, but some text isn't rendered yet

    @property
    def source(self) -> str:
        if len(self._source) > 1:  # join the chunks, since `source` is read for every chunk
            self._source = ["".join(self._source)]
        return self._source[0] if self._source else ""

    @property
    def is_empty(self) -> bool:
        return not self._source

    @property
    def end_position(self) -> int:
        rows = self._writer.rows
        if not rows:
            return 0
        _, block = self._writer.blocks(len(rows) - (2 if rows[-1].kind == "pad" else 1))
        return block.position() + block.length() - 1

    def append(self, text: str) -> None:
        """Append text, which appears within milliseconds. Long text is rendered in slices."""
        if not text:
            return
        self._source.append(text)
        self._pending.append(text)
        if not self._timer.isActive():
            self._refresh_or_wait()

    def finish(self) -> None:
        """Mark the text as complete. A later `append` continues it.

        A short remainder is rendered now, a long one in slices.
        """
        self._finishing = True
        if not self._is_behind():
            self.refresh()
        elif not self._timer.isActive():
            self._refresh_or_wait()

    def set_text(self, markdown: str) -> None:
        self._timer.stop()
        self._reset()
        if markdown:
            self._source.append(markdown)
            self._pending.append(markdown)
        self._finishing = True
        self.refresh()
        self._rendering.free_caches()

    def set_style(self, style: MarkdownStyle) -> None:
        if style == self.style:
            return
        self.style = style
        self._formats = formats_of(style)
        self.document.setDefaultFont(self._formats.font())
        self._writer.restyle(self._formats)
        self._underlay = Underlay(self._writer, self.document, self._formats)
        self._widths.invalidate_from(0)

    def settle(self) -> None:
        """Render and highlight everything, however long that takes."""
        self.refresh()
        self._colors.settle()

    def code_blocks(self, clip: QRectF | None = None) -> list[CodeBlock]:
        """Return the code blocks in order, or only those near `clip`."""
        blocks: list[CodeBlock] = []
        for first, last in self._underlay.code_row_ranges(clip):
            row = self._writer.rows[first]
            if isinstance(row, TextRow) and row.code is not None:
                begin, _ = self._writer.blocks(first)
                _, end = self._writer.blocks(last)
                source, name = self._rendering.codes.get(row.code, ""), row.code.block
                stop = end.position() + end.length() - 1
                wrapped = name in self._writer.wrapped
                start, language = begin.position(), row.code.language
                blocks.append(CodeBlock(source, language, start, stop, name, wrapped))
        return blocks

    @property
    def wrapped_blocks(self) -> frozenset[tuple[int, int]]:
        return frozenset(self._writer.wrapped)

    def set_wrapped(self, name: tuple[int, int], wrapped: bool) -> None:
        """Turn line wrapping on or off for a code block (default: off).

        Unwrapped lines may be wider than the document, so the view clips them at `code_area` and
        scrolls. Lines of more than 2,000 characters are always wrapped.
        """
        self._writer.set_wrapped(name, wrapped)
        self._widths.invalidate_from(0)
        self._underlay.drop_areas_from(0)

    def code_width(self, block: CodeBlock) -> float:
        """Return the width of a code block's widest line in pixels, from the left edge of the
        text.
        """
        find = self.document.findBlock
        last = find(block.last_position)
        self.document.documentLayout().blockBoundingRect(last)  # also lays out everything above
        return self._widths.widest_line(block.name, find(block.first_position), last)

    def code_area(self, block: CodeBlock) -> QRectF:
        """Return the rectangle of a code block with its header, in document coordinates.

        The header is the top `spacing.CODE_HEADER` pixels, with the label on the left.
        """
        return self._underlay.code_area(block.first_position, block.last_position)

    def plain_text(self) -> str:
        return remove_markup(self.markdown_text())

    def markdown_text(self, first: int = 0, last: int | None = None) -> str:
        if last is None and self._pending:
            self.refresh()
        return markdown_text(self._writer, first, self.end_position if last is None else last)

    def paint_under(self, painter: QPainter, clip: QRectF | None = None) -> None:
        self._underlay.paint(painter, clip)

    def _is_behind(self) -> bool:
        lines = sum(text.count("\n") for text in self._pending)
        return lines > SLICE_LINES or sum(map(len, self._pending)) > SLICE

    def _next_slice(self) -> str:
        text = "".join(self._pending)
        part = text[:SLICE]
        if part.count("\n") > SLICE_LINES:
            part = "\n".join(part.split("\n", SLICE_LINES)[:SLICE_LINES]) + "\n"
        self._pending = [text[len(part) :]] if len(part) < len(text) else []
        return part

    @Slot()
    def refresh(self, sliced: bool = False) -> None:
        """Render the waiting text, or with ``sliced`` only the beginning of a long text."""
        self._timer.stop()
        with self._pace.measure_refresh():
            if sliced:
                text = self._next_slice()
            else:
                text, self._pending = "".join(self._pending), []
            self._rendering.feed(text)
            if self._finishing and not self._pending:
                self._rendering.finish()
            start, rows = self._rendering.advance(self._writer.rows)
            changed = self._writer.show(start, rows)
            if changed is not None:
                self._widths.invalidate_from(changed)
                self._underlay.drop_areas_from(changed)
                self._underlay.repaint_from(changed)
        if self._pending:
            self._timer.start(int(max(self._pace.cost, APART_S) * 1000) + 1)
        elif self._finishing:
            self._finishing = False
            self._pace.remove_document()

    @Slot()
    def _refresh_or_wait(self) -> None:
        # For a long text, pause only for the duration of a slice instead of ten times that.
        pause_s = 0.0 if self._is_behind() else self._pace.seconds_left()
        if pause_s > 0:
            self._timer.start(int(pause_s * 1000) + 1)
        else:
            self.refresh(sliced=True)

    def _recolor(self, key: CodeKey, lines: Lines) -> None:
        begin, end = self._rendering.rows_of(key.block[0])
        rows = self._writer.rows[begin:end]
        code_rows = [
            (begin + offset, row)
            for offset, row in enumerate(rows)
            if isinstance(row, TextRow) and row.code == key and row.kind == "code"
        ]
        parts = [row.spans for row in line_rows(key, lines)]
        if len(code_rows) == len(parts):
            colored = [
                replace(row, spans=part) for (_, row), part in zip(code_rows, parts, strict=True)
            ]
            self._writer.recolor(code_rows[0][0], colored)

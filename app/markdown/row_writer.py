"""Update of a QTextDocument that rewrites only the rows that changed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace
from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor, QTextDocument, QTextTable

from app.markdown.rows import LONGEST, PLAIN, Ink, Row, Span, TableRow, TextRow, text_of
from app.markdown.style import Formats

_MARK = "\ufeff"
_ARABIC = re.compile("[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufefc]")


def insert(
    cursor: QTextCursor,
    formats: Formats,
    spans: Sequence[Span],
    kind: str,
    quoted: bool,
    skip: int = 0,
) -> None:
    """Insert spans, omitting the first `skip` UTF-16 units."""
    for span in spans:
        rest = span.text
        if skip:
            length = _utf16_length(rest)
            if skip >= length:
                skip -= length
                continue
            rest = rest.encode("utf-16-le")[2 * skip :].decode("utf-16-le")
            skip = 0
        # PySide would drop an initial byte order mark.
        if rest.startswith(_MARK):
            rest = _MARK + rest
        cursor.insertText(rest, formats.char(kind, _displayed_ink(span), quoted))


def format_spans(
    cursor: QTextCursor, formats: Formats, spans: Sequence[Span], kind: str, quoted: bool, at: int
) -> None:
    """Apply the formats of spans to their text, which is already in the document at position `at`.

    Replacing the text would be simpler, but would move the ends of a selection.
    """
    for span in spans:
        cursor.setPosition(at)
        at += _utf16_length(span.text)
        cursor.setPosition(at, QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(formats.char(kind, _displayed_ink(span), quoted))


def _displayed_ink(span: Span) -> Ink:
    """Return the style of a span, without italics for Arabic, where Qt may paint nothing at all."""
    if span.ink.italic and _ARABIC.search(span.text):
        return replace(span.ink, italic=False)
    return span.ink


def fill(table: QTextTable, formats: Formats, row: TableRow, number: int) -> None:
    kind = "paragraph" if number else "head"
    for column, align in enumerate(row.align):
        # Qt doesn't mirror tables.
        cell = table.cellAt(number, len(row.align) - 1 - column if row.rtl else column)
        cell.setFormat(formats.cell(column == 0, row.rtl))
        cursor = cell.firstCursorPosition()
        cursor.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        spans = row.cells[number][column] if column < len(row.cells[number]) else ()
        formula = any(span.ink.math for span in spans)
        cursor.setBlockFormat(formats.cell_block(align, formula, row.rtl))
        insert(cursor, formats, spans, kind, bool(row.bars))


def _utf16_length(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def common_length(old: Sequence[Span], new: Sequence[Span]) -> int:
    """Return the length of the common prefix (same text and style) in UTF-16 units."""
    units = 0
    for before, after in zip(old, new, strict=False):
        if before == after:
            units += _utf16_length(before.text)
            continue
        if before.ink == after.ink:
            length = min(len(before.text), len(after.text))
            if before.text[:length] == after.text[:length]:
                same = length
            else:
                same = next(i for i in range(length) if before.text[i] != after.text[i])
            units += _utf16_length(before.text[:same])
        break
    return units


class Widths:
    """Widest line of each code block, cached so that growing blocks are only measured at the
    end.
    """

    def __init__(self, writer: RowWriter) -> None:
        self._writer = writer
        # By name: the next block to measure, and the widest line so far.
        self._cache: dict[tuple[int, int], tuple[int, float]] = {}

    def invalidate_from(self, index: int) -> None:
        number = self._writer.number(index)
        self._cache = {name: entry for name, entry in self._cache.items() if entry[0] <= number}

    def widest_line(self, name: tuple[int, int], first: QTextBlock, last: QTextBlock) -> float:
        """Return the width of the widest line from `first` to `last`, which must be laid out."""
        number, widest = self._cache.get(name, (first.blockNumber(), 0.0))
        block = first.document().findBlockByNumber(number)
        while block.isValid() and block.blockNumber() <= last.blockNumber():
            if block == last:
                self._cache[name] = (last.blockNumber(), widest)  # the last line may still grow
            if block.blockFormat().nonBreakableLines() and block.layout().lineCount():
                widest = max(widest, block.layout().lineAt(0).naturalTextWidth())
            block = block.next()
        return widest


_KEEP = QTextCursor.MoveMode.KeepAnchor


class RowWriter:
    """Writes rows to a document. Nothing else may edit that document.

    A text row is one QTextBlock. A table consists of the blocks of its cells, plus the empty blocks
    that Qt adds after each table and before a table at the start. Code at the start of a document
    also gets an empty block, because Qt ignores the top margin of the first block.
    """

    def __init__(self, document: QTextDocument, formats: Formats) -> None:
        self.rows: list[Row] = []
        # Names of code blocks with wrapped lines, see `set_wrapped`.
        self.wrapped: set[tuple[int, int]] = set()
        # First and last rows of all code blocks, in order.
        self.code_firsts: list[int] = []
        self.code_feet: list[int] = []
        self._document = document
        self._formats = formats
        self._starts: list[int] = []  # first document block of each row
        self._next = 0  # block after the last row
        self._set_bare(QTextCursor(document))

    def show(self, start: int, rows: Sequence[Row]) -> int | None:
        """Replace all rows from `start` on. Return the first row that changed, or None."""
        index = start
        end = start + len(rows)
        limit = min(end, len(self.rows))
        while index < limit and _is_same_row(self.rows[index], rows[index - start]):
            index += 1
        if index == end == len(self.rows):
            return None
        changed = index
        with self._edit_block() as cursor:
            while index < limit:
                if not self._try_adjust(cursor, index, rows[index - start]):
                    break
                index += 1
            if index < len(self.rows):
                self._truncate(cursor, index)
            cursor.movePosition(QTextCursor.MoveOperation.End)
            for row in rows[index - start :]:
                self._append(cursor, row)
        self._note_code(changed)
        return changed

    def _note_code(self, index: int) -> None:
        for indexes in (self.code_firsts, self.code_feet):
            del indexes[bisect_left(indexes, index) :]
        for number in range(index, len(self.rows)):
            row = self.rows[number]
            if isinstance(row, TextRow) and row.code is not None:
                if row.first:
                    self.code_firsts.append(number)
                elif row.kind == "pad":
                    self.code_feet.append(number)

    def recolor(self, start: int, rows: Sequence[TextRow]) -> None:
        """Replace rows with rows that only differ in their spans."""
        with self._edit_block() as cursor:
            for index, row in enumerate(rows, start):
                self._try_adjust(cursor, index, row)

    def set_wrapped(self, name: tuple[int, int], wrapped: bool) -> None:
        """Set whether the lines of a code block wrap. The block may not exist yet."""
        (self.wrapped.add if wrapped else self.wrapped.discard)(name)
        with self._edit_block() as cursor:
            for index, row in enumerate(self.rows):
                if isinstance(row, TextRow) and row.code is not None and row.code.block == name:
                    cursor.setPosition(self.blocks(index)[0].position())
                    cursor.setBlockFormat(self._block(row))

    def restyle(self, formats: Formats) -> None:
        self._formats = formats
        rows = list(self.rows)
        with self._edit_block() as cursor:
            self._truncate(cursor, 0)
            for row in rows:
                self._append(cursor, row)

    @contextmanager
    def _edit_block(self) -> Iterator[QTextCursor]:
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        try:
            yield cursor
        finally:
            cursor.endEditBlock()

    def blocks(self, index: int) -> tuple[QTextBlock, QTextBlock]:
        after = self._starts[index + 1] if index + 1 < len(self._starts) else self._next
        find = self._document.findBlockByNumber
        return find(self._starts[index]), find(after - 1)

    def number(self, index: int) -> int:
        return self._starts[index] if index < len(self._starts) else self._next

    def _try_adjust(self, cursor: QTextCursor, index: int, new: Row) -> bool:
        """Change a row in place, or return False if that isn't possible."""
        old = self.rows[index]
        if _is_same_row(old, new):
            return True
        if isinstance(old, TextRow) and isinstance(new, TextRow):
            if index == 0 and _needs_leading_block(old) != _needs_leading_block(new):
                return False
            self._adjust_text(cursor, index, old, new)
        elif isinstance(old, TableRow) and isinstance(new, TableRow):
            if not self._adjust_table(cursor, index, old, new):
                return False
        else:
            return False
        self.rows[index] = new
        return True

    def _adjust_text(self, cursor: QTextCursor, index: int, old: TextRow, new: TextRow) -> None:
        block, _ = self.blocks(index)
        same_look = old.kind == new.kind and bool(old.bars) == bool(new.bars)
        unchanged = common_length(old.spans, new.spans) if same_look else 0
        if same_look and old.spans != new.spans and text_of(old.spans) == text_of(new.spans):
            format_spans(
                cursor, self._formats, new.spans, new.kind, bool(new.bars), block.position()
            )
        elif not same_look or old.spans != new.spans:
            cursor.setPosition(block.position() + unchanged)
            cursor.setPosition(block.position() + block.length() - 1, _KEEP)
            cursor.removeSelectedText()
            insert(cursor, self._formats, new.spans, new.kind, bool(new.bars), unchanged)
        before, after = self._block(old), self._block(new)
        if before != after or old.item != new.item or not same_look:
            cursor.setPosition(block.position())
            self._set_block(cursor, new, after)

    def _adjust_table(self, cursor: QTextCursor, index: int, old: TableRow, new: TableRow) -> bool:
        """Extend a table in place. Return False if more than its last row has changed."""
        columns = len(old.cells) - 1
        if (
            index != len(self.rows) - 1
            or columns < 1
            or len(new.cells) < len(old.cells)
            or (old.align, old.space, old.levels, old.bars, old.rtl)
            != (new.align, new.space, new.levels, new.bars, new.rtl)
            or old.cells[:columns] != new.cells[:columns]
        ):
            return False
        block, _ = self.blocks(index)
        cursor.setPosition(block.position())
        table = cursor.currentTable()
        if len(new.cells) > len(old.cells):
            table.appendRows(len(new.cells) - len(old.cells))
        for number in range(columns, len(new.cells)):
            if number > columns or old.cells[number] != new.cells[number]:
                fill(table, self._formats, new, number)
        self._next = table.lastCursorPosition().block().blockNumber() + 2
        return True

    def _truncate(self, cursor: QTextCursor, index: int) -> None:
        if index == 0:
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.removeSelectedText()
            self._set_bare(cursor)
        else:
            _, last = self.blocks(index - 1)
            cursor.setPosition(last.position() + last.length() - 1)
            # An empty block would inherit the format of the removed block after it.
            empty = last.length() == 1
            if empty:
                cursor.insertText("x", last.charFormat())
            cursor.movePosition(QTextCursor.MoveOperation.End, _KEEP)
            cursor.removeSelectedText()
            if empty:
                cursor.deletePreviousChar()
        self._next = 0 if index == 0 else self.number(index)
        del self.rows[index:]
        del self._starts[index:]

    def _block(self, row: TextRow) -> QTextBlockFormat:
        block = self._formats.block(row)
        if row.kind == "code" and row.code is not None and row.code.block not in self.wrapped:
            # Lines longer than a row are split, and their parts are always wrapped.
            unbroken = sum(len(span.text) for span in row.spans) < LONGEST and not row.joined
            block.setNonBreakableLines(unbroken)
        return block

    def _set_bare(self, cursor: QTextCursor) -> None:
        cursor.setBlockFormat(self._formats.after_table())
        cursor.setBlockCharFormat(self._formats.char("paragraph", PLAIN, False))

    def _append(self, cursor: QTextCursor, row: Row) -> None:
        if isinstance(row, TableRow):
            self._append_table(cursor, row)
        else:
            block = self._block(row)
            lead = int(not self.rows and _needs_leading_block(row))
            if lead:
                self._set_bare(cursor)
            if self.rows or lead:
                cursor.insertBlock(block, self._formats.row_char(row))
            self._set_block(cursor, row, block)
            insert(cursor, self._formats, row.spans, row.kind, bool(row.bars))
            self._starts.append(self._next + lead)
            self._next += lead + 1
        self.rows.append(row)

    def _append_table(self, cursor: QTextCursor, row: TableRow) -> None:
        lead = 0 if self.rows else 1
        if lead:
            self._set_bare(cursor)
        table = cursor.insertTable(len(row.cells), len(row.align), self._formats.table(row))
        for number in range(len(row.cells)):
            fill(table, self._formats, row, number)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        self._set_bare(cursor)
        self._starts.append(self._next + lead)
        self._next += lead + len(row.cells) * len(row.align) + 1

    def _set_block(self, cursor: QTextCursor, row: TextRow, block: QTextBlockFormat) -> None:
        cursor.setBlockFormat(block)
        cursor.setBlockCharFormat(self._formats.row_char(row))


def _is_same_row(first: Row, second: Row) -> bool:
    return first is second or first == second


def _needs_leading_block(row: TextRow) -> bool:
    """Return True if this row needs an empty block in front at the start of a document."""
    return row.code is not None

"""Writes spans into a QTextDocument: runs of text and cells of tables."""

from collections.abc import Sequence

from PySide6.QtGui import QTextCursor, QTextTable

from app.markdown.formats import Formats
from app.markdown.rows import Span, TableRow

_MARK = "\ufeff"


def insert(
    cursor: QTextCursor,
    formats: Formats,
    spans: Sequence[Span],
    kind: str,
    quoted: bool,
    skip: int = 0,
) -> None:
    """Inserts spans without their first `skip` UTF-16 units."""
    for text, ink in spans:
        rest = text
        if skip:
            length = _units(text)
            if skip >= length:
                skip -= length
                continue
            rest = text.encode("utf-16-le")[2 * skip :].decode("utf-16-le")
            skip = 0
        # PySide takes the first one for a mark of the byte order and leaves it out.
        if rest.startswith(_MARK):
            rest = _MARK + rest
        cursor.insertText(rest, formats.char(kind, ink, quoted))


def dress(
    cursor: QTextCursor, formats: Formats, spans: Sequence[Span], kind: str, quoted: bool, at: int
) -> None:
    """Formats the text from position `at` on like spans of the same text.

    Nothing is taken out and put in again, which would move the ends of a selection.
    """
    for text, ink in spans:
        cursor.setPosition(at)
        at += _units(text)
        cursor.setPosition(at, QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(formats.char(kind, ink, quoted))


def text_of(spans: Sequence[Span]) -> str:
    return "".join(span.text for span in spans)


def fill(table: QTextTable, formats: Formats, row: TableRow, number: int) -> None:
    """(Re)writes one row of cells."""
    kind = "paragraph" if number else "head"
    for column, align in enumerate(row.align):
        # Qt does not mirror a table, whatever its layout direction is.
        cell = table.cellAt(number, len(row.align) - 1 - column if row.rtl else column)
        cell.setFormat(formats.cell(column == 0, row.rtl))
        cursor = cell.firstCursorPosition()
        cursor.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        spans = row.cells[number][column] if column < len(row.cells[number]) else ()
        formula = any(span.ink.math for span in spans)
        cursor.setBlockFormat(formats.cell_block(align, formula, row.rtl))
        insert(cursor, formats, spans, kind, bool(row.bars))


def _units(text: str) -> int:
    """Length as Qt counts it."""
    return len(text) + sum(character > "\uffff" for character in text)


def common(old: Sequence[Span], new: Sequence[Span]) -> int:
    """UTF-16 units that both begin with, text and look."""
    units = 0
    for one, other in zip(old, new, strict=False):
        if one == other:
            units += _units(one.text)
            continue
        if one.ink == other.ink:
            length = min(len(one.text), len(other.text))
            if one.text[:length] == other.text[:length]:
                same = length
            else:
                same = next(i for i in range(length) if one.text[i] != other.text[i])
            units += _units(one.text[:same])
        break
    return units

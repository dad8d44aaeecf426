"""A selection as plain text a person can paste: list markers kept, cells separated by tabs."""

from collections.abc import Iterator

from PySide6.QtGui import QTextBlock, QTextCursor

from app.markdown import maths
from app.markdown.inline import FORMULA
from app.markdown.rows import Row, TableRow, TextRow
from app.markdown.writing import RowWriter


def plain_text(writer: RowWriter, first: int, last: int) -> str:
    """The text between two positions of the document.

    Blocks of text are set apart by an empty line, lines of code and items of a list are not. A
    marker is there when its item is selected from its beginning.
    """
    parts: list[str] = []
    previous: Row | None = None
    for place, row in enumerate(writer.rows):
        if row.kind == "pad":
            continue
        begin, end = writer.blocks(place)
        if end.position() + end.length() <= first:
            continue
        if begin.position() > last:
            break
        if previous is not None:
            parts.append(between(previous, row))
        if isinstance(row, TableRow):
            parts.append(_table(begin, first, last, row.rtl))
        else:
            parts.append(_marker(row, begin, first) + _within(begin, first, last))
        previous = row
    return "".join(parts)


def between(above: Row, row: Row) -> str:
    """The line ends between two rows of a text that is pasted."""
    if isinstance(row, TextRow) and row.joined:
        return ""
    return "\n" if _close(above, row) else "\n\n"


def _close(above: Row, row: Row) -> bool:
    if not isinstance(above, TextRow) or not isinstance(row, TextRow):
        return False
    if above.code is not None or row.code is not None:
        return above.code == row.code
    return above.kind == row.kind == "raw" or row.space < 12


def _within(block: QTextBlock, first: int, last: int) -> str:
    """The part of a block's text between the positions."""
    start = max(first - block.position(), 0)
    units = block.text().encode("utf-16-le")  # positions count UTF-16 units
    part = units[2 * start : 2 * max(last - block.position(), 0)]
    text = part.decode("utf-16-le", "replace").replace("\u2028", "\n")
    if FORMULA not in text:
        return text
    formulas = _formulas(block, first, last)
    return "".join(next(formulas, "") if letter == FORMULA else letter for letter in text)


def _formulas(block: QTextBlock, first: int, last: int) -> Iterator[str]:
    """The sources of the formulas in a block between the positions."""
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        form = fragment.charFormat()
        if form.objectType() == maths.OBJECT:
            # Two of the same side by side are one fragment.
            for place in range(fragment.position(), fragment.position() + fragment.length()):
                if first <= place < last:
                    yield maths.typed(form)
        iterator += 1


def _marker(row: TextRow, block: QTextBlock, first: int) -> str:
    if row.kind == "rule":
        return "---"
    if row.item is None or first > block.position():
        return ""
    indent = "   " * row.item.depth
    if row.item.task:
        return indent + ("[x] " if row.item.task == "done" else "[ ] ")
    if row.item.ordered:
        return f"{indent}{row.item.start + row.item.place}{row.item.delimiter} "
    return indent + "• "


def _table(block: QTextBlock, first: int, last: int, rtl: bool) -> str:
    table = QTextCursor(block).currentTable()
    lines: list[str] = []
    for row in range(table.rows()):
        cells = [table.cellAt(row, column) for column in range(table.columns())]
        if cells[-1].lastPosition() < first or cells[0].firstPosition() > last:
            continue
        texts = [_within(c.firstCursorPosition().block(), first, last) for c in cells]
        lines.append("\t".join(reversed(texts) if rtl else texts))
    return "\n".join(lines)

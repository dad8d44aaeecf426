"""Complete dumps of documents, for comparing two of them."""

from typing import Any

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument, QTextFormat

from app.markdown import MarkdownDocument, MarkdownStyle
from app.markdown.style import LIGHT

# Indices of objects within a document. The dump contains the objects instead.
_OWN = {QTextFormat.Property.ObjectIndex.value}


def dump(document: QTextDocument) -> list[Any]:
    lists: dict[int, int] = {}
    tables: dict[int, int] = {}
    lines: list[Any] = []
    block = document.begin()
    while block.isValid():
        lines.append(
            (
                block.text(),
                _properties(block.blockFormat()),
                _properties(block.charFormat()),
                _fragments(block),
                _list(block, lists),
                _table(block, tables),
            )
        )
        block = block.next()
    return lines


def _fragments(block: QTextBlock) -> list[Any]:
    found: list[Any] = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        look = _properties(fragment.charFormat())
        if found and found[-1][1] == look:
            found[-1] = (found[-1][0] + fragment.text(), look)
        else:
            found.append((fragment.text(), look))
        iterator += 1
    return found


def _list(block: QTextBlock, known: dict[int, int]) -> Any:
    found = block.textList()
    if not found:
        return None
    name = known.setdefault(found.objectIndex(), len(known))
    return name, found.itemNumber(block), found.count(), _properties(found.format())


def _table(block: QTextBlock, known: dict[int, int]) -> Any:
    table = QTextCursor(block).currentTable()
    if not table:
        return None
    name = known.setdefault(table.objectIndex(), len(known))
    cell = table.cellAt(block.position())
    return (
        name,
        (table.rows(), table.columns()),
        (cell.row(), cell.column()),
        _properties(table.format()),
        _properties(cell.format()),
    )


class Look:
    """Format that can be compared and printed, because `properties()` crashes in PySide6 6.11.2."""

    def __init__(self, form: QTextFormat) -> None:
        self.form = QTextFormat(form)
        for key in _OWN:
            self.form.clearProperty(key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Look) and self.form == other.form

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        block = self.form.toBlockFormat()
        if self.form.isBlockFormat():
            return f"<{block.topMargin()},{block.leftMargin()},{block.lineHeight()}>"
        char = self.form.toCharFormat()
        return f"<{char.fontWeight()},{char.foreground().color().name()},{char.anchorHref()}>"


_properties = Look


def rendered(text: str, style: MarkdownStyle = LIGHT) -> MarkdownDocument:
    document = MarkdownDocument(style)
    document.set_text(text)
    document.settle()
    return document


def in_pieces(pieces: list[str]) -> MarkdownDocument:
    document = MarkdownDocument()
    for piece in pieces:
        document.append(piece)
        document.refresh()
    document.finish()
    document.settle()
    return document

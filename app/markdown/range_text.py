"""Parts of a document as Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby, takewhile

from PySide6.QtGui import QTextBlock, QTextCursor

from app.markdown.inline import FORMULA
from app.markdown.row_writer import RowWriter
from app.markdown.rows import QUOTE, CodeKey, Ink, Row, Span, TableRow, TextRow, text_of
from app.markdown.tex import typed_source


def _rows_between(
    writer: RowWriter, first: int, last: int
) -> Iterator[tuple[int, Row, QTextBlock]]:
    for index, row in enumerate(writer.rows):
        begin, end = writer.blocks(index)
        if row.kind == "pad" or end.position() + end.length() <= first:
            continue
        if begin.position() > last:
            break
        yield index, row, begin


def _separator(above: Row, row: Row) -> str:
    if isinstance(row, TextRow) and row.joined:
        return ""
    return "\n" if _are_close(above, row) else "\n\n"


def _are_close(above: Row, row: Row) -> bool:
    if not isinstance(above, TextRow) or not isinstance(row, TextRow):
        return False
    if above.code is not None or row.code is not None:
        return above.code == row.code
    return above.kind == row.kind == "raw" or row.space < 12


def markdown_text(writer: RowWriter, first: int, last: int) -> str:
    parts: list[str] = []
    previous: Row | None = None
    close = ""  # closing fence of the open code block
    for index, row, begin in _rows_between(writer, first, last):
        code, above, margin = _code_key(row), _code_key(previous), _margin(row.levels)
        if code != above:
            parts.append(close)
            close = ""
        if previous is not None:
            parts.append(_gap(previous, row))
        if code is not None and code != above:
            fence = _fence(writer, index)
            parts.append(f"{margin}{fence}{code.language}\n")
            close = f"\n{margin}{fence}"
        if isinstance(row, TableRow):
            parts.append(textwrap.indent(_markdown_table(begin, row, first, last), margin))
        else:
            lead = "" if row.joined else _leading_markup(row, begin.position() >= first)
            parts.append(lead + _text(row, begin, first, last))
        previous = row
    return textwrap.dedent("".join([*parts, close]))


def _code_key(row: Row | None) -> CodeKey | None:
    return row.code if isinstance(row, TextRow) else None


def _fence(writer: RowWriter, index: int) -> str:
    """Return a fence that is longer than any fence in the code block starting here."""
    longest, code = 2, _code_key(writer.rows[index])
    for number in range(index, len(writer.rows)):
        row = writer.rows[number]
        if not isinstance(row, TextRow) or row.code != code:
            break
        runs = re.findall("`+", text_of(row.spans))
        longest = max(longest, *map(len, runs), 2)
    return "`" * (longest + 1)


def _gap(above: Row, row: Row) -> str:
    ends = _separator(above, row)
    if ends != "\n\n":
        return ends
    # Empty lines inside a quote belong to the quote.
    shared = zip(above.levels, row.levels, strict=False)
    deep = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], shared))
    return f"\n{_margin(row.levels[:deep]).rstrip()}\n"


def _margin(levels: Sequence[str]) -> str:
    return "".join("> " if level == QUOTE else " " * (len(level) + 1) for level in levels)


def _leading_markup(row: TextRow, whole_item: bool) -> str:
    """Return the markup in front of a row's first line.

    ``whole_item`` is True if the start of the row's list item is selected.
    """
    before = _margin(row.levels)
    if row.item is not None and whole_item:
        item, levels = row.item, list(row.levels)
        inner = max((n for n, level in enumerate(levels) if level != QUOTE), default=len(levels))
        before = _margin(levels[:inner])
        before += f"{item.number}{item.delimiter} " if item.ordered else "- "
        before += {"todo": "[ ] ", "done": "[x] "}.get(item.task, "")
    if row.kind.startswith("heading"):
        before += "#" * int(row.kind[-1]) + " "
    return before


def _text(row: TextRow, block: QTextBlock, first: int, last: int) -> str:
    if row.kind == "rule":
        return "---"
    spans = _cut_spans(row.spans, first - block.position(), last - block.position())
    if row.code is not None or row.kind == "raw":
        return text_of(spans)
    text = _add_markup(spans, _LAYERS)
    # Escape anything that would start a heading, list or quote.
    text = re.sub(r"((?:^|\u2028)\s*\d*)([#>+.)-])(?=\s)", r"\1\\\2", text)
    # An empty line would end a paragraph, and any line break would end a heading.
    breaks = "\u2028+" if row.kind.startswith("heading") else "^\u2028|\u2028{2,}"
    text = re.sub(breaks, lambda match: "<br>" * len(match[0]), text)
    return text.replace("\u2028", "  \n" + _margin(row.levels))


def _cut_spans(spans: Sequence[Span], first: int, last: int) -> list[Span]:
    parts, at = [], 0
    for span in spans:
        units = span.text.encode("utf-16-le", "surrogatepass")
        part = units[2 * max(first - at, 0) : 2 * max(last - at, 0)]
        if part:
            parts.append(Span(part.decode("utf-16-le", "replace"), span.ink))
        at += len(units) // 2
    return parts


def _layer(name: str, span: Span) -> str | bool | tuple[str, ...]:
    value: str | bool | tuple[str, ...] = getattr(span.ink, name)
    # Links to columns only work in the panel.
    return "" if isinstance(value, str) and value.startswith("#") else value


_LAYERS = ("tags", "link", "strike", "bold", "italic")
_MARKS = {"strike": "~~", "bold": "**", "italic": "*"}


def _add_markup(spans: Sequence[Span], layers: Sequence[str]) -> str:
    """Return spans with markup for ``layers``, outermost first.

    Nesting in a fixed order avoids closing and reopening markup.
    """
    if not layers:
        return "".join(_escape(span.text, span.ink) for span in spans)
    parts = []
    for value, group in groupby(spans, key=partial(_layer, layers[0])):
        inner, bare = list(group), layers[1:]
        if not value:
            parts.append(_add_markup(inner, bare))
        elif layers[0] == "link":
            words = text_of(inner)
            parts.append(words if words == value else f"[{_add_markup(inner, bare)}]({value})")
        elif isinstance(value, tuple):
            head = "".join(f"<{tag}>" for tag in value)
            tail = "".join(f"</{tag}>" for tag in reversed(value))
            parts.append(f"{head}{_add_markup(inner, bare)}{tail}")
        else:
            text = _add_markup(inner, bare)
            words, sign = text.strip(), _MARKS[layers[0]]
            head = text[: len(text) - len(text.lstrip())]
            tail = text[len(text.rstrip()) :] if words else ""
            parts.append(f"{head}{sign}{words}{sign}{tail}" if words else text)
    return "".join(parts)


# Brackets aren't escaped, because "\[" would start a formula.
_ACTIVE = re.compile(r"[\\`*]|(?<!\w)_|_(?!\w)|<(?=[\w/!?])|~(?=~)")


def _escape(text: str, ink: Ink) -> str:
    if ink.math:
        return typed_source(ink.math, ink.display) * text.count(FORMULA)
    if ink.code:
        fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
        pad = " " if text.startswith("`") or text.endswith("`") else ""
        return f"{fence}{pad}{text}{pad}{fence}"
    return _ACTIVE.sub(r"\\\g<0>", text)


def _markdown_table(block: QTextBlock, row: TableRow, first: int, last: int) -> str:
    """Return the selected rows of a table with its header, or the text of a single cell."""
    table = QTextCursor(block).currentTable()
    lines: list[str] = []
    for number, cells in enumerate(row.cells):
        places = [table.cellAt(number, column) for column in range(table.columns())]
        # In a right-to-left table, Qt's first column is our last.
        ordered = list(reversed(places)) if row.rtl else places
        for cell, spans in zip(ordered, cells, strict=True):
            if cell.firstPosition() <= first <= last <= cell.lastPosition():
                return _add_markup(
                    _cut_spans(spans, first - cell.firstPosition(), last - cell.firstPosition()),
                    _LAYERS,
                )
        if places[-1].lastPosition() < first or places[0].firstPosition() > last:
            continue
        words = (_add_markup(spans, _LAYERS).replace("|", r"\|") for spans in cells)
        lines.append("| " + " | ".join(word.replace("\u2028", "<br>") for word in words) + " |")
        if len(lines) == 1:
            signs = {"l": "---", "c": ":-:", "r": "--:"}
            lines.append("|" + "|".join(signs[alignment] for alignment in row.align) + "|")
    return "\n".join(lines)

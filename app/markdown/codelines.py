"""The rows of code blocks, open and closed."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from markdown_it.common.utils import unescapeAll

from app.markdown.block import OpenFence
from app.markdown.highlight import language_of, plain_lines
from app.markdown.rows import LONGEST, Bar, CodeKey, Row, Span, TextRow
from app.markdown.spacing import gap

_PERHAPS_CLOSING = re.compile(r" {0,3}(`+|~+)[ \t]*")


def code_rows(
    key: CodeKey,
    lines: Iterable[tuple[Span, ...]],
    space: int,
    levels: tuple[str, ...] = (),
    bars: tuple[Bar, ...] = (),
    rtl: bool = False,
) -> list[Row]:
    """The rows of a complete code block."""
    rows = line_rows(key, lines, levels, bars, rtl)
    return [replace(rows[0], first=True, space=space), *rows[1:], _foot(key, levels, bars, rtl)]


def line_rows(
    key: CodeKey,
    lines: Iterable[tuple[Span, ...]],
    levels: tuple[str, ...] = (),
    bars: tuple[Bar, ...] = (),
    rtl: bool = False,
) -> list[TextRow]:
    """The rows of lines of code, without what is above and below them."""
    return [
        TextRow("code", part, 0, levels, bars, None, key, joined=number > 0, rtl=rtl)
        for line in lines
        for number, part in enumerate(_parts(line))
    ]


class GrowingCode:
    """The rows of the unclosed fence at a document's end: only those of new lines are made."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """The next fence is another one, or its rows are not shown any more."""
        self._known: tuple[CodeKey, int] | None = None
        self._offset = 0  # up to here its lines are complete
        self._complete = 0  # how many rows these are

    def rows(
        self,
        fence: OpenFence,
        number: int,
        previous: Row | None,
        place: int,
        codes: dict[CodeKey, str],
    ) -> tuple[int, list[Row]]:
        """How many of its rows are as they were given last, and those after them.

        Args:
            place: where its first row stands in the document.
        """
        key = CodeKey((number, 0), language_of(unescapeAll(fence.info)))
        if self._known != (key, place):
            self.clear()
            self._known = (key, place)
        code = fence.code
        last = code.rfind("\n") + 1
        if _PERHAPS_CLOSING.fullmatch(code, last):
            code = code[:last]
        codes[key] = code
        kept = self._complete
        rows: list[TextRow] = []
        if last > self._offset:
            rows = line_rows(key, plain_lines(code[self._offset : last]))
            self._offset = last
            self._complete += len(rows)
        if last < len(code) or not self._complete:
            rows += line_rows(key, plain_lines(code[last:]))
        if kept:
            return kept, [*rows, _foot(key)]
        first = replace(rows[0], first=True, space=gap(previous, "code", False))
        return 0, [first, *rows[1:], _foot(key)]


def _parts(line: tuple[Span, ...]) -> Iterator[tuple[Span, ...]]:
    """A line, cut where it is too long for a row."""
    if sum(len(span.text) for span in line) <= LONGEST:
        yield line
        return
    part: list[Span] = []
    room = LONGEST
    for text, ink in line:
        begin = 0
        while begin < len(text):
            taken = text[begin : begin + room]
            part.append(Span(taken, ink))
            begin += len(taken)
            room -= len(taken)
            if not room:
                yield tuple(part)
                part, room = [], LONGEST
    if part:
        yield tuple(part)


def _foot(
    key: CodeKey, levels: tuple[str, ...] = (), bars: tuple[Bar, ...] = (), rtl: bool = False
) -> TextRow:
    """The lower padding: a row, since Qt leaves out the lower margin of a document's last block."""
    return TextRow("pad", (), 0, levels, bars, None, key, rtl=rtl)

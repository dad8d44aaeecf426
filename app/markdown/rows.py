"""What a document consists of, before Qt: a flat list of text rows and tables.

Rows are values: two equal rows look the same, so a changed tail is shown by comparing its rows
with those shown before and touching only what differs.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, overload

from msgspec import Struct

LIST_INDENT = 1.75  # of the font's size: how deep a list is at least, room for its markers included
MARKER_GAP = 0.45  # of the font's size: between a number and its text
QUOTE_INDENT = 18
CODE_PAD = 14
CELL_PAD = 7  # above and below the text of a table's cell
CODE_HEADER = 30
"""Above the first line of code: the language at its left, room for a copy button at its right."""

_GAP = 12
_GAPS_BEFORE = {
    "heading1": 26, "heading2": 24, "heading3": 20, "heading4": 18, "heading5": 16, "heading6": 16,
    "rule": 20, "code": 14, "table": 14,
}  # fmt: skip
_GAPS_AFTER = {"rule": 20, "pad": 16, "table": 16}
_TIGHT = 4
_AFTER_HEADING = 8


def gap(previous: Row | None, kind: str, tight: bool) -> int:
    """Pixels between the row above and a row of this kind."""
    if previous is None:
        return 0
    if previous.kind.startswith("heading"):
        before = 0 if kind in ("paragraph", "raw") else _GAPS_BEFORE.get(kind, 0)
        return max(_AFTER_HEADING, before if kind.startswith("heading") else min(before, _GAP))
    if tight and kind == "paragraph" and previous.kind == "paragraph":
        return _TIGHT
    space = max(_GAP, _GAPS_BEFORE.get(kind, 0), _GAPS_AFTER.get(previous.kind, 0))
    # Qt takes the height from an empty block right before a table.
    return space + CODE_PAD if previous.kind == "pad" and kind == "table" else space


class Ink(NamedTuple):
    """How a run of characters looks."""

    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str = ""  # the address; "" is no link
    token: str = ""  # the kind of a piece of highlighted code, a key of highlight.COLOURS
    math: str = ""  # a formula's LaTeX; its text is one U+FFFC
    display: bool = False  # a formula set large
    tags: tuple[str, ...] = ()  # of HTML: "kbd", "mark", "sub", "sup" or "u"


PLAIN = Ink()

LONGEST = 2_000
"""Characters of a row: Qt lays out a changed row whole. Of a longer line the rest is in others."""


class Span(NamedTuple):
    """A run of characters with one look. The text holds no line end but U+2028."""

    text: str
    ink: Ink = PLAIN


QUOTE = ">"  # a level of indentation: a quotation
BULLET = "•"
"""A level of indentation: a list with bullets or boxes. A numbered one's level is `numbered`."""


def numbered(digits: int, delimiter: str) -> str:
    """The level of a numbered list: a number as wide as its widest, such as "00."."""
    # At least two digits: a list that grows past nine items stays where it is.
    return "0" * max(digits, 2) + delimiter


class Bar(NamedTuple):
    """A quotation's bar: how many levels stand outside of it, and which quotation it is."""

    level: int
    quote: tuple[int, int]


class ListItem(NamedTuple):
    """The list whose marker stands before a row.

    `list` names the list within the document; `place` counts its items from 0; `depth` 0 is the
    outermost; `task` is "" or "todo" or "done".
    """

    list: tuple[int, int]
    ordered: bool
    start: int
    delimiter: str
    depth: int
    place: int
    task: str = ""

    @property
    def number(self) -> int:
        """What a numbered item shows."""
        return self.start + self.place


class CodeKey(NamedTuple):
    """The code block a row is a line of. `block` names it within the document."""

    block: tuple[int, int]
    language: str


class TextRow(Struct, frozen=True):
    """One paragraph, heading, list item, line of code or rule: one QTextBlock."""

    # "paragraph", "heading1" … "heading6", "code", "pad" (the empty foot of a code block), "rule"
    # or "raw" (text as typed)
    kind: str
    spans: tuple[Span, ...]
    space: int = 0  # pixels above it
    # what it stands within, the outermost first: QUOTE, BULLET or `numbered`. Markers hang in the
    # innermost.
    levels: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    item: ListItem | None = None
    code: CodeKey | None = None
    first: bool = False  # the first line of a code block, below its header
    joined: bool = False  # the rest of the line that the row above begins with
    # its levels and markers are at the right: the list or quotation begins with a letter of a
    # script that runs from right to left
    rtl: bool = False


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table: cells by row, the first row the header. `align` has one of "lcr" per column.

    In a table that is `rtl` the first column stands at the right.
    """

    cells: tuple[tuple[tuple[Span, ...], ...], ...]
    align: str
    space: int = 0
    levels: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    rtl: bool = False
    kind: str = field(default="table", init=False)


Row = TextRow | TableRow


CHUNK = 64
_UNFOLDED = 3


class Rows(Sequence[Row]):
    """A list of rows that grows at its end, and of which a beginning may be folded up.

    A row is a dozen objects, and Python's cyclic collector walks all there are: with eight answers
    of 60,000 characters it held the window for 44 ms. Folded rows lie pickled, 64 to a piece
    (0.4 ms to fold one, half to unfold it); the pieces last looked at are kept unfolded.
    """

    def __init__(self) -> None:
        self._folded: list[bytes] = []
        self._unfolded: OrderedDict[int, list[Row]] = OrderedDict()
        self._changed: set[int] = set()
        self._open: list[Row] = []

    def __len__(self) -> int:
        return len(self._folded) * CHUNK + len(self._open)

    def __iter__(self) -> Iterator[Row]:
        for number in range(len(self._folded)):
            yield from self._chunk(number)
        yield from self._open

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        if place < 0 and (place := place + len(self)) < 0:
            raise IndexError(place)
        number, within = self._find(place)
        return (self._chunk(number) if number < len(self._folded) else self._open)[within]

    def __setitem__(self, place: int, row: Row) -> None:
        number, within = self._find(place)
        if number < len(self._folded):
            self._chunk(number)[within] = row
            self._changed.add(number)
        else:
            self._open[within] = row

    def append(self, row: Row) -> None:
        self._open.append(row)

    @property
    def folded(self) -> int:
        """Return the number of pickled rows."""
        return len(self._folded) * CHUNK

    def fold(self, length: int) -> None:
        """Pickles the first `length` rows: they will hardly change any more."""
        count = (length - len(self._folded) * CHUNK) // CHUNK
        for start in range(0, count * CHUNK, CHUNK):
            self._folded.append(_fold(self._open[start : start + CHUNK]))
        if count > 0:
            del self._open[: count * CHUNK]

    def shorten(self, length: int) -> None:
        """Keep the first `length` rows."""
        number, within = self._find(length)
        if number < len(self._folded):
            self._open = self._chunk(number)[:within]
            del self._folded[number:]
            for gone in [other for other in self._unfolded if other >= number]:
                del self._unfolded[gone]
            self._changed = {other for other in self._changed if other < number}
        else:
            del self._open[within:]

    def _find(self, place: int) -> tuple[int, int]:
        """The chunk and the place within it; the rows at the end count as one chunk."""
        number = min(place // CHUNK, len(self._folded))
        return number, place - number * CHUNK

    def _chunk(self, number: int) -> list[Row]:
        rows = self._unfolded.get(number)
        if rows is None:
            rows = pickle.loads(self._folded[number])
            self._unfolded[number] = rows
            if len(self._unfolded) > _UNFOLDED:
                old, gone = self._unfolded.popitem(last=False)
                if old in self._changed:
                    self._changed.remove(old)
                    self._folded[old] = _fold(gone)
        else:
            self._unfolded.move_to_end(number)
        return rows


def _fold(rows: list[Row]) -> bytes:
    return pickle.dumps(rows, pickle.HIGHEST_PROTOCOL)

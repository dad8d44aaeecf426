"""What a document consists of, before Qt: a flat list of text rows and tables.

Rows are values: two equal rows look the same, so a changed tail is shown by comparing its rows
with those shown before and touching only what differs. Python's cyclic collector does not track
them (``gc=False``): a long answer has tens of thousands.
"""

from __future__ import annotations

from typing import ClassVar

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


class Ink(Struct, frozen=True, gc=False):
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


class Span(Struct, frozen=True, gc=False):
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


class Bar(Struct, frozen=True, gc=False):
    """A quotation's bar: how many levels stand outside of it, and which quotation it is."""

    level: int
    quote: tuple[int, int]


class ListItem(Struct, frozen=True, gc=False):
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


class CodeKey(Struct, frozen=True, gc=False):
    """The code block a row is a line of. `block` names it within the document."""

    block: tuple[int, int]
    language: str


class TextRow(Struct, frozen=True, gc=False):
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
    # it is at the right, with its levels and markers: the list or quotation, or the text above a
    # formula, begins with a letter of a script that runs from right to left
    rtl: bool = False


class TableRow(Struct, frozen=True, gc=False):
    """A table: cells by row, the first row the header. `align` has one of "lcr" per column.

    In a table that is `rtl` the first column stands at the right.
    """

    kind: ClassVar[str] = "table"

    cells: tuple[tuple[tuple[Span, ...], ...], ...]
    align: str
    space: int = 0
    levels: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    rtl: bool = False


Row = TextRow | TableRow

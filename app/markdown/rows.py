"""Content of a document before Qt: a flat list of text rows and tables.

Rows are values: equal rows look the same, so a changed tail is shown by comparing its rows with the
earlier ones. They are not tracked by Python's cycle collector (``gc=False``), since a long answer
has tens of thousands.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

LIST_INDENT = 1.75  # of the font size: minimum indentation of a list, including its markers
MARKER_GAP = 0.45  # of the font size: between a number and its text
QUOTE_INDENT = 18
CODE_PAD = 14
CELL_PAD = 7  # above and below the text of a table cell
CODE_HEADER = 30
"""Header above the first line of code: the language at its left, a copy button at its right."""

_GAP = 12
_GAPS_BEFORE = {
    "heading1": 26, "heading2": 24, "heading3": 20, "heading4": 18, "heading5": 16, "heading6": 16,
    "rule": 20, "code": 14, "table": 14,
}  # fmt: skip
_GAPS_AFTER = {"rule": 20, "pad": 16, "table": 16}
_TIGHT = 4
_AFTER_HEADING = 8


def gap(previous: Row | None, kind: str, tight: bool) -> int:
    """Return the pixels between the row above and a row of this kind."""
    if previous is None:
        return 0
    if previous.kind.startswith("heading"):
        before = 0 if kind in ("paragraph", "raw") else _GAPS_BEFORE.get(kind, 0)
        return max(_AFTER_HEADING, before if kind.startswith("heading") else min(before, _GAP))
    if tight and kind == "paragraph" and previous.kind == "paragraph":
        return _TIGHT
    space = max(_GAP, _GAPS_BEFORE.get(kind, 0), _GAPS_AFTER.get(previous.kind, 0))
    # Qt subtracts the height of an empty block before a table.
    return space + CODE_PAD if previous.kind == "pad" and kind == "table" else space


class Ink(Struct, frozen=True, gc=False):
    """Look of a run of characters."""

    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str = ""  # the address, "" for none
    token: str = ""  # kind of a piece of highlighted code, a key of highlight.COLOURS
    math: str = ""  # LaTeX of a formula, whose text is one U+FFFC
    display: bool = False  # a display formula
    tags: tuple[str, ...] = ()  # HTML elements: "kbd", "mark", "sub", "sup" or "u"


PLAIN = Ink()

LONGEST = 2_000
"""Characters of a row. Qt lays out a changed row completely, so longer lines have several rows."""


class Span(Struct, frozen=True, gc=False):
    """Run of characters with one look. Its only line ends are U+2028."""

    text: str
    ink: Ink = PLAIN


QUOTE = ">"  # a level of indentation: a quote
BULLET = "•"
"""A level of indentation: a list with bullets or boxes. A numbered list's level is `numbered`."""


def numbered(digits: int, delimiter: str) -> str:
    """Return the level of a numbered list: a number as wide as its widest, such as "00."."""
    # At least two digits, so that a list does not move when it exceeds nine items.
    return "0" * max(digits, 2) + delimiter


class Bar(Struct, frozen=True, gc=False):
    """Bar of a quote: the number of levels outside of it, and the quote."""

    level: int
    quote: tuple[int, int]


class ListItem(Struct, frozen=True, gc=False):
    """List whose marker is in front of a row.

    `list` names the list within the document. `place` counts its items from 0. `depth` 0 is the
    outermost. `task` is "", "todo" or "done".
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
        """Return the displayed number of the item."""
        return self.start + self.place


class CodeKey(Struct, frozen=True, gc=False):
    """Code block of a row. `block` names it within the document."""

    block: tuple[int, int]
    language: str


class TextRow(Struct, frozen=True, gc=False):
    """Paragraph, heading, list item, line of code or rule: one QTextBlock."""

    # "paragraph", "heading1" … "heading6", "code", "pad" (the empty footer of a code block), "rule"
    # or "raw" (text as typed)
    kind: str
    spans: tuple[Span, ...]
    space: int = 0  # pixels above it
    # levels that contain it, the outermost first: QUOTE, BULLET or `numbered`; markers belong to
    # the innermost
    levels: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    item: ListItem | None = None
    code: CodeKey | None = None
    first: bool = False  # the first line of a code block, below its header
    joined: bool = False  # continues the line of the row above
    # right-aligned, with levels and markers: the list or quote, or the text above a formula, begins
    # with a letter of a right-to-left script
    rtl: bool = False


class TableRow(Struct, frozen=True, gc=False):
    """Table: cells by row, the first row is the header. `align` has one of "lcr" per column.

    `rtl`: the first column is at the right.
    """

    kind: ClassVar[str] = "table"

    cells: tuple[tuple[tuple[Span, ...], ...], ...]
    align: str
    space: int = 0
    levels: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    rtl: bool = False


Row = TextRow | TableRow

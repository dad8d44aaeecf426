"""What a document consists of, before Qt: a flat list of text rows and tables.

Rows are values: two equal rows look the same, so a changed tail is shown by comparing its rows
with those shown before and touching only what differs.
"""

from dataclasses import dataclass, field
from typing import NamedTuple


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


PLAIN = Ink()

LONGEST = 2_000
"""Characters of a row: Qt lays out a changed row whole. Of a longer line the rest is in others."""


class Span(NamedTuple):
    """A run of characters with one look. The text holds no line end but U+2028."""

    text: str
    ink: Ink = PLAIN


QUOTE = ">"
"""A level of indentation: a quotation."""
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


@dataclass(frozen=True, slots=True)
class TextRow:
    """One paragraph, heading, list item, line of code or rule: one QTextBlock.

    Attributes:
        kind: "paragraph", "heading1" … "heading6", "code", "pad" (the empty foot of a code block),
            "rule" or "raw" (text as typed).
        space: pixels above it.
        levels: what it stands within, the outermost first: QUOTE, BULLET or `numbered`. Markers
            hang in the innermost.
        first: the first line of a code block, below its header.
        joined: the rest of the line that the row above begins with.
        rtl: its levels and markers are at the right: the list or quotation begins with a letter
            of a script that runs from right to left.
    """

    kind: str
    spans: tuple[Span, ...]
    space: int = 0
    levels: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    item: ListItem | None = None
    code: CodeKey | None = None
    first: bool = False
    joined: bool = False
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

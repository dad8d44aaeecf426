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


class Bar(NamedTuple):
    """A quotation's bar: where it stands (pixels from the left) and which quotation it is."""

    x: int
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
    def part(self) -> int:
        """Which QTextList of the list it is in: adding to one costs what it holds."""
        return self.place // 250


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
        left: pixels from the left edge, markers hang to the left of it.
        first: the first line of a code block, below its header.
        joined: the rest of the line that the row above begins with.
    """

    kind: str
    spans: tuple[Span, ...]
    space: int = 0
    left: int = 0
    bars: tuple[Bar, ...] = ()
    item: ListItem | None = None
    code: CodeKey | None = None
    first: bool = False
    joined: bool = False


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table: cells by row, the first row the header. `align` has one of "lcr" per column."""

    cells: tuple[tuple[tuple[Span, ...], ...], ...]
    align: str
    space: int = 0
    left: int = 0
    bars: tuple[Bar, ...] = ()
    kind: str = field(default="table", init=False)


Row = TextRow | TableRow

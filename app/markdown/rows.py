"""Document content before its conversion to Qt: a flat list of text rows and tables.

Rows compare by value, and equal rows look the same. Python's cycle collector doesn't track them
(``gc=False``), because a long answer has tens of thousands.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct

LIST_INDENT = 1.75  # in font sizes: minimum indentation of a list, including markers
MARKER_GAP = 0.45  # in font sizes: gap between a number and its text
QUOTE_INDENT = 18
CODE_PAD = 14
CELL_PAD = 7  # padding above and below the text of a table cell
CODE_HEADER = 30
"""Height of the header above a code block, with the language and a copy button."""

_GAP = 12
_GAPS_BEFORE = {
    "heading1": 26, "heading2": 24, "heading3": 20, "heading4": 18, "heading5": 16, "heading6": 16,
    "rule": 20, "code": 14, "table": 14,
}  # fmt: skip
_GAPS_AFTER = {"rule": 20, "pad": 16, "table": 16}
_TIGHT = 4
_AFTER_HEADING = 8


def space_above(previous: Row | None, kind: str, tight: bool) -> int:
    """Spacing in pixels between a row of this kind and the previous row."""
    if previous is None:
        return 0
    if previous.kind.startswith("heading"):
        before = 0 if kind in ("paragraph", "raw") else _GAPS_BEFORE.get(kind, 0)
        return max(_AFTER_HEADING, before if kind.startswith("heading") else min(before, _GAP))
    if tight and kind == "paragraph" and previous.kind == "paragraph":
        return _TIGHT
    space = max(_GAP, _GAPS_BEFORE.get(kind, 0), _GAPS_AFTER.get(previous.kind, 0))
    # Qt subtracts the height of an empty block in front of a table.
    return space + CODE_PAD if previous.kind == "pad" and kind == "table" else space


class Ink(Struct, frozen=True, gc=False):
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str = ""  # link address, or ""
    token: str = ""  # token type of highlighted code, a key of highlight.COLORS
    math: str = ""  # LaTeX of a formula, represented in the text by U+FFFC
    display: bool = False  # formula in display style
    tags: tuple[str, ...] = ()  # enclosing HTML elements: "kbd", "mark", "sub", "sup" or "u"


PLAIN = Ink()

LONGEST = 2_000
"""Maximum characters per row.

Qt lays out changed rows from scratch, so longer lines are split into several rows.
"""


class Span(Struct, frozen=True, gc=False):
    """Run of characters with the same style. U+2028 is the only line break allowed."""

    text: str
    ink: Ink = PLAIN


def text_of(spans: Iterable[Span]) -> str:
    return "".join(span.text for span in spans)


QUOTE = ">"  # indentation level: quote
BULLET = "•"
"""Indentation level of a list with bullets or check boxes. For numbered lists, see
`numbered_level`.
"""


def numbered_level(digits: int, delimiter: str) -> str:
    """Return the level of a numbered list, which is as wide as its widest number, e.g. "00."."""
    # Reserve two digits, so a list doesn't shift when it reaches ten items.
    return "0" * max(digits, 2) + delimiter


class Bar(Struct, frozen=True, gc=False):
    """Quote bar: the number of levels outside of it, and the quote's ID."""

    level: int
    quote: tuple[int, int]


class ListItem(Struct, frozen=True, gc=False):
    """List item whose marker is drawn in front of a row.

    `list` identifies the list within the document. `place` is the item's index, `depth` is 0 for
    the outermost list, and `task` is "", "todo" or "done".
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
        return self.start + self.place


class CodeKey(Struct, frozen=True, gc=False):
    """Code block of a row. `block` identifies it within the document."""

    block: tuple[int, int]
    language: str


class TextRow(Struct, frozen=True, gc=False):
    """Paragraph, heading, list item, line of code, or rule. Corresponds to a QTextBlock."""

    # "paragraph", "heading1" … "heading6", "code", "pad" (empty row below a code block), "rule" or
    # "raw" (text as typed).
    kind: str
    spans: tuple[Span, ...]
    space: int = 0  # pixels above the row
    # Enclosing levels from the outside in: QUOTE, BULLET or `numbered_level`. The innermost level
    # has the marker.
    levels: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    item: ListItem | None = None
    code: CodeKey | None = None
    first: bool = False  # first line of a code block, below the header
    joined: bool = False  # continues the line from the previous row
    # Right-to-left layout, including levels and markers. Depends on the first letter of the list,
    # quote or paragraph.
    rtl: bool = False


class TableRow(Struct, frozen=True, gc=False):
    """Table with its header in the first row of cells. `align` has a letter of "lcr" per column.

    With `rtl`, the first column is on the right.
    """

    kind: ClassVar[str] = "table"

    cells: tuple[tuple[tuple[Span, ...], ...], ...]
    align: str
    space: int = 0
    levels: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    rtl: bool = False


Row = TextRow | TableRow

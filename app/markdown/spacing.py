"""How far things stand from the edge and from each other: pixels, if not said otherwise."""

from app.markdown.rows import Row

LIST_INDENT = 1.75
"""Of the font's size: how deep a list is at least, room for its markers included."""
MARKER_GAP = 0.45
"""Of the font's size: between a number and its text."""
QUOTE_INDENT = 18
CODE_PAD = 14
CELL_PAD = 7
"""Above and below the text of a table's cell."""
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

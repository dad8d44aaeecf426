"""Block tokens to rows: what hangs where, and how much air is between."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from app.markdown.blocks import NESTING_LIMIT, Block, OpenFence
from app.markdown.highlight import Lines, language_of, plain_lines
from app.markdown.inline import INLINE_LIMIT, InlineParser, shown, task
from app.markdown.optimism import closed
from app.markdown.rows import Bar, CodeKey, ListItem, Row, Span, TableRow, TextRow

BLOCK_LIMIT = 200_000
"""Characters of one top-level block other than a fence; a longer one is shown as it was typed."""

CELL_LIMIT = 5_000
"""Cells of a table, and 50 columns; a larger one is shown as it was typed."""
COLUMN_LIMIT = 50

RAW_ROW = 2_000  # characters of a row of raw text: Qt lays out a changed row whole

LIST_INDENT = 26
QUOTE_INDENT = 18
CODE_PAD = 14
CODE_HEADER = 30

_GAP = 12
_GAPS_BEFORE = {
    "heading1": 26, "heading2": 24, "heading3": 20, "heading4": 18, "heading5": 16, "heading6": 16,
    "rule": 20, "code": 14, "table": 14,
}  # fmt: skip
_GAPS_AFTER = {"rule": 20, "pad": 16, "table": 16}
_TIGHT = 4
_AFTER_HEADING = 8


@dataclass
class _List:
    key: tuple[int, int]
    ordered: bool
    start: int
    delimiter: str
    tight: bool
    depth: int
    indent: int
    items: int = 0


def raw_rows(text: str, previous: Row | None) -> list[Row]:
    """Text as it was typed: a row per line, long lines cut."""
    rows: list[Row] = []
    for line in text.strip("\n").split("\n"):
        for start in range(0, max(len(line), 1), RAW_ROW):
            part = shown(line[start : start + RAW_ROW])
            space = _gap(previous, "raw", False) if not rows else 0
            rows.append(TextRow("raw", (Span(part),) if part else (), space))
    return rows


def block_rows(
    block: Block,
    number: int,
    inline: InlineParser,
    previous: Row | None,
    codes: dict[CodeKey, str],
    colour: Callable[[CodeKey, str], Lines] | None = None,
) -> list[Row]:
    """The rows of a top-level block.

    Args:
        number: of the block in its document; names its lists, quotations and code.
        previous: the row above, which decides about the space between.
        codes: is given the source of each code block.
        colour: makes lines of code, coloured or not yet; None while the block is open.
    """
    fence = len(block.tokens) == 1 and block.tokens[0].type == "fence"
    if len(block.source) > BLOCK_LIMIT and not fence:
        return raw_rows(block.source, previous)
    return _Builder(block, number, inline, previous, codes, colour).rows


def open_fence_rows(
    fence: OpenFence,
    number: int,
    previous: Row | None,
    shown_before: Sequence[Row],
    codes: dict[CodeKey, str],
) -> list[Row]:
    """The rows of an unclosed fence, O(new lines): complete lines shown before are taken over."""
    key = CodeKey((number, 0), language_of(unescapeAll(fence.info)))
    code = fence.code
    partial = code[code.rfind("\n") + 1 :]
    if re.fullmatch(r" {0,3}(`+|~+)[ \t]*", partial):
        code = code[: len(code) - len(partial)]  # perhaps the closing fence
    codes[key] = code
    complete = code.count("\n")
    kept: list[Row] = []
    for row in shown_before[: max(complete - 1, 0)]:
        if not isinstance(row, TextRow) or row.code != key or row.kind != "code":
            break
        kept.append(row)
    offset = 0
    if kept:
        # The rows taken over are `len(kept)` complete lines.
        for _ in kept:
            offset = code.index("\n", offset) + 1
    lines = plain_lines(code[offset:])
    space = _gap(previous, "code", False)
    rows: list[Row] = kept + [TextRow("code", line, code=key) for line in lines]
    _code_block(rows, key, space, 0, ())
    return rows


def _code_block(
    rows: list[Row], key: CodeKey, space: int, left: int, bars: tuple[Bar, ...]
) -> None:
    """Marks the first line of a code block, and puts its lower padding after the last."""
    first = rows[0]
    assert isinstance(first, TextRow)
    if not first.first or first.space != space:
        rows[0] = replace(first, first=True, space=space)
    # A row of its own, since Qt leaves out the lower margin of a document's last block.
    rows.append(TextRow("pad", (), 0, left, bars, None, key))


def _gap(previous: Row | None, kind: str, tight: bool) -> int:
    """Pixels between the row above and a row of this kind."""
    if previous is None:
        return 0
    if previous.kind.startswith("heading"):
        before = 0 if kind in ("paragraph", "raw") else _GAPS_BEFORE.get(kind, 0)
        return max(_AFTER_HEADING, before if kind.startswith("heading") else min(before, _GAP))
    if tight and kind == "paragraph" and previous.kind == "paragraph":
        return _TIGHT
    gap = max(_GAP, _GAPS_BEFORE.get(kind, 0), _GAPS_AFTER.get(previous.kind, 0))
    # Qt takes the height from an empty block right before a table.
    return gap + CODE_PAD if previous.kind == "pad" and kind == "table" else gap


class _Builder:
    """Walks the tokens of one top-level block once."""

    def __init__(
        self,
        block: Block,
        number: int,
        inline: InlineParser,
        previous: Row | None,
        codes: dict[CodeKey, str],
        colour: Callable[[CodeKey, str], Lines] | None,
    ) -> None:
        self.rows: list[Row] = []
        self._block = block
        self._number = number
        self._serial = 0
        self._inline = inline
        self._previous = previous
        self._codes = codes
        self._colour = colour
        self._left = 0
        self._bars: tuple[Bar, ...] = ()
        self._lists: list[_List] = []
        self._marker: ListItem | None = None  # of an item whose first row is still to come
        self._marker_left = 0
        self._fresh_list = False
        # The last text of an open block is still being written.
        self._open_text = -1
        if colour is None:
            texts = [i for i, token in enumerate(block.tokens) if token.type == "inline"]
            self._open_text = texts[-1] if texts else -1
        self._walk()

    def _walk(self) -> None:
        tokens = self._block.tokens
        place = 0
        while place < len(tokens):
            token = tokens[place]
            match token.type:
                case "paragraph_open":
                    self._text("paragraph", place + 1)
                    place += 2
                case "heading_open":
                    self._text("heading" + token.tag[1:], place + 1)
                    place += 2
                case "fence" | "code_block":
                    self._code(token)
                case "hr":
                    self._add("rule", ())
                case "table_open":
                    place = self._table(place)
                case "bullet_list_open" | "ordered_list_open":
                    self._open_list(tokens, place)
                case "bullet_list_close" | "ordered_list_close":
                    self._left -= self._lists.pop().indent
                case "list_item_open":
                    self._open_item()
                case "list_item_close":
                    self._flush_marker()
                case "blockquote_open":
                    self._open_quote()
                case "blockquote_close":
                    self._left -= QUOTE_INDENT
                    self._bars = self._bars[:-1]
                case _:
                    self._raw(shown(token.content))
            place += 1
            if token.nesting == 1 and token.level >= NESTING_LIMIT - 1:
                self._too_deep(token)

    def _too_deep(self, token: Token) -> None:
        """The parser stopped here and dropped what is inside: show its lines as typed."""
        first, end = token.map or [0, 0]
        lines = self._block.source.split("\n")
        base = self._block.first_line
        for line in lines[first - base : end - base]:
            self._raw(line)

    def _raw(self, line: str) -> None:
        for start in range(0, len(line), RAW_ROW):
            self._add("paragraph", (Span(shown(line[start : start + RAW_ROW])),))

    def _text(self, kind: str, place: int) -> None:
        content = self._block.tokens[place].content
        if self._marker is not None and kind == "paragraph":
            state, content = task(content)
            if state:
                self._marker = self._marker._replace(task=state)
        if len(content) > INLINE_LIMIT:
            for line in content.split("\n"):
                for start in range(0, max(len(line), 1), RAW_ROW):
                    self._add(kind, (Span(shown(line[start : start + RAW_ROW])),))
            return
        self._add(
            kind, self._inline.spans(closed(content) if place == self._open_text else content)
        )

    def _add(self, kind: str, spans: tuple[Span, ...]) -> None:
        row = TextRow(kind, spans, self._space(kind), self._left, self._bars, self._marker)
        self._marker = None
        self._push(row)

    def _push(self, row: Row) -> None:
        self.rows.append(row)
        self._previous = row
        self._fresh_list = False

    def _space(self, kind: str) -> int:
        return _gap(self._previous, kind, bool(self._lists) and self._tight(kind))

    def _tight(self, kind: str) -> bool:
        """Whether the row follows closely: within a tight list, or at the head of a nested one."""
        if self._fresh_list:
            outer = self._lists[:-1]
            return bool(outer) and outer[-1].tight
        return self._lists[-1].tight

    def _flush_marker(self) -> None:
        """An item that begins with no text of its own still shows its marker."""
        if self._marker is not None:
            self._add("paragraph", ())

    def _key(self) -> tuple[int, int]:
        self._serial += 1
        return (self._number, self._serial)

    def _open_list(self, tokens: Sequence[Token], place: int) -> None:
        self._flush_marker()
        token = tokens[place]
        ordered = token.type == "ordered_list_open"
        start = int(token.attrs.get("start", 1)) if ordered else 1
        level, items, tight = token.level, 0, True
        for inner in tokens[place + 1 :]:
            if inner.level == level:
                break
            if inner.level == level + 1 and inner.type == "list_item_open":
                items += 1
            elif inner.level == level + 2 and inner.type == "paragraph_open" and not inner.hidden:
                tight = False
        digits = len(str(start + items - 1)) if ordered else 1
        indent = LIST_INDENT + max(digits - 2, 0) * 9
        depth = len(self._lists)
        delimiter = token.markup if ordered else "."
        self._lists.append(_List(self._key(), ordered, start, delimiter, tight, depth, indent))
        self._left += indent
        self._fresh_list = True

    def _open_item(self) -> None:
        at = self._lists[-1]
        self._marker = ListItem(at.key, at.ordered, at.start, at.delimiter, at.depth, at.items)
        at.items += 1

    def _open_quote(self) -> None:
        self._flush_marker()
        self._bars = (*self._bars, Bar(self._left, self._key()))
        self._left += QUOTE_INDENT

    def _code(self, token: Token) -> None:
        self._flush_marker()
        info = unescapeAll(token.info) if token.type == "fence" else ""
        key = CodeKey((self._number, 0 if token.level == 0 else self._key()[1]), language_of(info))
        self._codes[key] = token.content
        lines = self._colour(key, token.content) if self._colour else plain_lines(token.content)
        space = self._space("code")
        rows: list[Row] = [
            TextRow("code", line, 0, self._left, self._bars, None, key) for line in lines
        ]
        _code_block(rows, key, space, self._left, self._bars)
        for row in rows:
            self._push(row)

    def _table(self, place: int) -> int:
        """Takes the tokens up to the table's end; returns where that is."""
        self._flush_marker()
        tokens = self._block.tokens
        cells: list[tuple[tuple[Span, ...], ...]] = []
        row: list[tuple[Span, ...]] = []
        align = ""
        start = place
        while tokens[place].type != "table_close":
            token = tokens[place]
            if token.type == "th_open":
                align += {"text-align:center": "c", "text-align:right": "r"}.get(
                    str(token.attrs.get("style", "")), "l"
                )
            elif token.type == "inline":
                row.append(self._inline.spans(token.content))
            elif token.type == "tr_close":
                cells.append(tuple(row))
                row = []
            place += 1
        if len(align) > COLUMN_LIMIT or len(cells) * len(align) > CELL_LIMIT:
            first, end = tokens[start].map or [0, 0]
            base = self._block.first_line
            for line in self._block.source.split("\n")[first - base : end - base]:
                self._raw(line)
        else:
            self._push(TableRow(tuple(cells), align, self._space("table"), self._left, self._bars))
        return place

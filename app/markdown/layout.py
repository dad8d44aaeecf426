"""Rows of a block, made from its tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token
from msgspec import Struct
from msgspec.structs import replace

from app.markdown.blocks import Block, OpenFence
from app.markdown.highlight import Lines, language_of, plain_lines
from app.markdown.inline import (
    INLINE_LIMIT,
    InlineParser,
    close_markup,
    raw_rows,
    replace_undisplayable,
    split_check_box,
    split_line,
)
from app.markdown.rows import (
    BULLET,
    LONGEST,
    QUOTE,
    Bar,
    CodeKey,
    ListItem,
    Row,
    Span,
    TableRow,
    TextRow,
    numbered_level,
    space_above,
)
from app.markdown.syntax import NESTING_LIMIT

_PERHAPS_CLOSING = re.compile(r" {0,3}(`+|~+)[ \t]*")


def code_rows(
    key: CodeKey,
    lines: Iterable[tuple[Span, ...]],
    space: int,
    levels: tuple[str, ...] = (),
    bars: tuple[Bar, ...] = (),
    rtl: bool = False,
) -> list[Row]:
    rows = line_rows(key, lines, levels, bars, rtl)
    return [
        replace(rows[0], first=True, space=space),
        *rows[1:],
        _padding_row(key, levels, bars, rtl),
    ]


def line_rows(
    key: CodeKey,
    lines: Iterable[tuple[Span, ...]],
    levels: tuple[str, ...] = (),
    bars: tuple[Bar, ...] = (),
    rtl: bool = False,
) -> list[TextRow]:
    return [
        TextRow("code", part, 0, levels, bars, None, key, joined=number > 0, rtl=rtl)
        for line in lines
        for number, part in enumerate(_split_lines(line))
    ]


class GrowingCode:
    """Rows of an unclosed fence at the end of a document. Only new lines get new rows."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._key: tuple[CodeKey, int] | None = None
        self._offset = 0  # source offset where the complete lines end
        self._complete = 0  # row count of the complete lines

    def is_showing(self, fence: OpenFence, number: int, index: int) -> bool:
        key = CodeKey((number, 0), language_of(unescapeAll(fence.info)))
        return self._key == (key, index) and len(fence.code) >= self._offset > 0

    def rows(
        self,
        fence: OpenFence,
        number: int,
        previous: Row | None,
        index: int,  # index of the block's first row in the document
        codes: dict[CodeKey, str],
    ) -> tuple[int, list[Row]]:
        """Update the rows. Return the number of unchanged rows, and the rows after them."""
        key = CodeKey((number, 0), language_of(unescapeAll(fence.info)))
        if self._key != (key, index):
            self.clear()
            self._key = (key, index)
        code = fence.code
        last = code.rfind("\n") + 1
        if _PERHAPS_CLOSING.fullmatch(code, last):
            code = code[:last]
        codes[key] = code
        complete = self._complete
        rows: list[TextRow] = []
        if last > self._offset:
            rows = line_rows(key, plain_lines(code[self._offset : last]))
            self._offset = last
            self._complete += len(rows)
        if last < len(code) or not self._complete:
            rows += line_rows(key, plain_lines(code[last:]))
        if complete:
            return complete, [*rows, _padding_row(key)]
        first = replace(rows[0], first=True, space=space_above(previous, "code", False))
        return 0, [first, *rows[1:], _padding_row(key)]


def _split_lines(line: tuple[Span, ...]) -> Iterator[tuple[Span, ...]]:
    if sum(len(span.text) for span in line) <= LONGEST:
        yield line
        return
    part: list[Span] = []
    room = LONGEST
    for span in line:
        begin = 0
        while begin < len(span.text):
            part_text = span.text[begin : begin + room]
            part.append(Span(part_text, span.ink))
            begin += len(part_text)
            room -= len(part_text)
            if not room:
                yield tuple(part)
                part, room = [], LONGEST
    if part:
        yield tuple(part)


def _padding_row(
    key: CodeKey, levels: tuple[str, ...] = (), bars: tuple[Bar, ...] = (), rtl: bool = False
) -> TextRow:
    """Return a row for the bottom padding, because Qt ignores the bottom margin of the last
    block.
    """
    return TextRow("pad", (), 0, levels, bars, None, key, rtl=rtl)


CELL_LIMIT = 5_000  # table cells, and at most 50 columns; larger tables are shown as typed
COLUMN_LIMIT = 50

_LETTER = re.compile(r"[^\W\d_]")


class _List(Struct):
    key: tuple[int, int]
    ordered: bool
    start: int
    delimiter: str
    tight: bool
    depth: int
    items: int = 0


def block_rows(
    block: Block,
    number: int,  # block number in the document, used to identify its lists, quotes and code
    inline: InlineParser,
    previous: Row | None,  # row above, which affects the spacing
    codes: dict[CodeKey, str],  # receives the source of each code block
    # Returns lines of code, highlighted if available. None while the block is open.
    color: Callable[[CodeKey, str], Lines] | None = None,
) -> list[Row]:
    if block.typed:
        return raw_rows(block.source.removesuffix("\n"), previous)
    return _Builder(block, block.tokens, number, inline, previous, codes, color).rows


class _Builder:
    def __init__(
        self,
        block: Block,
        tokens: Sequence[Token],
        number: int,
        inline: InlineParser,
        previous: Row | None,
        codes: dict[CodeKey, str],
        color: Callable[[CodeKey, str], Lines] | None,
    ) -> None:
        self.rows: list[Row] = []
        self._block = block
        self._tokens = tokens
        self._number = number
        self._serial = 0
        self._inline = inline
        self._previous = previous
        self._codes = codes
        self._color = color
        self._levels: tuple[str, ...] = ()
        self._rtl = False  # direction of the outermost list or quote
        self._bars: tuple[Bar, ...] = ()
        self._lists: list[_List] = []
        self._marker: ListItem | None = None  # list item without a row so far
        self._fresh_list = False
        # Row with the last text of an open block, which is still growing.
        self._open_text = -1
        if color is None:
            texts = [i for i, token in enumerate(tokens) if token.type == "inline"]
            self._open_text = texts[-1] if texts else -1
        self._walk()

    def _walk(self) -> None:
        tokens = self._tokens
        index = 0
        while index < len(tokens):
            token = tokens[index]
            match token.type:
                case "paragraph_open":
                    self._text("paragraph", index + 1)
                    index += 2
                case "heading_open":
                    self._text("heading" + token.tag[1:], index + 1)
                    index += 2
                case "fence" | "code_block":
                    self._code(token)
                case "hr":
                    self._add("rule", ())
                case "details":
                    pass
                case "table_open":
                    index = self._table(index)
                case "bullet_list_open" | "ordered_list_open":
                    self._open_list(tokens, index)
                case "bullet_list_close" | "ordered_list_close":
                    self._lists.pop()
                    self._leave()
                case "list_item_open":
                    self._open_item()
                case "list_item_close":
                    self._flush_marker()
                case "blockquote_open":
                    self._open_quote(index)
                case "blockquote_close":
                    self._bars = self._bars[:-1]
                    self._leave()
                case _:
                    self._add_raw(replace_undisplayable(token.content))
            index += 1
            if token.nesting == 1 and token.level >= NESTING_LIMIT - 1:
                self._add_as_typed(token)

    def _add_as_typed(self, token: Token) -> None:
        """Add a token's lines as typed, because it's nested too deeply for the parser."""
        first, end = token.map or [0, 0]
        lines = self._block.source.split("\n")
        base = self._block.first_line
        for line in lines[first - base : end - base]:
            self._add_raw(line)

    def _add_raw(self, line: str) -> None:
        for spans in split_line(line):
            self._add("paragraph", spans)

    def _text(self, kind: str, index: int) -> None:
        content = self._tokens[index].content
        if kind != "paragraph":
            content = content.replace("\n", " ")  # "#" headings can't have several lines
        if self._marker is not None and kind == "paragraph":
            state, content = split_check_box(content)
            if state:
                self._marker = replace(self._marker, task=state)
        if len(content) > INLINE_LIMIT:
            for line in content.split("\n"):
                for spans in split_line(line):
                    self._add(kind, spans)
            return
        self._add(
            kind, self._inline.spans(close_markup(content) if index == self._open_text else content)
        )

    def _add(self, kind: str, spans: tuple[Span, ...]) -> None:
        space, rtl = self._space_above(kind), self._rtl
        if not self._levels:
            rtl = _is_formula(spans) and _is_right_to_left(self._previous)
        row = TextRow(kind, spans, space, self._levels, self._bars, self._marker, rtl=rtl)
        self._marker = None
        self._push(row)

    def _push(self, row: Row) -> None:
        self.rows.append(row)
        self._previous = row
        self._fresh_list = False

    def _space_above(self, kind: str) -> int:
        return space_above(self._previous, kind, bool(self._lists) and self._is_tight())

    def _is_tight(self) -> bool:
        """Return True for a row with little space above.

        The first row of a nested list belongs to the outer list.
        """
        if self._fresh_list:
            outer = self._lists[:-1]
            return bool(outer) and outer[-1].tight
        return self._lists[-1].tight

    def _flush_marker(self) -> None:
        if self._marker is not None:
            self._add("paragraph", ())

    def _key(self) -> tuple[int, int]:
        self._serial += 1
        return (self._number, self._serial)

    def _enter(self, level: str, index: int) -> None:
        if not self._levels:
            self._rtl = is_right_to_left(self._tokens, index)
        self._levels = (*self._levels, level)

    def _leave(self) -> None:
        self._levels = self._levels[:-1]
        self._rtl = self._rtl and bool(self._levels)

    def _open_list(self, tokens: Sequence[Token], index: int) -> None:
        self._flush_marker()
        token = tokens[index]
        ordered = token.type == "ordered_list_open"
        start = int(token.attrs.get("start", 1)) if ordered else 1
        own, items, tight = token.level, 0, True
        first, before = self._block.continues if own == 0 else (0, 0)
        if before:
            start = first
        for inner in tokens[index + 1 :]:
            if inner.level == own:
                break
            if inner.level == own + 1 and inner.type == "list_item_open":
                items += 1
            elif inner.level == own + 2 and inner.type == "paragraph_open" and not inner.hidden:
                tight = False
        delimiter = token.markup if ordered else "."
        last = start + before + items - 1
        level = numbered_level(len(str(last)), delimiter) if ordered else BULLET
        depth = len(self._lists)
        self._lists.append(_List(self._key(), ordered, start, delimiter, tight, depth, before))
        self._enter(level, index)
        self._fresh_list = not before

    def _open_item(self) -> None:
        at = self._lists[-1]
        self._marker = ListItem(at.key, at.ordered, at.start, at.delimiter, at.depth, at.items)
        at.items += 1

    def _open_quote(self, index: int) -> None:
        self._flush_marker()
        self._bars = (*self._bars, Bar(len(self._levels), self._key()))
        self._enter(QUOTE, index)

    def _code(self, token: Token) -> None:
        self._flush_marker()
        info = unescapeAll(token.info) if token.type == "fence" else ""
        key = CodeKey((self._number, 0 if token.level == 0 else self._key()[1]), language_of(info))
        self._codes[key] = token.content
        lines = self._color(key, token.content) if self._color else plain_lines(token.content)
        space = self._space_above("code")
        for row in code_rows(key, lines, space, self._levels, self._bars, self._rtl):
            self._push(row)

    def _table(self, index: int) -> int:
        """Add a table. Return the position of its last token."""
        self._flush_marker()
        tokens = self._tokens
        cells: list[tuple[tuple[Span, ...], ...]] = []
        row: list[tuple[Span, ...]] = []
        align = ""
        start = index
        while tokens[index].type != "table_close":
            token = tokens[index]
            if token.type == "th_open":
                align += {"text-align:center": "c", "text-align:right": "r"}.get(
                    str(token.attrs.get("style", "")), "l"
                )
            elif token.type == "inline":
                row.append(self._inline.spans(token.content))
            elif token.type == "tr_close":
                cells.append(tuple(row))
                row = []
            index += 1
        if len(align) > COLUMN_LIMIT or len(cells) * len(align) > CELL_LIMIT:
            first, end = tokens[start].map or [0, 0]
            base = self._block.first_line
            for line in self._block.source.split("\n")[first - base : end - base]:
                self._add_raw(line)
        else:
            rtl = self._rtl if self._levels else is_right_to_left(tokens, start)
            space = self._space_above("table")
            self._push(TableRow(tuple(cells), align, space, self._levels, self._bars, rtl))
        return index


def is_right_to_left(tokens: Sequence[Token], start: int) -> bool:
    texts = (token.content for token in tokens[start:] if token.type == "inline")
    return _first_letter_is_rtl(split_check_box(text)[1] for text in texts)


def _first_letter_is_rtl(texts: Iterable[str]) -> bool:
    for text in texts:
        if letter := _LETTER.search(text):
            return unicodedata.bidirectional(letter[0]) in ("R", "AL")
    return False


def _is_formula(spans: Sequence[Span]) -> bool:
    """Return True for formulas without words, which have no text direction."""
    return any(span.ink.math for span in spans) and all(
        span.ink.math or not span.text.strip() for span in spans
    )


def _is_right_to_left(row: Row | None) -> bool:
    if isinstance(row, TextRow) and not row.rtl:
        return _first_letter_is_rtl(span.text for span in row.spans)
    return row is not None and row.rtl

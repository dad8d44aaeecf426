"""Incremental splitting of streaming Markdown into finished blocks and an open tail.

Pure Python, no Qt.

The text is split between top-level blocks, using the line numbers of markdown-it-py's tokens.
Splitting at blank lines doesn't work, since lists, quotes and code may contain them. A block counts
as finished if later text can't change it:

- The next block has started and its first line is complete (`#` could still become `#word`,
  which continues a paragraph). If that line has a `|`, we also need the line after it, because
  the two could be a table.
- Or the block ends on its own: a fence with its closing line, a `#` heading, a rule.

Link reference definitions don't produce tokens. They stay in the tail until the block after next
starts, because a title may follow on its own line. Definitions may also come long after their use,
which is up to the renderer (`Block.labels`).
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterator, Sequence
from itertools import pairwise

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token
from msgspec import Struct
from msgspec.structs import replace

from app.markdown.syntax import FenceEnd, References, parser

_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){1,999})\]", re.DOTALL)


def normalize(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def find_labels(content: str) -> Iterator[str]:
    if "[" in content:
        yield from map(normalizeReference, _LABEL.findall(content))


BLOCK_LIMIT = 200_000
"""Characters per top-level block, except fences. The rest is shown as typed."""
LINE_LIMIT = 1_000  # lines in a list or quote; parsing takes about 0.1 ms per list item
BAR_LIMIT = 1_600  # number of "|" in a block; two table cells take about as long as a list item
PART_LINES = 100
"""Lines of a list after which its next item starts a new block."""


class Block(Struct, frozen=True, gc=False):
    """Finished top-level block with preceding definitions."""

    # Source lines, including trailing blank lines. All blocks and the tail add up to the full text.
    source: str
    # Tokens of the block until it's rendered. If a reference changes, the block is parsed again.
    kept: tuple[Token, ...] | None
    first_line: int  # offset of the tokens' line numbers
    labels: frozenset[str]  # normalized bracketed texts that may be references
    # The block exceeds the limits, so it has no tokens and is shown as typed.
    typed: bool = False
    # For a later part of a long list: the list's first number, and the item count of earlier parts.
    continues: tuple[int, int] = (0, 0)

    @property
    def tokens(self) -> tuple[Token, ...]:
        if self.kept is not None:
            return self.kept
        tokens: list[Token] = []
        parser().block.parse(self.source, parser(), {"references": {}}, tokens)
        return tuple(tokens)


class OpenFence(Struct, frozen=True):
    info: str
    code: str


def parsable_length(text: str) -> int:
    """Return how much of the text to parse: everything, or as many whole lines as the limits
    allow.
    """
    if len(text) > LONG_LINE and text.find("\n", 0, LONG_LINE) < 0:
        return 0
    end = min(len(text), BLOCK_LIMIT)
    lines, bars = text.count("\n", 0, end), text.count("|", 0, end)
    if end == len(text) and lines <= LINE_LIMIT and bars <= BAR_LIMIT:
        return end
    offset = lines = bars = 0
    while (after := text.find("\n", offset, end) + 1) > 0:
        lines += 1
        bars += text.count("|", offset, after)
        if lines > LINE_LIMIT or bars > BAR_LIMIT:
            break
        offset = after
    return offset


_SHORT = 80
_UNDECIDED = re.compile(
    r"[ \t>]*(?:[-+*=_#`~|: \t]+|\d{1,9}[.)]?[ \t]*|>)"
    r"|[ \t>]*(?:\${1,2}|\\\[?|</?[A-Za-z]{0,7}(?: open)?>?)"  # a formula, or a line of HTML
    r"|(?:<details(?: open)?>[ \t]*)?<summary>.*",
    re.IGNORECASE,
)
_ROW = re.compile(r"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)?\|")
_CELLS = re.compile(r"[^`]*[ \t]\|(?:[ \t][^`]*)?")  # table header without a leading bar
_DELIMITERS = re.compile(r"[ \t>]*[-|: \t]*")


def settled_length(text: str) -> int:
    """Return the start of the last line if its type isn't known yet, else the end of the text.

    This avoids flicker: `-` below a paragraph makes it a heading until `- item` arrives.
    """
    last = text.rfind("\n") + 1
    partial = text[last : last + _SHORT + 1]
    if (
        partial
        and len(partial) <= _SHORT
        and (_UNDECIDED.fullmatch(partial) or _CELLS.fullmatch(partial))
    ):
        begin = last
    else:
        begin = last if _ROW.match(partial) else len(text)
    # A table header looks like a paragraph until the delimiter row is complete.
    if last and len(partial) <= _SHORT and _DELIMITERS.fullmatch(partial):
        before = text.rfind("\n", 0, last - 1) + 1
        above = text.rfind("\n", 0, max(before - 1, 0)) + 1
        if "|" in text[before:last] and (before == 0 or "|" not in text[above:before]):
            return before
    return begin


TAIL_LIMIT = 16_384  # characters of an open block that gets parsed on every change

_NONE: frozenset[str] = frozenset()
LONG_LINE = 16_384  # characters; longer lines are shown as typed
_LONG_FENCE = 500  # limit of a fence's opening line, since the pattern scans it several times
_PROSE = re.compile(r"[^\W\d_]|#")  # starts a new block after an empty line
_OPENING = re.compile(r"(`{3,})([^`|\n]*)\n|(~{3,})([^|\n]*)\n")


class BlockSplitter:
    """Splits a stream of text into finished blocks and an open tail.

    `feed` only buffers. `advance` parses the tail in O(tail), unless the tail is an unclosed fence.
    A tail over TAIL_LIMIT isn't parsed again until it has grown by a quarter, so a huge list or
    table takes O(n log n) in total. `unparsed_text` is the end of the tail that isn't parsed. A
    block that exceeds `parsable_length` is finished line by line, as typed, up to an empty line
    followed by a letter or a heading. Long lists are finished in parts, and long fences without
    parsing.
    """

    def __init__(self) -> None:
        # Finished blocks. Append-only, except for `feed` after `finish`.
        self.finished: list[Block] = []
        # Definitions in finished blocks by normalized label. The first definition wins.
        self.references: References = {}
        # Source after the finished blocks, without a last line that is still ambiguous (`-`, `1.`,
        # `|`, a table header).
        self.tail = ""
        # Number of times the tail was parsed. If unchanged, the open block is still the same.
        self.parses = 0
        self._pieces: list[str] = []
        self._last_cr = ""  # carriage return that may be the first half of a line end
        self._tokens: list[Token] = []
        self._first_line = 0
        self.open_references: References = {}
        self._parsed = 0
        self._info = ""
        self._typed = False  # the tail belongs to a block that exceeds the limits
        self._after_empty = False
        self._continues = (0, 0)  # value for `Block.continues`, if the tail starts with a list
        self._before_finish: tuple[int, References, str, str, bool, bool, tuple[int, int]] | None
        self._before_finish = None
        self._undecided = False  # the parsed part of the tail may still change
        self._fence: FenceEnd | None = None  # set if the entire tail is a fence
        self._fence_start = 0
        self._scanned = 0

    def feed(self, text: str) -> None:
        """Append text. Blocks that were only finished by `finish` are reopened."""
        if not text:
            return
        if self._before_finish is not None:
            self._reopen()
        text = self._last_cr + text
        self._last_cr = "\r" if text.endswith("\r") else ""
        if self._last_cr:
            text = text[:-1]
        if text:
            self._pieces.append(normalize(text))

    def advance(self) -> None:
        if not self._pieces:
            return
        text = self.tail + "".join(self._pieces)
        # Never hold back text that has already been parsed.
        end = len(text) if self._fence else max(settled_length(text), len(self.tail))
        self._pieces = [text[end:]] if end < len(text) else []
        if end > len(self.tail):
            self.tail = text[:end]
            self._advance()

    def finish(self) -> None:
        """Treat the remaining text as finished."""
        if self._before_finish is not None:
            return
        self.advance()
        self._before_finish = (
            len(self.finished), dict(self.references), self.tail + "".join(self._pieces),
            self._last_cr, self._typed, self._after_empty, self._continues,
        )  # fmt: skip
        if rest := "".join(self._pieces) + self._last_cr.replace("\r", "\n"):
            self.tail += rest
            self._pieces.clear()
            self._last_cr = ""
            self._advance()
        while self._fence is not None and len(self.tail) > TAIL_LIMIT:
            # The last line isn't terminated, so it hasn't been scanned.
            count = self._fence.feed(self.tail[self._scanned :]) or self._fence.end()
            self._finish_fence(
                self._position_after_line(count) if count else len(self.tail), count > 0
            )
            self._advance()
        self._fence = None
        if self.tail and self._typed:
            self._add_typed(self.tail)
        elif self.tail:
            if (
                self._first_line
                or not self._tokens
                or self._parsed < len(self.tail)
                or self._undecided
            ):
                self._parse(len(self.tail), growing=False)
            self._finish_blocks(self.tail, self._tokens)
        self._typed = False
        self._set_tail("")

    def forget_tokens(self, number: int) -> None:
        """Free the tokens of a finished block after rendering, unless it is a fence."""
        block = self.finished[number]
        if block.kept and block.kept[0].type != "fence":
            self.finished[number] = replace(block, kept=None, first_line=0)

    @property
    def open_fence(self) -> OpenFence | None:
        """Return the tail as an unclosed fence, or None."""
        if self._fence is None:
            return None
        end = len(self.tail)
        if self._fence.pending_line and self._scanned == end:
            # The last line may become the closing line, so hold it back.
            end = self.tail.rfind("\n", 0, end - 1) + 1
        return OpenFence(self._info, self.tail[self._fence_start : end])

    @property
    def open_block(self) -> Block:
        tokens, continues = tuple(self._tokens), self._continues
        return Block(self.tail, tokens, self._first_line, frozenset(), continues=continues)

    @property
    def unparsed_text(self) -> str:
        if self._typed:
            return self.tail
        return "" if self._fence else self.tail[self._parsed :]

    def _reopen(self) -> None:
        assert self._before_finish is not None
        count, references, tail, self._last_cr, typed, after_empty, continues = self._before_finish
        self._typed, self._after_empty, self._continues = typed, after_empty, continues
        self._before_finish = None
        del self.finished[count:]
        self.references = references
        self.tail = ""
        self._pieces = [tail] if tail else []

    def _advance(self) -> None:
        while self.tail and (not self._typed or self._end_typed()):
            closed = self._find_fence_end() if self._fence is not None else self._find_fence()
            if self._fence is not None and not closed:
                return
            if closed > TAIL_LIMIT:
                self._finish_fence(closed, True)
                continue
            self._fence = None
            before = len(self.tail)
            end = max(parsable_length(self.tail), closed)
            if end == before and not closed and TAIL_LIMIT < before < self._parsed * 1.25:
                return
            if end:
                self._parse(end, growing=end == before)
                self._finish_complete(self._tokens, self.tail[:end])
                if len(self.tail) == before:
                    self._split_list(self.tail[:end])
            if end == before:
                if self._find_fence():
                    self._fence = None
                return
            if len(self.tail) == before:
                if end:
                    self._finish_blocks(self.tail[:end], self._tokens)
                    self._set_tail(self.tail[end:])
                self._typed, self._after_empty, self._tokens = True, False, []
                self.parses += 1  # discard the tokens of the open block

    def _finish_fence(self, end: int, closed: bool) -> None:
        """Finish a long fence without parsing, which would be slow."""
        source = self.tail[:end]
        last = source.removesuffix("\n").rfind("\n") + 1
        token = Token("fence", "code", 0, map=[0, source.count("\n")], info=self._info, block=True)
        token.content = source[self._fence_start : last if closed else end]
        self._fence, self._tokens = None, []
        self.finished.append(Block(source, (token,), 0, _NONE))
        self._set_tail(self.tail[end:])

    def _end_typed(self) -> bool:
        """Finish complete lines of an oversized block. Return True if another block starts."""
        offset = 0
        while (end := self.tail.find("\n", offset)) >= 0:
            if self._after_empty and _PROSE.match(self.tail, offset):
                self._typed = False
                break
            self._after_empty = not self.tail[offset:end].strip()
            offset = end + 1
        if offset:
            self._add_typed(self.tail[:offset])
            self._set_tail(self.tail[offset:])
        return not self._typed

    def _add_typed(self, source: str) -> None:
        self.finished.append(Block(source, (), 0, _NONE, typed=True))

    def _parse(self, end: int, growing: bool) -> None:
        self._tokens = []
        self.parses += 1
        self._first_line = 0
        self._parsed = end
        self.open_references = ChainMap({}, self.references)
        env = {"references": self.open_references, "growing": growing}
        parser().block.parse(self.tail[:end], parser(), env, self._tokens)
        self._undecided = "undecided" in env

    def _finish_complete(self, tokens: list[Token], tail: str) -> None:
        """Finish all complete blocks in `tail`, the part of the tail that was parsed."""
        tops = [i for i, t in enumerate(tokens) if t.level == 0 and t.nesting >= 0 and t.map]
        if not tops:
            return
        complete = tail.count("\n")
        maps = [tokens[i].map or [0, 0] for i in tops]
        if _is_complete(tokens[tops[-1]], tail, complete):
            self._take_lines(maps[-1][1], len(tokens))
            return
        lines = tail.split("\n")
        for index in range(len(tops) - 1, 0, -1):
            first = maps[index][0]
            # A line with a bar may be a table header, so wait for the second line.
            if first + (2 if "|" in lines[first] else 1) > complete:
                continue
            before, end = maps[index - 1]
            if any(line.strip() for line in lines[end:first]):
                first = end  # only definitions, the last of which may still continue
            elif lines[first - 1].strip() and any("]:" in line for line in lines[before:end]):
                continue  # The block contains a definition, whose title may be on this line.
            self._take_lines(first, tops[index])
            return

    def _split_list(self, tail: str) -> None:
        places = _split_positions(tail, self._tokens, self._first_line)
        if places:
            end, index = places[-1]
            tokens, lines = self._tokens, self.tail.count("\n", 0, end)
            self._add(self.tail[:end], tokens, self._first_line, [place for place, _ in places])
            self._set_tail(self.tail[end:])
            self._tokens = [tokens[0], *tokens[index:]]
            self._first_line += lines

    def _take_lines(self, count: int, tokens: int) -> None:
        offset = 0
        for _ in range(count):
            offset = self.tail.index("\n", offset) + 1
        self._finish_blocks(self.tail[:offset], self._tokens[:tokens])
        self._set_tail(self.tail[offset:])
        self._tokens = self._tokens[tokens:]
        self._first_line = count

    def _set_tail(self, tail: str) -> None:
        self.tail = tail
        self._parsed = len(tail)
        if not tail:
            self._tokens = []

    def _finish_blocks(self, source: str, tokens: list[Token]) -> None:
        lines = source.split("\n")
        starts = [i for i, t in enumerate(tokens) if t.level == 0 and t.nesting >= 0 and t.map]
        line = 0
        for number, start in enumerate(starts):
            last = number + 1 == len(starts)
            stop = len(tokens) if last else starts[number + 1]
            next_line = len(lines) if last else (tokens[starts[number + 1]].map or [0])[0]
            part = "\n".join(lines[line:next_line]) + ("" if last else "\n")
            block = tokens[start:stop]
            places = [index for index, _ in _split_positions(part, block, line)]
            self._add(part, block, line, places)
            line = next_line
        if not starts:
            self._add(source, [], 0)

    def _add(
        self, source: str, tokens: list[Token], first_line: int, places: Sequence[int] = ()
    ) -> None:
        if places:
            start = int(tokens[0].attrs.get("start", 1))
            for begin, end in pairwise((0, *places, len(source))):
                if begin == end:
                    break
                part: list[Token] = []
                parser().block.parse(source[begin:end], parser(), {"references": {}}, part)
                first, count = self._continues if any(self._continues) else (start, 0)
                self._add(source[begin:end], part, 0)
                items = sum(t.type == "list_item_open" and t.level == 1 for t in part)
                self._continues = (first, count + items)
            if begin < end:  # the list has ended
                self._continues = (0, 0)
            return
        if "]:" in source:
            references: References = {}
            parser().block.parse(source, parser(), {"references": references}, [])
            for label, definition in references.items():
                self.references.setdefault(label, definition)
        labels = frozenset(
            label for t in tokens if t.type == "inline" for label in find_labels(t.content)
        )
        block = Block(source, tuple(tokens), first_line, labels or _NONE, False, self._continues)
        self.finished.append(block)
        self._continues = (0, 0)

    def _find_fence(self) -> int:
        end = self.tail.find("\n", 0, _LONG_FENCE)
        opening = _OPENING.match(self.tail, 0, end + 1) if end >= 0 else None
        if opening is None:
            return 0
        fence = opening[1] or opening[3]
        self._info = opening[2] or opening[4] or ""
        self._fence = FenceEnd(fence, self._info)
        self._fence_start = self._scanned = opening.end()
        return self._find_fence_end()

    def _find_fence_end(self) -> int:
        """Return the position after the closing line, or 0. Only new lines are scanned."""
        assert self._fence is not None
        while (end := self.tail.find("\n", self._scanned)) >= 0:
            line, self._scanned = self.tail[self._scanned : end], end + 1
            if count := self._fence.feed(line):
                return self._position_after_line(count)
        return 0

    def _position_after_line(self, count: int) -> int:
        offset = self._fence_start
        for _ in range(count):
            offset = self.tail.find("\n", offset) + 1 or len(self.tail)
        return offset


def _split_positions(
    source: str, tokens: Sequence[Token], first_line: int
) -> list[tuple[int, int]]:
    """Return where to split a long list, with the token index of each position."""
    if not tokens or not tokens[0].type.endswith("_list_open") or tokens[0].level:
        return []
    last = 0
    places: list[tuple[int, int]] = []
    starts = [0, *(newline.end() for newline in re.finditer("\n", source))]
    for index, token in enumerate(tokens):
        if token.type == "list_item_open" and token.level == 1 and token.map:
            line = token.map[0] - first_line
            if line >= last + PART_LINES and line + 1 < len(starts):
                places.append((starts[line], index))
                last = line
    return places


def _is_complete(token: Token, tail: str, complete: int) -> bool:
    """Return True if the last top-level block is complete on its own."""
    first, end = token.map or [0, 0]
    if end > complete:
        return False
    lines = tail.split("\n", end + 1)
    if token.type == "hr" or (token.type == "heading_open" and token.markup.startswith("#")):
        return "|" not in lines[first]
    if token.type != "fence" or end - first < 2:
        return False
    closer = FenceEnd(token.markup, token.info)
    # The line after the fence may matter as well.
    return any(closer.feed(line) for line in lines[first + 1 : min(end + 1, complete)])

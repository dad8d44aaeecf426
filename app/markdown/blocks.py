"""Where the finished part of a growing Markdown text ends. Pure Python, no Qt.

The text is cut at top-level blocks, using the line numbers markdown-it-py gives its tokens; blank
lines are no guide (lists, quotations and code contain them). A block is finished once nothing that
may still come can change it:

- the block after it has begun, and the line that begins it is complete (`#` may still become
  `#word`, which continues a paragraph); with a `|` in it, also the next, which may make a table;
- or it closes itself: a fence with its closing line, a `#` heading, a rule.

Link reference definitions leave no token. They stay in the tail until the block after the next
begins, because a title may follow on a line of its own. A definition may come long after its use;
what that means for finished blocks is the renderer's business (`Block.labels`).
"""

import pickle
import re
from collections import ChainMap
from dataclasses import dataclass

from markdown_it.token import Token

from app.markdown.commonmark import References, closing_line, labels_in, normalised, parser
from app.markdown.undecided import settled

TAIL_LIMIT = 16_384
"""Characters of an open block that are parsed again whenever it grows."""

_NONE: frozenset[str] = frozenset()
_LONG_LINE = 500  # what opens a fence is shorter; the pattern looks at a line more than once
_OPENING = re.compile(r"(`{3,})([^`|\n]*)\n|(~{3,})([^|\n]*)\n")


@dataclass(frozen=True)
class Block:
    """A finished top-level block (with any definitions before it).

    Attributes:
        source: its lines, with the blank lines after it; all blocks and the tail make up the text.
        kept: its block tokens, pickled where it is finished: they are wanted again when the look or
            a reference changes, and forty objects a block would be walked by every collection.
        first_line: what to subtract from the tokens' line numbers to count from `source`.
        labels: normalised texts in brackets, each perhaps a reference not defined yet.
    """

    source: str
    kept: tuple[Token, ...] | bytes
    first_line: int
    labels: frozenset[str]

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The block tokens; the children of `inline` tokens are not parsed yet."""
        return pickle.loads(self.kept) if isinstance(self.kept, bytes) else self.kept


@dataclass(frozen=True)
class OpenFence:
    """A tail that is nothing but an unclosed top-level fence: it needs no parsing at all."""

    info: str
    code: str


class BlockSplitter:
    """Takes text in pieces, gives finished blocks and an open tail.

    `feed` only collects; `advance` does the work: O(tail), nothing for an unclosed fence. Past
    TAIL_LIMIT the tail is parsed only when it has grown by a quarter, so that a huge list or table
    costs O(n log n) in all; what is not parsed yet is `unparsed`.

    Attributes:
        finished: the finished blocks, in order; only ever appended to (but see `feed`).
        references: definitions found in finished blocks, by normalised label; the first wins.
        parses: how often the tail has been parsed: the same number means the same open block.
        tail: the source after the finished blocks, as far as it is looked at: a last line that
            may still turn out to be anything (`-`, `1.`, `|`, the head of a table) is held back.
    """

    def __init__(self) -> None:
        self.finished: list[Block] = []
        self.references: References = {}
        self.tail = ""
        self.parses = 0
        self._pieces: list[str] = []
        self._held = ""  # a carriage return that may be half of a line end
        self._tokens: list[Token] = []
        self._first_line = 0
        self._seen: References = {}
        self._parsed = 0
        self._info = ""
        self._before_finish: tuple[int, References, str, str] | None = None
        self._fence: re.Pattern[str] | None = None  # what closes the fence that is the whole tail
        self._fence_start = 0
        self._scanned = 0

    def feed(self, text: str) -> None:
        """Adds text. Line ends become "\n" and NUL U+FFFD, as CommonMark has it.

        After `finish` the text goes on: the blocks made by finishing are taken back.
        """
        if not text:
            return
        if self._before_finish is not None:
            self._reopen()
        text = self._held + text
        self._held = "\r" if text.endswith("\r") else ""
        if self._held:
            text = text[:-1]
        if text:
            self._pieces.append(normalised(text))

    def advance(self) -> None:
        """Moves what is finished from the tail to `finished`."""
        if not self._pieces:
            return
        text = self.tail + "".join(self._pieces)
        # What has been looked at once is not held back again.
        end = len(text) if self._fence else max(settled(text), len(self.tail))
        self._pieces = [text[end:]] if end < len(text) else []
        if end > len(self.tail):
            self.tail = text[:end]
            self._advance()

    def finish(self) -> None:
        """The text is complete: the tail becomes blocks too."""
        if self._before_finish is not None:
            return
        self.advance()
        self._before_finish = (
            len(self.finished), dict(self.references), self.tail + "".join(self._pieces), self._held
        )  # fmt: skip
        self.tail += "".join(self._pieces) + self._held.replace("\r", "\n")
        self._pieces.clear()
        self._held = ""
        self._fence = None
        if self.tail:
            self._parse()
            self._take(self.tail, self._tokens)
            self._set_tail("")

    @property
    def open_fence(self) -> OpenFence | None:
        """The tail as an unclosed fence, when that is all it is."""
        if self._fence is None:
            return None
        return OpenFence(self._info, self.tail[self._fence_start :])

    @property
    def open_block(self) -> Block:
        """The tail as far as it is parsed, as if it were one finished block."""
        return Block(self.tail, tuple(self._tokens), self._first_line, frozenset())

    @property
    def open_references(self) -> References:
        """Definitions as the open block sees them: the finished ones, then its own."""
        return self._seen

    @property
    def unparsed(self) -> str:
        """The end of an oversized tail."""
        return "" if self._fence else self.tail[self._parsed :]

    def _reopen(self) -> None:
        assert self._before_finish is not None
        count, references, tail, self._held = self._before_finish
        self._before_finish = None
        del self.finished[count:]
        self.references = references
        self.tail = ""
        self._pieces = [tail] if tail else []

    def _advance(self) -> None:
        if self._fence is not None:
            if not self._fence_closed():
                return
            self._fence = None
        elif TAIL_LIMIT < len(self.tail) < self._parsed * 1.25:
            return
        self._parse()
        self._cut(self._tokens)
        self._find_fence()

    def _parse(self) -> None:
        self._tokens = []
        self.parses += 1
        self._first_line = 0
        self._parsed = len(self.tail)
        self._seen = ChainMap({}, self.references)
        parser().block.parse(self.tail, parser(), {"references": self._seen}, self._tokens)

    def _cut(self, tokens: list[Token]) -> None:
        tops = [i for i, t in enumerate(tokens) if t.level == 0 and t.nesting >= 0 and t.map]
        if not tops:
            return
        complete = self.tail.count("\n")
        maps = [tokens[i].map or [0, 0] for i in tops]
        if _closes_itself(tokens[tops[-1]], self.tail, complete):
            self._take_lines(maps[-1][1], len(tokens))
            return
        lines = self.tail.split("\n")
        for place in range(len(tops) - 1, 0, -1):
            first = maps[place][0]
            # With its second line, a line with a bar may become a table whatever it was before.
            if first + (2 if "|" in lines[first] else 1) > complete:
                continue
            before, end = maps[place - 1]
            if any(line.strip() for line in lines[end:first]):
                first = end  # definitions, one of which may go on
            elif lines[first - 1].strip() and any("]:" in line for line in lines[before:end]):
                continue  # a definition within, whose title this line may be, lazily
            self._take_lines(first, tops[place])
            return

    def _take_lines(self, count: int, tokens: int) -> None:
        """The first `count` lines, and the tokens they gave, are finished."""
        offset = 0
        for _ in range(count):
            offset = self.tail.index("\n", offset) + 1
        self._take(self.tail[:offset], self._tokens[:tokens])
        self._set_tail(self.tail[offset:])
        self._tokens = self._tokens[tokens:]
        self._first_line = count

    def _set_tail(self, tail: str) -> None:
        self.tail = tail
        self._parsed = len(tail)
        if not tail:
            self._tokens = []

    def _take(self, source: str, tokens: list[Token]) -> None:
        lines = source.split("\n")
        starts = [i for i, t in enumerate(tokens) if t.level == 0 and t.nesting >= 0 and t.map]
        line = 0
        for number, start in enumerate(starts):
            last = number + 1 == len(starts)
            stop = len(tokens) if last else starts[number + 1]
            next_line = len(lines) if last else (tokens[starts[number + 1]].map or [0])[0]
            part = "\n".join(lines[line:next_line]) + ("" if last else "\n")
            self._add(part, tokens[start:stop], line)
            line = next_line
        if not starts:
            self._add(source, [], 0)

    def _add(self, source: str, tokens: list[Token], first_line: int) -> None:
        if "]:" in source:
            found: References = {}
            parser().block.parse(source, parser(), {"references": found}, [])
            for label, definition in found.items():
                self.references.setdefault(label, definition)
        labels = frozenset(
            label for t in tokens if t.type == "inline" for label in labels_in(t.content)
        )
        kept = pickle.dumps(tuple(tokens), pickle.HIGHEST_PROTOCOL)
        self.finished.append(Block(source, kept, first_line, labels or _NONE))

    def _find_fence(self) -> None:
        end = self.tail.find("\n", 0, _LONG_LINE)
        opening = _OPENING.match(self.tail, 0, end + 1) if end >= 0 else None
        if opening is None:
            return
        fence = opening[1] or opening[3]
        self._info = opening[2] or opening[4] or ""
        self._fence = closing_line(fence)
        self._fence_start = self._scanned = opening.end()
        if self._fence_closed():
            self._fence = None

    def _fence_closed(self) -> bool:
        """Looks at the lines not seen before; an incomplete one is looked at again."""
        assert self._fence is not None
        while (end := self.tail.find("\n", self._scanned)) >= 0:
            if self._fence.fullmatch(self.tail, self._scanned, end):
                return True
            self._scanned = end + 1
        return False


def _closes_itself(token: Token, tail: str, complete: int) -> bool:
    """Whether the last top-level block is complete without a block after it."""
    first, end = token.map or [0, 0]
    if end > complete:
        return False
    lines = tail.split("\n", end)
    if token.type == "hr" or (token.type == "heading_open" and token.markup.startswith("#")):
        return "|" not in lines[first]
    if token.type != "fence" or end - first < 2:
        return False
    return closing_line(token.markup).fullmatch(lines[end - 1]) is not None

"""What a Markdown text is cut into, and how much of it is parsed as one block."""

import pickle
from dataclasses import dataclass

from markdown_it.token import Token

BLOCK_LIMIT = 200_000
"""Characters of one top-level block other than a fence; a longer one is shown as it was typed."""
LINE_LIMIT = 5_000
"""Its lines: the parser takes about 0.1 ms for each item of a list."""
BAR_LIMIT = 10_000
"""Its "|": the parser takes about as long for each cell of a table."""


@dataclass(frozen=True)
class Block:
    """A finished top-level block (with any definitions before it).

    Attributes:
        source: its lines, with the blank lines after it; all blocks and the tail make up the text.
        kept: its block tokens, pickled where it is finished: they are wanted again when the look or
            a reference changes, and forty objects a block would be walked by every collection.
        first_line: what to subtract from the tokens' line numbers to count from `source`.
        labels: normalised texts in brackets, each perhaps a reference not defined yet.
        typed: it has no tokens: it is (a part of) a block over the limits, shown as it was typed.
    """

    source: str
    kept: tuple[Token, ...] | bytes
    first_line: int
    labels: frozenset[str]
    typed: bool = False

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The block tokens; the children of `inline` tokens are not parsed yet."""
        return pickle.loads(self.kept) if isinstance(self.kept, bytes) else self.kept


@dataclass(frozen=True)
class OpenFence:
    """A tail that is nothing but an unclosed top-level fence: it needs no parsing at all."""

    info: str
    code: str


def parsable(text: str) -> int:
    """How much of a text is parsed at once: whole lines within the limits, or all of it."""
    end = min(len(text), BLOCK_LIMIT)
    lines, bars = text.count("\n", 0, end), text.count("|", 0, end)
    if end == len(text) and lines <= LINE_LIMIT and bars <= BAR_LIMIT:
        return end
    place = lines = bars = 0
    while (after := text.find("\n", place, end) + 1) > 0:
        lines += 1
        bars += text.count("|", place, after)
        if lines > LINE_LIMIT or bars > BAR_LIMIT:
            break
        place = after
    return place

"""Tokens and the text that they stand for, and how caches that hold them are named. Pure Python."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

FIXED_CHUNK = 64
"""Chunks of reproducible sessions end at multiples of this, whatever the load: where a
prompt is cut changes how its keys are rounded."""

MIN_GAIN = 32  # tokens that a copy of another's cache must save. Fewer are read about as fast.


TOKEN_BYTES = array("I").itemsize  # of a token that is `packed`


class CacheKey(NamedTuple):
    """Names caches, by whose they are.

    The kind comes first because callers, files and servers name sessions as they like: no name of
    theirs may be the key of something else.
    """

    kind: Literal["session", "prefix", "draft", "image"]
    # the session's id, the number of a kept prefix, the id of the model that is drafted for, or
    # that of a model and the digest of an image
    name: str


class Offer(Struct, frozen=True):
    """What another session, or the prefix cache, holds of a session's prompt."""

    donor: CacheKey  # whose caches hold it
    length: int  # how many of the prompt's first tokens it can hand on


def fixed_cuts(length: int, stop: int | None) -> list[int]:
    """Where a reproducible session's chunks end when it reads `length` tokens from the first on.

    `stop` is where it must stop for a snapshot, if anywhere.
    """
    cuts = {*range(FIXED_CHUNK, length, FIXED_CHUNK), length}
    if stop is not None and 0 < stop < length:
        cuts.add(stop)
    return sorted(cuts)


def common_prefix(a: Sequence[object], b: Sequence[object]) -> int:
    """How many tokens, or characters, `a` and `b` begin with in common."""
    low, high = 0, min(len(a), len(b))
    while low < high:  # halves are compared as slices, which is faster than a loop
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def packed(tokens: Sequence[int]) -> bytes:
    """Tokens as bytes: two prompts of 8,000 are compared in microseconds then."""
    return array("I", tokens).tobytes()


def common_bytes(a: bytes, b: bytes) -> int:
    """How many bytes of whole tokens two packed prompts begin with in common."""
    least = min(len(a), len(b))
    common = least if a[:least] == b[:least] else common_prefix(a, b)
    return common - common % TOKEN_BYTES


def in_common(one: bytes, other: bytes) -> int:
    """How many of its prompt's tokens each of two could go on from, once the other has read them.

    All but a prompt's last: the first step feeds that.
    """
    least = min(len(one), len(other)) // TOKEN_BYTES
    return min(common_bytes(one, other) // TOKEN_BYTES, least - 1)


class Ledger(Struct, frozen=True):
    """A conversation's text, and its tokens as they were read and generated.

    A model may generate other tokens than its tokenizer makes of the same text. A later prompt
    that begins with the same text is given the same tokens for it, so that nothing is read twice.
    """

    text: str = ""  # the prompts and answers, as rendered by the template
    tokens: Sequence[int] = ()  # the ids that stand for `text`
    # ascending pairs (characters, tokens): so many tokens stand for so many characters. These are
    # the ends of the prompts and of the answers.
    boundaries: tuple[tuple[int, int], ...] = ()

    def match(self, text: str) -> tuple[tuple[int, int], ...]:
        """The boundaries up to which `text` and the ledger's text are the same."""
        alike = common_prefix(self.text, text)
        return self.boundaries[: bisect_right(self.boundaries, alike, key=lambda place: place[0])]

"""Token history of a session, keys of caches, and prefix comparison. Pure Python."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

FIXED_CHUNK = 64
"""Chunk size of reproducible sessions. It must not depend on the load, because chunk boundaries
change how keys are rounded."""

MIN_GAIN = 32  # Minimum of tokens saved by a cache copy. Prefill of fewer is about as fast.


TOKEN_BYTES = array("I").itemsize  # per token in `packed`


class CacheKey(NamedTuple):
    """Name of a session's or prefix's caches.

    The kind prevents collisions, because callers, files, and servers choose session names freely.
    """

    kind: Literal["session", "prefix", "draft", "image"]
    # session id, prefix number, id of a draft's target model, or model id and image digest
    name: str


class CacheOffer(Struct, frozen=True):
    """Part of a prompt that another session or the prefix cache holds."""

    donor: CacheKey  # owner of the caches
    length: int  # number of leading prompt tokens that can be copied


def fixed_cuts(length: int, stop: int | None) -> list[int]:
    """Return the chunk ends of a reproducible session that prefills `length` tokens.

    Args:
        stop: position of an additional cut for a snapshot.
    """
    cuts = {*range(FIXED_CHUNK, length, FIXED_CHUNK), length}
    if stop is not None and 0 < stop < length:
        cuts.add(stop)
    return sorted(cuts)


def common_prefix(a: Sequence[object], b: Sequence[object]) -> int:
    """Return the length of the common prefix of two token or character sequences."""
    low, high = 0, min(len(a), len(b))
    while low < high:  # comparing slices is faster than a loop over tokens
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def packed(tokens: Sequence[int]) -> bytes:
    """Return tokens as bytes, which compare in microseconds even for 8,000 tokens."""
    return array("I", tokens).tobytes()


def common_bytes(a: bytes, b: bytes) -> int:
    """Return the length in bytes of the common prefix of two packed prompts, in whole tokens."""
    least = min(len(a), len(b))
    common = least if a[:least] == b[:least] else common_prefix(a, b)
    return common - common % TOKEN_BYTES


def in_common(one: bytes, other: bytes) -> int:
    """Return the number of tokens that two packed prompts can share.

    The last token of a prompt is excluded, because the first step must process it.
    """
    least = min(len(one), len(other)) // TOKEN_BYTES
    return min(common_bytes(one, other) // TOKEN_BYTES, least - 1)


class Ledger(Struct, frozen=True):
    """Text of a conversation, and its tokens as they were read and generated.

    The tokens that a model generates can differ from the tokenization of the same text. A later
    prompt with the same text reuses the original tokens, so the cache stays valid.
    """

    text: str = ""  # prompts and replies as rendered by the template
    tokens: Sequence[int] = ()  # token ids of `text`
    # ascending pairs (characters, tokens) at the ends of prompts and replies
    boundaries: tuple[tuple[int, int], ...] = ()

    def match(self, text: str) -> tuple[tuple[int, int], ...]:
        """Return the boundaries within the common prefix of `text` and the ledger's text."""
        alike = common_prefix(self.text, text)
        return self.boundaries[: bisect_right(self.boundaries, alike, key=lambda place: place[0])]

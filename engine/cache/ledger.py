"""Token history of sessions, cache keys, and prefix comparison, in plain Python."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

FIXED_CHUNK = 64
"""Prefill chunk size of reproducible sessions. Chunk boundaries affect how keys are rounded, so the
size must not depend on the load."""

MIN_GAIN = 32  # don't copy a cache for fewer tokens, because prefilling them is about as fast


TOKEN_BYTES = array("I").itemsize  # bytes per token in `pack_tokens`


class CacheKey(NamedTuple):
    """Identifier of a set of caches. `kind` avoids collisions with session ids set by callers."""

    kind: Literal["session", "prefix", "draft", "image"]
    # Depending on the kind: session id, prefix number, id of the target model, or model id plus
    # image digest.
    name: str


class CacheOffer(Struct, frozen=True):
    """Part of a prompt in the caches of another session or a cached prefix."""

    donor: CacheKey  # caches to copy from
    length: int  # number of prompt tokens that can be copied


def fixed_cuts(length: int, stop: int | None) -> list[int]:
    """Return the chunk boundaries for prefilling `length` tokens in a reproducible session.

    Args:
        stop: additional boundary for a snapshot.
    """
    cuts = {*range(FIXED_CHUNK, length, FIXED_CHUNK), length}
    if stop is not None and 0 < stop < length:
        cuts.add(stop)
    return sorted(cuts)


def common_length(a: Sequence[object], b: Sequence[object]) -> int:
    low, high = 0, min(len(a), len(b))
    while low < high:  # binary search, because comparing slices is faster than looping over tokens
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def pack_tokens(tokens: Sequence[int]) -> bytes:
    """Pack tokens into bytes, so that comparing 8,000 tokens only takes microseconds."""
    return array("I", tokens).tobytes()


def common_bytes(a: bytes, b: bytes) -> int:
    """Return the byte length of the common prefix, rounded down to whole tokens."""
    shorter = min(len(a), len(b))
    common = shorter if a[:shorter] == b[:shorter] else common_length(a, b)
    return common - common % TOKEN_BYTES


def shareable_tokens(first: bytes, second: bytes) -> int:
    """Return the number of leading tokens for which two packed prompts can share a cache.

    A prompt's last token can't be shared, because it must be fed to get logits.
    """
    shorter = min(len(first), len(second)) // TOKEN_BYTES
    return min(common_bytes(first, second) // TOKEN_BYTES, shorter - 1)


class Ledger(Struct, frozen=True):
    """Text of a conversation, with the token ids that were fed and generated.

    For a reply's text, the tokenizer may return different tokens from those that were generated. A
    later prompt must have the generated tokens to keep the cache valid.
    """

    text: str = ""  # prompts and replies as rendered by the chat template
    tokens: Sequence[int] = ()  # token ids of `text`
    # Ascending (character, token) offsets that mark the ends of prompts and replies.
    boundaries: tuple[tuple[int, int], ...] = ()

    def match(self, text: str) -> tuple[tuple[int, int], ...]:
        alike = common_length(self.text, text)
        return self.boundaries[: bisect_right(self.boundaries, alike, key=lambda place: place[0])]

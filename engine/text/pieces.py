"""Long texts and lists made in pieces, so that Python's lock is free between two of them.

One call that makes or reads megabytes holds the lock until it has ended, and no other thread gets
on meanwhile: neither a window's nor the engine's. Each piece here takes about a millisecond.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence

PIECE = 2**20
"""Characters, or bytes, of a text."""

TOKENS = 2**16


def encoded(text: str) -> bytes:
    """The text in UTF-8; `UnicodeEncodeError` where it holds half a character."""
    if len(text) <= PIECE:
        return text.encode()
    return b"".join([text[at : at + PIECE].encode() for at in range(0, len(text), PIECE)])


def decoded(blob: bytes) -> str:
    """The text of UTF-8; `UnicodeDecodeError` where it is none."""
    if len(blob) <= PIECE:
        return blob.decode()
    decode, view = codecs.getincrementaldecoder("utf-8")().decode, memoryview(blob)
    parts = [decode(view[at : at + PIECE]) for at in range(0, len(blob), PIECE)]
    return "".join([*parts, decode(b"", True)])


def is_unicode(text: str) -> bool:
    """Whether a text can be encoded: lone surrogates cannot, and tokenizers fail over them."""
    try:
        for at in range(0, len(text), PIECE):
            text[at : at + PIECE].encode()
    except UnicodeEncodeError:
        return False
    return True


def parts(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """The ids, some at a time."""
    for at in range(0, len(ids), TOKENS):
        yield ids[at : at + TOKENS]


def listed(*several: Sequence[int]) -> list[int]:
    """All ids in one list of their own."""
    made: list[int] = []
    for ids in several:
        for part in parts(ids):
            made += part
    return made

"""Texts in pieces: long ones, and rendered ones with gaps in them.

One call that makes or reads megabytes holds Python's lock until it has ended, and no other thread
runs meanwhile: neither the window's nor the engine's. Each piece here takes about a millisecond.

Gaps stand in rendered texts where contents have what would be a special token
(`engine.text.contents`). Where tokens are made, the text is divided there.
"""

from __future__ import annotations

import codecs
import json
import zlib
from collections.abc import Callable, Iterator, Sequence

PIECE = 2**20  # characters, or bytes, of a text

TOKENS = 2**16
_LINE = 4096  # tokens that are read or written in one call


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


def packed(tokens: Sequence[str | None]) -> bytes:
    """A table of tokens, to be sent."""
    lines = (json.dumps(tokens[at : at + _LINE]) for at in range(0, len(tokens), _LINE))
    return zlib.compress("\n".join(lines).encode(), 1)


def unpacked(table: bytes) -> list[str | None]:
    """The tokens of a `packed` table."""
    tokens: list[str | None] = []
    for line in zlib.decompress(table).splitlines():
        tokens += json.loads(line)
    return tokens


# -- gaps ---------------------------------------------------------------------------------------

GAP = "\ufdd0"  # Unicode keeps it for a program's own use. Twice, it stands for itself.

_ANCHOR = "\n"

Encode = Callable[[str], Sequence[int]]


def tokens_across_gaps(encode: Encode, text: str) -> list[int]:
    """The tokens of a rendered text; no special token is found across a gap.

    Args:
        encode: gives those of a text without gaps.
    """
    if GAP not in text:
        return list(encode(text)) if text else []
    begun = list(encode(_ANCHOR))
    known: dict[str, Sequence[int]] = {"": ()}

    def within(piece: str) -> Sequence[int]:
        # Some tokenizers put a blank before every text, where none is in the middle of one.
        ids = list(encode(_ANCHOR + piece))
        return ids[len(begun) :] if ids[: len(begun)] == begun else encode(piece)

    first, *others = _divided(text)
    found = list(encode(first)) if first else []
    for piece in others:
        if piece not in known:
            known[piece] = within(piece)
        found += known[piece]
    return found


def without_gaps(text: str) -> str:
    """A rendered text without its gaps."""
    return "".join(_divided(text)) if GAP in text else text


def as_it_stands(text: str) -> str:
    """A text that is encoded as it stands, with the special tokens in it."""
    return text.replace(GAP, GAP * 2) if GAP in text else text


def _divided(text: str) -> Iterator[str]:
    """What stands between the gaps."""
    piece: list[str] = []
    for number, part in enumerate(text.split(GAP * 2)):
        first, *others = part.split(GAP)
        piece += [GAP, first] if number else [first]
        for other in others:
            yield "".join(piece)
            piece = [other]
    yield "".join(piece)

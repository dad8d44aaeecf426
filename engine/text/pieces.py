"""Processing of long texts in pieces, and of rendered texts with gaps.

One call on megabytes of text holds the GIL until it ends, which blocks the window and the engine.
Each piece here takes about a millisecond.

Rendered texts have gaps where their contents include special tokens (`engine.text.contents`). They
are split at the gaps for tokenization.
"""

from __future__ import annotations

import codecs
import json
import zlib
from collections.abc import Callable, Iterator, Sequence

PIECE = 2**20  # characters or bytes of text per call

TOKENS = 2**16
_LINE = 4096  # tokens per call


def encoded(text: str) -> bytes:
    """Encode a text as UTF-8. Raise `UnicodeEncodeError` for lone surrogates."""
    if len(text) <= PIECE:
        return text.encode()
    return b"".join([text[at : at + PIECE].encode() for at in range(0, len(text), PIECE)])


def decoded(blob: bytes) -> str:
    """Decode UTF-8. Raise `UnicodeDecodeError` if it is invalid."""
    if len(blob) <= PIECE:
        return blob.decode()
    decode, view = codecs.getincrementaldecoder("utf-8")().decode, memoryview(blob)
    parts = [decode(view[at : at + PIECE]) for at in range(0, len(blob), PIECE)]
    return "".join([*parts, decode(b"", True)])


def is_unicode(text: str) -> bool:
    """Return True if a text can be encoded. Lone surrogates cannot, and tokenizers fail on them."""
    try:
        for at in range(0, len(text), PIECE):
            text[at : at + PIECE].encode()
    except UnicodeEncodeError:
        return False
    return True


def parts(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield the ids in slices."""
    for at in range(0, len(ids), TOKENS):
        yield ids[at : at + TOKENS]


def listed(*several: Sequence[int]) -> list[int]:
    """Return all ids in one new list."""
    made: list[int] = []
    for ids in several:
        for part in parts(ids):
            made += part
    return made


def packed(tokens: Sequence[str | None]) -> bytes:
    """Serialize a table of tokens."""
    lines = (json.dumps(tokens[at : at + _LINE]) for at in range(0, len(tokens), _LINE))
    return zlib.compress("\n".join(lines).encode(), 1)


def unpacked(table: bytes) -> list[str | None]:
    """Return the tokens of a `packed` table."""
    tokens: list[str | None] = []
    for line in zlib.decompress(table).splitlines():
        tokens += json.loads(line)
    return tokens


# -- gaps ---------------------------------------------------------------------------------------

GAP = "\ufdd0"  # A noncharacter, reserved for internal use. Doubled, it is the character itself.

_ANCHOR = "\n"

Encode = Callable[[str], Sequence[int]]


def tokens_across_gaps(encode: Encode, text: str) -> list[int]:
    """Tokenize a rendered text, without special tokens across gaps.

    Args:
        encode: tokenizes a text without gaps.
    """
    if GAP not in text:
        return list(encode(text)) if text else []
    begun = list(encode(_ANCHOR))
    known: dict[str, Sequence[int]] = {"": ()}

    def within(piece: str) -> Sequence[int]:
        # Some tokenizers add a space before every text, which is wrong in the middle of one.
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
    """Return a rendered text without its gaps."""
    return "".join(_divided(text)) if GAP in text else text


def as_it_stands(text: str) -> str:
    """Return a text so that it is tokenized unchanged, including its special tokens."""
    return text.replace(GAP, GAP * 2) if GAP in text else text


def _divided(text: str) -> Iterator[str]:
    """Yield the texts between the gaps."""
    piece: list[str] = []
    for number, part in enumerate(text.split(GAP * 2)):
        first, *others = part.split(GAP)
        piece += [GAP, first] if number else [first]
        for other in others:
            yield "".join(piece)
            piece = [other]
    yield "".join(piece)

"""Chunked processing of long texts, and rendered texts with gaps.

A single call on megabytes of text would hold the GIL and block the window and the engine. A chunk
takes about a millisecond.
"""

from __future__ import annotations

import codecs
import json
import zlib
from collections.abc import Callable, Iterator, Sequence

PIECE = 2**20  # maximum characters or bytes per call
TOKENS = 2**16  # maximum token ids per call
_LINE = 4096  # maximum tokens per call


def encode_utf8(text: str) -> bytes:
    if len(text) <= PIECE:
        return text.encode()
    return b"".join([text[at : at + PIECE].encode() for at in range(0, len(text), PIECE)])


def decode_utf8(blob: bytes) -> str:
    if len(blob) <= PIECE:
        return blob.decode()
    decode, view = codecs.getincrementaldecoder("utf-8")().decode, memoryview(blob)
    parts = [decode(view[at : at + PIECE]) for at in range(0, len(blob), PIECE)]
    return "".join([*parts, decode(b"", True)])


def is_unicode(text: str) -> bool:
    """Return False for lone surrogates, which can't be encoded and make tokenizers fail."""
    try:
        for at in range(0, len(text), PIECE):
            text[at : at + PIECE].encode()
    except UnicodeEncodeError:
        return False
    return True


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates with U+FFFD, and join pairs."""
    if is_unicode(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def concatenate(*several: Sequence[int]) -> list[int]:
    joined: list[int] = []
    for ids in several:
        for at in range(0, len(ids), TOKENS):
            joined += ids[at : at + TOKENS]
    return joined


def pack_table(tokens: Sequence[str | None]) -> bytes:
    lines = (json.dumps(tokens[at : at + _LINE]) for at in range(0, len(tokens), _LINE))
    return zlib.compress("\n".join(lines).encode(), 1)


def unpack_table(table: bytes) -> list[str | None]:
    tokens: list[str | None] = []
    for line in zlib.decompress(table).splitlines():
        tokens += json.loads(line)
    return tokens


GAP = "\ufdd0"  # a noncharacter reserved for internal use; when doubled, it represents itself

_ANCHOR = "\n"

Encode = Callable[[str], Sequence[int]]


def tokenize_with_gaps(encode: Encode, text: str) -> list[int]:
    """Tokenize a rendered text such that no special token spans a gap.

    Args:
        encode: tokenizes text that has no gaps.
    """
    if GAP not in text:
        return list(encode(text)) if text else []
    anchor = list(encode(_ANCHOR))
    ids_by_piece: dict[str, Sequence[int]] = {"": ()}

    def encode_piece(piece: str) -> Sequence[int]:
        # Some tokenizers add a space in front of every text, but this isn't the start of a text.
        ids = list(encode(_ANCHOR + piece))
        return ids[len(anchor) :] if ids[: len(anchor)] == anchor else encode(piece)

    first, *next_pieces = _split_at_gaps(text)
    token_ids = list(encode(first)) if first else []
    for piece in next_pieces:
        if piece not in ids_by_piece:
            ids_by_piece[piece] = encode_piece(piece)
        token_ids += ids_by_piece[piece]
    return token_ids


def remove_gaps(text: str) -> str:
    return "".join(_split_at_gaps(text)) if GAP in text else text


def escape_gaps(text: str) -> str:
    """Escape gap characters, so that they are tokenized as text."""
    return text.replace(GAP, GAP * 2) if GAP in text else text


def _split_at_gaps(text: str) -> Iterator[str]:
    piece: list[str] = []
    for number, part in enumerate(text.split(GAP * 2)):
        first, *rest = part.split(GAP)
        piece += [GAP, first] if number else [first]
        for mark in rest:
            yield "".join(piece)
            piece = [mark]
    yield "".join(piece)

"""Whether two models on this machine speak in the same tokens, told from their files alone. No MLX.

A model drafts for another only where their tokenizers are the same (`engine.model.drafting`). That
is compared once both are loaded; this is for a list of those that may be tried. Only the part of a
tokenizer's file that lists its tokens is compared, as its bytes: nothing of it is parsed, which
would hold Python's lock for a second or so in a list of twenty models.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from engine.core.confined.files import read

_MOST = 64 * 2**20  # bytes; the largest tokenizer.json known has 35 MB
_FILES = ("tokenizer.json", "vocab.json", "tokenizer.model", "tiktoken.model")
_PIECE = 2**20
_TOKENS = re.compile(rb'"vocab"\s*:\s*(?=[\[{])')
_MERGES = re.compile(rb'"merges"\s*:\s*\[')
_BLANKS = b" \t\r\n"


def vocabulary_of(folder: Path) -> str:
    """A digest of the tokens of a model's tokenizer; "" where they cannot be told."""
    for name in _FILES:
        try:
            data = read(folder / name, _MOST)
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return ""
        return _digest(_tokens(data) if name == "tokenizer.json" else data, name.endswith(".json"))
    return ""


def may_share(one: str, other: str) -> bool:
    """Whether tokenizers of these digests may be the same."""
    return one == other or not (one and other)


def _tokens(data: bytes) -> memoryview:
    """The part of a tokenizer.json that lists tokens with their ids; empty where there is none."""
    begin = _first(_TOKENS, b'"vocab"', data, 0)
    if begin is None:
        return memoryview(b"")
    end = _first(_MERGES, b'"merges"', data, begin.end())
    stop = end.start() if end is not None else len(data)
    while data[stop - 1] in _BLANKS + b",":
        stop -= 1
    return memoryview(data)[begin.end() : stop]


def _first(
    pattern: re.Pattern[bytes], word: bytes, data: bytes, start: int
) -> re.Match[bytes] | None:
    """The first match, which begins with `word`. Ten times as fast as the pattern's own search."""
    at = data.find(word, start)
    while at >= 0:
        found = pattern.match(data, at)
        if found is not None:
            return found
        at = data.find(word, at + 1)
    return None


def _digest(data: bytes | memoryview, is_json: bool) -> str:
    """Of all bytes; of JSON without blanks."""
    if not data:
        return ""
    digest, view = hashlib.sha256(), memoryview(data)
    for start in range(0, len(view), _PIECE):
        piece = bytes(view[start : start + _PIECE])
        digest.update(piece.translate(None, _BLANKS) if is_json else piece)
    return digest.hexdigest()

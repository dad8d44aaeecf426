"""Comparison of two models' vocabularies, using only their files.

A draft model must have the same tokenizer, which is checked after loading both
(`engine.model.drafting`). This module only preselects candidates for a list, by comparing the raw
bytes of the vocabularies. Parsing them would hold the GIL for about a second for 20 models.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from engine.sandbox.folders import read_file

_MAX_FILE_BYTES = 64 * 2**20  # the largest known tokenizer.json is 35 MB
_FILES = ("tokenizer.json", "vocab.json", "tokenizer.model", "tiktoken.model")
_CHUNK_BYTES = 2**20  # hashed per step, so that the GIL isn't held for long
_TOKENS = re.compile(rb'"vocab"\s{0,64}:\s{0,64}(?=[\[{])')
_MERGES = re.compile(rb'"merges"\s{0,64}:\s{0,64}\[')
_ESCAPE = re.compile(
    rb"(?<!\\)(?:\\\\)*\\u(?!00[01])"
)  # JSON only needs control characters escaped
_BLANKS = b" \t\r\n"


def vocabulary_of(folder: Path, stopped: Callable[[], bool] = lambda: False) -> str:
    """Return a digest of a model's vocabulary, prefixed by the kind of its file, or ""."""
    for name in _FILES:
        try:
            data = read_file(folder / name, _MAX_FILE_BYTES)
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return ""
        kind, ignored = name, b""
        if name.endswith(".json"):
            data = _tokens(data) if name == "tokenizer.json" else data
            if _ESCAPE.search(data):
                return ""
            kind, ignored = "list" if data[:1] == b"[" else "json", _BLANKS
        digest = hashlib.sha256()
        for start in range(0, len(data), _CHUNK_BYTES):
            if stopped():
                return ""
            digest.update(data[start : start + _CHUNK_BYTES].translate(None, ignored))
        return f"{kind}:{digest.hexdigest()}" if data else ""
    return ""


def _tokens(data: bytes) -> bytes:
    """Return the vocabulary of a tokenizer.json, which may not be valid."""
    begin = _TOKENS.search(data)
    if begin is None:
        return b""
    end = _MERGES.search(data, begin.end())
    return data[begin.end() : end.start() if end is not None else None].rstrip(_BLANKS + b",")


def may_share(first: str, second: str) -> bool:
    alike = first.partition(":")[0] == second.partition(":")[0]
    return first == second or not (first and second and alike)

"""Compare two models' vocabularies using only their files. Doesn't need MLX.

A draft model must have the same tokenizer. That's checked after loading both
(`engine.model.drafting`); here we only preselect candidates for a list. We compare the raw bytes of
the vocabulary in the tokenizer file, because parsing would hold the GIL for about a second for a
list of 20 models. If the same vocabulary could also be written with different bytes, the result is
"unknown".
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from engine.sandbox.folders import read_file

_MAX_FILE_BYTES = 64 * 2**20  # the largest known tokenizer.json is 35 MB
_FILES = ("tokenizer.json", "vocab.json", "tokenizer.model", "tiktoken.model")
_CHUNK_BYTES = 2**20
_TAIL_BYTES = 2**16
_MAX_HITS = 1_000  # limit for occurrences of a key; real files have at most a few hundred
_MAX_BACKSLASHES = 64  # limit for consecutive backslashes
_TOKENS = re.compile(rb'"vocab"\s{0,64}:\s{0,64}(?=[\[{])')
_MERGES = re.compile(rb'"merges"\s{0,64}:\s{0,64}\[')
_BLANKS = b" \t\r\n"


class TokenizerBytes:
    """The bytes of a tokenizer file, which may not be valid.

    Processed in chunks, so it can be cancelled.

    Methods raise `ValueError` if cancelled, or if the vocabulary can't be determined.
    """

    def __init__(self, data: bytes, stopped: Callable[[], bool]) -> None:
        self._data, self._stopped = data, stopped
        self.begin, self.end = 0, len(data)

    @property
    def kind(self) -> str:
        """Type of vocabulary: "json" for an object keyed by token, or "list"."""
        return "list" if self._data[self.begin : self.begin + 1] == b"[" else "json"

    def narrow_to_vocabulary(self) -> None:
        """Narrow tokenizer.json down to its vocabulary."""
        begin = self._first(_TOKENS, b'"vocab"')
        if begin is None:
            raise ValueError("it has no vocabulary")
        self.begin = begin.end()
        end = self._first(_MERGES, b'"merges"')
        self.end = end.start() if end is not None else self.end
        while self.end > self.begin:
            self._check_stopped()
            start = max(self.begin, self.end - _TAIL_BYTES)
            piece = self._data[start : self.end].rstrip(_BLANKS + b",")
            self.end = start + len(piece)
            if piece:
                break

    def check_escapes(self) -> None:
        """Reject JSON with unnecessary escapes.

        Tokens may contain a backslash followed by "u", though.
        """
        for at in self._hits(b"\\u"):
            before = self._data[max(self.begin, at - _MAX_BACKSLASHES) : at]
            slashes = len(before) - len(before.rstrip(b"\\"))
            control = self._data[at + 2 : at + 5] in (b"000", b"001")
            if slashes == _MAX_BACKSLASHES or not (slashes % 2 or control):
                raise ValueError("it has escapes")

    def digest(self, *, is_json: bool) -> str:
        """Hash the bytes. For JSON, whitespace is ignored."""
        digest, view = hashlib.sha256(), memoryview(self._data)
        for start in range(self.begin, self.end, _CHUNK_BYTES):
            self._check_stopped()
            piece = bytes(view[start : min(start + _CHUNK_BYTES, self.end)])
            digest.update(piece.translate(None, _BLANKS) if is_json else piece)
        return digest.hexdigest()

    def _check_stopped(self) -> None:
        if self._stopped():
            raise ValueError("it was cancelled")

    def _first(self, pattern: re.Pattern[bytes], word: bytes) -> re.Match[bytes] | None:
        """Find the first match, given the word it starts with.

        Much faster than searching with the pattern.
        """
        matches = (pattern.match(self._data, at, self.end) for at in self._hits(word))
        return next(filter(None, matches), None)

    def _hits(self, word: bytes) -> Iterator[int]:
        every = self._all_hits(word)
        yield from islice(every, _MAX_HITS)
        if next(every, None) is not None:
            raise ValueError("it is not a tokenizer file")

    def _all_hits(self, word: bytes) -> Iterator[int]:
        for start in range(self.begin, self.end, _CHUNK_BYTES):
            self._check_stopped()
            end = min(start + _CHUNK_BYTES + len(word) - 1, self.end)
            at = self._data.find(word, start, end)
            while at >= 0:
                yield at
                at = self._data.find(word, at + 1, end)


def vocabulary_of(folder: Path, stopped: Callable[[], bool] = lambda: False) -> str:
    """Return a digest of a model's vocabulary, prefixed by the kind of file it comes from.

    "" if it can't be determined, or if cancelled (`stopped`).
    """
    for name in _FILES:
        try:
            data = TokenizerBytes(read_file(folder / name, _MAX_FILE_BYTES), stopped)
            if data.end == 0:
                return ""
            if not name.endswith(".json"):
                return f"{name}:{data.digest(is_json=False)}"
            if name == "tokenizer.json":
                data.narrow_to_vocabulary()
            data.check_escapes()
            return f"{data.kind}:{data.digest(is_json=True)}"
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return ""
    return ""


def may_share(one: str, other: str) -> bool:
    """Check whether two digests could belong to the same vocabulary."""
    alike = one.partition(":")[0] == other.partition(":")[0]
    return one == other or not (one and other and alike)

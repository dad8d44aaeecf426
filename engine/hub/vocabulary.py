"""Whether two models on this machine have the same tokens, by their files alone. No MLX.

A model drafts for another only where their tokenizers are the same (`engine.model.drafting`). That
is compared once both are loaded; this is for a list of those that may be tried. Only the part of a
tokenizer's file that lists its tokens is compared, as its bytes: nothing of it is parsed, which
would hold Python's lock for a second or so in a list of twenty models. Where the same tokens could
be written in other bytes the answer is unknown.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from engine.sandbox.folders import read_file

_MOST = 64 * 2**20  # bytes; the largest tokenizer.json known has 35 MB
_FILES = ("tokenizer.json", "vocab.json", "tokenizer.model", "tiktoken.model")
_PIECE = 2**20
_TAIL = 2**16
_MOST_HITS = 1_000  # places that look like what is sought; real files have a few hundred at most
_MOST_SLASHES = 64  # in a row
_TOKENS = re.compile(rb'"vocab"\s{0,64}:\s{0,64}(?=[\[{])')
_MERGES = re.compile(rb'"merges"\s{0,64}:\s{0,64}\[')
_BLANKS = b" \t\r\n"


class _Bytes:
    """A file's bytes, which may be 64 MB of nonsense: looked at in pieces, as long as wanted.

    Its methods raise `ValueError` where it was cancelled, or nothing can be said.
    """

    def __init__(self, data: bytes, stopped: Callable[[], bool]) -> None:
        self._data, self._stopped = data, stopped
        self.begin, self.end = 0, len(data)

    @property
    def kind(self) -> str:
        """How JSON lists tokens: by their ids, or in order."""
        return "list" if self._data[self.begin : self.begin + 1] == b"[" else "json"

    def narrow(self) -> None:
        """Keep what of a tokenizer.json lists tokens with their ids."""
        begin = self._first(_TOKENS, b'"vocab"')
        if begin is None:
            raise ValueError("it lists no tokens")
        self.begin = begin.end()
        end = self._first(_MERGES, b'"merges"')
        self.end = end.start() if end is not None else self.end
        while self.end > self.begin:
            self._go_on()
            start = max(self.begin, self.end - _TAIL)
            piece = self._data[start : self.end].rstrip(_BLANKS + b",")
            self.end = start + len(piece)
            if piece:
                break

    def check_escapes(self) -> None:
        """Refuse JSON that escapes what it need not. A token may well be a backslash and a u."""
        for at in self._hits(b"\\u"):
            before = self._data[max(self.begin, at - _MOST_SLASHES) : at]
            slashes = len(before) - len(before.rstrip(b"\\"))
            control = self._data[at + 2 : at + 5] in (b"000", b"001")
            if slashes == _MOST_SLASHES or not (slashes % 2 or control):
                raise ValueError("it has escapes")

    def digest(self, *, is_json: bool) -> str:
        """Of all bytes; of JSON without blanks."""
        digest, view = hashlib.sha256(), memoryview(self._data)
        for start in range(self.begin, self.end, _PIECE):
            self._go_on()
            piece = bytes(view[start : min(start + _PIECE, self.end)])
            digest.update(piece.translate(None, _BLANKS) if is_json else piece)
        return digest.hexdigest()

    def _go_on(self) -> None:
        if self._stopped():
            raise ValueError("it was cancelled")

    def _first(self, pattern: re.Pattern[bytes], word: bytes) -> re.Match[bytes] | None:
        """The first match, which begins with `word`. Much faster than the pattern's own search."""
        matches = (pattern.match(self._data, at, self.end) for at in self._hits(word))
        return next(filter(None, matches), None)

    def _hits(self, word: bytes) -> Iterator[int]:
        """Where `word` stands."""
        every = self._all_hits(word)
        yield from islice(every, _MOST_HITS)
        if next(every, None) is not None:
            raise ValueError("it is no tokenizer's")

    def _all_hits(self, word: bytes) -> Iterator[int]:
        for start in range(self.begin, self.end, _PIECE):
            self._go_on()
            end = min(start + _PIECE + len(word) - 1, self.end)
            at = self._data.find(word, start, end)
            while at >= 0:
                yield at
                at = self._data.find(word, at + 1, end)


def vocabulary_of(folder: Path, stopped: Callable[[], bool] = lambda: False) -> str:
    """A digest of the tokens of a model's tokenizer, after the kind of its file and a colon.

    "" where they are unknown, or it was cancelled (`stopped`).
    """
    for name in _FILES:
        try:
            data = _Bytes(read_file(folder / name, _MOST), stopped)
            if data.end == 0:
                return ""
            if not name.endswith(".json"):
                return f"{name}:{data.digest(is_json=False)}"
            if name == "tokenizer.json":
                data.narrow()
            data.check_escapes()
            return f"{data.kind}:{data.digest(is_json=True)}"
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return ""
    return ""


def may_share(one: str, other: str) -> bool:
    """Whether tokenizers of these digests may be the same."""
    alike = one.partition(":")[0] == other.partition(":")[0]
    return one == other or not (one and other and alike)

"""How much there is in JSON, told while it comes and before it is read.

Reading a megabyte of small lists takes a hundred times as long as reading a text of a megabyte,
and as much memory, and nothing else of the process runs meanwhile. What is in a text does not
count.
"""

from __future__ import annotations

MOST_LISTS = 200_000
"""Lists and objects: 20,000 messages of ten."""
MOST_PARTS = 2_000_000
"""Values and names of all kinds: a prompt of a million token ids, and as much again."""
LIST_BYTES, PART_BYTES = 200, 60
"""What one takes in memory, at most."""


class Parts:
    """Counts the parts of one JSON text, piece by piece; each is looked at by C alone.

    Attributes:
        lists: and objects so far.
        commas: so far.
        texts: so far; names are texts, too.
    """

    def __init__(self) -> None:
        self.lists = self.commas = self.texts = 0
        self._inside = False  # a text goes on
        self._half = b""  # an escape that the last piece has begun

    @property
    def too_many(self) -> str:
        """What there is too much of, with how many may be; empty as long as there is not."""
        if self.lists > MOST_LISTS:
            return f"{MOST_LISTS:,} lists and objects"
        return f"{MOST_PARTS:,} values" if self.texts + self.commas > MOST_PARTS else ""

    @property
    def nbytes(self) -> int:
        """What they take in memory once they are read, beside the characters of the texts."""
        return self.lists * LIST_BYTES + (self.commas + self.texts) * PART_BYTES

    def add(self, piece: bytes) -> None:
        """Count what is in the next piece, which should be no longer than some 100 KB."""
        text = self._half + piece if self._half else piece
        if b"\\" in text:
            slashes = len(text) - len(text.rstrip(b"\\"))
            self._half = b"\\" if slashes % 2 else b""
            text = text.removesuffix(self._half)
            text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
        else:
            self._half = b""
        quotes = text.count(b'"')
        if quotes:
            between = text.split(b'"')[self._inside :: 2]
            text = b"".join(between)
            self.texts += (quotes + (not self._inside)) // 2  # those that begin here
            self._inside ^= bool(quotes % 2)
        elif self._inside:
            return
        self.commas += text.count(b",")
        self.lists += text.count(b"[") + text.count(b"{")

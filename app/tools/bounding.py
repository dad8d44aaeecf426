"""What a server sends, measured before it is read: reading JSON holds Python's lock until its end.

A text of fifty megabytes is read in a quarter of a second; as many bytes of `[1],[1],…` take half a
minute, in which the window and all chats stand still.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

MOST_PARTS = 200_000
"""Commas, colons and brackets outside the texts of one message: a third of a second's work."""
MOST_LISTED = 2_000
"""Tools, blocks, resources and the like of one message. Each is checked against many kinds."""
MESSAGES_PER_S = 200
_SLICE = 1 << 20
_ESCAPES_OF_A_PART = 8  # texts full of them take as long
_PARTS_OF_ONE = MOST_PARTS // MESSAGES_PER_S
_BYTES_OF_ONE = 1 << 18
_TOO_MANY = "The server sent a message of more than {most:,} parts."


class TooMuchError(Exception):
    """A message is not read. ``str(error)`` is a sentence."""


class Weigher:
    """Counts the parts of a message as its bytes come.

    A text cannot hold an end of line in JSON, so each line begins outside of one. Raises
    TooMuchError as soon as there are too many.
    """

    def __init__(self) -> None:
        self.parts = 0  # of this message
        self.total = 0
        self._within = False
        self._escaped = False

    def reset(self) -> None:
        """The next message begins."""
        self.parts = 0

    def feed(self, data: bytes) -> None:
        for at in range(0, len(data), _SLICE):
            self._slice(data[at : at + _SLICE])

    def _slice(self, data: bytes) -> None:
        if self._escaped and data[:1] in (b"\\", b'"'):
            data = data[1:]
        tail = len(data) - len(data.rstrip(b"\\"))
        self._escaped = tail % 2 == 1
        self._add(data.count(b"\\") // _ESCAPES_OF_A_PART)
        data = data.replace(b"\r", b"\n").replace(b"\\\\", b"").replace(b'\\"', b"")
        if b'"' not in data and b"\n" not in data:
            self._add(0 if self._within else _parts(data))
            return
        first, *lines = data.split(b"\n")
        self._line(first)
        for line in lines:
            self._within = False
            self._line(line)

    def _line(self, line: bytes) -> None:
        pieces = line.split(b'"')
        self._add(_parts(b"".join(pieces[self._within :: 2])))
        self._within ^= len(pieces) % 2 == 0

    def _add(self, parts: int) -> None:
        self.parts += parts
        self.total += parts
        if self.parts > MOST_PARTS:
            raise TooMuchError(_TOO_MANY.format(most=MOST_PARTS))


def _parts(data: bytes) -> int:
    return sum(map(data.count, (b",", b":", b"[", b"{")))


def check_parts(data: bytes | str) -> None:
    """Refuse JSON of too many parts before it is read. Raises TooMuchError."""
    if len(data) > MOST_PARTS:  # a shorter one cannot have as many
        Weigher().feed(data if isinstance(data, bytes) else data.encode(errors="replace"))


def lists_too_much(message: Any) -> str:
    """Why a message's lists are refused before each of their entries is checked; "" if not."""
    result = getattr(message, "result", None)
    for value in result.values() if isinstance(result, dict) else ():
        if isinstance(value, list) and len(value) > MOST_LISTED:
            return f"The server listed more than {MOST_LISTED:,} things at once."
    return ""


def weight(size: int, parts: int) -> float:
    """For how many messages so many bytes and parts count."""
    return size / _BYTES_OF_ONE + parts / _PARTS_OF_ONE


class Pace:
    """Counts what happens in the running second; what is too much counts for the next ones."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._since, self._count = clock(), 0.0

    def wait(self, weight: float = 1) -> float:
        """The seconds until this is due, 0 while there were few; it counts for so many."""
        wait = 0.0 if self.room() else self._since + self._count // self._most - self._clock()
        self._count += weight
        return max(wait, 0.0)

    def room(self) -> bool:
        """Whether the next is due now."""
        if (seconds := int(self._clock() - self._since)) >= 1:
            self._since += seconds
            self._count = max(0.0, self._count - seconds * self._most)
        return self._count < self._most

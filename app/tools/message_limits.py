"""Size checks for server messages before parsing, because parsing JSON holds the GIL.

Parsing 50 MB of text takes 0.25 s. With `[1],[1],…` of the same size, it takes 30 s, during which
the window and all chats hang.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

MOST_PARTS = 200_000
"""Commas, colons and brackets per message, except in strings. Parsing takes a third of a second."""
MOST_LISTED = 2_000
"""Tools, blocks, resources etc. per message. Each is validated against many types."""
MESSAGES_PER_S = 200
_SLICE = 1 << 20
_ESCAPES_OF_A_PART = 8  # escapes that take as long to parse as one part
_PARTS_OF_ONE = MOST_PARTS // MESSAGES_PER_S
_BYTES_OF_ONE = 1 << 18
_TOO_MANY = "The server sent a message of more than {most:,} parts."


class TooMuchError(Exception):
    pass


class PartCounter:
    """Counts the parts of a message while it's being received.

    JSON strings can't contain newlines, so each line starts outside of a string. Raises
    TooMuchError as soon as the limit is exceeded.
    """

    def __init__(self) -> None:
        self.parts = 0  # number of parts in the current message
        self.total = 0
        self._within = False
        self._escaped = False

    def reset(self) -> None:
        self.parts = 0

    def feed(self, data: bytes) -> None:
        for at in range(0, len(data), _SLICE):
            self._count_slice(data[at : at + _SLICE])

    def _count_slice(self, data: bytes) -> None:
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
        self._count_line(first)
        for line in lines:
            self._within = False
            self._count_line(line)

    def _count_line(self, line: bytes) -> None:
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
    if len(data) > MOST_PARTS:  # shorter messages can't have that many parts
        PartCounter().feed(data if isinstance(data, bytes) else data.encode(errors="replace"))


def find_excess_lists(message: Any) -> str:
    """Return why a message must be rejected before its list entries are validated, or ""."""
    result = getattr(message, "result", None)
    for value in result.values() if isinstance(result, dict) else ():
        if isinstance(value, list) and len(value) > MOST_LISTED:
            return f"The server listed more than {MOST_LISTED:,} things at once."
    return ""


def weight(size: int, parts: int) -> float:
    """Return the weight of a message, as the number of typical messages it counts as."""
    return size / _BYTES_OF_ONE + parts / _PARTS_OF_ONE


class RateLimit:
    """Limit of messages per second. An excess counts towards the following seconds."""

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit, self._clock = limit, clock
        self._since, self._count = clock(), 0.0

    def wait(self, weight: float = 1) -> float:
        """Count a message. Return the seconds to wait before processing it."""
        wait = 0.0 if self.has_room() else self._since + self._count // self._limit - self._clock()
        self._count += weight
        return max(wait, 0.0)

    def has_room(self) -> bool:
        if (seconds := int(self._clock() - self._since)) >= 1:
            self._since += seconds
            self._count = max(0.0, self._count - seconds * self._limit)
        return self._count < self._limit

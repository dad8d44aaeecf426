"""How the rows of a step are cut into pieces, and the tables that tell the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WHOLE = 1024
"""Keys up to which a row is one piece, so that nothing has to be joined."""

MOST_PIECES = 64
"""Of a row."""

GROUPS = 256
"""Groups of threads that a launch should have: several for each core of a large GPU."""

LEAST = 256
"""Keys of a piece at least."""


@dataclass(frozen=True)
class Place:
    """Where one row's keys lie.

    Attributes:
        source: which buffer.
        slot: which slot of it.
        begin, end: the keys of the slot that the row attends to; before and after lies nothing
            that is read.
    """

    source: int
    slot: int
    begin: int
    end: int

    @property
    def count(self) -> int:
        """How many keys."""
        return self.end - self.begin


@dataclass(frozen=True)
class Work:
    """The pieces of all rows.

    Attributes:
        tasks: five numbers each: row, source, slot, first key, end.
        starts: the first task of each row, and the end of the last one's.
    """

    tasks: tuple[tuple[int, int, int, int, int], ...]
    starts: tuple[int, ...]

    @property
    def whole(self) -> bool:
        """Whether every row is one piece."""
        return len(self.tasks) == len(self.starts) - 1


def cut(places: Sequence[Place], groups: int, whole: int = WHOLE, least: int = LEAST) -> Work:
    """Cut long rows into even pieces; no piece is empty, and nothing is padded.

    Args:
        groups: of threads that a piece takes.
        whole: keys up to which a row is left whole, if all rows can be.
        least: keys of a piece at least.
    """
    tasks: list[tuple[int, int, int, int, int]] = []
    starts = [0]
    total = sum(p.count for p in places)
    # As many keys a piece as give each launch enough groups.
    size = max(least, -(-total * groups // GROUPS))
    if max(p.count for p in places) <= whole:
        size = whole
    for row, place in enumerate(places):
        pieces = max(1, min(MOST_PIECES, -(-place.count // size)))
        for piece in range(pieces):
            begin = place.begin + place.count * piece // pieces
            end = place.begin + place.count * (piece + 1) // pieces
            tasks.append((row, place.source, place.slot, begin, end))
        starts.append(len(tasks))
    return Work(tuple(tasks), tuple(starts))

"""Lanes in which work waits for children."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator
from contextvars import ContextVar

from msgspec import Struct


class ReadingLane(Struct, eq=False):
    """Work of one origin. Lanes with equal keys wait in one line.

    Attributes:
        busy_s: seconds that its children have run.
    """

    key: Hashable
    busy_s: float = 0.0


WINDOW = ReadingLane("window")
MODELS = ReadingLane("models")
current: ContextVar[ReadingLane] = ContextVar("lane", default=WINDOW)


@contextlib.contextmanager
def in_lane(lane: ReadingLane) -> Iterator[None]:
    """Have files that are read in this context wait in that lane, not in the window's."""
    before = current.set(lane)
    try:
        yield
    finally:
        current.reset(before)

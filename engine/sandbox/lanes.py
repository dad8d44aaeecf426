"""Lanes for queued work of child processes, so that clients don't block each other."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator
from contextvars import ContextVar

from msgspec import Struct


class ReadingLane(Struct, eq=False):
    """A client's work. Lanes with the same key share a queue.

    Attributes:
        busy_s: total run time of children that worked for the lane.
    """

    key: Hashable
    busy_s: float = 0.0


WINDOW = ReadingLane("window")
MODELS = ReadingLane("models")
current: ContextVar[ReadingLane] = ContextVar("lane", default=WINDOW)


@contextlib.contextmanager
def use_lane(lane: ReadingLane) -> Iterator[None]:
    """Inside the block, queue file reading in `lane` instead of the window's lane."""
    before = current.set(lane)
    try:
        yield
    finally:
        current.reset(before)

"""Lanes in which work waits for child processes, so that clients do not block each other."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator
from contextvars import ContextVar

from msgspec import Struct


class ReadingLane(Struct, eq=False):
    """Work of one client. Lanes with equal keys share a queue.

    Attributes:
        busy_s: total run time of its children.
    """

    key: Hashable
    busy_s: float = 0.0


WINDOW = ReadingLane("window")
MODELS = ReadingLane("models")
current: ContextVar[ReadingLane] = ContextVar("lane", default=WINDOW)


@contextlib.contextmanager
def in_lane(lane: ReadingLane) -> Iterator[None]:
    """Queue files that are read in this context in `lane` instead of the window's."""
    before = current.set(lane)
    try:
        yield
    finally:
        current.reset(before)

"""Lanes, by which requests for a child are ordered."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator
from contextvars import ContextVar

from msgspec import Struct


class ReadingLane(Struct, eq=False):
    """Origin of requests for a child. Lanes with equal keys share one queue.

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
    """Read files in this context in that lane, not in the window's."""
    before = current.set(lane)
    try:
        yield
    finally:
        current.reset(before)

"""Turns of children that read files: in lanes, so that no user waits for another's files."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator
from contextvars import ContextVar

from msgspec import Struct

_CHECK_S = 0.1  # between two checks whether the work is still wanted


class ReadingLane(Struct, eq=False):
    """Files of one origin. Lanes with equal keys wait in one line.

    Attributes:
        busy_s: seconds that its children have run.
    """

    key: Hashable
    busy_s: float = 0.0


WINDOW = ReadingLane("window")
MODELS = ReadingLane("models")
_current: ContextVar[ReadingLane] = ContextVar("lane", default=WINDOW)


@contextlib.contextmanager
def in_lane(lane: ReadingLane) -> Iterator[None]:
    """Have files that are read in this context wait in that lane, not in the window's."""
    before = _current.set(lane)
    try:
        yield
    finally:
        _current.reset(before)


class ChildSlots:
    """Children at once: the next one is that of the lane that was served least recently.

    Args:
        count: children.
        reserved: how many of these slots only the window takes.
    """

    def __init__(self, count: int, reserved: int) -> None:
        self._count = count
        self._reserved = reserved
        self._changed = threading.Condition()
        self._running: Counter[Hashable] = Counter()
        self._waiting: dict[Hashable, deque[object]] = {}
        self._served: dict[Hashable, int] = {}  # of lanes that wait or run, when they were served
        self._numbers = itertools.count(1)

    @contextlib.contextmanager
    def taken(self, check: Callable[[], None]) -> Iterator[None]:
        """Wait for a slot in the current lane, and hold it.

        Args:
            check: called while waiting. What it raises ends that.
        """
        lane = _current.get()
        self._wait(lane.key, check)
        began = time.monotonic()
        try:
            yield
        finally:
            with self._changed:
                lane.busy_s += time.monotonic() - began
                self._running[lane.key] -= 1
                self._forget_idle(lane.key)
                self._changed.notify_all()

    def _wait(self, key: Hashable, check: Callable[[], None]) -> None:
        turn = object()
        with self._changed:
            line = self._waiting.setdefault(key, deque())
            line.append(turn)
            try:
                while line[0] is not turn or not self._is_next(key):
                    self._changed.wait(_CHECK_S)
                    check()
                self._running[key] += 1
                self._served[key] = next(self._numbers)
            finally:
                line.remove(turn)
                if not line:
                    del self._waiting[key]
                self._forget_idle(key)
                self._changed.notify_all()

    def _is_next(self, key: Hashable) -> bool:
        """Return True if the first in this lane may begin."""
        if self._running.total() >= self._count:
            return False
        if key == WINDOW.key:
            return True
        others = self._running.total() - self._running[WINDOW.key]
        if others >= self._count - self._reserved:
            return False
        return key == min(
            (each for each in self._waiting if each != WINDOW.key),
            key=lambda each: (self._running[each], self._served.get(each, 0)),
        )

    def _forget_idle(self, key: Hashable) -> None:
        if not self._running[key]:
            del self._running[key]
            if key not in self._waiting:
                self._served.pop(key, None)

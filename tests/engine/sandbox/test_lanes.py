"""Fair turns between lanes that read files."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from engine.sandbox.lanes import WINDOW, ReadingLane, use_lane
from engine.sandbox.pool import ChildSlots


class _GoneError(Exception):
    pass


def wanted() -> None: ...


class _Reader:
    def __init__(
        self, slots: ChildSlots, lane: ReadingLane, check: Callable[[], None] = wanted
    ) -> None:
        self.began, self.go, self.raised = threading.Event(), threading.Event(), False
        self._thread = threading.Thread(target=self._run, args=(slots, lane, check))
        self._thread.start()

    def _run(self, slots: ChildSlots, lane: ReadingLane, check: Callable[[], None]) -> None:
        try:
            with use_lane(lane), slots.acquire(check):
                self.began.set()
                assert self.go.wait(60)
        except _GoneError:
            self.raised = True

    def end(self) -> None:
        self.go.set()
        self._thread.join(60)
        assert not self._thread.is_alive()


def waits(slots: ChildSlots, key: object, count: int) -> None:
    while len(slots._queues.get(key, ())) < count:  # type: ignore[call-overload]
        threading.Event().wait(0.001)


def test_window_has_a_reserved_slot() -> None:
    slots = ChildSlots(3, reserved=1)
    lane = ReadingLane("a")
    busy = [_Reader(slots, lane) for _ in range(2)]
    assert all(each.began.wait(60) for each in busy)
    late = _Reader(slots, lane)
    waits(slots, "a", 1)
    window = _Reader(slots, WINDOW)
    assert window.began.wait(60)
    assert not late.began.is_set()
    for each in (window, *busy, late):
        each.end()


def test_least_recently_served_lane_goes_next() -> None:
    slots = ChildSlots(2, reserved=1)
    a, b = ReadingLane("a"), ReadingLane("b")
    first = _Reader(slots, a)
    assert first.began.wait(60)
    of_a = []
    for count in range(1, 4):
        of_a.append(_Reader(slots, a))
        waits(slots, "a", count)
    of_b = _Reader(slots, b)
    waits(slots, "b", 1)
    first.end()
    assert of_b.began.wait(60)
    assert not any(each.began.is_set() for each in of_a)
    of_b.end()
    for each in of_a:
        each.end()
    assert a.busy_s > 0


def test_lane_holds_no_more_slots_than_it_may() -> None:
    slots = ChildSlots(2, per_lane=1)
    a, b = ReadingLane("a"), ReadingLane("b")
    first = _Reader(slots, a)
    assert first.began.wait(60)
    second = _Reader(slots, a)
    waits(slots, "a", 1)
    other = _Reader(slots, b)
    assert other.began.wait(60)
    assert not second.began.is_set()
    first.end()
    assert second.began.wait(60)
    for each in (second, other):
        each.end()
    assert not slots._served


def test_waiting_reader_can_be_cancelled() -> None:
    slots, gone = ChildSlots(1, reserved=0), threading.Event()

    def check() -> None:
        if gone.is_set():
            raise _GoneError

    busy = _Reader(slots, ReadingLane("a"))
    assert busy.began.wait(60)
    late = _Reader(slots, ReadingLane("b"), check)
    waits(slots, "b", 1)
    gone.set()
    late.end()
    assert late.raised
    assert not late.began.is_set()
    busy.end()
    assert not slots._queues


def test_slot_is_released_after_error() -> None:
    slots = ChildSlots(1, reserved=0)
    with pytest.raises(_GoneError), slots.acquire(wanted):
        raise _GoneError
    with slots.acquire(wanted):
        pass

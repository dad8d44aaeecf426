"""Work that takes long, away from the GUI thread: what it returns is delivered there.

`start` is for work that has its own way to end; a sequence of steps is a coroutine (`app.flows`).

A worker holds a number and plain data, never a Qt object: dropping the last reference to one on
another thread would destroy it there. The work that is passed in must keep to that too.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal, Slot

log = logging.getLogger(__name__)

T = TypeVar("T")
Done = Callable[[Any, Exception | None], object]


class _Delivery(QObject):
    """Takes results from any thread to the GUI thread. There is one; it outlives all owners."""

    _arrived = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._numbers = itertools.count()
        self._waiting: dict[int, tuple[QObject, Done]] = {}
        self._results: dict[int, tuple[Any, Exception | None]] = {}
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)

    def expect(self, owner: QObject, done: Done) -> int:
        number = next(self._numbers)
        self._waiting[number] = (owner, done)
        return number

    def post(self, number: int, value: Any, error: Exception | None) -> None:
        """On any thread."""
        self._results[number] = (value, error)
        try:
            self._arrived.emit(number)
        except RuntimeError:
            log.debug("the program has ended meanwhile")

    @Slot(int)
    def _on_arrived(self, number: int) -> None:
        owner, done = self._waiting.pop(number)
        value, error = self._results.pop(number)
        if shiboken6.isValid(owner):
            done(value, error)


_delivery: _Delivery | None = None
_threads: list[tuple[threading.Thread, threading.Event]] = []


def start(
    owner: QObject, work: Callable[[], T], done: Done, stop: threading.Event
) -> threading.Thread:
    """Run ``work`` on a thread of its own, then ``done(value, error)`` on the GUI thread.

    Args:
        owner: if it has been destroyed by then, nothing is delivered.
        work: holds no Qt object, and ends soon once ``stop`` is set.
        done: gets what ``work`` returned and None, or None and what it raised.
    """
    global _delivery
    if _delivery is None:
        _delivery = _Delivery()
    delivery, number = _delivery, _delivery.expect(owner, done)
    _threads[:] = [(thread, event) for thread, event in _threads if thread.is_alive()]
    thread = threading.Thread(
        target=_run, args=(delivery, number, work), name="background", daemon=True
    )
    _threads.append((thread, stop))
    thread.start()
    return thread


def _run(delivery: _Delivery, number: int, work: Callable[[], Any]) -> None:
    try:
        delivery.post(number, work(), None)
    except Exception as error:
        delivery.post(number, None, error)


def finish(seconds: float) -> None:
    """The program ends: stop all work, and wait for it this long at most."""
    give_up = time.monotonic() + seconds
    for _, stop in _threads:
        stop.set()
    for thread, _ in _threads:
        thread.join(max(0.0, give_up - time.monotonic()))

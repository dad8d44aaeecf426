"""Work that takes long, away from the GUI thread: what it returns is delivered there.

`Query` is for questions of which only the latest counts (a search, a look-up, a size on disk), in
the manner of Anki's QueryOp. `start` is for work that has its own way to end.

A worker holds a number and plain data, never a Qt object: dropping the last reference to one on
another thread would destroy it there. The work that is passed in must keep to that too.
"""

from __future__ import annotations

import itertools
import logging
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

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


@dataclass
class _Question(Generic[T]):
    work: Callable[[threading.Event], T]
    done: Callable[[T], object]
    failed: Callable[[Exception], object] | None
    stop: threading.Event = field(default_factory=threading.Event)


class _Stop:
    """Stops the question that is worked on, also when the query itself is gone."""

    def __init__(self) -> None:
        self.event = threading.Event()

    def set(self) -> None:
        self.event.set()


class Query(QObject):
    """Asks one question at a time; a newer one takes the place of the one before.

    At most one thread works for a query: the newest question begins when the one before has
    noticed that nobody waits for it any more.
    """

    def __init__(self, owner: QObject) -> None:
        """Once ``owner`` is destroyed nothing is delivered."""
        super().__init__(owner)
        self._wanted: _Question[Any] | None = None
        self._running: _Question[Any] | None = None
        self._stop = _Stop()
        self.destroyed.connect(self._stop.set)

    @property
    def waiting(self) -> bool:
        """Whether an answer is to come."""
        return self._wanted is not None

    def ask(
        self,
        work: Callable[[threading.Event], T],
        done: Callable[[T], object],
        failed: Callable[[Exception], object] | None = None,
    ) -> None:
        """Run ``work`` in the background and hand what it returns to ``done``.

        Args:
            work: is given an event that is set when its answer is no longer wanted.
            done, failed: called on the GUI thread, one of them and once, or neither if the
                question was dropped. Without ``failed`` an error is told like any uncaught one.
        """
        self.drop()
        self._wanted = _Question(work, done, failed)
        if self._running is None:
            self._begin(self._wanted)

    def drop(self) -> None:
        """Let go of the question: its answer is not delivered."""
        self._wanted = None
        self._stop.set()

    def _begin(self, question: _Question[Any]) -> None:
        self._running = question
        self._stop.event = question.stop
        work, stop = question.work, question.stop
        start(self, lambda: work(stop), self._on_ended, stop)

    def _on_ended(self, value: Any, error: Exception | None) -> None:
        ended, self._running = self._running, None
        if ended is None or ended is not self._wanted:
            if self._wanted is not None:
                self._begin(self._wanted)
            return
        self._wanted = None
        if error is None:
            ended.done(value)
        elif ended.failed is not None:
            ended.failed(error)
        else:
            sys.excepthook(type(error), error, error.__traceback__)

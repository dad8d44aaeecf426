"""Pool of child processes, shared by lanes in turn.

Requests of one lane (such as one model's prompts) run one after another, so a hostile lane occupies
at most one child. Lanes take turns: many waiting requests of one lane do not delay another lane.

One thread starts all children and lives as long as the process, since Linux kills a child when the
*thread* that started it ends. It is a daemon thread: an executor's thread would end before the
threads that the interpreter waits for at exit.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import Any

from engine.errors import ENGINE_STOPPED, INTERNAL_ERROR, EngineError, words_of
from engine.sandbox.lanes import WINDOW, ReadingLane, current
from engine.sandbox.process import Child
from engine.sandbox.protocol import ChildKind, TaskError, TaskReply

log = logging.getLogger(__name__)

MAX_IDLE_CHILD_BYTES = 400 * 2**20  # an idle child with more memory is replaced

_CHECK_S = 0.1  # interval of cancellation checks while waiting

ChildFuture = Future[Child]


class _ChildStarter:
    """Thread that starts and ends children."""

    def __init__(self) -> None:
        self._orders = SimpleQueue[tuple[Future[Any], Callable[[], Any]]]()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, work: Callable[[], Any]) -> Future[Any]:
        future = Future[Any]()
        self._orders.put((future, work))
        self._ensure_thread()
        return future

    def wait(self, future: Future[Any]) -> BaseException | None:
        """Wait for a future, and return its exception."""
        while True:
            with contextlib.suppress(TimeoutError):
                return future.exception(timeout=1.0)
            self._ensure_thread()  # an error may have ended it

    def _ensure_thread(self) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._work, name="stretto-confined", daemon=True
                )
                self._thread.start()

    def _work(self) -> None:
        while True:
            future, work = self._orders.get()
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
            del future, work  # free them while waiting


_starter = _ChildStarter()


class ChildSlots:
    """Limit on children that run at the same time.

    A free slot goes to the waiting lane that holds the fewest slots, and among these to the one
    served least recently.

    Args:
        count: number of slots.
        reserved: slots that only the window's lane may use.
        per_lane: maximum number of slots of one lane (default: all).
    """

    def __init__(self, count: int, reserved: int = 0, per_lane: int | None = None) -> None:
        self._count = count
        self._reserved = reserved
        self._per_lane = per_lane or count
        self._changed = threading.Condition()
        self._running: Counter[Hashable] = Counter()
        self._waiting: dict[Hashable, deque[object]] = {}
        self._served: dict[Hashable, int] = {}  # turn in which a lane was last served
        self._numbers = itertools.count(1)

    @contextlib.contextmanager
    def acquired(
        self, check: Callable[[], None], lane: ReadingLane | None = None
    ) -> Iterator[None]:
        """Wait for a slot, and hold it.

        Args:
            check: called while waiting; an exception that it raises ends the wait.
            lane: default: the current one.
        """
        lane = lane or current.get()
        self._wait(lane.key, check)
        began = time.monotonic()
        try:
            yield
        finally:
            with self._changed:
                lane.busy_s += time.monotonic() - began
                self._running[lane.key] -= 1
                if not self._waiting and not self._running.total():
                    self._running.clear()
                    self._served.clear()
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
                self._changed.notify_all()

    def _is_next(self, key: Hashable) -> bool:
        """Return True if the first request of this lane may start."""
        if self._running.total() >= self._count:
            return False
        if key == WINDOW.key:
            return True
        others = self._running.total() - self._running[WINDOW.key]
        if others >= self._count - self._reserved:
            return False
        free = (
            each
            for each in self._waiting
            if each != WINDOW.key and self._running[each] < self._per_lane
        )
        return key == min(
            free, key=lambda each: (self._running[each], self._served.get(each, 0)), default=None
        )


class ChildPool:
    """Child processes that are started on demand and replaced when they die.

    Args:
        size: maximum number of children.
        single_use: end each child after one request.
    """

    def __init__(
        self, size: int, kind: ChildKind = ChildKind.PROMPTS, single_use: bool = False
    ) -> None:
        self._kind, self._single_use = kind, single_use
        self._slots = ChildSlots(size, per_lane=1)
        self._lock = threading.Lock()
        self._idle: list[ChildFuture] = []  # some may still be starting
        self._busy: dict[str, ChildFuture] = {}  # by lane
        self._closed = False

    def start(self) -> None:
        """Start one child in the background."""
        with self._lock:
            if not self._closed and not self._idle and not self._busy:
                self._idle.append(self._start_child())

    def close(self) -> None:
        """Kill all children. Waiting requests raise `engine_stopped`."""
        with self._lock:
            self._closed = True
            for started in self._busy.values():
                if _is_running(started):
                    started.result().kill()  # not closed: its request still uses its pipes
            idle, self._idle = self._idle, []
        for started in idle:
            started.add_done_callback(_end_child)

    @property
    def pids(self) -> list[int]:
        """Process ids of the children."""
        with self._lock:
            every = [*self._idle, *self._busy.values()]
            return [one.result().pid for one in every if one.done() and one.exception() is None]

    def ask(self, lane: str, key: str, use: Callable[[Child], TaskReply]) -> TaskReply:
        """Wait for the lane's turn, then call `use` with a child and return the result.

        Args:
            key: prefer a child that has this model loaded.

        Raises:
            RefusedError, TaskError: see `Child.ask`.
            EngineError: the pool was closed, or no child could be started.
        """
        with self._slots.acquired(self._check_open, ReadingLane(lane)):
            try:
                return use(self._assign_child(lane, key))
            except TaskError:
                self._check_open()
                raise
            finally:
                with self._lock:
                    if lane in self._busy:
                        self._return_child(self._busy.pop(lane))

    def _check_open(self) -> None:
        if self._closed:
            raise EngineError(ENGINE_STOPPED, "The engine was stopped.") from None

    def _assign_child(self, lane: str, key: str) -> Child:
        """Return an idle child for a lane, or a new one."""
        with self._lock:
            self._check_open()
            for dead in [one for one in self._idle if one.done() and not _is_running(one)]:
                self._idle.remove(dead)
                _starter.submit(partial(_end_child, dead))
            if self._idle:
                best = max(
                    self._idle,
                    key=lambda one: (_is_running(one) and key in one.result().loaded, one.done()),
                )
                self._idle.remove(best)
            else:
                best = self._start_child()
            self._busy[lane] = best
        error = _starter.wait(best)
        if error is not None:
            raise EngineError(
                INTERNAL_ERROR,
                f"The helper process for prompts and files did not start: {words_of(error)}",
            )
        self._check_open()
        return best.result()

    def _return_child(self, started: ChildFuture) -> None:
        """Keep a used child or replace it. Requires the lock."""
        if started.exception() is not None:
            return
        child = started.result()
        if (
            not (self._single_use or self._closed or child.is_spent)
            and child.memory_bytes() <= MAX_IDLE_CHILD_BYTES
        ):
            self._idle.append(started)
            return
        # Start the replacement early, so that the next request does not wait for it.
        if not (self._single_use or self._closed or self._idle):
            self._idle.append(self._start_child())
        child.kill()
        _starter.submit(partial(_end_child, started))

    def _start_child(self) -> ChildFuture:
        return _starter.submit(partial(Child, self._kind))


def _is_running(started: ChildFuture) -> bool:
    return started.done() and started.exception() is None and started.result().is_alive


def _end_child(started: ChildFuture) -> None:
    """End a child. Errors are only logged."""
    if started.exception() is None:
        try:
            with started.result():
                pass
        except BaseException:
            log.exception("cannot end a child process")

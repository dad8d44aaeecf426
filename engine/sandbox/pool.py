"""Pool of child processes that different lanes take turns using.

Requests of the same lane (e.g. one model's prompts) run one at a time, so a hostile lane uses at
most one child.

A single thread starts all children and lives as long as the process, because Linux kills a child
when the *thread* that started it exits. It's a daemon thread, because a thread of an executor
would exit before the threads that the interpreter waits for at exit.
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

from engine.errors import ENGINE_STOPPED, INTERNAL_ERROR, EngineError, describe_error
from engine.sandbox.lanes import WINDOW, ReadingLane, current
from engine.sandbox.process import Child, resident_bytes
from engine.sandbox.protocol import ChildKind, TaskError

log = logging.getLogger(__name__)

MAX_IDLE_CHILD_BYTES = 400 * 2**20  # idle children that use more are replaced

_CHECK_S = 0.1  # interval between checks for cancellation

ChildFuture = Future[Child]


class _ChildStarter:
    def __init__(self) -> None:
        self._orders = SimpleQueue[tuple[Future[Any], Callable[[], Any]]]()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, work: Callable[[], Any]) -> Future[Any]:
        future = Future[Any]()
        self._orders.put((future, work))
        self.ensure_thread()
        return future

    def ensure_thread(self) -> None:
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
            del future, work  # don't keep these objects alive while waiting


_starter = _ChildStarter()


class ChildSlots:
    """Limit on the number of children that run at the same time.

    A free slot goes to the waiting lane with the fewest slots. In a tie, the lane that was served
    longest ago wins.

    Args:
        reserved: number of slots that only the window's lane may use.
    """

    def __init__(self, count: int, reserved: int = 0, per_lane: int | None = None) -> None:
        self._count = count
        self._reserved = reserved
        self._per_lane = per_lane or count
        self._changed = threading.Condition()
        self._running: Counter[Hashable] = Counter()
        self._queues: dict[Hashable, deque[object]] = {}
        self._served: dict[Hashable, int] = {}  # turn number when the lane was last served
        self._numbers = itertools.count(1)

    @contextlib.contextmanager
    def acquire(self, check: Callable[[], None], lane: ReadingLane | None = None) -> Iterator[None]:
        """Hold a slot during the block.

        Args:
            check: called repeatedly while waiting. An exception ends the wait.
            lane: the lane to wait in (default: the current lane).
        """
        lane, turn = lane or current.get(), object()
        key = lane.key
        with self._changed:
            line = self._queues.setdefault(key, deque())
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
                    del self._queues[key]
                self._changed.notify_all()
        started_at = time.monotonic()
        try:
            yield
        finally:
            with self._changed:
                lane.busy_s += time.monotonic() - started_at
                self._running[key] -= 1
                if not self._queues and not self._running.total():
                    self._running.clear()
                    self._served.clear()
                self._changed.notify_all()

    def _is_next(self, key: Hashable) -> bool:
        if self._running.total() >= self._count:
            return False
        if key == WINDOW.key:
            return True
        other_count = self._running.total() - self._running[WINDOW.key]
        if other_count >= self._count - self._reserved:
            return False
        free = (
            lane
            for lane in self._queues
            if lane != WINDOW.key and self._running[lane] < self._per_lane
        )
        return key == min(
            free, key=lambda lane: (self._running[lane], self._served.get(lane, 0)), default=None
        )


class ChildPool:
    """Pool of child processes, started on demand and replaced when they die.

    Args:
        single_use: end each child after a single request.
    """

    def __init__(
        self, size: int, kind: ChildKind = ChildKind.PROMPTS, single_use: bool = False
    ) -> None:
        self._kind, self._single_use = kind, single_use
        self._slots = ChildSlots(size, per_lane=1)
        self._lock = threading.Lock()
        self._idle: list[ChildFuture] = []  # idle children, which may still be starting
        self._busy: dict[str, ChildFuture] = {}  # busy children by lane
        self._closed = False

    def start(self) -> None:
        with self._lock:
            if not self._closed and not self._idle and not self._busy:
                self._idle.append(self._start_child())

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for started in self._busy.values():
                if _is_running(started):
                    # Don't close the child, because the request still uses its pipes.
                    started.result().kill()
            idle, self._idle = self._idle, []
        for started in idle:
            started.add_done_callback(_end_child)

    @property
    def pids(self) -> list[int]:
        with self._lock:
            children = [*self._idle, *self._busy.values()]
            return [
                task.result().pid for task in children if task.done() and task.exception() is None
            ]

    @contextlib.contextmanager
    def lend_child(self, lane: str, key: str) -> Iterator[Child]:
        """Wait for the lane's turn, and lend it a child until the end of the block.

        Args:
            key: model key. A child that has already loaded the model is preferred.

        Raises:
            EngineError: if the pool is closed, or a child can't be started.
        """
        with self._slots.acquire(self._check_open, ReadingLane(lane)):
            try:
                yield self._assign_child(lane, key)
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
        with self._lock:
            self._check_open()
            for dead in [task for task in self._idle if task.done() and not _is_running(task)]:
                self._idle.remove(dead)
                _starter.submit(partial(_end_child, dead))
            if self._idle:
                best = max(
                    self._idle,
                    key=lambda task: (
                        _is_running(task) and key in task.result().loaded,
                        task.done(),
                    ),
                )
                self._idle.remove(best)
            else:
                best = self._start_child()
            self._busy[lane] = best
        while not best.done():
            with contextlib.suppress(TimeoutError):
                best.exception(timeout=1.0)
            _starter.ensure_thread()  # the previous thread may have been killed by an error
        if (error := best.exception()) is not None:
            raise EngineError(
                INTERNAL_ERROR,
                f"The helper process for prompts and files did not start: {describe_error(error)}",
            )
        self._check_open()
        return best.result()

    def _return_child(self, started: ChildFuture) -> None:
        if started.exception() is not None:
            return
        child = started.result()
        is_reusable = not (self._single_use or self._closed or child.is_spent)
        if is_reusable and resident_bytes(child.pid) <= MAX_IDLE_CHILD_BYTES:
            self._idle.append(started)
            return
        # Start the replacement immediately, so that the next request doesn't have to wait.
        if not (self._single_use or self._closed or self._idle):
            self._idle.append(self._start_child())
        child.kill()
        _starter.submit(partial(_end_child, started))

    def _start_child(self) -> ChildFuture:
        return _starter.submit(partial(Child, self._kind))


def _is_running(started: ChildFuture) -> bool:
    return started.done() and started.exception() is None and started.result().is_alive


def _end_child(started: ChildFuture) -> None:
    if started.exception() is None:
        try:
            with started.result():
                pass
        except BaseException:
            log.exception("cannot end a child process")

"""At most so many children, and whose turn it is.

Requests of one lane (a model's prompts, say) follow each other, so that the lane whose work is
hostile holds one child at most, and the other lanes share the rest. Lanes take turns: one with many
requests waiting is not served before those that have one.

All children are started by one thread, which lives as long as the process: Linux ends a child with
the *thread* that started it. It is a daemon, and no executor's, which would end before the threads
that an exit of the process waits for.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import Any

from engine.errors import ENGINE_STOPPED, INTERNAL_ERROR, EngineError, words_of
from engine.sandbox.process import Child
from engine.sandbox.protocol import Kind, Reply, TaskError

log = logging.getLogger(__name__)

MOST_KEPT = 400 * 2**20  # a child that holds more bytes when it has nothing to do is replaced

_MOST_LANES = 64  # of which it is remembered when they were served

Started = Future[Child]


class _Starter:
    """The thread that starts and ends children."""

    def __init__(self) -> None:
        self._orders = SimpleQueue[tuple[Future[Any], Callable[[], Any]]]()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, work: Callable[[], Any]) -> Future[Any]:
        future = Future[Any]()
        self._orders.put((future, work))
        self._be_there()
        return future

    def wait(self, future: Future[Any]) -> BaseException | None:
        """What a future has failed with, once it is done."""
        while True:
            with contextlib.suppress(TimeoutError):
                return future.exception(timeout=1.0)
            self._be_there()  # the thread may have ended by a fault

    def _be_there(self) -> None:
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
            del future, work  # the next may be long in coming


_starter = _Starter()


class Pool:
    """Children that are started when they are wanted and replaced when they die.

    Args:
        size: how many children there may be at once.
        once: each does one thing that takes long, and is ended; the next is started when it is
            wanted.
    """

    def __init__(self, size: int, kind: Kind = Kind.PROMPTS, once: bool = False) -> None:
        self._size, self._kind, self._once = size, kind, once
        self._changed = threading.Condition()
        self._idle: list[Started] = []  # some may still be starting
        self._busy: dict[str, Started | None] = {}  # by lane; None until it is chosen
        self._queue: list[tuple[object, str]] = []  # requests and their lanes, in order of arrival
        # Lanes that have been served, the one that was served last at the end.
        self._served: OrderedDict[str, None] = OrderedDict()
        self._closed = False

    def start(self) -> None:
        """Have one child ready, in the background."""
        with self._changed:
            if not self._closed and not self._idle and not self._busy:
                self._idle.append(self._new())

    def close(self) -> None:
        """Kill all children; requests that wait for one get `engine_stopped`."""
        with self._changed:
            self._closed = True
            for started in self._busy.values():
                if started is not None and _is_running(started):
                    started.result().kill()  # its pipes are in use until its request has noticed
            idle, self._idle = self._idle, []
            self._changed.notify_all()
        for started in idle:
            started.add_done_callback(_end)

    @property
    def pids(self) -> list[int]:
        """The children's process ids."""
        with self._changed:
            every = [*self._idle, *(one for one in self._busy.values() if one is not None)]
            return [one.result().pid for one in every if one.done() and one.exception() is None]

    def ask(self, lane: str, key: str, use: Callable[[Child], Reply]) -> Reply:
        """What `use` returns for a child of its own, when it is the lane's turn.

        Args:
            key: what the child should have in memory, if there is a choice.

        Raises:
            RefusedError, TaskError: as `Child.ask` does.
            EngineError: the pool was closed, or no child can be started.
        """
        self._await_turn(lane)
        try:
            return use(self._child(lane, key))
        except TaskError:
            if self._closed:
                raise _stopped() from None
            raise
        finally:
            with self._changed:  # whatever happens to the child, the lane is free for the next
                started = self._busy.pop(lane)
                self._changed.notify_all()
                if started is not None:
                    self._put_back(started)

    def _await_turn(self, lane: str) -> None:
        me = object()
        with self._changed:
            self._queue.append((me, lane))
            try:
                while not self._my_turn(me):
                    if self._closed:
                        raise _stopped()
                    self._changed.wait()
            finally:
                self._queue.remove((me, lane))
                self._changed.notify_all()
            self._served[lane] = None
            self._served.move_to_end(lane)
            while len(self._served) > _MOST_LANES:
                self._served.popitem(last=False)
            self._busy[lane] = None

    def _my_turn(self, me: object) -> bool:
        """Whether this one can go, and is the first of the lane that has waited longest."""
        if self._closed or len(self._busy) >= self._size:
            return False
        turns = {lane: turn for turn, lane in enumerate(self._served)}
        ready = [(who, lane) for who, lane in self._queue if lane not in self._busy]
        first = min(ready, key=lambda one: turns.get(one[1], -1), default=(None, ""))
        return first[0] is me

    def _child(self, lane: str, key: str) -> Child:
        """An idle child for a lane, or a new one."""
        with self._changed:
            if self._closed:
                raise _stopped()
            for dead in [one for one in self._idle if one.done() and not _is_running(one)]:
                self._idle.remove(dead)  # killed from outside
                _starter.submit(partial(_end, dead))
            if self._idle:
                best = max(self._idle, key=lambda one: (_knows(one, key), one.done()))
                self._idle.remove(best)
            else:
                best = self._new()
            self._busy[lane] = best
        error = _starter.wait(best)
        if error is not None:
            raise EngineError(
                INTERNAL_ERROR,
                f"The helper process that reads prompts and files did not start: {words_of(error)}",
            )
        if self._closed:
            raise _stopped()
        return best.result()

    def _put_back(self, started: Started) -> None:
        """Keep a child that has been used, or replace it. The lock is held."""
        if started.exception() is not None:
            return
        child = started.result()
        if not (self._once or self._closed or child.spent) and child.memory() <= MOST_KEPT:
            self._idle.append(started)
            return
        # The next one need not be waited for: unless each is for one request only.
        if not (self._once or self._closed or self._idle):
            self._idle.append(self._new())
        child.kill()
        _starter.submit(partial(_end, started))

    def _new(self) -> Started:
        return _starter.submit(partial(Child, self._kind))


def _is_running(started: Started) -> bool:
    return started.done() and started.exception() is None and started.result().alive


def _knows(started: Started, key: str) -> bool:
    return _is_running(started) and key in started.result().known


def _end(started: Started) -> None:
    """End a child. What goes wrong with that costs no later request."""
    if started.exception() is None:
        try:
            with started.result():
                pass
        except BaseException:
            log.exception("a child could not be ended")


def _stopped() -> EngineError:
    return EngineError(ENGINE_STOPPED, "The engine was stopped.")

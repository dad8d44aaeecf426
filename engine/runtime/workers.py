"""The ways into the engine thread: callers' commands, and what workers have done."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import Any, TypeVar

from msgspec import Struct

from engine.errors import ENGINE_STOPPED, EngineError, detach
from engine.messages import (
    Command,
    CountTokens,
    Embed,
    Estimate,
    Failed,
    GetStats,
    Load,
    Relieve,
    Send,
    Unload,
    WorkDone,
)

log = logging.getLogger(__name__)


T = TypeVar("T")


class Mailbox:
    """Commands in order, from any thread. After `close`, posting says that the engine stopped."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Command] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False

    def post(self, command: Command) -> None:
        """Hand a command over.

        Raises:
            EngineError: `engine_stopped` when nobody will take it.
        """
        with self._lock:
            if self._closed:
                raise EngineError(ENGINE_STOPPED, "The engine is not running.")
            self._queue.put(command)

    def take(self, inbox: deque[Command], block: bool, patience: float | None = None) -> None:
        """Move everything that has been posted into `inbox`, so that no fault here loses any of it.

        With `block`, waits (without spinning) for the first, for at most `patience` seconds.
        """
        if block:
            with contextlib.suppress(queue.Empty):
                inbox.append(self._queue.get(timeout=patience))
        while True:
            try:
                inbox.append(self._queue.get_nowait())
            except queue.Empty:
                return

    @property
    def closed(self) -> bool:
        """Whether nobody takes commands any more."""
        return self._closed

    def close(self) -> list[Command]:
        """Take no more commands; returns those that were never taken out."""
        with self._lock:
            self._closed = True
        left: deque[Command] = deque()
        self.take(left, block=False)
        return list(left)


def refuse(command: Command, error: EngineError) -> None:
    """Answer a command that cannot be carried out, where a caller waits for an answer."""
    if isinstance(command, Send):
        failed = Failed(command.session_id, command.reply_id, error.code, error.message)
        command.sink(failed, ())
    elif isinstance(command, _ANSWERED) and not command.answer.done():
        detach(error)  # the caller may keep it, on a thread that must free no arrays
        with contextlib.suppress(InvalidStateError):  # just cancelled
            command.answer.set_exception(error)


_ANSWERED = (Load, Estimate, Unload, Relieve, CountTokens, Embed, GetStats)


class Answer(Future[T]):
    """A future that the engine thread fulfils, and whose callbacks cannot end that thread.

    The standard one keeps a callback's `Exception` to itself and lets `sys.exit` through.
    """

    def __init__(self, can_be_cancelled: bool = False) -> None:
        super().__init__()
        if not can_be_cancelled:
            self.set_running_or_notify_cancel()

    def give(self, result: T) -> None:
        """Fulfil it, unless it was cancelled."""
        with contextlib.suppress(InvalidStateError):
            self.set_result(result)

    def add_done_callback(self, fn: Callable[[Future[T]], object]) -> None:
        """As of any future."""
        asking = threading.current_thread()

        def guarded(done: Future[T]) -> None:
            try:
                fn(done)
            except BaseException:
                if threading.current_thread() is asking:
                    raise  # it is the caller's own thread: the answer was there already
                log.exception("a future's callback raised")

        super().add_done_callback(guarded)


THREADS = 32
"""So many pieces of work go on at a time. Most of them wait for a child or for the disk, and those
that take long must not hold up the next."""

PLACES = 4
"""So many of them belong to one lane. A model has one child at a time for its prompts, so more
would only wait for it."""

MAX_GROUP_THREADS = THREADS // 2
"""So many of them belong to lanes of one group (the first word of a lane), such as all images."""

STACK = 16 * 2**20
"""Bytes of a worker's stack: compiling a form recurses, and macOS gives threads half a megabyte."""


_stack_size_lock = threading.Lock()


class _Job(Struct, frozen=True):
    lane: str
    number: int
    work: Callable[[], Any]


class _Waiting(Struct, frozen=True):
    """Who waits for a piece of work.

    They know sessions, whose arrays must be freed by the engine thread: no worker holds them.
    """

    then: Callable[[Any], None]
    failed: Callable[[BaseException], None]


class Workers:
    """A few threads of one engine, started when first needed.

    They are daemons: the end of the program waits for none of them.
    """

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self._changed = threading.Condition()
        self._waiting: dict[str, deque[_Job]] = {}  # by lane; those that came first first
        self._busy: Counter[str] = Counter()  # threads by lane
        self._threads = 0
        self._closed = False
        self._asked: dict[int, _Waiting] = {}  # by the jobs' numbers; the engine thread's alone
        self._number = 0

    def run(
        self,
        lane: str,
        work: Callable[[], Any],
        then: Callable[[Any], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        """Have `work` done. Afterwards the engine thread calls `then` with what it returned, or
        `failed` with what it raised.

        Args:
            work: refers to nothing that has arrays: a worker may be the last to let go of it.
        """
        self._number += 1
        job = _Job(lane, self._number, work)
        self._asked[job.number] = _Waiting(then, failed)
        try:
            self._add(job)
        except BaseException:
            del self._asked[job.number]
            raise

    def _add(self, job: _Job) -> None:
        with self._changed:
            idle = self._threads - self._busy.total()
            if self._threads < THREADS and idle <= sum(map(len, self._waiting.values())):
                self._start_thread()
            self._waiting.setdefault(job.lane, deque()).append(job)
            self._changed.notify()

    def done(self, message: WorkDone) -> None:
        """Hand over what came of a job, on the engine thread. What that raises is for `failed`."""
        waiting = self._asked.get(message.job)
        if waiting is None:
            return
        if message.error is None:
            waiting.then(message.value)
        else:
            waiting.failed(message.error)
        self._asked.pop(message.job, None)

    def failed(self, message: WorkDone, error: BaseException) -> None:
        """What came of a job could not be handed over."""
        waiting = self._asked.pop(message.job, None)
        if waiting is not None:
            waiting.failed(error)

    def close(self) -> None:
        """Let the threads end; what they are doing comes to nothing."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
        self._asked.clear()

    def _start_thread(self) -> None:
        """One thread more. The lock is held."""
        thread = threading.Thread(target=self._work, name="stretto-worker", daemon=True)
        with _stack_size_lock:  # the size is the process's
            usual = threading.stack_size(STACK)
            try:
                thread.start()
            except RuntimeError:  # no more threads available: continue with the existing ones
                if not self._threads:
                    raise
                return
            finally:
                threading.stack_size(usual)
        self._threads += 1

    def _work(self) -> None:
        going_on = True
        while going_on:
            try:
                going_on = self._do_one()
            except BaseException:  # the thread is counted on
                log.exception("a fault between two pieces of work")

    def _do_one(self) -> bool:
        """Do the next piece of work; False when there is to be no more."""
        job = self._take()
        if job is None:
            return False
        try:
            self._post(job.number, job.work())
        except BaseException as error:  # a panic in a native library is no Exception
            if not isinstance(error, EngineError):
                log.warning("preparing failed: %s", type(error).__name__)
            self._post(job.number, None, error)
        finally:
            self._leave(job.lane)
        return True

    def _take(self) -> _Job | None:
        """The next piece of work; waits for it. None when there is to be no more."""
        with self._changed:
            while not self._closed:
                free = [lane for lane in self._waiting if self._has_room(lane)]
                if not free:
                    self._changed.wait()
                    continue
                lane = min(free, key=lambda lane: self._busy[lane])
                jobs = self._waiting.pop(lane)
                job = jobs.popleft()
                if jobs:
                    self._waiting[lane] = jobs  # at the end: the others' turn comes first
                self._busy[lane] += 1
                return job
            return None

    def _has_room(self, lane: str) -> bool:
        """Return True if one more job of the lane may begin. The lock is held."""
        group = lane.partition(" ")[0]
        busy = sum(n for other, n in self._busy.items() if other.partition(" ")[0] == group)
        return self._busy[lane] < PLACES and busy < MAX_GROUP_THREADS

    def _leave(self, lane: str) -> None:
        with self._changed:
            self._busy[lane] -= 1
            if not self._busy[lane]:
                del self._busy[lane]
            self._changed.notify()

    def _post(self, number: int, value: Any, error: BaseException | None = None) -> None:
        with contextlib.suppress(EngineError):  # the engine has stopped
            self._mailbox.post(WorkDone(number, value, error))

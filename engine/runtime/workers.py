"""Pool of worker threads, and the tasks that use it."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator
from concurrent.futures import Future
from functools import partial
from typing import Any

from msgspec import Struct

from engine.errors import EngineError, run_cleanup
from engine.messages import WorkDone
from engine.runtime.mailbox import Mailbox

log = logging.getLogger(__name__)

# Maximum numbers of concurrent jobs, most of which wait for a child process or the disk.
MAX_THREADS = 32
MAX_LANE_THREADS = 4  # all prompts of a model share a child process
MAX_GROUP_THREADS = MAX_THREADS // 2  # of lanes with the same first word

STACK_BYTES = 16 * 2**20  # compiling grammars is recursive, and macOS's default is 512 KB
_stack_size_lock = threading.Lock()


class Work(Struct, frozen=True):
    """Function to call on a worker thread. Tasks yield this.

    Attributes:
        function: must not refer to arrays, because the worker might be the last to release them.
    """

    lane: str
    function: Callable[[], Any]


Task = Generator[Work | Future[Any], Any, None]
"""Work that involves several threads, as a generator on the engine thread.

It yields `Work`, or a future that the engine thread resolves. The `yield` returns the result or
raises the error.
"""


def _outcome(future: Future[Any]) -> tuple[Any, BaseException | None]:
    error = future.exception()
    return (None, error) if error is not None else (future.result(), None)


class _Running(Struct, frozen=True):
    # Worker threads must not refer to tasks, because tasks refer to sessions, whose arrays must be
    # freed on the engine thread.

    task: Task
    on_error: Callable[[BaseException], None]


class Workers:
    """Pool of daemon threads of one engine, with the tasks that use them."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self._changed = threading.Condition()
        # Queued work with its job number, by lane, oldest first.
        self._queues: dict[str, deque[tuple[int, Work]]] = {}
        self._busy: Counter[str] = Counter()  # number of threads by lane
        self._threads = 0
        self._closed = False
        self._running: dict[int, _Running] = {}  # by job number; only used by the engine thread
        self._number = 0

    def start(self, task: Task, on_error: Callable[[BaseException], None]) -> None:
        """Start a task, and run it on this thread until its first `yield`.

        Args:
            on_error: called with any error that the task raises, now or later.
        """
        self._advance(_Running(task, on_error))

    def _advance(
        self, running: _Running, value: Any = None, error: BaseException | None = None
    ) -> None:
        try:
            step = running.task.throw(error) if error is not None else running.task.send(value)
            if isinstance(step, Future):
                step.add_done_callback(lambda future: self._advance(running, *_outcome(future)))
            else:
                self._queue(running, step)
        except StopIteration:
            return
        except BaseException as fault:
            if fault is not error and not isinstance(fault, EngineError):
                log.error("a task failed", exc_info=fault)
            running.on_error(fault)
        finally:
            # A worker may be the last to free the error, and must not free the task's frame, too.
            if error is not None:
                error.__traceback__ = None

    def _queue(self, running: _Running, work: Work) -> None:
        with self._changed:
            idle = self._threads - self._busy.total()
            if self._threads < MAX_THREADS and idle <= sum(map(len, self._queues.values())):
                self._start_thread()
            self._number += 1
            self._running[self._number] = running  # before a thread can complete the work
            self._queues.setdefault(work.lane, deque()).append((self._number, work))
            self._changed.notify()

    def done(self, message: WorkDone) -> None:
        running = self._running.get(message.job)
        if running is not None:
            self._advance(running, message.value, message.error)
            self._running.pop(message.job, None)

    def failed(self, message: WorkDone, error: BaseException) -> None:
        """Call a task's error callback, after `done` has raised an error."""
        running = self._running.pop(message.job, None)
        if running is not None:
            running.on_error(error)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._queues.clear()
            self._changed.notify_all()

    def cancel(self, error: EngineError) -> None:
        while self._running:
            run_cleanup(partial(self._running.popitem()[1].on_error, error))

    def _start_thread(self) -> None:
        thread = threading.Thread(target=self._work, name="stretto-worker", daemon=True)
        with _stack_size_lock:  # the setting applies to the whole process
            original_size = threading.stack_size(STACK_BYTES)
            try:
                thread.start()
            except RuntimeError:  # no more threads are available; continue with the existing ones
                if not self._threads:
                    raise
                return
            finally:
                threading.stack_size(original_size)
        self._threads += 1

    def _work(self) -> None:
        going_on = True
        while going_on:
            try:
                going_on = self._do_one()
            except BaseException:  # keep the thread alive, because the pool counts on it
                log.exception("task failed between two jobs")

    def _do_one(self) -> bool:
        job = self._next_job()
        if job is None:
            return False
        number, work = job
        try:
            self._post(number, work.function())
        except BaseException as error:  # panics in native libraries aren't an Exception
            if not isinstance(error, EngineError):
                log.warning("preparing failed: %s", type(error).__name__)
            self._post(number, None, error)
        finally:
            self._leave(work.lane)
        return True

    def _next_job(self) -> tuple[int, Work] | None:
        """Return the next job, or None once the pool is closed."""
        with self._changed:
            while not self._closed:
                free = [lane for lane in self._queues if self._has_room(lane)]
                if not free:
                    self._changed.wait()
                    continue
                lane = min(free, key=lambda lane: self._busy[lane])
                jobs = self._queues.pop(lane)
                job = jobs.popleft()
                if jobs:
                    self._queues[lane] = jobs  # move the lane to the end for fairness
                self._busy[lane] += 1
                return job
            return None

    def _has_room(self, lane: str) -> bool:
        group = lane.partition(" ")[0]
        busy = sum(n for name, n in self._busy.items() if name.partition(" ")[0] == group)
        return self._busy[lane] < MAX_LANE_THREADS and busy < MAX_GROUP_THREADS

    def _leave(self, lane: str) -> None:
        with self._changed:
            self._busy[lane] -= 1
            if not self._busy[lane]:
                del self._busy[lane]
            self._changed.notify()

    def _post(self, number: int, value: Any, error: BaseException | None = None) -> None:
        with contextlib.suppress(EngineError):  # the engine has stopped
            self._mailbox.post(WorkDone(number, value, error))


class InlineWorkers(Workers):
    """Workers without threads. Results arrive in the next iteration of the loop."""

    def _queue(self, running: _Running, work: Work) -> None:
        self._number += 1
        self._running[self._number] = running
        try:
            self._post(self._number, work.function())
        except BaseException as error:
            self._post(self._number, None, error)

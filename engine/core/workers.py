"""Work that is not the model's, done beside the engine thread.

Rendering templates, tokenising, compiling forms, looking into model folders and reading cache
files take time, and while the engine thread did it no chat would get a token. A worker does it and
posts the outcome to the mailbox, as it would a command: the engine thread takes finished results.

Each piece of work belongs to a lane: a model's prompts are one, and so are loads, and files. A lane
takes a few threads at most, and a free thread goes to the lane that has the fewest. So whoever has
much to do, or does it slowly, keeps only the others of its own lane waiting.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.core.mailbox import Mailbox
from engine.errors import EngineError
from engine.messages import WorkDone

log = logging.getLogger(__name__)

THREADS = 32
"""So many pieces of work go on at a time. Most of them wait for a child or for the disk, and those
that take long must not hold up the next."""

PLACES = 4
"""So many of them belong to one lane. A model has one child at a time for its prompts, so more
would only wait for it."""

STACK = 16 * 2**20
"""Bytes of a worker's stack: compiling a form recurses, and macOS gives threads half a megabyte."""


@dataclass(frozen=True)
class _Job:
    lane: str
    number: int
    work: Callable[[], Any]


@dataclass(frozen=True)
class _Waiting:
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
        """Take a finished piece of work out of the mailbox."""
        message.deliver()

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
        usual = threading.stack_size(STACK)
        try:
            thread.start()
        except RuntimeError:  # no more threads to be had: those that there are must do
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
                free = [lane for lane in self._waiting if self._busy[lane] < PLACES]
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

    def _leave(self, lane: str) -> None:
        with self._changed:
            self._busy[lane] -= 1
            if not self._busy[lane]:
                del self._busy[lane]
            self._changed.notify()

    def _post(self, number: int, value: Any, error: BaseException | None = None) -> None:
        with contextlib.suppress(EngineError):  # the engine has stopped
            deliver = partial(self._deliver, number, value, error)
            self._mailbox.post(WorkDone(deliver, partial(self._failed, number)))

    def _deliver(self, number: int, value: Any, error: BaseException | None) -> None:
        """Hand over what came of a job, on the engine thread. What that raises is for `_failed`."""
        waiting = self._asked.get(number)
        if waiting is None:
            return
        if error is None:
            waiting.then(value)
        else:
            waiting.failed(error)
        self._asked.pop(number, None)

    def _failed(self, number: int, error: BaseException) -> None:
        waiting = self._asked.pop(number, None)
        if waiting is not None:
            waiting.failed(error)

"""Work that is not the model's, done beside the engine thread.

Rendering templates, tokenising, compiling forms, looking into model folders and reading cache
files take time, and while the engine thread did it no chat would get a token. A worker does it and
posts the outcome to the mailbox, as it would a command: the engine thread takes finished results.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.core.mailbox import Mailbox
from engine.errors import EngineError
from engine.messages import WorkDone

log = logging.getLogger(__name__)

THREADS = 16
"""So many pieces of work go on at a time. Most of them wait for a child or for the disk, and those
that take long must not hold up the next."""

STACK = 16 * 2**20
"""Bytes of a worker's stack: compiling a form recurses, and macOS gives threads half a megabyte."""


@dataclass(frozen=True)
class _Job:
    work: Callable[[], Any]
    then: Callable[[Any], None]
    failed: Callable[[BaseException], None]


class Workers:
    """A few threads of one engine, started when first needed.

    They are daemons: the end of the program waits for none of them.
    """

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._waiting = 0  # jobs that nobody has finished yet; the engine thread's own count

    def run(
        self,
        work: Callable[[], Any],
        then: Callable[[Any], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        """Have `work` done. Afterwards the engine thread calls `then` with what it returned, or
        `failed` with what it raised. Engine thread only.
        """
        if len(self._threads) < min(THREADS, self._waiting + 1):
            self._start_thread()
        self._jobs.put(_Job(work, then, failed))
        self._waiting += 1

    def done(self, message: WorkDone) -> None:
        """Take a finished piece of work out of the mailbox."""
        self._waiting -= 1
        message.deliver()

    def _start_thread(self) -> None:
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
        self._threads.append(thread)

    def close(self) -> None:
        """Let the threads end; what they are doing comes to nothing."""
        for _ in self._threads:
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._post(_outcome(job), job.failed)
            except BaseException as error:  # a panic in a native library is no Exception
                if not isinstance(error, EngineError):
                    log.warning("preparing failed: %s", type(error).__name__)
                self._post(_call(job.failed, error), job.failed)
            del job

    def _post(self, deliver: Callable[[], None], failed: Callable[[BaseException], None]) -> None:
        with contextlib.suppress(EngineError):  # the engine has stopped
            self._mailbox.post(WorkDone(deliver, failed))


def _outcome(job: _Job) -> Callable[[], None]:
    return _call(job.then, job.work())


def _call(function: Callable[[Any], None], value: Any) -> Callable[[], None]:
    return lambda: function(value)

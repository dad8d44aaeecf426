"""Engine without threads, for tests and debuggers."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from engine.engine import Engine
from engine.errors import ENGINE_STOPPED, EngineError, describe_error
from engine.messages import Command
from engine.runtime import thread
from engine.runtime.loop import Loop
from engine.runtime.mailbox import CommandFuture, Mailbox, may_wait
from engine.runtime.workers import InlineWorkers


class SteppedEngine(Engine):
    """Engine that only runs in `step`, and in methods that wait for a result.

    Everything runs on the calling thread, except the writing of caches to disk.

    Args:
        clock: returns the time in seconds, for planning steps.
        args, options: see `Engine`. `ranks` and `niceness` have no effect.
    """

    def __init__(
        self, *args: Any, clock: Callable[[], float] = time.perf_counter, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._clock = clock
        self.loop: Loop | None = None

    @property
    def is_running(self) -> bool:
        return self.loop is not None and not self._mailbox.closed

    def step(self) -> bool:
        """Run one iteration of the loop. Return False if there is nothing left to do."""
        may_wait()  # raises in a callback
        loop = self.loop
        if loop is None or self._mailbox.closed:
            return False
        try:
            with thread.stepping():
                loop.step()
        except BaseException as error:
            loop.end(f"The engine cannot go on: {describe_error(error)}")
            return False
        return not loop.is_idle or loop.is_writing or not self._mailbox.is_empty

    def run_until(self, is_true: Callable[[], bool]) -> bool:
        """Call `step` until `is_true` returns True or nothing is left to do. Return the last result
        of `is_true`.
        """
        while not is_true() and self.step():
            pass
        return is_true()

    def stop(self, timeout: float | None = None) -> None:
        self._stopped = True
        if self.loop is not None and self.is_running:
            self.loop.end("The engine was stopped.")
        self.loop = None

    def _start(self) -> None:
        if self._stopped:
            raise EngineError(ENGINE_STOPPED, "This engine was stopped. Start a new one.")
        if not self.is_running:
            self._mailbox = _SteppedMailbox(self.run_until, self._clock)
            workers = InlineWorkers(self._mailbox)
            self.loop = thread.make_loop(self._mailbox, self._options, workers)

    def _post(self, command: Any) -> None:
        super()._post(command)
        if isinstance(answer := getattr(command, "answer", None), CommandFuture):
            answer.run_until = self.run_until


class _SteppedMailbox(Mailbox):
    """Mailbox of an engine that runs on the waiting thread."""

    def __init__(
        self, run_until: Callable[[Callable[[], bool]], bool], clock: Callable[[], float]
    ) -> None:
        super().__init__(clock)
        self._run_until = run_until

    def wait_for(
        self, condition: threading.Condition, is_true: Callable[[], bool], timeout: float | None
    ) -> bool:
        return self._run_until(is_true)

    def take(self, inbox: deque[Command], block: bool, timeout: float | None = None) -> None:
        super().take(inbox, block=False)

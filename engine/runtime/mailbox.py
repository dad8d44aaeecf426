"""Mailbox of the engine thread, and the answers to its commands."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import Any, TypeVar

from engine.errors import ENGINE_STOPPED, EngineError, detach
from engine.messages import Command, Failed, Send

log = logging.getLogger(__name__)

T = TypeVar("T")
U = TypeVar("U")

this_thread = threading.local()  # `runs_an_engine` is set on an engine thread


def may_wait() -> None:
    """Raise an error on the engine thread, where waiting for the engine would deadlock."""
    if getattr(this_thread, "runs_an_engine", False):
        raise RuntimeError(
            "Do not wait for the engine in on_event or a future's callback, because they run "
            "on its thread."
        )


class Mailbox:
    """Queue of commands, for any thread. After `close`, posting raises `engine_stopped`.

    Args:
        clock: returns the time in seconds, for planning steps.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.clock = clock
        self._queue: queue.SimpleQueue[Command] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False

    def post(self, command: Command) -> None:
        """Add a command.

        Raises:
            EngineError: `engine_stopped` after the mailbox was closed.
        """
        with self._lock:
            if self._closed:
                raise EngineError(ENGINE_STOPPED, "The engine is not running.")
            self._queue.put(command)

    def take(self, inbox: deque[Command], block: bool, timeout: float | None = None) -> None:
        """Move all posted commands to `inbox`, so that an error can't lose them.

        With `block`, wait up to `timeout` seconds for a command.
        """
        if block:
            with contextlib.suppress(queue.Empty):
                inbox.append(self._queue.get(timeout=timeout))
        while True:
            try:
                inbox.append(self._queue.get_nowait())
            except queue.Empty:
                return

    def wait_for(
        self, condition: threading.Condition, is_true: Callable[[], bool], timeout: float | None
    ) -> bool:
        """Block the caller's thread until the engine thread makes `is_true` return True."""
        if not is_true():
            may_wait()
        return condition.wait_for(is_true, timeout)

    @property
    def is_empty(self) -> bool:
        return self._queue.empty()

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> list[Command]:
        with self._lock:
            self._closed = True
        commands: deque[Command] = deque()
        self.take(commands, block=False)
        return list(commands)


def refuse(command: Command, error: EngineError) -> None:
    if isinstance(command, Send):
        failed = Failed(command.session_id, command.reply_id, error.code, error.message)
        command.sink(failed, ())
        return
    answer: Future[Any] | None = getattr(command, "answer", None)
    if answer is not None and not answer.done():
        detach(error)  # another thread may be the last to free the error, and must not free arrays
        with contextlib.suppress(InvalidStateError):  # the future was just canceled
            answer.set_exception(error)


class CommandFuture(Future[T]):
    """Future that the engine thread resolves. Its callbacks can't end that thread.

    The standard class suppresses an `Exception` in a callback, but not `SystemExit`.
    """

    # Runs the engine until the given function returns True. Only set if the engine has no thread.
    run_until: Callable[[Callable[[], bool]], object] | None = None

    def __init__(self, can_be_cancelled: bool = False) -> None:
        super().__init__()
        if not can_be_cancelled:
            self.set_running_or_notify_cancel()

    def result(self, timeout: float | None = None) -> T:
        return self._when_done(timeout, super().result)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        return self._when_done(timeout, super().exception)

    def _when_done(self, timeout: float | None, get: Callable[[float | None], U]) -> U:
        if self.run_until is not None:
            self.run_until(self.done)
            timeout = 0.0
        return get(timeout)

    def resolve(self, result: T) -> None:
        with contextlib.suppress(InvalidStateError):
            self.set_result(result)

    def add_done_callback(self, fn: Callable[[Future[T]], object]) -> None:
        caller_thread = threading.current_thread()

        def guarded(future: Future[T]) -> None:
            try:
                fn(future)
            except BaseException:
                if threading.current_thread() is caller_thread:
                    raise  # the result was available, so this runs in the caller's thread
                log.exception("a future's callback raised")

        super().add_done_callback(guarded)

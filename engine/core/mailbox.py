"""The way into the engine thread: a queue of commands that can be closed."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import TypeVar

from engine.core.commands import Estimate, Load, Relieve, Unload
from engine.errors import ENGINE_STOPPED, EngineError, let_go
from engine.messages import (
    Command,
    CountTokens,
    Embed,
    Failed,
    GetStats,
    Send,
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
    """Answer a command that cannot be carried out, where somebody waits for an answer."""
    if isinstance(command, Send):
        failed = Failed(command.session_id, command.reply_id, error.code, error.message)
        command.sink(failed, ())
    elif isinstance(command, _ANSWERED) and not command.answer.done():
        let_go(error)  # the caller may keep it, on a thread that must free no arrays
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

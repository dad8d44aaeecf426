"""Coroutines on Qt's event loop, each owned by a QObject.

    self._searching = flows.Latest(self)
    ...
    self._searching.start(self._search(words))

    async def _search(self, words: str) -> None:
        self.say("Searching…")
        found = await flows.run_in_thread(lambda stop: hub.search(words, stop))
        self.show(found)

Used for everything in the UI that waits. Sockets, streams and tokens have their own threads, and
use `app.bridge`. Other UI code can only run during an `await`, but may change anything then. A
coroutine is canceled when its owner is destroyed.

No other module imports qasync.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError as FutureCancelledError
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import shiboken6
from PySide6.QtCore import QCoreApplication, QEventLoop, QObject

os.environ.setdefault("QT_API", "pyside6")
import qasync  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from PySide6.QtWidgets import QDialog

log = logging.getLogger(__name__)

T = TypeVar("T")

Outcome = tuple[Any, BaseException | None]
"""(result, None) or (None, exception)."""


class _Loop(qasync.QEventLoop):  # type: ignore[misc]  # qasync has no types
    """asyncio event loop whose callbacks are Qt timer events. Lives as long as the app.

    It's only the thread's running loop during its callbacks. Otherwise `asyncio.run` couldn't be
    used on this thread, and system dialogs couldn't run their own loops.
    """

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> Any:
        within = partial(self._call, callback)
        return super().call_later(delay, within, *args, context=context)

    def _call(self, callback: Callable[..., object], *args: Any) -> None:
        before = asyncio._get_running_loop()
        asyncio._set_running_loop(self)
        try:
            callback(*args)
        finally:
            asyncio._set_running_loop(before)


_loop: _Loop | None = None
_tasks: set[asyncio.Task[Any]] = set()
_threads: list[tuple[threading.Thread, threading.Event]] = []
_numbers = itertools.count()
_awaited: dict[int, asyncio.Future[Outcome]] = {}


def start(owner: QObject, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start a coroutine in the next iteration of the event loop. Destroying ``owner`` cancels it.

    Exceptions of a task that is never awaited are reported like uncaught exceptions.
    """
    global _loop
    if _loop is None:
        _loop = _Loop()
        _loop.set_exception_handler(_report)
    task: asyncio.Task[T] = _loop.create_task(work)

    def on_destroyed(_: object = None) -> None:
        task.cancel()

    def on_done(task: asyncio.Task[T]) -> None:
        _tasks.discard(task)
        if shiboken6.isValid(owner):
            owner.destroyed.disconnect(on_destroyed)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            sys.excepthook(type(error), error, error.__traceback__)

    _tasks.add(task)
    owner.destroyed.connect(on_destroyed)
    task.add_done_callback(on_done)
    return task


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    error = context.get("exception")
    if error is None:
        log.error("error in a coroutine: %s", context["message"])
    else:
        sys.excepthook(type(error), error, error.__traceback__)


class Latest:
    """Runs one coroutine at a time, for jobs like searches where only the latest matters.

    A new coroutine cancels the previous one and waits for its end, so there's at most one worker
    thread.
    """

    def __init__(self, owner: QObject) -> None:
        self._owner = owner
        self._task: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    @property
    def running(self) -> bool:
        """Return True while a coroutine is running and hasn't been canceled."""
        return self._task is not None and not self._task.done() and not self._task.cancelling()

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        self.cancel()
        self._task = start(self._owner, self._run_after_previous(work))
        self._task.add_done_callback(lambda _: work.close())  # in case it never started

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run_after_previous(self, work: Coroutine[Any, Any, object]) -> None:
        async with self._lock:
            await work


async def run_in_thread(
    work: Callable[[threading.Event], T], stop: threading.Event | None = None
) -> T:
    """Run ``work`` in a worker thread and return its result.

    Canceling the coroutine sets the event passed to ``work`` and then waits for the thread.
    ``work`` must not reference Qt objects, because the thread might drop the last reference. Other
    code may set ``stop``, too.
    """
    number, outcome = _expect()
    stop = stop or threading.Event()
    _threads[:] = [(thread, event) for thread, event in _threads if thread.is_alive()]
    thread = threading.Thread(target=_run, args=(number, work, stop), name="aside", daemon=True)
    _threads.append((thread, stop))
    thread.start()
    cancelled = False
    while not outcome.done():
        try:
            await asyncio.shield(outcome)
        except asyncio.CancelledError:
            stop.set()
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
    value: T = _result(outcome)
    return value


async def wait_for_future(future: Future[T]) -> T:
    """Wait for a future of another thread without blocking, and return its result.

    Raises concurrent.futures.CancelledError if the future (not the coroutine) was canceled.
    """
    number, outcome = _expect()
    future.add_done_callback(partial(_forward_outcome, number))
    try:
        await outcome
    finally:
        _awaited.pop(number, None)  # in case the result never arrives
    value: T = _result(outcome)
    return value


async def open_and_wait(dialog: QDialog) -> int:
    """Open a dialog, wait until the user closes it, and return its result (0: rejected).

    Canceling the coroutine closes the dialog. The dialog is deleted afterwards, so read its values
    before the next ``await``.
    """
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def end(result: object) -> None:
        if not future.done():
            future.set_result(result if isinstance(result, int) else 0)

    dialog.finished.connect(end)
    dialog.destroyed.connect(end)  # destroyed together with its window
    dialog.open()
    try:
        return await future
    finally:
        if shiboken6.isValid(dialog):
            dialog.close()
            dialog.deleteLater()


def _expect() -> tuple[int, asyncio.Future[Outcome]]:
    """Register a future. Return the number with which another thread resolves it."""
    number = next(_numbers)
    outcome = asyncio.get_running_loop().create_future()
    _awaited[number] = outcome
    return number, outcome


def _result(outcome: asyncio.Future[Outcome]) -> Any:
    value, error = outcome.result()
    if isinstance(error, Exception):
        raise error
    if error is not None:
        # A Rust panic, or SystemExit from a library. Callers only catch Exception.
        raise RuntimeError(f"{type(error).__name__}: {error}") from error
    return value


def _run(number: int, work: Callable[[threading.Event], Any], stop: threading.Event) -> None:
    try:
        outcome: Outcome = work(stop), None
    except BaseException as error:
        outcome = None, error
    _post(number, outcome)


def _forward_outcome(number: int, future: Future[Any]) -> None:
    if future.cancelled():
        _post(number, (None, FutureCancelledError()))
    else:
        error = future.exception()
        _post(number, (None if error is not None else future.result(), error))


def _post(number: int, outcome: Outcome) -> None:
    try:
        if _loop is not None:
            _loop.call_soon_threadsafe(_resume, number, outcome)
    except RuntimeError:
        log.debug("result dropped during exit")


def _resume(number: int, outcome: Outcome) -> None:
    waiting = _awaited.pop(number, None)
    if waiting is not None and not waiting.done():
        waiting.set_result(outcome)


def end(seconds: float) -> None:
    """Cancel all coroutines on shutdown and wait up to ``seconds`` for their threads."""
    give_up = time.monotonic() + seconds
    _process_events()  # let new coroutines start their threads
    for task in list(_tasks):
        task.cancel()
    for _, stop in _threads:
        stop.set()
    for thread, _ in _threads:
        thread.join(max(0.0, give_up - time.monotonic()))
    while _tasks and time.monotonic() < give_up:
        _process_events()


def _process_events() -> None:
    QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)


def running_tasks() -> set[asyncio.Task[Any]]:
    return set(_tasks)

"""A thread with an asyncio loop, for what waits for sockets and processes. No Qt."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

importing = threading.RLock()
"""Held by each thread that imports a large package for the first time. The local API begins with
uvicorn, the tools, by way of mcp, with `uvicorn.main`: then each waited for what the other was
importing, Python let one of them have half of its module, and "cannot import name" ended it."""


class LoopThread:
    """Begins with the first thing that is to run on it. Methods may be called on any thread.

    Args:
        name: the thread's.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._down = False

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T] | None:
        """Run this; None, and it is never begun, once the thread was told to end."""
        loop = self._started()
        if loop is None:
            work.close()
            return None
        return asyncio.run_coroutine_threadsafe(work, loop)

    def start_if_begun(self, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Run this where the thread is there: what it is about exists on it only."""
        if self._loop is not None:
            asyncio.run_coroutine_threadsafe(work(), self._loop)

    def shut_down(
        self, seconds: float, first: Callable[[], Awaitable[object]] | None = None
    ) -> None:
        """Cancel all that runs, and wait for its end so long at most. May be called again to wait.

        Args:
            first: is done before that.
        """
        with self._lock:
            already, self._down = self._down, True
            loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        if not already:
            asyncio.run_coroutine_threadsafe(_end(first), loop)
        thread.join(seconds)

    def _started(self) -> asyncio.AbstractEventLoop | None:
        with self._lock:
            if self._down:
                return None
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_run, args=(self._loop,), name=self._name, daemon=True
                )
                self._thread.start()
            return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()


async def _end(first: Callable[[], Awaitable[object]] | None) -> None:
    current = asyncio.current_task()
    others = [task for task in asyncio.all_tasks() if task is not current]
    if first is not None:
        await first()
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    asyncio.get_running_loop().stop()

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

importing = threading.RLock()
"""Lock for the first import of a large package.

The local API imports uvicorn, and the tools import `uvicorn.main` through mcp. Without the lock,
both threads would wait for each other, and Python would break the deadlock with "cannot import
name".
"""


class LoopThread:
    """Thread with an asyncio loop, started by its first coroutine. Thread-safe."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._down = False

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T] | None:
        """Run a coroutine. After `shut_down`, returns None without running it."""
        loop = self._started()
        if loop is None:
            work.close()
            return None
        return asyncio.run_coroutine_threadsafe(work, loop)

    def start_if_begun(self, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Run a coroutine if the thread is running. Otherwise, there's nothing to do."""
        if self._loop is not None:
            asyncio.run_coroutine_threadsafe(work(), self._loop)

    def shut_down(
        self, seconds: float, first: Callable[[], Awaitable[object]] | None = None
    ) -> None:
        """Cancel all coroutines and wait for them to end. A second call only waits again.

        ``first`` runs before the coroutines are canceled.
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
    other_tasks = [task for task in asyncio.all_tasks() if task is not current]
    if first is not None:
        await first()
    for task in other_tasks:
        task.cancel()
    await asyncio.gather(*other_tasks, return_exceptions=True)
    asyncio.get_running_loop().stop()

"""Threads of one server for work that its event loop must not wait for.

asyncio's default pool is not used: whatever fills it would keep unrelated requests waiting, and
the event loop would wait for all of it at the end.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class ServerThreads:
    """One pool for bodies, and one for figures and descriptions."""

    def __init__(self) -> None:
        self.bodies = ThreadPoolExecutor(4, "serve-bodies")
        self.status = ThreadPoolExecutor(1, "serve-status")

    def close(self) -> None:
        """Drop work that has not begun. Returns without waiting for the rest."""
        for pool in (self.bodies, self.status):
            pool.shutdown(wait=False, cancel_futures=True)


async def in_thread(pool: Executor, work: Callable[[], T]) -> T:
    """Run ``work`` in one of the pool's threads, in a copy of this context."""
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(pool, context.run, work)

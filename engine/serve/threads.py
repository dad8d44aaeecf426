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


LARGE_BODY_BYTES = 2**20
"""Larger bodies are decoded one at a time.

Decoding holds Python's lock for up to 0.1 s per call. Several threads are no faster together, and
every other thread waits for each of them.
"""


class ServerThreads:
    """Pools for bodies, for large bodies, and for figures and descriptions."""

    def __init__(self) -> None:
        self.status = ThreadPoolExecutor(1, "serve-status")
        self._bodies = ThreadPoolExecutor(4, "serve-bodies")
        self._large_bodies = ThreadPoolExecutor(1, "serve-large-bodies")

    def bodies(self, size: int) -> Executor:
        """Return the pool for work on a body of `size` bytes."""
        return self._large_bodies if size > LARGE_BODY_BYTES else self._bodies

    def close(self) -> None:
        """Drop work that has not begun. Returns without waiting for the rest."""
        for pool in (self.status, self._bodies, self._large_bodies):
            pool.shutdown(wait=False, cancel_futures=True)


async def in_thread(pool: Executor, work: Callable[[], T]) -> T:
    """Run ``work`` in one of the pool's threads, in a copy of this context."""
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(pool, context.run, work)

"""Thread pools of a server, for work that must not block its event loop.

asyncio's default pool is not used, because unrelated requests would wait if it is full, and the
event loop would wait for all its work at the end.
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

Decoding holds the GIL for up to 0.1 s per call. Several threads together are no faster, and all
other threads wait for each of them.
"""


class ServerThreads:
    """Thread pools for bodies, for large bodies, and for status requests."""

    def __init__(self) -> None:
        self.status = ThreadPoolExecutor(1, "serve-status")
        self._bodies = ThreadPoolExecutor(4, "serve-bodies")
        self._large_bodies = ThreadPoolExecutor(1, "serve-large-bodies")

    def bodies(self, size: int) -> Executor:
        """Return the pool for work on a body of `size` bytes."""
        return self._large_bodies if size > LARGE_BODY_BYTES else self._bodies

    def close(self) -> None:
        """Drop queued work. Does not wait for running work."""
        for pool in (self.status, self._bodies, self._large_bodies):
            pool.shutdown(wait=False, cancel_futures=True)


async def in_thread(pool: Executor, work: Callable[[], T]) -> T:
    """Run ``work`` in a thread of the pool, in a copy of the current context."""
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(pool, context.run, work)

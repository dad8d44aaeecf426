"""Thread pools for work that would block the server's event loop.

asyncio's default pool isn't used, because unrelated requests would wait when it's full, and the
event loop would wait for all of its work at shutdown.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


THREADED_BODY_BYTES = 64 * 2**10  # size above which bodies are decoded in a worker thread
LARGE_BODY_BYTES = 2**20
"""Size above which bodies are decoded one after the other.

Each call can hold the GIL for 0.1 s, so running several in parallel isn't any faster and delays
every other thread.
"""


class ServerThreads:
    def __init__(self) -> None:
        self.status = ThreadPoolExecutor(1, "serve-status")
        self._bodies = ThreadPoolExecutor(4, "serve-bodies")
        self._large_bodies = ThreadPoolExecutor(1, "serve-large-bodies")

    async def run_for_body(self, size: int, work: Callable[[], T]) -> T:
        """Call `work`, which processes a body of `size` bytes, in a thread if that takes long."""
        if size <= THREADED_BODY_BYTES:
            return work()
        return await in_thread(
            self._large_bodies if size > LARGE_BODY_BYTES else self._bodies, work
        )

    def close(self) -> None:
        for pool in (self.status, self._bodies, self._large_bodies):
            pool.shutdown(wait=False, cancel_futures=True)


async def in_thread(pool: Executor, work: Callable[[], T]) -> T:
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(pool, context.run, work)

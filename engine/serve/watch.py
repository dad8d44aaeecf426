"""Clients that may go while they are waited for: what is done for one ends with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from starlette.types import Receive

T = TypeVar("T")


@contextmanager
def meanwhile(doing: Coroutine[Any, Any, None]) -> Iterator[asyncio.Future[None]]:
    """Do something until this is left."""
    task = asyncio.ensure_future(doing)
    try:
        yield task
    finally:
        task.cancel()


async def unless(
    gone: asyncio.Future[None],
    doing: Coroutine[Any, Any, T],
    undo: Callable[[T], object] = lambda _: None,
) -> T | None:
    """Do something that takes time, unless a client goes before; then None.

    Args:
        undo: called with what was got for nobody: whoever asked was cancelled at that moment.
    """
    task = asyncio.ensure_future(doing)
    # An error after its client has gone is nobody's.
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    either: list[asyncio.Future[Any]] = [gone, task]
    given = False
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        given = True
        if task.done():
            return task.result()
        return None
    finally:
        if not given and task.done() and not task.cancelled() and task.exception() is None:
            undo(task.result())
        task.cancel()


async def disconnected(receive: Receive) -> None:
    """Wait until the client has gone. The body must have been read."""
    while (await receive())["type"] != "http.disconnect":
        pass


class Ending:
    """The server's end, for those who wait for something else. Lives on its event loop.

    Attributes:
        error: what those who wait are told; None while the server goes on.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None
        self._waiting: set[asyncio.Future[None]] = set()

    def end(self, error: Exception) -> None:
        """Tell all who wait that they wait in vain."""
        self.error = error
        for over in self._waiting:
            if not over.done():
                over.set_result(None)

    async def unless_over(self, awaited: asyncio.Future[T], seconds: float | None = None) -> T:
        """Wait for something, which goes on for others when this one gives up.

        Raises:
            TimeoutError: it takes longer than that.
            Exception: the server's end.
        """
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(over)
        either: list[asyncio.Future[Any]] = [awaited, over]
        try:
            if self.error is None:
                first = asyncio.FIRST_COMPLETED
                await asyncio.wait(either, timeout=seconds, return_when=first)
            if awaited.done():
                return awaited.result()
            raise self.error or TimeoutError
        finally:
            self._waiting.discard(over)

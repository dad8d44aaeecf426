"""Clients that may go while they are waited for: what is done for one ends with it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
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


async def unless(gone: asyncio.Future[None], doing: Coroutine[Any, Any, T]) -> T | None:
    """Do something that takes time, unless a client goes before; then None."""
    task = asyncio.ensure_future(doing)
    # An error after its client has gone is nobody's.
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    either: list[asyncio.Future[Any]] = [gone, task]
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        return None
    finally:
        task.cancel()


async def disconnected(receive: Receive) -> None:
    """Wait until the client has gone. The body must have been read."""
    while (await receive())["type"] != "http.disconnect":
        pass

"""The streams to a server that is reached over HTTP, with limits on what comes back."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2

from app.tools.bounding import (
    MESSAGES_PER_S,
    Pace,
    TooMuchError,
    Weigher,
    lists_too_much,
    weight,
)
from app.tools.servers import ServerConfig

LONGEST_BODY = 64 * 1024 * 1024
"""Bytes of one answer. Events, of which a stream may have as many as it likes, have the package's
own limit each."""


@asynccontextmanager
async def over_http(config: ServerConfig) -> AsyncGenerator[tuple[Any, Any], None]:
    """The streams to a server that speaks streamable HTTP."""
    from mcp.client.streamable_http import streamable_http_client

    limits = httpx2.Timeout(30.0, read=None)  # calls have their own, which waits for the person
    headers = {"Accept-Encoding": "identity", **dict(config.headers)}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=limits, transport=_Transport()) as http,
        streamable_http_client(config.url, http_client=http) as (from_server, to_server),
    ):
        yield _Messages(from_server), to_server


class _Messages:
    """What the server's stream gives, without messages that list too much.

    In the place of the stream, as it is: it tells, too, which request an event belongs to.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __aiter__(self) -> _Messages:
        return self

    async def __anext__(self) -> Any:
        return _allowed(await self._stream.__anext__())

    async def receive(self) -> Any:
        return _allowed(await self._stream.receive())

    async def __aenter__(self) -> _Messages:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._stream.__aexit__(*error)


def _allowed(item: Any) -> Any:
    """The message; an error for the request in the place of one that is refused."""
    from mcp.shared.message import SessionMessage
    from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError

    why = lists_too_much(item.message) if isinstance(item, SessionMessage) else ""
    if not why:
        return item
    error = ErrorData(code=INTERNAL_ERROR, message=why)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=item.message.id, error=error))


class _Transport(httpx2.AsyncHTTPTransport):
    """Hands on answers piece by piece, and only as much of them as can be read in time."""

    def __init__(self) -> None:
        super().__init__()
        self._pace = Pace(MESSAGES_PER_S)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        packed = response.headers.get("content-encoding", "identity").strip().lower()
        if packed not in ("", "identity"):  # a few megabytes can become gigabytes
            await response.aclose()
            raise httpx2.ReadError("The server packs what it was asked to send as it is.")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        kind = response.headers.get("content-type", "").lower()
        events = kind.startswith("text/event-stream")
        response.stream = _Bounded(response.stream, self._pace, events)
        return response


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, pace: Pace, events: bool) -> None:
        self._stream, self._pace, self._events = stream, pace, events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size, weigher, end = 0, Weigher(), b""
        async for piece in self._stream:
            size += len(piece)
            count, before = 0, weigher.total
            try:
                if self._events:
                    # Only what every reader takes for the end of an event begins another.
                    *whole, last = (end + piece).replace(b"\r\n", b"\n").split(b"\n\n")
                    count = len(whole)
                    end = b"\n" if last.endswith(b"\n") else b""
                    for event in whole:
                        weigher.feed(event)
                        weigher.reset()
                    weigher.feed(last)
                else:
                    weigher.feed(piece)
            except TooMuchError as error:
                raise self._refusal(str(error)) from error
            if not self._events and size > LONGEST_BODY:
                raise self._refusal(f"The server sent more than {LONGEST_BODY:,} bytes.")
            wait = self._pace.wait(count + weight(len(piece), weigher.total - before))
            if wait:
                await anyio.sleep(wait)
            yield piece

    def _refusal(self, why: str) -> Exception:
        return httpx2.SSEError(why) if self._events else httpx2.StreamError(why)

    async def aclose(self) -> None:
        await self._stream.aclose()

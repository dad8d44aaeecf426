"""A server on the loopback whose answers are scripted by the test."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

Writer = asyncio.StreamWriter


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: Any = None


Act = Callable[[Asked, Writer], Awaitable[None]]


@dataclass
class Scripted:
    act: Act
    asked: list[Asked] = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)
    port: int = 0

    def __post_init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="scripted")
        self._thread.start()
        assert self._ready.wait(10)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._end = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _take(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            asked = await _read(reader)
            self.asked.append(asked)
            gone = asyncio.ensure_future(reader.read())
            gone.add_done_callback(lambda _: self.hung_up.set())
            acting = asyncio.ensure_future(self.act(asked, writer))
            try:
                await asyncio.wait({gone, acting}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in (gone, acting):
                    one.cancel()
                await asyncio.gather(gone, acting, return_exceptions=True)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.split("\r\n")
    method, path, _ = first.split(" ")
    headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines if line)}
    length = int(headers.get("content-length", 0))
    body = json.loads(await reader.readexactly(length)) if length else None
    return Asked(method, path, headers, body)


# Scripts for the server.


def head(status: int = 200, kind: str = "text/event-stream", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} Said", f"Content-Type: {kind}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def events(*chunks: Any, done: bool = True) -> bytes:
    told = [chunk if isinstance(chunk, str) else json.dumps(chunk) for chunk in chunks]
    return "".join(f"data: {one}\n\n" for one in [*told, *(["[DONE]"] if done else [])]).encode()


def delta(text: str | None = None, reason: str | None = None, **more: Any) -> dict[str, Any]:
    inner = {**({"content": text} if text is not None else {}), **more}
    return {"choices": [{"index": 0, "delta": inner, "finish_reason": reason}]}


def sends(*pieces: bytes, then: Callable[[Writer], Awaitable[None]] | None = None) -> Act:
    async def act(_: Asked, writer: Writer) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        if then is not None:
            await then(writer)

    return act


async def hang(_: Writer) -> None:
    await asyncio.Event().wait()


async def cut(writer: Writer) -> None:
    await writer.drain()
    writer.transport.abort()


def says(status: int, body: Any = None, **headers: str) -> Act:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    whole = head(status, "application/json", Content_Length=str(len(text)), **headers) + text
    return sends(whole)

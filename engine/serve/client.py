"""What one client is told of its answer: one JSON object, or server-sent events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from starlette.responses import JSONResponse
from starlette.types import Send

from engine.errors import EngineError
from engine.messages import Event, Failed, Finished, PromptProgress
from engine.serve import refusals
from engine.serve.doors.choice import Choice
from engine.serve.doors.door import Door, Telling, encoded


class Client:
    """Tells one client of the events of its answer.

    Args:
        door: the shape of errors.
        telling: the shape of answers.
        stream: tell of each event as it comes, and not of the whole answer at its end.
        headers: of the answer, beside its own.
    """

    def __init__(
        self,
        send: Send,
        door: Door,
        telling: Telling,
        stream: bool,
        headers: Sequence[tuple[bytes, bytes]] = (),
    ) -> None:
        self._send = send
        self._door = door
        self._telling = telling
        self._stream = stream
        self._headers = headers
        self._begun = False
        self._opened = False

    async def __call__(self, choice: Choice, event: Event) -> None:
        """Tell of one event of a choice.

        Raises:
            EngineError: the answer has failed, and nothing was told yet.
        """
        if isinstance(event, Failed):
            error = EngineError(event.code, event.message)
            if not await self.refused(error):
                raise error
            return
        pieces = choice.take(event)
        if not self._stream:
            for _ in pieces:
                pass
            if self._all_ended:
                content = encoded(self._telling.whole())
                length = (b"content-length", str(len(content)).encode())
                await self._head(b"application/json", length)
                await self._write(content, more=False)
            return
        told = [self._telling.piece(choice, piece) for piece in pieces]
        if not self._opened:
            self._opened = True
            told.insert(0, self._telling.begin())
        if isinstance(event, Finished):
            told.append(self._telling.ended(choice))
        if self._all_ended:
            told.append(self._telling.end())
        if not self._begun:
            await self._begin_stream()
        if data := b"".join(told):
            await self._write(data, more=not self._all_ended)
        if isinstance(event, PromptProgress):
            await self.comment(f"read {event.done} of {event.total} tokens")

    @property
    def _all_ended(self) -> bool:
        return all(choice.last is not None for choice in self._telling.choices)

    async def comment(self, text: str) -> None:
        """Tell a streaming client something that is no part of the answer.

        Clients skip lines that begin with a colon. People who watch the stream read them.
        """
        if not self._stream:
            return
        if not self._begun:
            await self._begin_stream()
        await self._write(f": {text}\n\n".encode())

    async def refused(self, error: Exception) -> bool:
        """Tell of an error within a stream that has begun. False: it has not."""
        if self._begun:
            await self._write(self._telling.failed(body_of(self._door, error)[1]), more=False)
        return self._begun

    async def _begin_stream(self) -> None:
        await self._head(b"text/event-stream; charset=utf-8", (b"cache-control", b"no-store"))

    async def _head(self, kind: bytes, *more: tuple[bytes, bytes]) -> None:
        self._begun = True
        headers = [(b"content-type", kind), *self._headers, *more]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})

    async def _write(self, data: bytes, more: bool = True) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": more})


class Shape(Protocol):
    """Whoever gives errors a shape."""

    def error(self, status: int, code: str, message: str) -> dict[str, Any]:
        """An error in that shape."""


def body_of(door: Shape, error: Exception) -> tuple[int, dict[str, Any]]:
    """An error's status, and its words in a door's shape."""
    status, told = refusals.body_of(error)
    return status, door.error(status, told["error"]["code"], told["error"]["message"])


def refusal(door: Shape, error: Exception) -> JSONResponse:
    """The response for an error, in a door's shape."""
    status, told = body_of(door, error)
    return JSONResponse(told, status, refusals.headers_of(status, error))

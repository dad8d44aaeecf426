"""What one client is told of its reply: one JSON object, or server-sent events."""

from __future__ import annotations

import json
from typing import Any

from starlette.types import Send

from engine.errors import EngineError
from engine.messages import Event, Failed, Finished, PromptProgress, TextDelta
from engine.openai import response
from engine.serve import refusals


class Client:
    """Tells one client of the events of its reply.

    Args:
        answer: gathers the text.
        stream: tell of each event as it comes, and not of the whole answer at its end.
        figures: a stream's last event has the figures.
    """

    def __init__(self, send: Send, answer: response.Answer, stream: bool, figures: bool) -> None:
        self._send = send
        self._answer = answer
        self._stream = stream
        self._figures = figures
        self._begun = False

    async def __call__(self, event: Event) -> None:
        """Tell of one event.

        Raises:
            EngineError: the reply has failed, and nothing was told yet.
        """
        if isinstance(event, Failed) and not self._begun:
            raise EngineError(event.code, event.message)
        if not self._stream:
            if isinstance(event, TextDelta):
                self._answer.add(event)
            elif isinstance(event, Finished):
                content = _json(self._answer.whole(event))
                length = (b"content-length", str(len(content)).encode())
                await self._head(b"application/json", length)
                await self._write(content, more=False)
            return
        if not self._begun:
            await self._begin_stream()
        if isinstance(event, PromptProgress):
            await self.comment(f"read {event.done} of {event.total} tokens")
        elif isinstance(event, TextDelta):
            await self._say(self._answer.add(event))
        elif isinstance(event, Failed):
            _, told = refusals.body_of(EngineError(event.code, event.message))
            await self._say(told)
            await self._write(b"", more=False)
        else:
            await self._say(self._answer.last(event))
            if self._figures:
                await self._say(self._answer.usage(event.stats))
            await self._write(b"data: [DONE]\n\n", more=False)

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
            await self._say(refusals.body_of(error)[1])
            await self._write(b"", more=False)
        return self._begun

    async def _begin_stream(self) -> None:
        await self._head(b"text/event-stream; charset=utf-8", (b"cache-control", b"no-store"))

    async def _head(self, kind: bytes, *more: tuple[bytes, bytes]) -> None:
        self._begun = True
        headers = [(b"content-type", kind), *more]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})

    async def _say(self, content: dict[str, Any]) -> None:
        await self._write(b"data: " + _json(content) + b"\n\n")

    async def _write(self, data: bytes, more: bool = True) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": more})


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")

"""Errors for clients of Anthropic's messages, whoever in the server has refused them."""

from __future__ import annotations

import json

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.serve.routes.base import encoded
from engine.serve.routes.messages import MessagesDoor, error_of


class Reshaped:
    """Gives all errors at the doors of Anthropic's messages their shape."""

    def __init__(self, inner: ASGIApp) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not str(scope.get("path", "")).startswith(MessagesDoor.path):
            await self._inner(scope, receive, send)
            return
        held: list[Message] = []  # the beginning of an error, until all of it is there

        async def reshaping(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] >= 400:
                held.append(message)
            elif held:
                held.append(message)
                if not message.get("more_body", False):
                    for told in _told(held):
                        await send(told)
            else:
                await send(message)

        await self._inner(scope, receive, reshaping)


def _told(held: list[Message]) -> list[Message]:
    """An error's messages in Anthropic's shape."""
    start, *rest = held
    try:
        found = json.loads(b"".join(message.get("body", b"") for message in rest))
        error = found["error"]
        if found.get("type") == "error":
            return held
        body = encoded(error_of(start["status"], str(error["code"]), str(error["message"])))
    except (ValueError, TypeError, KeyError):
        return held
    headers = [(k, v) for k, v in start["headers"] if k.lower() != b"content-length"]
    headers.append((b"content-length", str(len(body)).encode()))
    return [{**start, "headers": headers}, {"type": "http.response.body", "body": body}]

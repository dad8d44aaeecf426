"""Answers in OpenAI's shapes. All functions here are pure."""

from __future__ import annotations

import time
from typing import Any

from engine import errors
from engine.messages import Finished, ReplyStats, TextDelta
from engine.model.info import Model

STATUS = {
    errors.INVALID_REQUEST: 400,
    errors.TEMPLATE_ERROR: 400,
    errors.CONTEXT_OVERFLOW: 400,
    errors.UNSUPPORTED_SESSION: 400,
    errors.UNKNOWN_MODEL: 404,
    errors.SESSION_BUSY: 409,
    errors.SESSION_CLOSED: 409,
    errors.CAPACITY_EXHAUSTED: 429,
    errors.OUT_OF_MEMORY: 503,
    errors.ENGINE_STOPPED: 503,
}
"""HTTP status by error code. Every other code is a 500."""


def error(status: int, code: str, message: str) -> dict[str, Any]:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def models(loaded: list[Model]) -> dict[str, Any]:
    """What `GET /v1/models` answers."""
    listed = [
        {
            "id": model.name,
            "object": "model",
            "created": 0,
            "owned_by": "local",
            "context_length": model.context_length,
        }
        for model in loaded
    ]
    return {"object": "list", "data": listed}


class Answer:
    """One answer on its way, whole or in pieces.

    Args:
        name: unique; part of the id that clients see.
    """

    def __init__(self, name: str, model: str) -> None:
        self._head = {"id": f"chatcmpl-{name}", "created": int(time.time()), "model": model}
        self._begun = False
        self.texts: dict[str, list[str]] = {"answer": [], "reasoning": [], "tool": []}

    def add(self, delta: TextDelta) -> dict[str, Any]:
        """Take a piece of text; returns its chunk."""
        self.texts[delta.kind].append(delta.text)
        key = "reasoning_content" if delta.kind == "reasoning" else "content"
        piece = {key: delta.text}
        if not self._begun:
            self._begun = True
            piece = {"role": "assistant", **piece}
        return self._chunk(piece, None)

    def last(self, finished: Finished) -> dict[str, Any]:
        """The chunk that says why the answer ended."""
        return self._chunk({}, _reason(finished))

    def usage(self, stats: ReplyStats) -> dict[str, Any]:
        """The chunk after the last one, for clients that ask for figures."""
        chunk = {**self._head, "object": "chat.completion.chunk", "choices": []}
        return {**chunk, "usage": _usage(stats)}

    def whole(self, finished: Finished) -> dict[str, Any]:
        """The answer in one piece."""
        message: dict[str, Any] = {"role": "assistant", "content": self.text}
        if self.texts["reasoning"]:
            message["reasoning_content"] = "".join(self.texts["reasoning"])
        choice = {"index": 0, "message": message, "finish_reason": _reason(finished)}
        return {
            **self._head,
            "object": "chat.completion",
            "choices": [choice],
            "usage": _usage(finished.stats),
        }

    @property
    def text(self) -> str:
        """The answer's text. Tools cannot be asked for here, so a tool call is part of the text."""
        return "".join(self.texts["answer"] + self.texts["tool"])

    def _chunk(self, delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {**self._head, "object": "chat.completion.chunk", "choices": [choice]}


def _reason(finished: Finished) -> str:
    return "length" if finished.reason == "length" else "stop"


def _usage(stats: ReplyStats) -> dict[str, Any]:
    return {
        "prompt_tokens": stats.prompt_tokens,
        "completion_tokens": stats.generated_tokens,
        "total_tokens": stats.prompt_tokens + stats.generated_tokens,
        "prompt_tokens_details": {"cached_tokens": stats.reused_tokens},
    }

"""Why a request is not answered: a status, and the error in OpenAI's or Anthropic's shape."""

from __future__ import annotations

import json
from typing import Any

from engine.errors import (
    CAPACITY_EXHAUSTED,
    CONTEXT_OVERFLOW,
    ENGINE_STOPPED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    OUT_OF_MEMORY,
    SESSION_BUSY,
    SESSION_CLOSED,
    TEMPLATE_ERROR,
    UNKNOWN_MODEL,
    UNSUPPORTED_SESSION,
    EngineError,
)
from engine.openai.json_text import shortened

STATUS = {
    INVALID_REQUEST: 400,
    TEMPLATE_ERROR: 400,
    CONTEXT_OVERFLOW: 400,
    UNSUPPORTED_SESSION: 400,
    UNKNOWN_MODEL: 404,
    SESSION_BUSY: 409,
    SESSION_CLOSED: 409,
    CAPACITY_EXHAUSTED: 429,
    OUT_OF_MEMORY: 503,
    ENGINE_STOPPED: 503,
}
"""HTTP status by error code. Every other code is a 500."""


def openai_error(status: int, code: str, message: str) -> dict[str, Any]:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


RETRY_SECONDS = 5
"""What `Retry-After` says with a 429 or 503 that names no time."""
MODEL_NOT_FOUND = "model_not_found"
"""OpenAI's own code, by which other libraries tell this error from a bad request."""
MODEL_UNLOADED = "model_unloaded"
"""A model that others have unloaded while it was used: it is loaded again when it is asked for."""
WRONG_KEY = "invalid_api_key"
_STATUS = {**STATUS, MODEL_UNLOADED: 503, WRONG_KEY: 401}
FAULT = "The server failed over this request. Its log says more."


class RefusedError(Exception):
    """A request that cannot be answered.

    Attributes:
        status: of HTTP.
        message: what is wrong with it.
        code: for programs.
        retry: after how many seconds it may be asked again, where that helps.
    """

    def __init__(
        self, status: int, message: str, code: str = INVALID_REQUEST, retry: int | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.retry = retry


def body_of(error: Exception) -> tuple[int, dict[str, Any]]:
    """The status and the JSON for an error. What is inside the server is not told."""
    if isinstance(error, RefusedError):
        return error.status, openai_error(error.status, error.code, shortened(error.message))
    if isinstance(error, EngineError) and error.code != INTERNAL_ERROR:
        status = _STATUS.get(error.code, 500)
        code = MODEL_NOT_FOUND if error.code == UNKNOWN_MODEL else error.code
        return status, openai_error(status, code, shortened(error.message))
    return 500, openai_error(500, INTERNAL_ERROR, FAULT)


def headers_of(status: int, error: Exception | None = None) -> dict[str, str]:
    """Headers that go with a status."""
    if status == 401:
        return {"WWW-Authenticate": "Bearer"}
    seconds = error.retry if isinstance(error, RefusedError) else None
    if seconds is None and status not in (429, 503):
        return {}
    return {"Retry-After": str(seconds or RETRY_SECONDS)}


def raw(status: int, reason: str, message: str) -> bytes:
    """A whole response as bytes, for connections that have no request to answer."""
    kind = CAPACITY_EXHAUSTED if status == 503 else INVALID_REQUEST
    body = json.dumps(openai_error(status, kind, shortened(message))).encode()
    head = (
        f"HTTP/1.1 {status} {reason}\r\nContent-Type: application/json; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n"
    )
    more = "".join(f"{name}: {value}\r\n" for name, value in headers_of(status).items())
    return f"{head}{more}\r\n".encode() + body

"""Request errors: HTTP status, and JSON in the format of OpenAI, Anthropic or Ollama."""

from __future__ import annotations

import json
import re
from http import HTTPStatus
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
from engine.serve.json_input import shorten

MODEL_NOT_FOUND = "model_not_found"
"""Error code of OpenAI that many client libraries check for."""
MODEL_UNLOADED = "model_unloaded"
"""Error code for a model that was unloaded while a request used it."""
WRONG_KEY = "invalid_api_key"
STATUS = {
    INVALID_REQUEST: 400,
    TEMPLATE_ERROR: 400,
    CONTEXT_OVERFLOW: 400,
    UNSUPPORTED_SESSION: 400,
    WRONG_KEY: 401,
    UNKNOWN_MODEL: 404,
    SESSION_BUSY: 409,
    SESSION_CLOSED: 409,
    CAPACITY_EXHAUSTED: 429,
    OUT_OF_MEMORY: 503,
    ENGINE_STOPPED: 503,
    MODEL_UNLOADED: 503,
}
"""HTTP status by error code (default: 500)."""
RETRY_SECONDS = 5  # default for `Retry-After` with status 429 and 503
INTERNAL_ERROR_MESSAGE = "Internal server error. See the server's log."
ANTHROPIC = "/v1/messages"  # path prefix for errors in Anthropic's format
OLLAMA = "/api/"  # path prefix for errors in Ollama's format; all other paths use OpenAI's
CONTEXT_LENGTH = "context_length_exceeded"  # OpenAI's error code for an overlong prompt
_FIGURES = re.compile(r"([\d,]+) (tokens|characters) long.*? (?:at most|takes) ([\d,]+)", re.S)
_MOST = re.compile(r"never more than ([\d,]+) characters")
_ANTHROPIC_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
}


class RequestError(Exception):
    def __init__(
        self,
        status: int,
        message: str,
        code: str = INVALID_REQUEST,
        retry: int | None = None,
        field: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status  # HTTP status
        self.message = message  # message for the user
        self.code = code  # machine-readable code
        self.retry = retry  # time in seconds until a retry makes sense, if known
        self.field = field  # invalid field of the body, if any


def body_of(error: Exception, path: str = "") -> tuple[int, dict[str, Any]]:
    """Return the HTTP status and JSON body for an error, without details of internal errors."""
    if isinstance(error, RequestError):
        status, code, message = error.status, error.code, error.message
    elif isinstance(error, EngineError) and error.code != INTERNAL_ERROR:
        status, message = STATUS.get(error.code, 500), error.message
        code = MODEL_NOT_FOUND if error.code == UNKNOWN_MODEL else error.code
    else:
        status, code, message = 500, INTERNAL_ERROR, INTERNAL_ERROR_MESSAGE
    message = shorten(message)
    if code == CONTEXT_OVERFLOW:
        code, message = _overflow(message, path.startswith(ANTHROPIC))
    if path.startswith(ANTHROPIC):
        kind = _ANTHROPIC_TYPES.get(status) or (
            "invalid_request_error" if status < 500 else "api_error"
        )
        # Anthropic's errors have no code, so add ours.
        details: dict[str, Any] = {"type": kind, "message": message, "code": code}
        return status, {"type": "error", "error": details}
    if path.startswith(OLLAMA):
        return status, {"error": message}
    kind = "invalid_request_error" if status < 500 else "server_error"
    field = error.field if isinstance(error, RequestError) else None
    details = {"message": message, "type": kind, "param": field, "code": code}
    return status, {"error": details}


def _overflow(message: str, anthropic: bool) -> tuple[str, str]:
    """Return the code and message that clients recognize as an overlong prompt.

    Clients parse the numbers of the first sentence. OpenAI's two APIs word it differently, and some
    clients (Copilot CLI) expect the wording of one API from the other, so the message has both.
    """
    figures, limit_match = _FIGURES.search(message), _MOST.search(message)
    if figures is None and anthropic:
        return CONTEXT_OVERFLOW, f"prompt is too long. {message}"
    exceeds = "Your input exceeds the context window of this model."
    if figures is None:
        return CONTEXT_LENGTH, f"{exceeds} {message}"
    count, limit = _number(figures[1]), _number(figures[3])
    if figures[2] == "characters" and limit_match is not None:
        count = max(limit + 1, count * limit // _number(limit_match[1]))
    if not anthropic:
        openais = (
            f"This model's maximum context length is {limit} tokens. However, your messages "
            f"resulted in {count} tokens. {exceeds}"
        )
        return CONTEXT_LENGTH, f"{openais} {message}"
    return CONTEXT_OVERFLOW, f"prompt is too long: {count} tokens > {limit} maximum. {message}"


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))


def headers_of(status: int, error: Exception | None = None) -> dict[str, str]:
    if status == 401:
        return {"WWW-Authenticate": "Bearer"}
    seconds = error.retry if isinstance(error, RequestError) else None
    if seconds is None and status not in (429, 503):
        return {}
    return {"Retry-After": str(seconds or RETRY_SECONDS)}


def raw_response(status: int, message: str) -> bytes:
    kind = CAPACITY_EXHAUSTED if status == 503 else INVALID_REQUEST
    body = json.dumps(body_of(RequestError(status, message, kind))[1]).encode()
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Length": len(body),
        "Connection": "close",
        **headers_of(status),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n{head}\r\n".encode() + body

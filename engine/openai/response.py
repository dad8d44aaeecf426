"""Errors in OpenAI's shape."""

from __future__ import annotations

from typing import Any

from engine import errors

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

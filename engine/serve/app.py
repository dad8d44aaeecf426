"""The routes, and the guard before them.

No web page may ask this server for anything. A request that names another host, or that a page or
a browser's extension has sent, is refused. Browsers say so in `Origin` and `Sec-Fetch-Site`.
"""

from __future__ import annotations

import logging
import re
import time

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.engine import Engine
from engine.errors import EngineError
from engine.openai import response
from engine.serve import refusals
from engine.serve.completions import Completions
from engine.serve.refusals import RefusedError
from engine.serve.served import Served

log = logging.getLogger(__name__)

KNOWN = "GET /v1/models, POST /v1/chat/completions and GET /health"
_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?", re.IGNORECASE)
_LONGEST_HEAD = 2**16
"""Bytes of all headers. h11 limits only heads that come in several pieces."""
_LONGEST_PATH = 200
"""Characters of a path in the log."""


class App:
    """The whole ASGI application: `served` are its models, `completions` its answers."""

    def __init__(self, engine: Engine, completions: Completions) -> None:
        self._served: Served = completions.served
        self._engine = engine
        self._inner = _Guard(
            Starlette(
                routes=[
                    Route("/v1/models", self._models, methods=["GET"]),
                    Route("/health", self._health, methods=["GET"]),
                    Route("/v1/chat/completions", completions, methods=["POST"]),
                ],
                exception_handlers={
                    HTTPException: _not_served,
                    RefusedError: _failure,
                    EngineError: _failure,
                    Exception: _failure,
                },
            )
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._inner(scope, receive, send)

    async def _models(self, _: Request) -> Response:
        return JSONResponse(response.models(self._served.models))

    async def _health(self, _: Request) -> Response:
        word, sentence = await self._served.health()
        status = 200 if word == "ok" else 503
        told = {"status": word, "models": [m.name for m in self._served.models]}
        if sentence:
            told["message"] = sentence
        return JSONResponse(told, status, refusals.headers_of(status))


class _Guard:
    """Refuses what is not for us, and writes a line into the log for each request.

    The line has method, path, status and duration. It has nothing of what was asked or answered.
    """

    def __init__(self, inner: ASGIApp) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.monotonic()
        status = 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            try:
                check(scope)
            except RefusedError as refused:
                await _told(refused)(scope, receive, noting)
            else:
                await self._inner(scope, receive, noting)
        except Exception:
            # Starlette has answered with 500 where that was still possible.
            log.exception("a request failed")
        finally:
            # The raw path is printable ASCII: h11 refuses every other.
            path = scope["raw_path"].decode("ascii", "replace")[:_LONGEST_PATH]
            what = str(status) if status else "client gone"
            log.info("%s %s %s %.2f s", scope["method"], path, what, time.monotonic() - began)


def check(scope: Scope) -> None:
    """Refuse requests for other hosts, and those of web pages.

    Raises:
        RefusedError: 403, or 431 for a head that is too long.
    """
    if sum(len(name) + len(value) for name, value in scope["headers"]) > _LONGEST_HEAD:
        raise RefusedError(431, "This is no request in HTTP/1.1: its head is too long.")
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    host = headers.get(b"host", "")
    if not _HOST.fullmatch(host):
        raise RefusedError(403, f"This server answers for localhost only, not for {host!r}.")
    origin = headers.get(b"origin")
    if origin is not None:
        raise RefusedError(403, f"Web pages and extensions may not ask this server: {origin!r}.")
    if headers.get(b"sec-fetch-site", "none") != "none":
        raise RefusedError(403, "Web pages may not ask this server.")


def _told(error: Exception) -> JSONResponse:
    status, content = refusals.body_of(error)
    return JSONResponse(content, status, refusals.headers_of(status))


async def _failure(_: Request, error: Exception) -> Response:
    return _told(error)


async def _not_served(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    path = request.scope["raw_path"].decode("ascii", "replace")[:_LONGEST_PATH]
    return _told(RefusedError(status, f"{request.method} {path} is not served, only {KNOWN}."))

"""Starlette application and the checks in front of its routes: host, origin, key and rate limit.

Requests from web pages, recognized by `Origin` and `Sec-Fetch-Site`, are rejected unless the origin
is allowed.
"""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Sequence

from msgspec import Struct
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.errors import EngineError
from engine.serve import errors
from engine.serve.auth import LOCAL, KeyOwner, Keys, RateLimiter, Settings, owner_of, set_owner
from engine.serve.errors import WRONG_KEY, RequestError
from engine.serve.metrics import Metrics
from engine.serve.routes.base import APIRoute
from engine.serve.routes.schema import ignored_header

log = logging.getLogger(__name__)

_MAX_PATH_CHARACTERS = 200  # maximum length of a path quoted in an error message
KEYLESS_PATH = "/health"  # requires no key, but a client without a key only gets the status word

_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?", re.IGNORECASE)
# Total size of all headers. h11 only limits headers that arrive in several reads.
_MAX_HEADER_BYTES = 2**16
_HEADERS = (
    *("authorization", "content-type", "x-api-key", "x-stretto-session-id", "x-session-affinity"),
    "content-encoding",
    *("x-executorch-session-id", "session_id", "anthropic-version", "anthropic-beta"),
)
"""Headers that allowed pages may send, besides the browser's defaults. The official clients use the
`x-` headers.
"""


class _LoggingMiddleware(Struct):
    """Middleware that rejects invalid requests and logs every request.

    Each line has the method, route, status and duration, and nothing from the body or the answer.
    """

    _inner: ASGIApp
    _settings: Settings
    _metrics: Metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started_at = time.monotonic()
        status = 0
        # Anthropic's clients read the second name.
        name = f"req_{uuid.uuid4().hex}".encode()
        request_id = [(b"x-request-id", name), (b"request-id", name)]

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                added = [*request_id, *ignored_header(scope)]
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        try:
            try:
                check(scope, self._settings)
            except RequestError as refusal:
                await error_response(scope, refusal)(scope, receive, send_with_id)
            else:
                await self._inner(scope, receive, send_with_id)
        except Exception as error:
            # If possible, Starlette has already sent a 500. Don't log the error's message, because
            # it may quote the request.
            log.error("a request failed (%s)", type(error).__name__)
            log.debug("failed request", exc_info=True)
        finally:
            route = getattr(scope.get("route"), "path", "(no route)")
            outcome = str(status) if status else "client gone"
            seconds = time.monotonic() - started_at
            log.info("%s %s %s %.2f s", scope["method"], route, outcome, seconds)
            self._metrics.count_request(route, outcome, owner_of(scope).id)


class _AuthMiddleware(Struct):
    _inner: ASGIApp
    _settings: Settings
    _keys: Keys | None
    _limits: RateLimiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            owner = self._owner(scope)
            if owner is None:
                if scope["path"] != KEYLESS_PATH:
                    raise _key_error(scope)
                scope["stretto.stranger"] = True
                await self._inner(scope, receive, send)
                return
            set_owner(scope, owner)
            if scope["path"] == KEYLESS_PATH:
                await self._inner(scope, receive, send)
                return
            with self._limits.count_request(owner, scope):
                await self._inner(scope, receive, send)
        except RequestError as refusal:
            await error_response(scope, refusal)(scope, receive, send)

    def _owner(self, scope: Scope) -> KeyOwner | None:
        if self._keys is None:
            return None if self._settings.require_key else LOCAL
        key = _key(scope)
        try:
            owner = self._keys.owner(key) if key else None
            requires_key = self._settings.require_key or bool(self._keys.all())
        except (OSError, ValueError):
            log.error("cannot read the key file")
            return None
        return owner or (None if requires_key else LOCAL)


def check(scope: Scope, settings: Settings) -> None:
    """Reject requests to another host or from a web page.

    Raises:
        RequestError: 403, or 431 if the headers are too long.
    """
    if sum(len(name) + len(value) for name, value in scope["headers"]) > _MAX_HEADER_BYTES:
        raise RequestError(431, "Invalid HTTP/1.1 request: its header is too long.")
    headers = Headers(scope=scope)
    host = headers.get("host", "")
    # Non-local servers require a key, which a page using DNS rebinding doesn't have.
    if settings.is_local and not _HOST.fullmatch(host):
        raise RequestError(403, f"This server only accepts the host localhost, not {host!r}.")
    origin = headers.get("origin")
    if origin is not None:
        if origin in settings.origins:
            return
        raise RequestError(403, f"Web pages and extensions must not use this server: {origin!r}.")
    if headers.get("sec-fetch-site", "none") != "none":
        raise RequestError(403, "Web pages must not use this server.")


def error_response(scope: Scope, error: Exception) -> JSONResponse:
    # Anthropic's clients also use paths of OpenAI's API, such as `/v1/models`.
    is_anthropic = "anthropic-version" in Headers(scope=scope)
    path = errors.ANTHROPIC if is_anthropic else scope["path"]
    status, content = errors.body_of(error, path)
    return JSONResponse(content, status, errors.headers_of(status, error))


def _key(scope: Scope) -> str:
    headers = Headers(scope=scope)
    kind, _, key = headers.get("authorization", "").strip().partition(" ")
    if kind.lower() == "bearer" and key.strip():
        return key.strip()
    return headers.get("x-api-key", "").strip()


def _key_error(scope: Scope) -> RequestError:
    if _key(scope):
        return RequestError(401, "This key is unknown or was revoked.", WRONG_KEY)
    return RequestError(
        401, "A key is required. Send it as 'Authorization: Bearer KEY' or 'x-api-key'.", WRONG_KEY
    )


def application(
    routes: Sequence[APIRoute], settings: Settings, keys: Keys | None, metrics: Metrics
) -> ASGIApp:
    async def handle_unknown_route(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        path = request.scope["path"]
        # The raw path is printable ASCII, because h11 rejects anything else.
        path_text = request.scope["raw_path"].decode("ascii", "replace")[:_MAX_PATH_CHARACTERS]
        text = f"{request.method} {path_text} does not exist. GET /openapi.json lists all routes."
        response = error_response(request.scope, RequestError(status, text))
        if status == 405:
            methods = {m for r in routes if r.path_regex.match(path) for m in r.methods or ()}
            response.headers["Allow"] = ", ".join(sorted(methods))
        return response

    async def handle_error(request: Request, error: Exception) -> Response:
        return error_response(request.scope, error)

    app: ASGIApp = Starlette(
        routes=routes,
        exception_handlers={
            HTTPException: handle_unknown_route,
            RequestError: handle_error,
            EngineError: handle_error,
            Exception: handle_error,
        },
    )
    app = _AuthMiddleware(app, settings, keys, RateLimiter(settings))
    if settings.origins:
        app = CORSMiddleware(
            app,
            allow_origins=settings.origins,
            allow_methods=("GET", "POST", "DELETE"),
            allow_headers=_HEADERS,
            expose_headers=("Retry-After", "X-Request-ID", "X-Stretto-Ignored-Fields"),
            allow_private_network=True,
        )
    return _LoggingMiddleware(app, settings, metrics)

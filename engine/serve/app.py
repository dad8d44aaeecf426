"""The routes behind their guard."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.errors import EngineError
from engine.serve.answering import Answering
from engine.serve.doors.door import Door
from engine.serve.guard import guarded, told
from engine.serve.health import Health
from engine.serve.keys import Keys
from engine.serve.metrics import Metrics
from engine.serve.model_routes import ModelRoutes
from engine.serve.openapi import OpenAPI
from engine.serve.operation import Operation
from engine.serve.plain_routes import PlainRoutes
from engine.serve.refusals import RefusedError
from engine.serve.reshaping import Reshaped
from engine.serve.session_routes import SessionRoutes
from engine.serve.settings import Settings

_LONGEST_PATH = 200
"""Characters of a path in an error's words."""


class App:
    """The whole ASGI application."""

    def __init__(
        self,
        answering: Answering,
        doors: Sequence[Door],
        plain: PlainRoutes,
        models: ModelRoutes,
        sessions: SessionRoutes,
        health: Health,
        settings: Settings,
        keys: Keys | None,
        metrics: Metrics,
    ) -> None:
        described = OpenAPI()
        routes = [
            *(answering.route(door) for door in doors),
            *plain.routes(),
            *models.routes(),
            *sessions.routes(),
            *health.routes(),
            described.route(),
        ]
        described.describe(routes)
        self._routes = routes
        self._known = _names(routes)
        inner = Starlette(
            routes=routes,
            exception_handlers={
                HTTPException: self._not_served,
                RefusedError: _failure,
                EngineError: _failure,
                Exception: _failure,
            },
        )
        self._inner: ASGIApp = Reshaped(guarded(inner, settings, keys, metrics))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._inner(scope, receive, send)

    async def _not_served(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        path = request.scope["path"]
        allowed = {m for r in self._routes if r.path_regex.match(path) for m in r.methods or ()}
        headers = {"Allow": ", ".join(sorted(allowed))} if status == 405 else {}
        # The raw path is printable ASCII: h11 refuses every other.
        shown = request.scope["raw_path"].decode("ascii", "replace")[:_LONGEST_PATH]
        what = f"{request.method} {shown} is not served, only {self._known}."
        answer = told(RefusedError(status, what))
        answer.headers.update(headers)
        return answer


async def _failure(_: Request, error: Exception) -> Response:
    return told(error)


def _names(routes: list[Operation]) -> str:
    """What is served, for those who ask for something else. What lies below is left out."""
    return ", ".join(f"{r.method} {r.path}" for r in routes if "{" not in r.path)

"""`/health`, `/metrics` and `/openapi.json`."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from engine.engine import Engine
from engine.errors import EngineError
from engine.serve import errors
from engine.serve.metrics import Metrics, exposition
from engine.serve.models import Served
from engine.serve.places import ALIASES, NAMED, Places
from engine.serve.routes.base import Operation
from engine.serve.routes.messages import MessagesDoor
from engine.serve.sessions import Sessions


class Health:
    """Tells how things are.

    Args:
        connections: how many there are.
    """

    def __init__(
        self,
        engine: Engine,
        served: Served,
        sessions: Sessions,
        places: Places,
        metrics: Metrics,
        connections: Callable[[], int],
    ) -> None:
        self._engine = engine
        self._served = served
        self._sessions = sessions
        self._places = places
        self._metrics = metrics
        self._connections = connections

    def routes(self) -> list[Operation]:
        """What there is."""
        return [
            Operation("GET", "/health", self.health, "Whether requests are answered."),
            Operation(
                "GET", "/metrics", self.metrics, "Figures for Prometheus.", kind="text/plain"
            ),
        ]

    async def health(self, request: Request) -> Response:
        """200 when requests are answered, else 503."""
        word, sentence = await self._served.health()
        status = 200 if word == "ok" else 503
        told: dict[str, Any] = {"status": word}
        if not request.scope.get("stretto.stranger"):
            last = self._metrics.last_event
            told |= {
                "models": [entry.name for entry in self._served.entries],
                "loaded": [model.name for model in self._served.models],
                "engine_alive": self._engine.is_running,
                "last_step_seconds_ago": None if last is None else _since(last),
                "answering": self._places.line.going,
                "waiting": self._places.waiting,
                "sessions": len(self._sessions),
            }
            if sentence:
                told["message"] = sentence
        return JSONResponse(told, status, errors.headers_of(status))

    async def metrics(self, _: Request) -> Response:
        """All figures, for Prometheus."""
        # Its import and its text are nothing that streams should wait for.
        return await asyncio.to_thread(self._text, await self._gauges())

    def _text(self, gauges: dict[str, tuple[str, float]]) -> Response:
        text, kind = exposition(self._metrics, gauges)
        return Response(text, media_type=kind)

    async def _gauges(self) -> dict[str, tuple[str, float]]:
        alive = self._engine.is_running
        stats: dict[str, Any] = {}
        if alive:
            try:
                stats = await self._served.figures()
            except (TimeoutError, EngineError):
                alive = False
        found = {
            "engine_up": ("Whether the engine answers.", float(alive)),
            "models_loaded": ("Models in memory.", float(len(self._served.models))),
            "sessions": ("Sessions with an id.", float(len(self._sessions))),
            "sessions_evicted": ("Sessions that made room.", float(self._sessions.evicted)),
            "answering": ("Answers being given.", float(self._places.line.going)),
            "waiting": ("Requests that wait.", float(self._places.waiting)),
            "connections": ("Connections.", float(self._connections())),
        }
        faults = stats.get("faults", {}).values()
        found["shared_faults"] = (
            "Passes of several chats that raised.",
            float(sum(f["shared"] + f["kernels"] for f in faults)),
        )
        found["models_unshared"] = (
            "Models whose chats are stepped one by one after faults.",
            float(sum(f["unshared"] for f in faults)),
        )
        for name, says in _OF_ENGINE.items():
            if name in stats:
                found[name] = (says, float(stats[name]))
        return found


_OF_ENGINE = {
    "memory_budget": "Bytes that weights and KV caches may take.",
    "memory_in_use": "Bytes that MLX has in use.",
    "weights_bytes": "Bytes of weights.",
    "kv_bytes": "Bytes of KV caches.",
    "tokens_per_s": "Tokens generated per second, over the last two.",
    "read_tokens_per_s": "Prompt tokens read per second, over the last two.",
}


def _since(moment: float) -> float:
    return round(time.monotonic() - moment, 3)


PATH = "/openapi.json"

_STREAM = "text/event-stream"
_TEXT = {"type": "string"}
_NAMES_SESSION = "Names a session, as `session_id` in the body does."

_ERRORS: dict[str, Any] = {
    "Error": {
        "type": "object",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "message": _TEXT,
                    "type": _TEXT,
                    "param": {"type": "null"},
                    "code": _TEXT,
                },
                "required": ["message", "type", "param", "code"],
            }
        },
        "required": ["error"],
    },
    "MessagesError": {
        "type": "object",
        "properties": {
            "type": {"const": "error"},
            "error": {
                "type": "object",
                "properties": {"type": _TEXT, "message": _TEXT, "code": _TEXT},
                "required": ["type", "message", "code"],
            },
        },
        "required": ["type", "error"],
    },
}


class OpenAPI:
    """Tells programs what can be asked here."""

    def __init__(self) -> None:
        self._document: dict[str, Any] = {}

    def route(self) -> Operation:
        """Its own route."""
        return Operation("GET", PATH, self._tell, "This description.")

    def describe(self, routes: Sequence[Operation]) -> None:
        """Write the description of these routes."""
        self._document = document(routes)

    async def _tell(self, _: Request) -> Response:
        return JSONResponse(self._document)


def document(routes: Sequence[Operation]) -> dict[str, Any]:
    """The description, in OpenAPI 3.1."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        path = re.sub(r":\w+}", "}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(path, route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Stretto",
            "version": "1",
            "description": "Local models by the APIs of OpenAI and Anthropic, and sessions.",
        },
        "paths": paths,
        "components": {
            "schemas": _ERRORS,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
            },
        },
        "security": [{}, {"bearer": []}, {"key": []}],
    }


def _operation(path: str, route: Operation) -> dict[str, Any]:
    told: dict[str, Any] = {
        "summary": route.about,
        "operationId": re.sub(r"\W+", "_", f"{route.method.lower()}{path}").strip("_"),
        "responses": {
            str(route.status): {"description": "The answer.", "content": _answers(route)},
            "default": {"description": "Why there is none.", "content": _refusals(path)},
        },
    }
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": _TEXT}
        for name in re.findall(r"{(\w+)}", path)
    ]
    if route.names_session:
        # The body's name is taken before these, which are then not looked at.
        parameters += [
            {"name": alias, "in": "header", "schema": _TEXT, "description": _NAMES_SESSION}
            for alias in ALIASES
        ]
    if parameters:
        told["parameters"] = parameters
    if route.table is not None:
        schema = route.table.schema
        if route.names_session:
            session = {"anyOf": [dict(NAMED.schema), {"type": "null"}]}
            schema["properties"] = {**schema["properties"], "session_id": session}
        told["requestBody"] = {
            "required": route.must,
            "content": {"application/json": {"schema": schema}},
        }
    return told


def _answers(route: Operation) -> dict[str, Any]:
    if route.kind != "application/json":
        return {route.kind: {"schema": _TEXT}}
    content: dict[str, Any] = {route.kind: {"schema": {"type": "object"}}}
    if route.table is not None and "stream" in route.table.kinds:
        content[_STREAM] = {"schema": _TEXT}
    return content


def _refusals(path: str) -> dict[str, Any]:
    name = "MessagesError" if path.startswith(MessagesDoor.path) else "Error"
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}

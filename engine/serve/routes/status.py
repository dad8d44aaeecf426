"""`/health`, `/metrics`, `/v1/agents` and `/openapi.json`."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import cache, partial
from typing import Any

from msgspec import Struct, to_builtins
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from engine.engine import Engine
from engine.errors import EngineError
from engine.model.info import Model
from engine.serve import errors
from engine.serve.agents import RequestRegistry
from engine.serve.auth import FairShare, KeyOwner, owner_of
from engine.serve.metrics import Metrics, exposition
from engine.serve.models import ModelRegistry
from engine.serve.reply_slots import ReplySlots
from engine.serve.routes.base import APIRoute
from engine.serve.routes.schema import object_schema, schema_of
from engine.serve.sessions import ALIASES, SessionRegistry
from engine.serve.threads import in_thread


class Health(Struct):
    """Handlers for `/health`, `/metrics` and `/v1/agents`."""

    _engine: Engine
    _served: ModelRegistry
    _sessions: SessionRegistry
    _slots: ReplySlots
    _metrics: Metrics
    _connections: Callable[[], int]
    _requests: RequestRegistry
    _pool: Executor
    _sharing: FairShare

    def routes(self) -> list[APIRoute]:
        return [
            APIRoute("GET", "/health", self.health, "Check if requests are answered."),
            # Clients often try this path first, mostly with HEAD.
            APIRoute("GET", "/", self.hello, "Check if the server is running."),
            APIRoute("GET", "/api/hello", self.hello, "Check if the server is running."),
            APIRoute(
                "GET",
                "/metrics",
                self.metrics,
                "Get metrics for Prometheus.",
                media_type="text/plain",
            ),
            APIRoute("GET", "/v1/agents", self.agents, "List agents and their states."),
        ]

    async def hello(self, _: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def health(self, request: Request) -> Response:
        word, sentence = await self._served.health()
        status = 200 if word == "ok" else 503
        body: dict[str, Any] = {"status": word}
        if not request.scope.get("stretto.stranger"):
            owner = owner_of(request.scope)
            last = self._metrics_for(owner).last_event
            body |= {
                "models": [entry.name for entry in self._served.entries],
                "loaded": [model.name for model in self._loaded(owner)],
                "engine_alive": self._engine.is_running,
                "last_step_seconds_ago": (
                    None if last is None else round(time.monotonic() - last, 3)
                ),
                **self._counts(owner),
            }
            if sentence:
                body["message"] = sentence
        return JSONResponse(body, status, errors.headers_of(status))

    async def agents(self, request: Request) -> Response:
        snapshots = self._requests.agents(owner_of(request.scope).id)
        left_out = ("engine_sessions", "keeps")
        entries = [
            {k: v for k, v in to_builtins(a).items() if k not in left_out} for a in snapshots
        ]
        return JSONResponse({"object": "list", "data": entries})

    async def metrics(self, request: Request) -> Response:
        owner = owner_of(request.scope)
        gauges = await self._gauges(owner)
        # Run in a thread, so that neither formatting nor the slow import delays streams.
        work = partial(exposition, self._metrics_for(owner), gauges)
        text, kind = await in_thread(self._pool, work)
        return Response(text, media_type=kind)

    def _metrics_for(self, owner: KeyOwner) -> Metrics:
        return self._metrics.of(owner.id) if self._sharing.several else self._metrics

    def _loaded(self, owner: KeyOwner) -> list[Model]:
        models = (e.model for e in self._served.entries if self._served.may_see_loaded(e, owner))
        return [model for model in models if model is not None]

    def _counts(self, owner: KeyOwner) -> dict[str, int]:
        slots = self._slots
        if self._sharing.several:
            answering, waiting = slots.queue.running_of(owner.id), slots.waiting_of(owner.id)
            sessions = len(self._sessions.of(owner))
        else:
            answering, waiting = slots.queue.running, slots.waiting
            sessions = len(self._sessions)
        return {"answering": answering, "waiting": waiting, "sessions": sessions}

    async def _gauges(self, owner: KeyOwner) -> dict[str, tuple[str, float]]:
        alive = self._engine.is_running
        stats: dict[str, Any] = {}
        if alive:
            try:
                stats = await self._served.figures()
            except (TimeoutError, EngineError):
                alive = False
        counts, several = self._counts(owner), self._sharing.several
        agents = len(self._requests.agents(owner.id if several else None))
        gauges = {
            "engine_up": ("1 if the engine responds.", float(alive)),
            "models_loaded": ("Models in memory.", float(len(self._loaded(owner)))),
            "sessions": ("Sessions with an id.", float(counts["sessions"])),
            "answering": ("Running answers.", float(counts["answering"])),
            "waiting": ("Waiting requests.", float(counts["waiting"])),
            "agents": ("Recently active agents.", float(agents)),
        }
        if several:
            return gauges  # the remaining gauges are totals over all keys
        gauges["sessions_evicted"] = ("Evicted sessions.", float(self._sessions.evicted))
        gauges["connections"] = ("Connections.", float(self._connections()))
        faults = stats.get("faults", {}).values()
        gauges["shared_faults"] = (
            "Failed passes of several chats.",
            float(sum(f["shared"] for f in faults)),
        )
        gauges["models_unshared"] = (
            "Models whose chats are stepped one by one after faults.",
            float(sum(f["unshared"] for f in faults)),
        )
        for name, description in _OF_ENGINE.items():
            if name in stats:
                gauges[name] = (description, float(stats[name]))
        return gauges


_OF_ENGINE = {
    "memory_budget": "Limit of weights and KV caches in bytes.",
    "memory_in_use": "Bytes in use by MLX.",
    "weights_bytes": "Bytes of weights, including models being loaded.",
    "kv_bytes": "Bytes of KV caches.",
    "tokens_per_s": "Tokens generated per second, over the last two.",
    "read_tokens_per_s": "Prompt tokens read per second, over the last two.",
}


_TEXT = {"type": "string"}
_ERRORS = {
    "Error": object_schema(
        error=object_schema(
            message=_TEXT, type=_TEXT, param={"type": ["string", "null"]}, code=_TEXT
        )
    ),
    "MessagesError": object_schema(
        type={"const": "error"}, error=object_schema(type=_TEXT, message=_TEXT, code=_TEXT)
    ),
    "OllamaError": object_schema(error=_TEXT),
}


def described(routes: Sequence[APIRoute], pool: Executor) -> APIRoute:
    document = cache(lambda: openapi([*routes, route]))

    async def answer(_: Request) -> Response:
        # Generated on the first request, because it takes 0.1 s while the rest of the startup takes
        # 2 ms.
        return JSONResponse(await in_thread(pool, document))

    route = APIRoute("GET", "/openapi.json", answer, "Get this description.")
    return route


def openapi(routes: Sequence[APIRoute]) -> dict[str, Any]:
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path_format, {})[route.method.lower()] = _operation(route)
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


def _operation(route: APIRoute) -> dict[str, Any]:
    path, is_json = route.path_format, route.media_type == "application/json"
    content: dict[str, Any] = {
        route.media_type: {"schema": {"type": "object"} if is_json else _TEXT}
    }
    if route.body is not None and "stream" in route.body.model_fields:
        content[route.stream_media_type] = {"schema": _TEXT}
    formats = {errors.ANTHROPIC: "MessagesError", errors.OLLAMA: "OllamaError"}
    error = next((name for head, name in formats.items() if path.startswith(head)), "Error")
    refusal = {"schema": {"$ref": f"#/components/schemas/{error}"}}
    described: dict[str, Any] = {
        "summary": route.summary,
        "operationId": re.sub(r"\W+", "_", f"{route.method.lower()}{path}").strip("_"),
        "responses": {
            str(route.status): {"description": "Success.", "content": content},
            "default": {
                "description": "Error.",
                "content": {"application/json": refusal},
            },
        },
    }
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": _TEXT}
        for name in route.param_convertors
    ]
    if route.body_required:
        # The name in the body takes precedence over these.
        description = "Session id. `session_id` in the body takes precedence."
        parameters += [
            {"name": alias, "in": "header", "schema": _TEXT, "description": description}
            for alias in ALIASES
        ]
    if parameters:
        described["parameters"] = parameters
    if route.body is not None:
        described["requestBody"] = {
            "required": route.body_required,
            "content": {"application/json": {"schema": schema_of(route.body)}},
        }
    return described

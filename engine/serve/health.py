"""`GET /health` and `GET /metrics`: how the server and the engine are."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from engine.engine import Engine
from engine.errors import EngineError
from engine.serve import refusals
from engine.serve.metrics import Metrics
from engine.serve.operation import Operation
from engine.serve.places import Places
from engine.serve.served import Served
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
        return JSONResponse(told, status, refusals.headers_of(status))

    async def metrics(self, _: Request) -> Response:
        """All figures, for Prometheus."""
        # Its import and its text are nothing that streams should wait for.
        return await asyncio.to_thread(self._text, await self._gauges())

    def _text(self, gauges: dict[str, tuple[str, float]]) -> Response:
        from engine.serve import exposition

        text = exposition.text(self._metrics, gauges)
        return Response(text, media_type=exposition.TYPE)

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

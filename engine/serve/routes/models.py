"""`/v1/models`: list, show, load with progress, and unload."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from engine.errors import EngineError
from engine.model.info import Model
from engine.serve import bodies, errors
from engine.serve.auth import KeyOwner, owner_of
from engine.serve.models import ModelEntry, ModelRegistry
from engine.serve.routes.base import APIRoute, event
from engine.serve.routes.schema import Body

PROGRESS_EVERY_S = 0.25  # seconds between progress events

FEATURES = {"sessions": 1}
"""Features that another Stretto can rely on: `/v1/sessions` and `follows`."""


class LoadBody(Body):
    stream: bool = False


class ModelRoutes:
    def __init__(self, served: ModelRegistry) -> None:
        self._served = served

    def routes(self) -> list[APIRoute]:
        path = "/v1/models/{id:path}"  # ids may contain slashes
        return [
            APIRoute("GET", "/v1/models", self._list, "List models."),
            APIRoute(
                "POST",
                f"{path}/load",
                self._load,
                "Load a model, optionally with progress.",
                body=LoadBody,
            ),
            APIRoute("POST", f"{path}/unload", self._unload, "Unload a model.", body=Body),
            APIRoute("GET", path, self._read, "Get a model."),
        ]

    async def _list(self, request: Request) -> Response:
        owner = owner_of(request.scope)
        listed = [self._as_json(entry, owner) for entry in self._served.entries]
        # Anthropic's API has its model list at the same path.
        ends = {"first_id": listed[0]["id"], "last_id": listed[-1]["id"]} if listed else {}
        body = {"object": "list", "data": listed, "has_more": False, **ends}
        return JSONResponse({**body, "stretto": FEATURES})

    async def _read(self, request: Request) -> Response:
        entry = self._served.asked(request.path_params["id"])
        owner = owner_of(request.scope)
        return JSONResponse(self._as_json(entry, owner, await self._figures(entry)))

    async def _load(self, request: Request) -> Response:
        stream = (await bodies.read_small(request, LoadBody)).stream
        entry = self._served.entry(request.path_params["id"])
        owner = owner_of(request.scope)
        entry.owner_ids.add(owner.id)
        if stream:
            return StreamingResponse(self._progress(entry, owner), media_type="text/event-stream")
        await self._served.load(entry)
        return JSONResponse(self._as_json(entry, owner))

    async def _unload(self, request: Request) -> Response:
        await bodies.read_small(request, Body)
        entry = self._served.entry(request.path_params["id"])
        owner = owner_of(request.scope)
        await self._served.unload(entry, owner)
        return JSONResponse(self._as_json(entry, owner))

    async def _progress(self, entry: ModelEntry, owner: KeyOwner) -> AsyncIterator[bytes]:
        loading: asyncio.Future[Model] = asyncio.ensure_future(self._served.load(entry))
        try:
            while not (await asyncio.wait([loading], timeout=PROGRESS_EVERY_S))[0]:
                state = self._as_json(entry, owner, await self._figures(entry))
                if state["state"] == "loading":  # loading may have finished during the await
                    yield event(state)
            await loading
            yield event(self._as_json(entry, owner))
        except EngineError as error:
            yield event(errors.body_of(error)[1])
        finally:
            loading.cancel()  # stops waiting, but not the load
        yield b"data: [DONE]\n\n"

    async def _figures(self, entry: ModelEntry) -> dict[str, Any] | None:
        """While the model loads, return the engine's statistics, which show the progress."""
        if entry.loading is not None:
            with suppress(TimeoutError, EngineError):
                return await self._served.figures()
        return None

    def _as_json(
        self, entry: ModelEntry, owner: KeyOwner, stats: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        return _model_json(entry, self._served.may_see_loaded(entry, owner), stats)


def _model_json(entry: ModelEntry, loaded: bool, stats: dict[str, Any] | None) -> dict[str, Any]:
    description = entry.describe(stats) if loaded else {"id": entry.name, "state": "unloaded"}
    fields = {"object": "model", "created": 0, "owned_by": "local", **description}
    fields |= {"type": "model", "display_name": entry.name, "created_at": "1970-01-01T00:00:00Z"}
    if length := entry.context_length:
        # Some clients look for the field name used by vLLM.
        fields |= {"context_length": length, "max_model_len": length}
    if loaded and entry.model is not None:  # OpenRouter's format
        fields["supported_parameters"] = ["tools", "tool_choice"] if entry.model.tool_format else []
    if loaded and entry.model is not None and entry.model.sees:
        modalities = ["text", "image", *(["audio"] if entry.model.hears else [])]
        fields["architecture"] = {"input_modalities": modalities}
    return fields

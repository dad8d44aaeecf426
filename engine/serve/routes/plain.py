"""Routes whose answer is one object at once: counts of tokens, embeddings, responses kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from functools import partial
from typing import Any, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from engine.engine import Engine
from engine.errors import EngineError
from engine.model.info import Model
from engine.serve import bodies
from engine.serve.answering import Answering, refusal
from engine.serve.auth import guest_of
from engine.serve.errors import RefusedError
from engine.serve.places import session_name
from engine.serve.queue import disconnected, meanwhile, unless
from engine.serve.routes.base import Asked, Operation
from engine.serve.routes.embeddings import AskedVectors, EmbeddingsDoor
from engine.serve.routes.fields import Table
from engine.serve.routes.messages import CountingDoor
from engine.serve.routes.responses import Kept

T = TypeVar("T")
Answer = Callable[[Any], Coroutine[Any, Any, dict[str, Any]]]
"""Answers what a door has read."""


class PlainRoutes:
    """Answers them. Their shapes are those of their doors."""

    def __init__(self, engine: Engine, answering: Answering, kept: Kept) -> None:
        self._engine = engine
        self._answering = answering
        self._kept = kept
        self._counting, self._embeddings = CountingDoor(), EmbeddingsDoor()

    def routes(self) -> list[Operation]:
        """What there is."""
        one = "/v1/responses/{id}"
        return [
            self._route(self._counting, self._count),
            self._route(self._embeddings, self._embed),
            Operation("GET", one, self._read, "A response that was kept."),
            Operation("DELETE", one, self._drop, "Forget a response that was kept."),
        ]

    def _route(self, door: _Plain, do: Answer) -> Operation:
        at = _At(self._answering, door, do)
        return Operation(
            "POST", door.path, at, door.about, table=door.table, must=True, names_session=True
        )

    async def _count(self, asked: Asked) -> dict[str, Any]:
        counting = self._engine.count_later(
            asked.model, asked.messages, asked.manner.reasoning, asked.template
        )
        return self._counting.whole(await self._wait(counting))

    async def _embed(self, asked: AskedVectors) -> dict[str, Any]:
        vectors = await self._wait(self._engine.embed_later(asked.model, asked.texts))
        return self._embeddings.whole(asked, vectors)

    async def _wait(self, answer: Future[T]) -> T:
        waited = asyncio.wrap_future(answer)
        try:
            return await self._answering.served.ending.unless_over(waited)
        except EngineError as error:
            raise self._answering.explained(error) from None
        finally:
            waited.cancel()

    async def _read(self, request: Request) -> Response:
        return JSONResponse(self._kept.response(guest_of(request.scope), request.path_params["id"]))

    async def _drop(self, request: Request) -> Response:
        name = request.path_params["id"]
        self._kept.drop(guest_of(request.scope), name)
        return JSONResponse({"id": name, "object": "response", "deleted": True})


class _Plain(Protocol):
    """A door whose answers come in one piece."""

    path: str
    about: str
    table: Table

    def read(self, body: dict[str, Any], model: Model) -> Any: ...

    def error(self, status: int, code: str, message: str) -> dict[str, Any]: ...


class _At:
    """Such a door as an ASGI application."""

    def __init__(
        self,
        answering: Answering,
        door: _Plain,
        do: Answer,
    ) -> None:
        self._answering = answering
        self._door = door
        self._do = do

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            told = await self._answer(scope, receive)
            answer = None if told is None else JSONResponse(told)
        except (RefusedError, EngineError) as error:
            answer = refusal(self._door, error)
        if answer is not None:
            await answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> dict[str, Any] | None:
        """What is told; None where the client has gone before."""
        with self._answering.held.share(guest_of(scope)) as held:
            body, size = await self._answering.body(scope, receive, held)
            return await self._told(scope, receive, body, size)

    async def _told(
        self, scope: Scope, receive: Receive, body: dict[str, Any], size: int
    ) -> dict[str, Any] | None:
        name = session_name(scope, body)
        answering = self._answering
        with answering.use(scope, name, body) as use, meanwhile(disconnected(receive)) as watch:
            model = await unless(watch, answering.served.load(use.entry))
            if model is None:
                return None
            bodies.check_size(size, model)
            try:
                read = partial(self._door.read, body, model)
                large = size > bodies.LARGE
                asked = await asyncio.to_thread(read) if large else read()
            except ValueError as error:
                raise bodies.not_understood(error) from None
            return await unless(watch, self._do(asked))

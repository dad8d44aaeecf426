"""`/v1/sessions`: create, list, show, fork, steer and free."""

from __future__ import annotations

import uuid
from contextlib import suppress
from typing import Annotated, Any, cast

from msgspec.structs import replace
from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from engine.errors import UNSUPPORTED_SESSION, EngineError, run_cleanup
from engine.serve import bodies
from engine.serve.auth import KeyOwner, owner_of
from engine.serve.models import ModelRegistry
from engine.serve.routes.base import APIRoute
from engine.serve.routes.schema import Body, InSession, SessionName, SessionOptions
from engine.serve.sessions import SessionEntry, SessionRegistry, checked_name

MAX_TTL_S = 30 * 86400.0


class SessionBody(SessionOptions, InSession):
    """Body for creating a session. Without an id, the session gets a random one."""

    system: str | None = None
    reasoning: bool | None = None
    ttl_seconds: Annotated[float, Field(ge=0, le=MAX_TTL_S)] | None = None


class ForkBody(Body):
    session_id: SessionName | None = None


_OPTIONS = ("reasoning", "reproducible", "on_overflow", "kv_bits")
_REPLY = ("prompt_tokens", "reused_tokens", "generated_tokens", "tokens_per_s")
"""Statistics of a running reply for clients."""


class SessionRoutes:
    """Handlers for the session routes. Owners only see their own sessions."""

    def __init__(self, served: ModelRegistry, sessions: SessionRegistry) -> None:
        self._served = served
        self._sessions = sessions

    def routes(self) -> list[APIRoute]:
        collection, path = "/v1/sessions", "/v1/sessions/{id}"
        return [
            APIRoute(
                "POST", collection, self._make, "Create a session.", body=SessionBody, status=201
            ),
            APIRoute("GET", collection, self._list, "List the caller's sessions."),
            APIRoute("GET", path, self._read, "Get a session."),
            APIRoute("DELETE", path, self._delete, "Free a session."),
            APIRoute(
                *("POST", f"{path}/fork", self._fork, "Create a copy of a session."),
                body=ForkBody,
                status=201,
            ),
            APIRoute(
                "POST",
                f"{path}/steer",
                self._steer,
                "End the session's reply at the next safe point, outside of characters and calls. "
                "Its client gets the text so far, and the session's next request continues from "
                "there without prefill.",
            ),
        ]

    async def _make(self, request: Request) -> Response:
        body = await bodies.read_small(request, SessionBody)
        owner = owner_of(request.scope)
        name = body.session_id or uuid.uuid4().hex
        config = replace(body.config(body.reasoning), system=body.system)
        with self._served.use(body.model, owner) as entry:
            model = await self._served.load(entry)
            named = self._sessions.make(owner, name, model, config, body.ttl_seconds)
            ticket = named.queue.enter()
            try:
                await self._open(named)
            except EngineError:
                if not named.is_freed:
                    self._sessions.delete(owner, name)
                raise
            finally:
                run_cleanup(ticket.leave)
        return await self._session_response(named, 201)

    async def _open(self, named: SessionEntry) -> None:
        session = named.session = self._sessions.open(named)
        if named.config.kv_bits is None:
            return
        # The engine only reports this error with the first message, so check here.
        with suppress(TimeoutError):
            while figures := (await self._served.figures())["sessions"].get(session.id):
                if figures["kv_bits_known"]:
                    return
            if not named.is_freed:
                raise EngineError(
                    UNSUPPORTED_SESSION,
                    f"{named.model.name} does not support a KV cache of {named.config.kv_bits} "
                    "bits.",
                )

    async def _list(self, request: Request) -> Response:
        stats = await self._figures()
        entries = [_session_json(n, *stats) for n in self._sessions.of(owner_of(request.scope))]
        return JSONResponse({"object": "list", "data": entries})

    async def _read(self, request: Request) -> Response:
        return await self._session_response(self._sessions.get(*_owner_and_name(request)), 200)

    async def _fork(self, request: Request) -> Response:
        twin = (await bodies.read_small(request, ForkBody)).session_id
        return await self._session_response(
            self._sessions.fork(*_owner_and_name(request), twin), 201
        )

    async def _steer(self, request: Request) -> Response:
        named = self._sessions.get(*_owner_and_name(request))
        named.steer()
        return await self._session_response(named, 200)

    async def _delete(self, request: Request) -> Response:
        owner, name = _owner_and_name(request)
        self._sessions.delete(owner, name)
        return JSONResponse({"id": name, "object": "session.deleted", "deleted": True})

    async def _session_response(self, named: SessionEntry, status: int) -> Response:
        return JSONResponse(_session_json(named, *await self._figures()), status)

    async def _figures(self) -> tuple[dict[str, Any], list[str]]:
        with suppress(TimeoutError, EngineError):
            await self._served.figures()
        stats = self._served.stats
        return (stats["sessions"], stats["queue"]) if stats else ({}, [])


def _owner_and_name(request: Request) -> tuple[KeyOwner, str]:
    return owner_of(request.scope), checked_name(request.path_params["id"], "A session's id")


def _session_json(named: SessionEntry, stats: dict[str, Any], queue: list[str]) -> dict[str, Any]:
    session_id = named.session.id if named.session else ""
    figures = cast(dict[str, Any], stats.get(session_id, {}))
    waits = named.ticket is not None and not named.ticket.admitted.done()
    reply = figures.get("reply") or {}
    return {
        "id": named.name,
        "object": "session",
        "created": int(named.created_at),
        "model": named.model.name,
        "status": figures.get("status", "idle"),
        "tokens": figures.get("kv_tokens", 0),
        "bytes": figures.get("kv_bytes", 0),
        "context_length": named.model.context_length,
        "idle_seconds": round(named.idle_seconds, 3),
        "queue": len(named.queue.waiting),
        "waiting": waits or figures.get("status") == "queued",
        "place": queue.index(session_id) + 1 if session_id in queue else 0,
        "paused": figures.get("paused", False),
        "reply": {name: reply[name] for name in _REPLY} if reply else None,
        "ttl_seconds": named.ttl,
        **{name: getattr(named.config, name) for name in _OPTIONS},
    }

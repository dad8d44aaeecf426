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
            session_entry = self._sessions.make(owner, name, model, config, body.ttl_seconds)
            ticket = session_entry.queue.enter()
            try:
                await self._open(session_entry)
            except EngineError:
                if not session_entry.is_freed:
                    self._sessions.delete(owner, name)
                raise
            finally:
                run_cleanup(ticket.leave)
        return await self._session_response(session_entry, 201)

    async def _open(self, entry: SessionEntry) -> None:
        session = entry.session = self._sessions.open(entry)
        if entry.config.kv_bits is None:
            return
        # The engine only reports this error with the first message, so check here.
        with suppress(TimeoutError):
            while figures := (await self._served.figures())["sessions"].get(session.id):
                if figures["kv_bits_known"]:
                    return
            if not entry.is_freed:
                raise EngineError(
                    UNSUPPORTED_SESSION,
                    f"{entry.model.name} does not support a KV cache of {entry.config.kv_bits} "
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
        entry = self._sessions.get(*_owner_and_name(request))
        entry.steer()
        return await self._session_response(entry, 200)

    async def _delete(self, request: Request) -> Response:
        owner, name = _owner_and_name(request)
        self._sessions.delete(owner, name)
        return JSONResponse({"id": name, "object": "session.deleted", "deleted": True})

    async def _session_response(self, entry: SessionEntry, status: int) -> Response:
        return JSONResponse(_session_json(entry, *await self._figures()), status)

    async def _figures(self) -> tuple[dict[str, Any], list[str]]:
        with suppress(TimeoutError, EngineError):
            await self._served.figures()
        stats = self._served.stats
        return (stats["sessions"], stats["queue"]) if stats else ({}, [])


def _owner_and_name(request: Request) -> tuple[KeyOwner, str]:
    return owner_of(request.scope), checked_name(request.path_params["id"], "A session's id")


def _session_json(entry: SessionEntry, stats: dict[str, Any], queue: list[str]) -> dict[str, Any]:
    session_id = entry.session.id if entry.session else ""
    figures = cast(dict[str, Any], stats.get(session_id, {}))
    waits = entry.ticket is not None and not entry.ticket.admitted.done()
    reply = figures.get("reply") or {}
    return {
        "id": entry.name,
        "object": "session",
        "created": int(entry.created_at),
        "model": entry.model.name,
        "status": figures.get("status", "idle"),
        "tokens": figures.get("kv_tokens", 0),
        "bytes": figures.get("kv_bytes", 0),
        "context_length": entry.model.context_length,
        "idle_seconds": round(entry.idle_seconds, 3),
        "queue": len(entry.queue.waiting),
        "waiting": waits or figures.get("status") == "queued",
        "place": queue.index(session_id) + 1 if session_id in queue else 0,
        "paused": figures.get("paused", False),
        "reply": {name: reply[name] for name in _REPLY} if reply else None,
        "ttl_seconds": entry.ttl,
        **{name: getattr(entry.config, name) for name in _OPTIONS},
    }

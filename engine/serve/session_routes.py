"""`/v1/sessions`: made, listed, read, forked and freed."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import suppress
from typing import Any, cast, get_args

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from engine.errors import UNSUPPORTED_SESSION, EngineError
from engine.messages import Overflow
from engine.openai import json_text
from engine.serve.guests import Guest, guest_of
from engine.serve.places import checked
from engine.serve.refusals import RefusedError
from engine.serve.served import Served
from engine.serve.sessions import Manner, Named, Sessions

LONGEST_BODY = 2**20
BODY_SECONDS = 20.0
LONGEST_TTL = 30 * 86400.0

_TYPES: dict[str, Any] = {
    "system": str,
    "reasoning": bool,
    "reproducible": bool,
    "on_overflow": get_args(Overflow),
    "kv_bits": (4, 8),
}


class SessionRoutes:
    """Answers requests about sessions. A guest hears of its own only."""

    def __init__(self, served: Served, sessions: Sessions) -> None:
        self._served = served
        self._sessions = sessions

    def routes(self) -> list[Route]:
        """What there is."""
        one = "/v1/sessions/{id}"
        return [
            Route("/v1/sessions", self._make, methods=["POST"]),
            Route("/v1/sessions", self._list, methods=["GET"]),
            Route(one, self._read, methods=["GET"]),
            Route(one, self._delete, methods=["DELETE"]),
            Route(f"{one}/fork", self._fork, methods=["POST"]),
        ]

    async def _make(self, request: Request) -> Response:
        body = await body_of(request, ("session_id", "model", "ttl_seconds", *_TYPES))
        guest = guest_of(request.scope)
        name = body.get("session_id")
        name = uuid.uuid4().hex if name is None else checked(name, "session_id")
        manner = _manner(body)
        await self._served.ready()
        model = await self._served.get(body.get("model"))
        named = self._sessions.make(guest, name, model, manner, _ttl(body))
        with self._served.use(model), named.line.enter():
            try:
                await self._open(named)
            except EngineError:
                if not named.freed:
                    self._sessions.delete(guest, name)
                raise
        return await self._told(named, 201)

    async def _open(self, named: Named) -> None:
        """Open the engine's session.

        Raises:
            EngineError: `unsupported_session`, or the engine was stopped.
        """
        session = named.session = self._sessions.open(named)
        if named.manner.kv_bits is None:
            return
        # The engine says it to the first message only. Here there is none yet.
        with suppress(TimeoutError):
            if session.id not in (await self._served.figures())["sessions"] and not named.freed:
                raise EngineError(
                    UNSUPPORTED_SESSION,
                    f"{named.model.name} cannot keep a session's keys and values in "
                    f"{named.manner.kv_bits} bits.",
                )

    async def _list(self, request: Request) -> Response:
        stats = await self._figures()
        found = [_shown(n, stats) for n in self._sessions.of(guest_of(request.scope))]
        return JSONResponse({"object": "list", "data": found})

    async def _read(self, request: Request) -> Response:
        return await self._told(self._sessions.get(*_asked(request)), 200)

    async def _fork(self, request: Request) -> Response:
        body = await body_of(request, ("session_id",))
        twin = body.get("session_id")
        twin = None if twin is None else checked(twin, "session_id")
        return await self._told(self._sessions.fork(*_asked(request), twin), 201)

    async def _delete(self, request: Request) -> Response:
        guest, name = _asked(request)
        self._sessions.delete(guest, name)
        return JSONResponse({"id": name, "object": "session.deleted", "deleted": True})

    async def _told(self, named: Named, status: int) -> Response:
        return JSONResponse(_shown(named, await self._figures()), status)

    async def _figures(self) -> dict[str, Any]:
        """The engine's figures by session; without an answer those from before, or none."""
        with suppress(TimeoutError, EngineError):
            await self._served.figures()
        return self._served.stats["sessions"] if self._served.stats else {}


async def body_of(request: Request, known: tuple[str, ...]) -> dict[str, Any]:
    """The JSON object of a request that may have none.

    Raises:
        RefusedError: it is too long or late, no object, or has other fields than those known.
    """
    raw = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for piece in request.stream():
                raw += piece
                if len(raw) > LONGEST_BODY:
                    raise RefusedError(413, "This request may have 1 MB, not more.")
    except TimeoutError:
        raise RefusedError(408, "The rest of the request did not come.") from None
    try:
        body = json_text.decode(bytes(raw)) if raw else {}
    except ValueError as error:
        why = str(error).rstrip(".")
        raise RefusedError(400, f"The request cannot be answered: {why}.") from None
    for field in body:
        if field not in known:
            raise RefusedError(400, f"There is no field {field!r} here, only {', '.join(known)}.")
    return body


def _asked(request: Request) -> tuple[Guest, str]:
    return guest_of(request.scope), checked(request.path_params["id"], "A session's id")


def _manner(body: dict[str, Any]) -> Manner:
    given = {name: body[name] for name in _TYPES if body.get(name) is not None}
    for name, value in given.items():
        kind = _TYPES[name]
        is_good = isinstance(value, kind) if isinstance(kind, type) else value in kind
        if not is_good or (isinstance(value, bool) and kind is not bool):
            wanted = {str: "a text", bool: "true or false"}.get(kind) or " or ".join(map(str, kind))
            raise RefusedError(400, f"{name} must be {wanted}, not {value!r}.")
    return Manner(**given)


def _ttl(body: dict[str, Any]) -> float | None:
    ttl = body.get("ttl_seconds")
    if ttl is None:
        return None
    if isinstance(ttl, bool) or not isinstance(ttl, (int, float)) or not 0 <= ttl <= LONGEST_TTL:
        raise RefusedError(400, f"ttl_seconds must be 0 to {LONGEST_TTL:g}, not {ttl!r}.")
    return float(ttl)


def _shown(named: Named, stats: dict[str, Any]) -> dict[str, Any]:
    """A session as its guest sees it. The engine's figures are by the engine's ids."""
    figures = cast(dict[str, Any], stats.get(named.session.id, {}) if named.session else {})
    return {
        "id": named.name,
        "object": "session",
        "created": int(named.made),
        "model": named.model.name,
        "status": figures.get("status", "idle"),
        "tokens": figures.get("kv_tokens", 0),
        "bytes": figures.get("kv_bytes", 0),
        "context_length": named.model.context_length,
        "idle_seconds": round(named.idle_seconds, 3),
        "queue": len(named.line.waiting),
        "ttl_seconds": named.ttl,
        **{name: getattr(named.manner, name) for name in _TYPES if name != "system"},
    }

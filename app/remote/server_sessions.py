"""Names of chat sessions on another Stretto, and their stats.

Each request contains the whole conversation, so nothing depends on what the server still has. The
name keeps the chat's cache on the server, and identifies the chat in the server's stats. Everything
runs on the thread of `Remotes`.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncGenerator, Coroutine, Iterable, Mapping
from contextlib import aclosing
from typing import Any, Protocol

from app.remote import client
from app.remote.address import Remote, host_of
from app.remote.remote_errors import RemoteError
from app.remote.stream import Piece, ReplyReader

log = logging.getLogger(__name__)

SMALL_S = 10.0  # timeout for closing
_LOST = frozenset({"session_not_found", "session_closed"})
_NO_ROOM = "capacity_exhausted"


class RemoteRequests(Protocol):
    async def has_sessions(self, address: str, key: str) -> bool: ...

    def last(self, work: Coroutine[Any, Any, None]) -> None: ...


class ServerSession:
    def __init__(self, remote: Remote, remotes: RemoteRequests) -> None:
        # Session name on the server, unrelated to the chat.
        self.name = f"window-{uuid.uuid4().hex}"
        self.exists = False  # last known state: the session exists on the server
        self._remote = remote
        self._remotes = remotes
        self._was_used = False
        self.closed = False  # `close` was called
        self._key = ""  # last key used, since the user may remove it before `close`

    async def answer(
        self, key: str, body: Mapping[str, Any], reading: ReplyReader
    ) -> AsyncGenerator[Piece, None]:
        """Yield the chunks of a reply, see `client.stream_reply`.

        If the server refuses the session, the request is sent again without it.
        """
        self._key = key
        bodies = [dict(body)]
        if not self.closed and await self._remotes.has_sessions(self._remote.address, key):
            bodies.insert(0, {**body, "session_id": self.name})
            self._was_used = True
        for each in bodies:
            existed = self.exists
            self.exists = "session_id" in each and not self.closed
            try:
                async with aclosing(
                    client.stream_reply(self._remote, key, each, reading)
                ) as pieces:
                    async for piece in pieces:
                        yield piece
                return
            except RemoteError as error:
                if "session_id" not in each or not _is_session_refused(error, existed):
                    raise

    def close(self) -> None:
        if not self.closed:
            self.closed, self.exists = True, False
            if self._was_used:
                self._remotes.last(self._end())

    async def _end(self) -> None:
        try:
            async with asyncio.timeout(SMALL_S):
                address, path = self._remote.address, f"/sessions/{self.name}"
                await client.fetch_json(address, path, self._key, "DELETE")
        except (RemoteError, TimeoutError) as error:
            log.info("remote session not closed: %s", type(error).__name__)


def _is_session_refused(error: RemoteError, existed: bool) -> bool:
    """Return True if the server refused the session and not the reply."""
    if not error.status:  # the reply had already started, or no server responded
        return False
    if error.said_code in _LOST:
        return True
    if error.said_code == _NO_ROOM:
        return not existed
    # The server claims to support sessions, but rejects their field.
    return error.status in (400, 404, 405, 422) and error.said_code != "model_not_found"


REST_S = 30.0  # pause after a server returned no stats
_MOST_SESSIONS = 10_000
_MOST = 2**53
_STATES = frozenset({"queued", "prefilling", "decoding", "idle"})

Figures = Mapping[str, Any]
"""Session stats: the engine's, plus `rate` (tokens per second), `host`, `place`, `context`."""


class ServerFigures:
    def __init__(self) -> None:
        self._paused_until: dict[str, float] = {}  # end of the pause by address
        # Time and token count of each session at the last sample, by address.
        self._read: dict[str, dict[str, tuple[float, int]]] = {}

    async def ask(
        self, address: str, key: str, chats: Mapping[str, ServerSession]
    ) -> dict[str, Figures]:
        """Return a server's stats by chat ID, or {} if it has none."""
        now = time.monotonic()
        if now < self._paused_until.get(address, 0.0):
            return {}
        try:
            body = await client.fetch_json(address, "/sessions", key)
        except RemoteError as error:
            log.info("cannot read statistics of remote sessions: %s", error.code)
            self._paused_until[address] = now + REST_S
            return {}
        entries = _sessions_by_name(body)
        read = self._read.setdefault(address, {})
        for old_name in [name for name in read if name not in entries]:
            del read[old_name]
        host = host_of(address)
        return {
            chat_id: figures_of(read, session.name, entries[session.name], host)
            for chat_id, session in chats.items()
            if session.name in entries
        }


def figures_of(
    read: dict[str, tuple[float, int]], name: str, entry: Mapping[str, Any], host: str
) -> Figures:
    """Return a server's session data as stats.

    ``read`` has the last time and token count of the server's sessions and is updated.
    """
    status, tokens, now = entry.get("status"), _number(entry.get("tokens")), time.monotonic()
    status = status if isinstance(status, str) and status in _STATES else "idle"
    if entry.get("waiting") is True:
        status = "queued"
    reply = entry.get("reply")
    reply = reply if isinstance(reply, Mapping) else {}
    before, read[name] = read.get(name), (now, tokens)
    rate = 0.0
    if status == "decoding":
        rate = _value(reply.get("tokens_per_s"))
    elif status == "prefilling" and before is not None and now > before[0]:
        rate = max(0, tokens - before[1]) / (now - before[0])
    return {
        "status": status,
        "paused": entry.get("paused") is True,
        "kv_tokens": tokens,
        "kv_bytes": _number(entry.get("bytes")),
        "reply": {"generated_tokens": _number(reply.get("generated_tokens"))},
        "rate": rate,
        "host": host,
        "place": _number(entry.get("place")),
        "context": _number(entry.get("context_length")),
    }


def _sessions_by_name(body: object) -> dict[str, Mapping[str, Any]]:
    data = body.get("data") if isinstance(body, Mapping) else None
    entries: Iterable[object] = data[:_MOST_SESSIONS] if isinstance(data, list) else ()
    return {
        entry["id"]: entry
        for entry in entries
        if isinstance(entry, Mapping) and isinstance(entry.get("id"), str)
    }


def _number(value: object) -> int:
    return int(_value(value))


def _value(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST:
        return 0.0
    return float(value)

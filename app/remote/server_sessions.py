"""Chat sessions on another Stretto, and their stats. Runs on the thread of `Remotes`.

A session only saves prefill, so everything the server has lost is sent again. The digest in the
response proves that the server replies to the right conversation.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import aclosing
from typing import Any, Protocol

from app.remote import client, remote_errors
from app.remote.address import Remote, host_of
from app.remote.remote_errors import RemoteError
from app.remote.stream import Piece, ReplyReader
from engine.serve.json_input import conversation_digests

log = logging.getLogger(__name__)

CONVERSATION = "x-stretto-conversation"
"""Header with the digest of the conversation the server replied to."""
SMALL_S = 10.0  # timeout for forking and closing
_LOST = frozenset({"session_not_found", "conversation_unknown", "session_closed"})
_NO_ROOM = "capacity_exhausted"


class RemoteRequests(Protocol):
    async def has_sessions(self, address: str, key: str) -> bool: ...

    def disable_sessions(self, address: str) -> None: ...

    def start(self, work: Coroutine[Any, Any, None]) -> Future[None]: ...

    def last(self, work: Coroutine[Any, Any, None]) -> None: ...


class ServerSession:
    def __init__(self, remote: Remote, desk: RemoteRequests) -> None:
        # Session name on the server, unrelated to the chat.
        self.name = f"window-{uuid.uuid4().hex}"
        self.exists = False  # last known state: the session exists on the server
        self._remote = remote
        self._desk = desk
        self._digests: Sequence[str] = ()  # digests of the last messages sent
        self._ready = asyncio.Event()
        self._ready.set()
        self._was_used = False
        self.closed = False  # `close` was called
        self._key = ""  # last key used, since the user may remove it before `close`

    async def answer(
        self, key: str, body: Mapping[str, Any], reading: ReplyReader
    ) -> AsyncGenerator[Piece, None]:
        """Yield the chunks of a reply, see `client.answer`.

        Raises:
            RemoteError: see `client.answer`.
        """
        self._key = key
        digests, lies = conversation_digests(body["messages"]), False
        await self._ready.wait()
        for request in await self._requests_to_try(key, body, digests):
            in_session = "session_id" in request
            if in_session and lies:
                continue
            self._was_used |= in_session
            check = self._check(digests) if in_session else None
            try:
                pieces = client.stream_reply(self._remote, key, request, reading, check)
                async with aclosing(pieces):
                    async for piece in pieces:
                        yield piece
                return
            except _OtherConversationError:
                log.warning(
                    "%s answered another conversation, not using its sessions", self._remote.host
                )
                self._desk.disable_sessions(self._remote.address)
                self._forget()
                lies = True
            except RemoteError as error:
                if not in_session or not self._should_try_next(error, request):
                    raise

    async def _requests_to_try(
        self, key: str, body: Mapping[str, Any], digests: Sequence[str]
    ) -> list[dict[str, Any]]:
        """Return the requests to try in order, each if the server refuses the previous one."""
        if self.closed or not await self._desk.has_sessions(self._remote.address, key):
            return [dict(body)]
        named = {**body, "session_id": self.name}
        count = _common_count(self._digests, digests)
        if not self.exists or not count:
            return [named, dict(body)]
        new = {"messages": body["messages"][count:], "follows": digests[count - 1]}
        return [{**named, **new}, named, dict(body)]

    def _check(self, digests: Sequence[str]) -> Callable[[Mapping[str, str]], None]:
        def check(headers: Mapping[str, str]) -> None:
            if headers.get(CONVERSATION) != digests[-1]:
                raise _OtherConversationError(remote_errors.BROKEN, "")
            self.exists, self._digests = True, digests

        return check

    def _should_try_next(self, error: RemoteError, request: Mapping[str, Any]) -> bool:
        """Check whether to try the next request, i.e. the session was refused and not the reply."""
        if not error.status:  # the reply had already started, or no server responded
            return False
        if error.said_code in _LOST:
            self._forget()
            return True
        if error.said_code == _NO_ROOM:
            return "follows" not in request and not self.exists
        # The server claims to support sessions, but rejects their fields.
        return error.status in (400, 404, 405, 422) and error.said_code != "model_not_found"

    def _forget(self) -> None:
        self.exists, self._digests = False, ()

    # Session requests.

    def fork(self) -> ServerSession:
        """Create a session that starts as a copy of this session."""
        twin = ServerSession(self._remote, self._desk)
        if self.exists and not self.closed:
            twin._ready.clear()
            twin._key = self._key
            done = self._desk.start(twin._begin_as(self))
            done.add_done_callback(lambda _: None)
        return twin

    async def _begin_as(self, source: ServerSession) -> None:
        try:
            known, path = source._digests, f"/sessions/{source.name}/fork"
            self._was_used = True
            if await self._send_small("POST", path, {"session_id": self.name}):
                self.exists, self._digests = True, known
        finally:
            self._ready.set()

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self._forget()
            if self._was_used:
                self._desk.last(self._end())

    async def _end(self) -> None:
        await self._ready.wait()
        await self._send_small("DELETE", f"/sessions/{self.name}")

    async def _send_small(self, method: str, path: str, body: dict[str, Any] | None = None) -> bool:
        """Send a small request. Returns True on success.

        A failure is only logged, because it only costs another prefill.
        """
        try:
            async with asyncio.timeout(SMALL_S):
                await client.fetch_json(self._remote.address, path, self._key, method, body)
            return True
        except (RemoteError, TimeoutError) as error:
            log.info("%s of a remote session failed: %s", method, type(error).__name__)
            return False


class _OtherConversationError(RemoteError):
    """Raised if the server replied to a different conversation."""


def _common_count(known: Sequence[str], digests: Sequence[str]) -> int:
    count = 0
    for ours, theirs in zip(known, digests, strict=False):
        if ours != theirs:
            break
        count += 1
    return count


REST_S = 30.0  # pause after a server returned no stats
_MOST_SESSIONS = 10_000
_MOST = 2**53
_STATES = frozenset({"queued", "prefilling", "decoding", "idle"})

Figures = Mapping[str, Any]
"""Session stats: the engine's, plus `rate` (tokens per second), `host`, `place`, `context`."""


class ServerFigures:
    """Requests session stats. Runs on the thread of `Remotes`."""

    def __init__(self) -> None:
        self._paused_until: dict[str, float] = {}  # end of the pause by address
        # Time and token count of each session at the last sample, by address.
        self._read: dict[str, dict[str, tuple[float, int]]] = {}

    async def ask(
        self, address: str, key: str, chats: Mapping[str, ServerSession]
    ) -> dict[str, Figures]:
        """Get a server's stats by chat ID, or {} if it has none."""
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
    """Convert a server's session data to stats.

    Args:
        read: last time and token count of the server's sessions, updated here.
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

"""Sessions that clients refer to by name, with digests of their conversations."""

from __future__ import annotations

import re
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace
from starlette.datastructures import Headers
from starlette.types import Scope

from engine.engine import Engine, Session
from engine.errors import CAPACITY_EXHAUSTED, SESSION_CLOSED, EngineError
from engine.messages import Overflow
from engine.model.info import Model
from engine.serve.auth import FairShare, KeyOwner, Settings
from engine.serve.errors import RequestError
from engine.serve.json_input import conversation_digests
from engine.serve.queue import Queue, QueueEntry

ALIASES = ("x-stretto-session-id", "x-executorch-session-id")
"""Headers that name a session, in order of precedence. Headers for machine affinity
(`x-session-affinity`, `session_id`) aren't included: an agent has several conversations under one
such id.
"""

UNKNOWN = "conversation_unknown"
HEADER = b"x-stretto-conversation"
"""Response header with the digest of the conversation being answered."""
MAX_STORED_BYTES = 4 * 2**20
"""Maximum size in bytes of all requests of a stored conversation. Longer conversations must be
resent in full.
"""
DIGEST = "[0-9a-f]{64}"


def check_digest(name: str, value: object) -> None:
    if not isinstance(value, str) or not re.fullmatch(DIGEST, value):
        raise ValueError(f"{name} is not a digest of 64 lower-case hexadecimal digits")


class SentConversation(Struct, frozen=True):
    """Conversation exactly as the client sent it."""

    messages: tuple[Any, ...] = ()
    digests: tuple[str, ...] = ()  # one digest per message, covering all messages up to that point
    size: int = 0  # size in bytes of the requests with these messages

    def continued_by(
        self, follows: str | None, messages: Sequence[Any], size: int
    ) -> SentConversation:
        """Return the conversation continued or replaced by `messages`.

        Args:
            follows: digest of the prefix that `messages` continue. None if they are the whole
                conversation.

        Raises:
            RequestError: 409 if there is no prefix with that digest.
        """
        if follows is None:
            return SentConversation(tuple(messages), tuple(conversation_digests(messages)), size)
        if follows not in self.digests:
            raise RequestError(
                409,
                "Unknown digest in follows. Send the whole conversation, without follows.",
                UNKNOWN,
            )
        count = self.digests.index(follows) + 1
        return SentConversation(
            (*self.messages[:count], *messages),
            (*self.digests[:count], *conversation_digests(messages, follows)),
            self.size + size,
        )

    @property
    def headers(self) -> tuple[tuple[bytes, bytes], ...]:
        return ((HEADER, self.digests[-1].encode()),) if self.digests else ()

    @property
    def storable(self) -> SentConversation:
        return self if self.size <= MAX_STORED_BYTES else SentConversation()


MAX_NAME_CHARACTERS = 128
SESSION_NAME = rf"[A-Za-z0-9][A-Za-z0-9._:@=+-]{{0,{MAX_NAME_CHARACTERS - 1}}}"
SESSION_NAME_RULE = (
    f"must be 1 to {MAX_NAME_CHARACTERS} letters, digits and . _ : @ = + -, "
    "the first one a letter or digit"
)
SESSION_NOT_FOUND = "session_not_found"
SESSION_EXISTS = "session_exists"
SESSION_SHARE_DIVISOR = 3
"""With several keys, a key may have up to this many times the number of sessions left free. Unlike
queue slots, sessions are held for a long time, so their limit is higher.
"""
RETRY_S = 5  # `Retry-After` when no session is about to expire


class SessionConfig(Struct, frozen=True):
    """Session settings. None means the model's default or, in an update, no change.

    The fields are explained in `Engine.open_session`.
    """

    system: str | None = None
    reasoning: bool | None = None
    reproducible: bool | None = None
    on_overflow: Overflow | None = None
    kv_bits: int | None = None

    def with_(self, changes: SessionConfig) -> SessionConfig:
        names = [n for n in changes.__struct_fields__ if getattr(changes, n) is not None]
        return replace(self, **{name: getattr(changes, name) for name in names})

    def open(
        self,
        engine: Engine,
        model: Model,
        owner: KeyOwner,
        session_id: str | None = None,
    ) -> Session:
        """Open an engine session for an owner. A session with an id keeps its cache on disk."""
        return engine.open_session(
            model,
            session_id,
            system=self.system,
            reproducible=bool(self.reproducible),
            reasoning=self.reasoning,
            on_overflow=self.on_overflow or "refuse",
            kv_bits=self.kv_bits,
            domain=owner.domain,
        )


class SessionEntry(Struct, eq=False):
    owner: KeyOwner
    name: str
    model: Model
    config: SessionConfig
    ttl: float  # idle time in seconds before the session is freed; 0 for never
    # None until first used, and after the engine lost the session.
    session: Session | None = None
    queue: Queue = field(default_factory=lambda: Queue(1))  # allows one request at a time
    created_at: float = field(default_factory=time.time)  # creation time in seconds since 1970
    # The running or next request in the server-wide queue.
    ticket: QueueEntry | None = None
    is_freed: bool = False
    # created by a request, and no request has been admitted yet
    is_new: bool = False
    # conversation of the latest request
    sent: SentConversation = field(default_factory=SentConversation)
    # `ModelRequest.cancel_replies` of the running request, if any
    cancel_replies: Callable[[bool], None] | None = None

    @property
    def last_used_at(self) -> float:
        return self.queue.last_left_at

    @property
    def idle_seconds(self) -> float:
        return 0.0 if self.queue.busy else time.monotonic() - self.last_used_at

    def steer(self) -> None:
        """End the reply at the next safe point, so that the next request can start."""
        if self.cancel_replies is not None:
            self.cancel_replies(True)

    def freed_error(self) -> EngineError:
        return EngineError(SESSION_CLOSED, "The session was freed.")

    def close(self) -> None:
        if self.session is not None:
            self.session.close()
            self.session = None


class SessionRegistry:
    def __init__(self, engine: Engine, settings: Settings, sharing: FairShare) -> None:
        self._engine = engine
        self._settings = settings
        self._sharing = sharing
        self._named: dict[tuple[str, str], SessionEntry] = {}
        self.evicted = 0  # number of sessions evicted so far

    def __len__(self) -> int:
        return len(self._named)

    def find(self, owner: KeyOwner, name: str) -> SessionEntry | None:
        self.free_expired()
        return self._named.get((owner.id, name))

    def get(self, owner: KeyOwner, name: str) -> SessionEntry:
        """Return an owner's session.

        Raises:
            RequestError: 404 if there is none.
        """
        entry = self.find(owner, name)
        if entry is None:
            raise RequestError(404, f"Unknown session {name!r}.", SESSION_NOT_FOUND)
        return entry

    def all(self) -> list[SessionEntry]:
        return list(self._named.values())

    def of(self, owner: KeyOwner) -> list[SessionEntry]:
        self.free_expired()
        return [entry for entry in self._named.values() if entry.owner.id == owner.id]

    def make(
        self,
        owner: KeyOwner,
        name: str,
        model: Model,
        config: SessionConfig,
        ttl: float | None = None,
        spared: SessionEntry | None = None,
    ) -> SessionEntry:
        """Create a session. Its engine session is only opened when needed.

        Args:
            spared: a session that must not be evicted to make room.

        Raises:
            RequestError: 409 if the name is taken, 429 if there are too many sessions.
        """
        if self.find(owner, name) is not None:
            raise RequestError(409, f"Session {name!r} already exists.", SESSION_EXISTS)
        self._make_room(owner, spared)
        ttl = self._settings.session_ttl if ttl is None else ttl
        entry = self._named[(owner.id, name)] = SessionEntry(owner, name, model, config, ttl)
        return entry

    def fork(self, owner: KeyOwner, name: str, twin: str | None) -> SessionEntry:
        source = self.get(owner, name)
        name = twin or uuid.uuid4().hex
        entry = self.make(owner, name, source.model, source.config, source.ttl, source)
        entry.sent = source.sent
        if source.session is not None:
            try:
                entry.session = source.session.fork()
            except EngineError:
                self._free(entry)
                raise
        return entry

    def open(self, entry: SessionEntry) -> Session:
        return entry.config.open(self._engine, entry.model, entry.owner)

    def delete(self, owner: KeyOwner, name: str) -> None:
        """Free a session, and cancel its reply.

        Raises:
            RequestError: 404 if there is none.
        """
        self._free(self.get(owner, name))

    def discard_new(self, entry: SessionEntry) -> None:
        """Free a session if no request was admitted to it and none waits for it."""
        if entry.is_new and not entry.is_freed and not entry.queue.busy:
            self._free(entry)

    def forget(self, owner_ids: Collection[str]) -> None:
        """Free everything that belongs to the given owners, and cancel running replies."""
        for entry in self.all():
            if entry.owner.id in owner_ids:
                self._free(entry)

    def free_expired(self) -> None:
        for entry in list(self._named.values()):
            if entry.ttl and entry.idle_seconds > entry.ttl:
                self._free(entry)

    def clear(self, of_model: Callable[[Model], bool] = lambda _: True) -> None:
        """Close engine sessions that the engine has lost. They are reopened on next use."""
        for entry in self._named.values():
            if of_model(entry.model):
                entry.close()

    def _make_room(self, owner: KeyOwner, spared: SessionEntry | None) -> None:
        evict, count_by_owner = (
            self._settings.policy == "evict",
            Counter(n.owner.id for n in self.all()),
        )
        free = self._settings.sessions - len(self._named)
        if free > 0:
            own_count = count_by_owner[owner.id]
            if (
                not evict
                and own_count
                and not self._sharing.may_have((own_count + 1) / SESSION_SHARE_DIVISOR, free)
            ):
                raise self._sharing.refused("the sessions")
            return
        idle = [n for n in self._named.values() if not n.queue.busy and n is not spared]
        if evict and idle:
            fair = self._sharing.several
            self._free(
                min(
                    idle, key=lambda n: (-count_by_owner[n.owner.id] if fair else 0, n.last_used_at)
                )
            )
            self.evicted += 1
            return
        ends = [n.ttl - n.idle_seconds for n in idle if n.ttl]
        raise RequestError(
            429,
            f"Too many sessions ({len(self._named)}). Delete one, or retry later.",
            CAPACITY_EXHAUSTED,
            int(min([RETRY_S, *ends])) + 1,
        )

    def _free(self, entry: SessionEntry) -> None:
        # Close it first. If this fails, the session stays registered and can be freed later.
        entry.close()
        del self._named[(entry.owner.id, entry.name)]
        entry.is_freed = True
        for ticket in list(entry.queue.waiting):
            ticket.refuse(entry.freed_error())
        if entry.ticket is not None:
            entry.ticket.refuse(entry.freed_error())


def session_name(scope: Scope, body: dict[str, Any]) -> str | None:
    """Return the session name from the body (and remove it there) or from a header.

    Raises:
        RequestError: 400 if the name isn't valid.
    """
    session_id = body.pop("session_id", None)
    if session_id is not None:
        return checked_name(session_id, "session_id", "session_id")
    headers = Headers(scope=scope)
    for alias in ALIASES:
        if name := headers.get(alias):
            return checked_name(name, alias)
    return None


def checked_name(name: object, label: str, field: str | None = None) -> str:
    if not isinstance(name, str) or not re.fullmatch(SESSION_NAME, name):
        raise RequestError(400, f"{label} {SESSION_NAME_RULE}.", field=field)
    return name

"""Named sessions of clients, and digests of the conversations sent to them.

Requests of a session run one after another.
"""

from __future__ import annotations

import re
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace
from starlette.types import Scope

from engine.engine import Engine, Session
from engine.errors import CAPACITY_EXHAUSTED, SESSION_CLOSED, EngineError
from engine.messages import Overflow
from engine.model.info import Model
from engine.serve.auth import FairShare, Guest, Settings
from engine.serve.errors import RequestError
from engine.serve.json_input import conversation_digests
from engine.serve.queue import Queue, QueueEntry
from engine.serve.requests import RunningReplies

ALIASES = ("x-stretto-session-id", "x-executorch-session-id")
"""Headers that name a session, in order of precedence. Headers by which agents ask for the same
machine (`x-session-affinity`, `session_id`) do not: each agent has several conversations under one
id, and a thousand ids are not a thousand sessions."""

UNKNOWN = "conversation_unknown"
HEADER = b"x-stretto-conversation"
"""Response header in a session: the digest of the conversation that is answered."""
MAX_STORED_BYTES = 4 * 2**20
"""Maximum bytes of requests whose conversation is stored. Longer ones must be sent as a whole."""
DIGEST = "[0-9a-f]{64}"


def check_digest(name: str, value: object) -> None:
    if not isinstance(value, str) or not re.fullmatch(DIGEST, value):
        raise ValueError(f"{name} is no digest of 64 small hexadecimal digits")


class SentConversation(Struct, frozen=True):
    """Conversation as sent by its client."""

    messages: tuple[Any, ...] = ()
    digests: tuple[str, ...] = ()  # of each beginning, one per message
    size: int = 0  # bytes of the requests with these messages

    def followed(self, follows: str | None, messages: Sequence[Any], size: int) -> SentConversation:
        """Return the conversation that consists of a beginning of this one and new messages.

        Args:
            follows: digest of the beginning; None if `messages` is the whole conversation.
            size: bytes of the request.

        Raises:
            RefusedError: 409 if this conversation has no such beginning.
        """
        if follows is None:
            return SentConversation(tuple(messages), tuple(conversation_digests(messages)), size)
        if follows not in self.digests:
            raise RequestError(
                409,
                "The session does not know the messages that follows names. "
                "Send the whole conversation, without follows.",
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
        """Response headers by which the client can check which conversation is answered."""
        return ((HEADER, self.digests[-1].encode()),) if self.digests else ()

    @property
    def kept(self) -> SentConversation:
        """Part to store in a session: everything, or nothing if too large."""
        return self if self.size <= MAX_STORED_BYTES else SentConversation()


MAX_NAME_CHARACTERS = 128
SESSION_NAME = rf"[A-Za-z0-9][A-Za-z0-9._:@=+-]{{0,{MAX_NAME_CHARACTERS - 1}}}"
"""Regular expression for names of sessions."""
SESSION_NAME_RULE = (
    f"must be 1 to {MAX_NAME_CHARACTERS} letters, digits and . _ : @ = + -, "
    "the first one a letter or digit"
)
SESSION_NOT_FOUND = "session_not_found"
SESSION_EXISTS = "session_exists"
SESSION_SHARE_DIVISOR = 3
"""With several keys, a key may take sessions until the rest is a third of its own. This is more
than its share of queues, because sessions are long-lived."""
RETRY_S = 5  # `Retry-After` if no session is about to expire


class SessionConfig(Struct, frozen=True):
    """Configuration of a session. None means the model's default, or no change.

    For its attributes, see `Engine.open_session`.
    """

    system: str | None = None
    reasoning: bool | None = None
    reproducible: bool | None = None
    on_overflow: Overflow | None = None
    kv_bits: int | None = None

    def with_(self, asked: SessionConfig) -> SessionConfig:
        """Return a copy with the values of `asked` that are not None."""
        names = [n for n in asked.__struct_fields__ if getattr(asked, n) is not None]
        return replace(self, **{name: getattr(asked, name) for name in names})

    def open(
        self,
        engine: Engine,
        model: Model,
        guest: Guest,
        session_id: str | None = None,
        begins_as: str = "",
    ) -> Session:
        """Open an engine session for a guest. With an id, its cache is stored on disk.

        Args: see `Engine.open_session`.
        """
        return engine.open_session(
            model,
            session_id,
            system=self.system,
            reproducible=bool(self.reproducible),
            reasoning=self.reasoning,
            on_overflow=self.on_overflow or "refuse",
            kv_bits=self.kv_bits,
            domain=guest.domain,
            begins_as=begins_as,
        )


class ServerSession(Struct, eq=False):
    """A named session."""

    guest: Guest
    name: str
    model: Model
    config: SessionConfig
    ttl: float  # seconds until it is freed if unused; 0 keeps it
    # None before its first use, and after the engine has lost it
    session: Session | None = None
    queue: Queue = field(default_factory=lambda: Queue(1))  # runs its requests one at a time
    made: float = field(default_factory=time.time)  # seconds since 1970
    # its current or next request in the queue of all requests
    ticket: QueueEntry | None = None
    freed: bool = False
    sent: SentConversation = field(default_factory=SentConversation)  # its last conversation
    answers: RunningReplies | None = None  # running replies

    @property
    def used(self) -> float:
        """Monotonic time of its last use."""
        return self.queue.left

    @property
    def idle_seconds(self) -> float:
        """Seconds since its last use, or 0 if in use."""
        return 0.0 if self.queue.busy else time.monotonic() - self.used

    def steer(self) -> None:
        """End its reply at the next safe point, so that the next request can continue."""
        if self.answers is not None:
            self.answers.cancel(whole=True)

    def gone(self) -> EngineError:
        """Return the error for requests that waited for it when it was freed."""
        return EngineError(SESSION_CLOSED, "The session was freed.")

    def close(self) -> None:
        """Close the engine's session."""
        if self.session is not None:
            self.session.close()
            self.session = None


class SessionRegistry:
    """Registry of a server's named sessions. Lives on its event loop."""

    def __init__(
        self, engine: Engine, settings: Settings, sharing: FairShare | None = None
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._sharing = sharing or FairShare()
        self._named: dict[tuple[str, str], ServerSession] = {}
        self.evicted = 0  # sessions so far

    def __len__(self) -> int:
        return len(self._named)

    def find(self, guest: Guest, name: str) -> ServerSession | None:
        """Return a guest's session, or None."""
        self.free_old()
        return self._named.get((guest.id, name))

    def get(self, guest: Guest, name: str) -> ServerSession:
        """Return a guest's session.

        Raises:
            RefusedError: 404.
        """
        found = self.find(guest, name)
        if found is None:
            raise RequestError(404, f"There is no session {name!r}.", SESSION_NOT_FOUND)
        return found

    def all(self) -> list[ServerSession]:
        """Return the sessions of all guests."""
        return list(self._named.values())

    def of(self, guest: Guest) -> list[ServerSession]:
        """Return a guest's sessions, oldest first."""
        self.free_old()
        return [named for named in self._named.values() if named.guest.id == guest.id]

    def make(
        self,
        guest: Guest,
        name: str,
        model: Model,
        config: SessionConfig,
        ttl: float | None = None,
        spared: ServerSession | None = None,
    ) -> ServerSession:
        """Create a session. The engine's session is opened on first use.

        Args:
            spared: session that may not be evicted for this one.

        Raises:
            RefusedError: 409 if the name exists, 429 if the limit is reached.
        """
        if self.find(guest, name) is not None:
            raise RequestError(409, f"There is a session {name!r} already.", SESSION_EXISTS)
        self._make_room(guest, spared)
        ttl = self._settings.session_ttl if ttl is None else ttl
        made = self._named[(guest.id, name)] = ServerSession(guest, name, model, config, ttl)
        return made

    def fork(self, guest: Guest, name: str, twin: str | None) -> ServerSession:
        """Create a copy of a session.

        Raises:
            RefusedError: see `get` and `make`.
        """
        source = self.get(guest, name)
        name = twin or uuid.uuid4().hex
        made = self.make(guest, name, source.model, source.config, source.ttl, source)
        made.sent = source.sent
        if source.session is not None:
            try:
                made.session = source.session.fork()
            except EngineError:
                self._free(made)
                raise
        return made

    def open(self, named: ServerSession) -> Session:
        """Open an engine session for a named one."""
        return named.config.open(self._engine, named.model, named.guest)

    def delete(self, guest: Guest, name: str) -> None:
        """Free a session, and cancel its reply.

        Raises:
            RefusedError: 404.
        """
        self._free(self.get(guest, name))

    def forget(self, guests: Collection[str]) -> None:
        """Free all sessions of guests, and cancel their replies."""
        for named in self.all():
            if named.guest.id in guests:
                self._free(named)

    def free_old(self) -> None:
        """Free the sessions whose time to live is over."""
        for named in list(self._named.values()):
            if named.ttl and named.idle_seconds > named.ttl:
                self._free(named)

    def clear(self, of_model: Callable[[Model], bool] = lambda _: True) -> None:
        """Close the engine's sessions, which it has lost. They are opened again on the next use."""
        for named in self._named.values():
            if of_model(named.model):
                named.close()

    def _make_room(self, guest: Guest, spared: ServerSession | None) -> None:
        evict, of = self._settings.policy == "evict", Counter(n.guest.id for n in self.all())
        left = self._settings.sessions - len(self._named)
        if left > 0:
            mine = of[guest.id]
            if (
                not evict
                and mine
                and not self._sharing.may_have((mine + 1) / SESSION_SHARE_DIVISOR, left)
            ):
                raise self._sharing.refused("the sessions")
            return
        idle = [n for n in self._named.values() if not n.queue.busy and n is not spared]
        if evict and idle:
            fair = self._sharing.several
            self._free(min(idle, key=lambda n: (-of[n.guest.id] if fair else 0, n.used)))
            self.evicted += 1
            return
        ends = [n.ttl - n.idle_seconds for n in idle if n.ttl]
        raise RequestError(
            429,
            f"There are {len(self._named)} sessions, and no place for one more. "
            "Delete one, or ask again later.",
            CAPACITY_EXHAUSTED,
            int(min([RETRY_S, *ends])) + 1,
        )

    def _free(self, named: ServerSession) -> None:
        named.close()  # first: if this fails, the session stays registered and is freed later
        del self._named[(named.guest.id, named.name)]
        named.freed = True
        for ticket in list(named.queue.waiting):
            ticket.refuse(named.gone())
        if named.ticket is not None:
            named.ticket.refuse(named.gone())


def session_name(scope: Scope, body: dict[str, Any]) -> str | None:
    """Return the session named in a body, which loses the field, or in a header, or None.

    Raises:
        RefusedError: 400 if the name is invalid.
    """
    named = body.pop("session_id", None)
    if named is not None:
        return checked_name(named, "session_id", "session_id")
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    for alias in ALIASES:
        if headers.get(alias):
            return checked_name(headers[alias], alias)
    return None


def checked_name(name: object, where: str, field: str | None = None) -> str:
    """Return a session's name if it is valid.

    Args:
        field: field of the body that has the name, if any.

    Raises:
        RefusedError: 400.
    """
    if not isinstance(name, str) or not re.fullmatch(SESSION_NAME, name):
        raise RequestError(400, f"{where} {SESSION_NAME_RULE}.", field=field)
    return name

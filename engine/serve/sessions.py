"""The sessions that clients name, and how what they send is known again.

Requests of one session follow each other.
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
from engine.serve.auth import Guest, Settings, Sharing
from engine.serve.errors import RefusedError
from engine.serve.json_input import chained
from engine.serve.queue import Queue, Ticket
from engine.serve.requests import Answers

ALIASES = ("x-stretto-session-id", "x-executorch-session-id")
"""Headers that name a session, the first one before the other. Those by which agents ask that their
requests come to the same machine (`x-session-affinity`, `session_id`) name none: each agent has
several conversations under one id, and a thousand ids are no thousand sessions."""

UNKNOWN = "conversation_unknown"
HEADER = b"x-stretto-conversation"
"""Of an answer in a session: the digest of the whole conversation that is answered."""
MOST_KEPT = 4 * 2**20
"""Bytes of a request whose conversation is kept. A longer one is sent whole every time."""
DIGEST = "[0-9a-f]{64}"


def check_digest(name: str, value: object) -> None:
    if not isinstance(value, str) or not re.fullmatch(DIGEST, value):
        raise ValueError(f"{name} is no digest of 64 small hexadecimal digits")


class Sent(Struct, frozen=True):
    """A conversation as its client has sent it."""

    messages: tuple[Any, ...] = ()  # all of them
    digests: tuple[str, ...] = ()  # of each beginning, as many as there are messages
    size: int = 0  # bytes of the requests in which they came

    def followed(self, follows: str | None, messages: Sequence[Any], size: int) -> Sent:
        """The conversation that these messages go on, and they.

        Args:
            follows: the digest of the beginning; None where they are the whole conversation.
            size: bytes of their request.

        Raises:
            RefusedError: 409, no beginning of this conversation has that digest.
        """
        if follows is None:
            return Sent(tuple(messages), tuple(chained(messages)), size)
        if follows not in self.digests:
            raise RefusedError(
                409,
                "The session does not know the messages that follows names. "
                "Send the whole conversation, without follows.",
                UNKNOWN,
            )
        count = self.digests.index(follows) + 1
        return Sent(
            (*self.messages[:count], *messages),
            (*self.digests[:count], *chained(messages, follows)),
            self.size + size,
        )

    @property
    def headers(self) -> tuple[tuple[bytes, bytes], ...]:
        """By which the client knows that its conversation is the one that is answered."""
        return ((HEADER, self.digests[-1].encode()),) if self.digests else ()

    @property
    def kept(self) -> Sent:
        """What a session keeps of it: all or nothing."""
        return self if self.size <= MOST_KEPT else Sent()


LONGEST_NAME = 128
SESSION_NAME = rf"[A-Za-z0-9][A-Za-z0-9._:@=+-]{{0,{LONGEST_NAME - 1}}}"
"""A session's name, as a regular expression."""
SESSION_NAME_RULE = (
    f"must be 1 to {LONGEST_NAME} letters, digits and . _ : @ = + -, "
    "the first one a letter or digit"
)
SESSION_NOT_FOUND = "session_not_found"
SESSION_EXISTS = "session_exists"
KEY_SHARE = 3
"""One of several keys leaves a third of what it has itself: sessions are kept, and not queued."""
RETRY_SECONDS = 5  # what `Retry-After` says where no session's end is known


class SessionConfig(Struct, frozen=True):
    """How a session works. None is the model's own way, or that of the session as it is.

    Attributes: those of `Engine.open_session`.
    """

    system: str | None = None
    reasoning: bool | None = None
    reproducible: bool | None = None
    on_overflow: Overflow | None = None
    kv_bits: int | None = None

    def with_(self, asked: SessionConfig) -> SessionConfig:
        """This one, with what was asked for."""
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
        """A new session of the engine, of that guest; with an id its cache is kept on disk.

        Args: as of `Engine.open_session`.
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


class Named(Struct, eq=False):
    """A session with a name."""

    guest: Guest
    name: str
    model: Model
    config: SessionConfig
    ttl: float  # seconds without use after which it is freed; 0 keeps it
    # the engine's, None until it is needed, and after the engine has lost it
    session: Session | None = None
    queue: Queue = field(default_factory=lambda: Queue(1))  # its requests, one at a time
    made: float = field(default_factory=time.time)  # when, in seconds since 1970
    # of its request that is answered or next, in the queue of all requests
    ticket: Ticket | None = None
    freed: bool = False
    sent: Sent = field(default_factory=Sent)  # the conversation that it was asked last
    answers: Answers | None = None  # what is generated in it; None while nothing is

    @property
    def used(self) -> float:
        """When it was used last, of `time.monotonic`."""
        return self.queue.left

    @property
    def idle_seconds(self) -> float:
        """How long nobody has used it."""
        return 0.0 if self.queue.busy else time.monotonic() - self.used

    def steer(self) -> None:
        """End what it answers where that is whole; who waits for it is next, and reads on."""
        if self.answers is not None:
            self.answers.cancel(whole=True)

    def gone(self) -> EngineError:
        """The error for those who waited for it."""
        return EngineError(SESSION_CLOSED, "The session was freed.")

    def close(self) -> None:
        """Let go of what the engine keeps for it."""
        if self.session is not None:
            self.session.close()
            self.session = None


class Sessions:
    """All named sessions of a server. Lives on the server's event loop."""

    def __init__(self, engine: Engine, settings: Settings, sharing: Sharing | None = None) -> None:
        self._engine = engine
        self._settings = settings
        self._sharing = sharing or Sharing()
        self._named: dict[tuple[str, str], Named] = {}
        self.evicted = 0  # how many had to make room so far

    def __len__(self) -> int:
        return len(self._named)

    def find(self, guest: Guest, name: str) -> Named | None:
        """A guest's session of that name."""
        self.free_old()
        return self._named.get((guest.id, name))

    def get(self, guest: Guest, name: str) -> Named:
        """As `find`.

        Raises:
            RefusedError: 404.
        """
        found = self.find(guest, name)
        if found is None:
            raise RefusedError(404, f"There is no session {name!r}.", SESSION_NOT_FOUND)
        return found

    def all(self) -> list[Named]:
        """Those of all guests."""
        return list(self._named.values())

    def of(self, guest: Guest) -> list[Named]:
        """A guest's sessions, the oldest first."""
        self.free_old()
        return [named for named in self._named.values() if named.guest.id == guest.id]

    def make(
        self,
        guest: Guest,
        name: str,
        model: Model,
        config: SessionConfig,
        ttl: float | None = None,
        spared: Named | None = None,
    ) -> Named:
        """A new session. The engine opens it when it is first used.

        Args:
            spared: is not evicted for this one.

        Raises:
            RefusedError: 409 when there is one of that name, 429 when there is no place.
        """
        if self.find(guest, name) is not None:
            raise RefusedError(409, f"There is a session {name!r} already.", SESSION_EXISTS)
        self._make_room(guest, spared)
        ttl = self._settings.session_ttl if ttl is None else ttl
        made = self._named[(guest.id, name)] = Named(guest, name, model, config, ttl)
        return made

    def fork(self, guest: Guest, name: str, twin: str | None) -> Named:
        """A session that knows what another knows.

        Raises:
            RefusedError: as `get` and `make`.
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

    def open(self, named: Named) -> Session:
        """A new session of the engine, as a named one wants it."""
        return named.config.open(self._engine, named.model, named.guest)

    def delete(self, guest: Guest, name: str) -> None:
        """Free a session; what it answers is stopped.

        Raises:
            RefusedError: 404.
        """
        self._free(self.get(guest, name))

    def forget(self, guests: Collection[str]) -> None:
        """Free all sessions of guests, by their ids; what these answer is stopped."""
        for named in self.all():
            if named.guest.id in guests:
                self._free(named)

    def free_old(self) -> None:
        """Free the sessions that nobody has used for longer than they were to be kept."""
        for named in list(self._named.values()):
            if named.ttl and named.idle_seconds > named.ttl:
                self._free(named)

    def clear(self, of_model: Callable[[Model], bool] = lambda _: True) -> None:
        """Let go of the engine's sessions: it has lost them. They are opened again when used."""
        for named in self._named.values():
            if of_model(named.model):
                named.close()

    def _make_room(self, guest: Guest, spared: Named | None) -> None:
        evict, of = self._settings.policy == "evict", Counter(n.guest.id for n in self.all())
        left = self._settings.sessions - len(self._named)
        if left > 0:
            mine = of[guest.id]
            if not evict and mine and not self._sharing.may_have((mine + 1) / KEY_SHARE, left):
                raise self._sharing.refused("the sessions")
            return
        idle = [n for n in self._named.values() if not n.queue.busy and n is not spared]
        if evict and idle:
            fair = self._sharing.several
            self._free(min(idle, key=lambda n: (-of[n.guest.id] if fair else 0, n.used)))
            self.evicted += 1
            return
        ends = [n.ttl - n.idle_seconds for n in idle if n.ttl]
        raise RefusedError(
            429,
            f"There are {len(self._named)} sessions, and no place for one more. "
            "Delete one, or ask again later.",
            CAPACITY_EXHAUSTED,
            int(min([RETRY_SECONDS, *ends])) + 1,
        )

    def _free(self, named: Named) -> None:
        named.close()  # where it cannot be closed it is known still, and freed later
        del self._named[(named.guest.id, named.name)]
        named.freed = True
        for ticket in list(named.queue.waiting):
            ticket.refuse(named.gone())
        if named.ticket is not None:
            named.ticket.refuse(named.gone())


def session_name(scope: Scope, body: dict[str, Any]) -> str | None:
    """Which session a request names: in its body, which loses the field, or in a header.

    Raises:
        RefusedError: 400, the name is no session's.
    """
    named = body.pop("session_id", None)
    if named is not None:
        return checked(named, "session_id", "session_id")
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    for alias in ALIASES:
        if headers.get(alias):
            return checked(headers[alias], alias)
    return None


def checked(name: object, where: str, field: str | None = None) -> str:
    """A session's name that can be one.

    Args:
        field: of the body, if it has the name.

    Raises:
        RefusedError: 400.
    """
    if not isinstance(name, str) or not re.fullmatch(SESSION_NAME, name):
        raise RefusedError(400, f"{where} {SESSION_NAME_RULE}.", field=field)
    return name

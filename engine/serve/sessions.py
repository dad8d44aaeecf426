"""Sessions that clients name. Each is isolated, and has a place until it is freed."""

from __future__ import annotations

import logging
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, fields, replace

from engine.engine import Engine, Session
from engine.errors import CAPACITY_EXHAUSTED, SESSION_CLOSED, EngineError
from engine.messages import Overflow
from engine.model.info import Model
from engine.serve.guests import Guest
from engine.serve.line import Line, Turn
from engine.serve.refusals import RefusedError
from engine.serve.settings import Settings
from engine.serve.sharing import Sharing
from engine.serve.told import Told

log = logging.getLogger(__name__)

SESSION_NOT_FOUND = "session_not_found"
SESSION_EXISTS = "session_exists"
KEY_SHARE = 3
"""One of several keys leaves a third of what it has itself: sessions are kept, and not queued."""
RETRY_SECONDS = 5
"""What `Retry-After` says where no session's end is known."""


@dataclass(frozen=True)
class Manner:
    """How a session works. None is the model's own way, or that of the session as it is.

    Attributes: those of `Engine.open_session`.
    """

    system: str | None = None
    reasoning: bool | None = None
    reproducible: bool | None = None
    on_overflow: Overflow | None = None
    kv_bits: int | None = None

    def with_(self, asked: Manner) -> Manner:
        """This one, with what was asked for."""
        names = [f.name for f in fields(asked) if getattr(asked, f.name) is not None]
        return replace(self, **{name: getattr(asked, name) for name in names})

    def open(self, engine: Engine, model: Model, guest: Guest) -> Session:
        """A new session of the engine, of that guest."""
        return engine.open_session(
            model,
            system=self.system,
            reproducible=bool(self.reproducible),
            reasoning=self.reasoning,
            on_overflow=self.on_overflow or "refuse",
            kv_bits=self.kv_bits,
            domain=guest.domain,
        )


@dataclass(eq=False)
class Named:
    """A session with a name.

    Attributes:
        ttl: seconds without use after which it is freed; 0 keeps it.
        session: the engine's, None until it is needed, and after the engine has lost it.
        line: its requests, one at a time.
        turn: of the one request that is through its line, in the line of all requests.
        made: when, in seconds since 1970.
        told: the conversation that it was asked last.
    """

    guest: Guest
    name: str
    model: Model
    manner: Manner
    ttl: float
    session: Session | None = None
    line: Line = field(default_factory=lambda: Line(1))
    made: float = field(default_factory=time.time)
    turn: Turn | None = None
    freed: bool = False
    told: Told = field(default_factory=Told)

    @property
    def used(self) -> float:
        """When it was used last, of `time.monotonic`."""
        return self.line.left

    @property
    def idle_seconds(self) -> float:
        """How long nobody has used it."""
        return 0.0 if self.line.busy else time.monotonic() - self.used

    def gone(self) -> EngineError:
        """The error for those who waited for it."""
        return EngineError(SESSION_CLOSED, "The session was freed.")

    def close(self) -> None:
        """Let go of what the engine keeps for it."""
        if self.session is not None:
            self.session.close()
            self.session = None


class Sessions:
    """All named sessions of a server. Lives on the server's event loop.

    Attributes:
        evicted: how many had to make room so far.
    """

    def __init__(self, engine: Engine, settings: Settings, sharing: Sharing | None = None) -> None:
        self._engine = engine
        self._settings = settings
        self._sharing = sharing or Sharing()
        self._named: dict[tuple[str, str], Named] = {}
        self.evicted = 0

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
        manner: Manner,
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
        made = self._named[(guest.id, name)] = Named(guest, name, model, manner, ttl)
        return made

    def fork(self, guest: Guest, name: str, twin: str | None) -> Named:
        """A session that knows what another knows.

        Raises:
            RefusedError: as `get` and `make`.
        """
        source = self.get(guest, name)
        name = twin or uuid.uuid4().hex
        made = self.make(guest, name, source.model, source.manner, source.ttl, source)
        made.told = source.told
        if source.session is not None:
            try:
                made.session = source.session.fork()
            except EngineError:
                self._free(made)
                raise
        return made

    def open(self, named: Named) -> Session:
        """A new session of the engine, as a named one wants it."""
        return named.manner.open(self._engine, named.model, named.guest)

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
        idle = [n for n in self._named.values() if not n.line.busy and n is not spared]
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
        del self._named[(named.guest.id, named.name)]
        named.freed = True
        named.close()
        named.line.end(named.gone())
        if named.turn is not None:
            named.turn.refuse(named.gone())

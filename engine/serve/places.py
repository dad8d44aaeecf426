"""Where a request is answered: in its client's session, or in a conversation without a name.

Whether there is a place is decided before the first byte of an answer. Requests of one session
follow each other; all together wait in one queue.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from starlette.types import Scope

from engine.engine import Session
from engine.errors import (
    CAPACITY_EXHAUSTED,
    ENGINE_STOPPED,
    INTERNAL_ERROR,
    SESSION_CLOSED,
    UNKNOWN_MODEL,
    UNSUPPORTED_SESSION,
)
from engine.messages import Message
from engine.model.info import Model
from engine.serve.auth import Guest, Sharing, guest_of
from engine.serve.errors import MODEL_UNLOADED, RefusedError
from engine.serve.models import Use
from engine.serve.queue import Queue, Say, Turn
from engine.serve.sessions import (
    SESSION_NAME,
    SESSION_NAME_RULE,
    Conversation,
    Conversations,
    Named,
    SessionConfig,
    Sessions,
)
from engine.serve.settings import Settings

log = logging.getLogger(__name__)

ALIASES = ("x-stretto-session-id", "x-executorch-session-id", "session_id", "x-session-affinity")
"""Headers that may name a session, the first one before the others."""
_UNSOUND = (
    *(ENGINE_STOPPED, UNKNOWN_MODEL, MODEL_UNLOADED, INTERNAL_ERROR),
    *(SESSION_CLOSED, UNSUPPORTED_SESSION),  # the engine has no such session
)
"""After these errors nothing of a session is relied on."""


class AnotherModelError(RefusedError):
    """The session talks to another model than the one that was found for the request."""


class Place:
    """Where one request is answered. It must be ended: by `keep`, `failed` or `drop`.

    Args:
        before: how a named session has worked so far.

    Attributes:
        session: the engine's. Nobody else uses it meanwhile.
        ended: whether it has been.
    """

    def __init__(
        self,
        session: Session,
        turns: list[Turn | Use],
        home: Named | Conversation,
        known: Conversations,
        before: SessionConfig | None = None,
    ) -> None:
        self.session = session
        self.ended = False
        self._before = before
        self._turns = turns
        self._home = home
        self._known = known

    def keep(self, said: Message | None = None) -> None:
        """The reply has ended. `said` is its answer, where the client has all of it."""
        kept = False
        try:
            if isinstance(self._home, Conversation):
                if said is not None:
                    self._home.messages.append(said)
                self._known.give_back(self._home)
            kept = True
        finally:
            self._end(kept)

    def failed(self, code: str) -> None:
        """The reply has failed."""
        if code == UNSUPPORTED_SESSION and isinstance(self._home, Named) and self._before:
            self._home.config = self._before  # what was refused does not stay asked for
        self._end(isinstance(self._home, Named) and code not in _UNSOUND)

    def drop(self) -> None:
        """Close the session. A named one is opened anew when it is used again."""
        self._end(False)

    def surely_end(self) -> None:
        """Close the session, unless the place has been ended. A fault does not keep it."""
        for _ in range(2):
            try:
                if not self.ended:
                    self.drop()
                return
            except BaseException:
                log.exception("a place was not ended at once")

    def _end(self, sound: bool) -> None:
        turns, self._turns = self._turns, []
        try:
            if sound:
                pass
            elif isinstance(self._home, Conversation):
                self._home.session.close()
            elif self._home.session is self.session:
                self._home.close()
            self.ended = True
        finally:
            leave(turns)


class Places:
    """Finds a place for each request. Lives on the server's event loop.

    Args:
        sharing: what one of several keys may have of the places and of the queue.

    Attributes:
        queue: of all requests that are answered.
        sessions: those with a name.
    """

    def __init__(
        self,
        sessions: Sessions,
        known: Conversations,
        settings: Settings,
        sharing: Sharing | None = None,
    ) -> None:
        self.sessions = sessions
        self._known = known
        self._most_waiting = settings.queue
        self._sharing = sharing or Sharing()
        spare = partial(self._sharing.spare, settings.at_once)
        self.queue = Queue(settings.at_once, reserved=1, spare=spare)
        self._waiting: Counter[str] = Counter()  # requests by key
        self._ended: Exception | None = None

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return self._waiting.total()

    def end(self, error: Exception) -> None:
        """Tell all who wait that the server ends."""
        self._ended = error
        self.queue.end(error)
        for named in self.sessions.all():
            named.queue.end(error)

    def model_of(self, scope: Scope, name: str | None) -> Model | None:
        """The model of the request's session, where there is one already."""
        named = self.sessions.find(guest_of(scope), name) if name else None
        return named.model if named else None

    async def take(
        self,
        scope: Scope,
        name: str | None,
        use: Use,
        model: Model,
        messages: Sequence[Message],
        config: SessionConfig,
        say: Say,
        answers: int = 1,
    ) -> Place:
        """Wait for a place. Nobody else gets it until it is ended.

        Args:
            name: of the client's session; None for a request without one.
            use: of the model. The place has another, which ends with it.
            say: tells a waiting client its place in the queue.
            answers: that the request wants. Each takes a place in `queue`.

        Raises:
            RefusedError: 429 when there is no room for the session, or to wait.
            EngineError: the engine was stopped, the session freed, or the server is ending.
        """
        if self._ended is not None:
            raise self._ended
        guest = guest_of(scope)
        turns: list[Turn | Use] = [use.entry.use()]
        found: Conversation | None = None
        try:
            if name is None:
                await self._through(
                    self.queue, turns, False, "an answer to begin", say, guest, answers
                )
                found = self._known.take(model, messages, config, guest)
                return Place(found.session, turns, found, self._known)
            named = self._named(guest, name, model, answers)
            await self._through(named.queue, turns, True, "its session", say, guest)
            await self._through(
                self.queue, turns, True, "an answer to begin", say, guest, answers, named
            )
            before = named.config
            session = self._session(named, model, config)
            return Place(session, turns, named, self._known, before)
        except BaseException:
            if found is not None:
                found.session.close()
            leave(turns)
            raise

    def _named(self, guest: Guest, name: str, model: Model, answers: int) -> Named:
        named = self.sessions.find(guest, name)
        if named is None:
            self._check_queue(self.queue, True, guest, answers)
            return self.sessions.make(guest, name, model, SessionConfig())
        if (named.model.path, named.model.adapter) != (model.path, model.adapter):
            raise AnotherModelError(
                400, f"The session {name!r} talks to {named.model.name}, not to {model.name}."
            )
        return named

    def _session(self, named: Named, model: Model, config: SessionConfig) -> Session:
        """The engine's session, opened anew where it is to have another configuration."""
        if named.freed:
            raise named.gone()
        wanted = named.config.with_(config)
        if wanted != named.config or named.model != model:
            named.close()
            named.config, named.model = wanted, model
        if named.session is None:
            named.session = self.sessions.open(named)
        return named.session

    async def _through(
        self,
        queue: Queue,
        turns: list[Turn | Use],
        named: bool,
        what: str,
        say: Say,
        guest: Guest,
        places: int = 1,
        whose: Named | None = None,
    ) -> None:
        self._check_queue(queue, named, guest, places)
        turn = queue.enter(named, places, guest.id)
        turns.append(turn)
        if whose is not None:
            whose.turn = turn
        self._waiting[guest.id] += 1
        try:
            await turn.wait(say, what)
        finally:
            self._waiting[guest.id] -= 1

    def _check_queue(self, queue: Queue, named: bool, guest: Guest, places: int = 1) -> None:
        left = self._most_waiting - self.waiting
        mine = self._waiting[guest.id]
        if left > 0 and self._sharing.may_have(mine + 1, left):
            return
        if queue.would_wait(named, places, guest.id):
            if left > 0:
                raise self._sharing.refused("the requests that may wait")
            raise RefusedError(
                429,
                f"{self.waiting} requests wait already, and no more may. Ask again later.",
                CAPACITY_EXHAUSTED,
            )


def leave(turns: Sequence[Turn | Use]) -> None:
    """Let others have what one request had. A fault would keep them waiting: it is tried again."""
    for turn in turns:
        try:
            turn.leave()
        except BaseException:
            log.exception("a place was not left at once")
            turn.leave()


def session_name(scope: Scope, body: dict[str, Any]) -> str | None:
    """Which session a request names: in its body, which loses the field, or in a header.

    Raises:
        RefusedError: 400, the name is no session's.
    """
    named = body.pop("session_id", None)
    if named is not None:
        return checked(named, "session_id")
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    for alias in ALIASES:
        if headers.get(alias):
            return checked(headers[alias], alias)
    return None


def checked(name: object, where: str) -> str:
    """A session's name that can be one.

    Raises:
        RefusedError: 400.
    """
    if not isinstance(name, str) or not re.fullmatch(SESSION_NAME, name):
        raise RefusedError(400, f"{where} {SESSION_NAME_RULE}.")
    return name

"""Reply slots: a place in the queue plus a session for exclusive use.

Requests are admitted or rejected before the response starts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from typing import Protocol

from msgspec import Struct

from engine.engine import Session
from engine.errors import (
    CAPACITY_EXHAUSTED,
    ENGINE_STOPPED,
    INTERNAL_ERROR,
    SESSION_CLOSED,
    UNKNOWN_MODEL,
    UNSUPPORTED_SESSION,
    run_cleanup,
)
from engine.messages import Failed, Finished, Message
from engine.model.info import Model
from engine.serve.auth import FairShare, Guest, Settings
from engine.serve.conversations import Conversation, ConversationPool
from engine.serve.errors import MODEL_UNLOADED, RequestError
from engine.serve.queue import Queue, Report
from engine.serve.sessions import SentConversation, ServerSession, SessionConfig, SessionRegistry

_SESSION_LOST_CODES = (
    *(ENGINE_STOPPED, UNKNOWN_MODEL, MODEL_UNLOADED, INTERNAL_ERROR),
    *(SESSION_CLOSED, UNSUPPORTED_SESSION),  # the engine doesn't have this session
)
"""After these errors, the session can't be reused."""


class SessionModelError(RequestError):
    """The session uses a different model than the request."""


class ReplySlot(Struct):
    session: Session  # engine session for exclusive use
    # Last event of the reply. If None, the session isn't reused.
    last: Finished | Failed | None = None
    said: Message | None = None  # the answer, if it was sent completely
    named: ServerSession | None = None  # set if the request names a session


class SlotRequest(Protocol):
    """Request properties needed to assign a slot."""

    @property
    def messages(self) -> list[Message]: ...

    @property
    def config(self) -> SessionConfig: ...

    @property
    def head(self) -> Sequence[str]: ...


class ReplySlots:
    """Assigns slots and sessions to requests. Lives on the server's event loop.

    Args:
        sharing: limits how many slots and queue positions each key gets.
    """

    def __init__(
        self,
        sessions: SessionRegistry,
        known: ConversationPool,
        settings: Settings,
        sharing: FairShare | None = None,
    ) -> None:
        self.sessions = sessions
        self._known = known
        self._most_waiting = settings.queue
        self._sharing = sharing or FairShare()
        spare = partial(self._sharing.spare, settings.at_once)
        # Slots for all answers.
        self.queue = Queue(settings.at_once, reserved=1, spare=spare)
        self._waiting: Counter[str] = Counter()  # number of waiting requests by key

    @property
    def waiting(self) -> int:
        return self._waiting.total()

    def waiting_of(self, guest: str) -> int:
        """Return how many requests of one key are waiting."""
        return self._waiting[guest]

    @asynccontextmanager
    async def acquire(
        self,
        guest: Guest,
        name: str | None,
        model: Model,
        asked: SlotRequest,
        sent: SentConversation | None,
        report: Report,
        answers: int = 1,
    ) -> AsyncIterator[ReplySlot]:
        """Wait for a slot and keep it during the block.

        Args:
            name: session named by the request, if any.
            sent: the conversation sent to that session.
            report: called with the queue position while waiting.
            answers: slots needed, one per answer.

        Raises:
            RequestError: 429 if the queue is full or there are too many sessions.
            EngineError: if the engine stopped or the session was freed.
        """
        what = "a free slot"
        with ExitStack() as held:
            if name is None:
                await self._admitted(self.queue, held, False, guest, report, what, answers)
                known = self._known.acquire(model, asked.messages, asked.config, guest, asked.head)
                place = ReplySlot(known.session)
                held.callback(run_cleanup, partial(self._leave, known, place))
                yield place
                return
            named = self._named(guest, name, model, answers)
            held.callback(run_cleanup, partial(self.sessions.discard_new, named))
            await self._admitted(named.queue, held, True, guest, report, "its session")
            await self._admitted(self.queue, held, True, guest, report, what, answers, named)
            named.is_new = False
            before = named.config
            place = ReplySlot(self._session(named, model, asked.config), named=named)
            held.callback(run_cleanup, partial(self._leave_named, named, place, before))
            if sent is not None:
                named.sent = sent.storable
            yield place

    def _leave(self, known: Conversation, place: ReplySlot) -> None:
        if isinstance(place.last, Finished):
            if place.said is not None:
                known.messages.append(place.said)
                place.said = None
            self._known.give_back(known)
        else:
            known.session.close()
            self._known.closed(known)

    def _leave_named(self, named: ServerSession, place: ReplySlot, before: SessionConfig) -> None:
        named.answers = None
        failed = place.last.code if isinstance(place.last, Failed) else ""
        if failed == UNSUPPORTED_SESSION:
            named.config = before  # undo the change that failed
        if named.session is place.session and (place.last is None or failed in _SESSION_LOST_CODES):
            named.close()

    def _named(self, guest: Guest, name: str, model: Model, answers: int) -> ServerSession:
        named = self.sessions.find(guest, name)
        if named is None:
            self._check_queue(self.queue, True, guest, answers)
            named = self.sessions.make(guest, name, model, SessionConfig())
            named.is_new = True
            return named
        if (named.model.path, named.model.adapter) != (model.path, model.adapter):
            raise SessionModelError(
                400, f"The session {name!r} uses {named.model.name}, not {model.name}."
            )
        return named

    def _session(self, named: ServerSession, model: Model, config: SessionConfig) -> Session:
        """Return the engine session. If the configuration changed, it is reopened."""
        if named.freed:
            raise named.gone()
        wanted = named.config.with_(config)
        if wanted != named.config or named.model != model:
            named.close()
            named.config, named.model = wanted, model
        if named.session is None:
            named.session = self.sessions.open(named)
        return named.session

    async def _admitted(
        self,
        queue: Queue,
        held: ExitStack,
        named: bool,
        guest: Guest,
        report: Report,
        what: str,
        places: int = 1,
        whose: ServerSession | None = None,
    ) -> None:
        self._check_queue(queue, named, guest, places)
        ticket = queue.enter(named, places, guest.id)
        held.callback(run_cleanup, ticket.leave)
        if whose is not None:
            whose.ticket = ticket
        self._waiting[guest.id] += 1
        try:
            await ticket.wait(report, what)
        finally:
            self._waiting[guest.id] -= 1

    def _check_queue(self, queue: Queue, named: bool, guest: Guest, places: int = 1) -> None:
        left = self._most_waiting - self.waiting
        mine = self._waiting[guest.id]
        if left > 0 and self._sharing.may_have(mine + 1, left):
            return
        if queue.would_wait(named, places, guest.id):
            if left > 0:
                raise self._sharing.refused("the queue")
            raise RequestError(
                429,
                f"Queue is full ({self.waiting} waiting). Retry later.",
                CAPACITY_EXHAUSTED,
            )

"""Reply slots: a place in the queue plus a session for exclusive use."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from functools import partial

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
from engine.messages import Failed, Finished
from engine.model.info import Model
from engine.serve.auth import FairShare, KeyOwner, Settings
from engine.serve.conversations import Conversation, ConversationPool
from engine.serve.errors import MODEL_UNLOADED, RequestError
from engine.serve.queue import Queue, Report
from engine.serve.requests import ModelRequest
from engine.serve.sessions import SentConversation, SessionConfig, SessionEntry, SessionRegistry

_SESSION_LOST_CODES = (
    *(ENGINE_STOPPED, UNKNOWN_MODEL, MODEL_UNLOADED, INTERNAL_ERROR),
    *(SESSION_CLOSED, UNSUPPORTED_SESSION),  # the engine doesn't have this session
)
"""Errors after which the session can't be reused."""


class SessionModelError(RequestError):
    pass


class ReplySlots:
    def __init__(
        self,
        sessions: SessionRegistry,
        pool: ConversationPool,
        settings: Settings,
        sharing: FairShare,
    ) -> None:
        self.sessions = sessions
        self._pool = pool
        self._max_waiting = settings.queue
        self._sharing = sharing
        spare = partial(self._sharing.spare, settings.at_once)
        # Queue for the slots of the whole server.
        self.queue = Queue(settings.at_once, reserved=1, spare=spare)
        self._waiting: Counter[str] = Counter()  # number of waiting requests by key

    @property
    def waiting(self) -> int:
        return self._waiting.total()

    def waiting_of(self, owner_id: str) -> int:
        return self._waiting[owner_id]

    @asynccontextmanager
    async def acquire(
        self,
        request: ModelRequest,
        name: str | None,
        model: Model,
        sent: SentConversation | None,
        report: Report,
    ) -> AsyncIterator[Session]:
        """Wait for a slot, and keep it and a session during the block.

        Raises:
            RequestError: 429 if the queue is full or there are too many sessions.
            EngineError: if the engine stopped or the session was freed.
        """
        need, generation, answers = "a free slot", request.generation, len(request.choices)
        owner = request.owner
        with ExitStack() as undo:
            if name is None:
                await self._wait_in_queue(self.queue, undo, False, owner, report, need, answers)
                conversation = self._pool.acquire(
                    model, generation.messages, generation.config, owner
                )
                undo.callback(run_cleanup, partial(self._leave, conversation, request))
                yield conversation.session
                return
            entry = self._named_session(owner, name, model, answers)
            undo.callback(run_cleanup, partial(self.sessions.discard_new, entry))
            await self._wait_in_queue(entry.queue, undo, True, owner, report, "its session")
            await self._wait_in_queue(self.queue, undo, True, owner, report, need, answers, entry)
            entry.is_new = False
            before = entry.config
            session = self._engine_session(entry, model, generation.config)
            undo.callback(run_cleanup, partial(self._leave_named, entry, session, request, before))
            if sent is not None:
                entry.sent = sent.storable
            entry.cancel_replies = request.cancel_replies
            yield session

    def _leave(self, conversation: Conversation, request: ModelRequest) -> None:
        if isinstance(request.last, Finished) and request.generation.messages:
            if request.message is not None:
                conversation.messages.append(request.message)
                request.message = None
            self._pool.put_back(conversation)
        else:
            conversation.session.close()

    def _leave_named(
        self,
        entry: SessionEntry,
        session: Session,
        request: ModelRequest,
        before: SessionConfig,
    ) -> None:
        entry.cancel_replies = None
        last = request.last
        if isinstance(last, Failed):
            is_lost = last.code in _SESSION_LOST_CODES
            if last.code == UNSUPPORTED_SESSION:
                entry.config = before  # undo the change that failed
        else:
            # Text completions aren't conversations that can be continued.
            is_lost = last is None or not request.generation.messages
        if entry.session is session and is_lost:
            entry.close()

    def _named_session(
        self, owner: KeyOwner, name: str, model: Model, answers: int
    ) -> SessionEntry:
        entry = self.sessions.find(owner, name)
        if entry is None:
            self._check_queue(self.queue, True, owner, answers)
            entry = self.sessions.make(owner, name, model, SessionConfig())
            entry.is_new = True
            return entry
        if (entry.model.path, entry.model.adapter) != (model.path, model.adapter):
            raise SessionModelError(
                400, f"The session {name!r} uses {entry.model.name}, not {model.name}."
            )
        return entry

    def _engine_session(self, entry: SessionEntry, model: Model, config: SessionConfig) -> Session:
        if entry.is_freed:
            raise entry.freed_error()
        session_config = entry.config.with_(config)
        if session_config != entry.config or entry.model != model:
            entry.close()
            entry.config, entry.model = session_config, model
        if entry.session is None:
            entry.session = self.sessions.open(entry)
        return entry.session

    async def _wait_in_queue(
        self,
        queue: Queue,
        undo: ExitStack,
        named: bool,
        owner: KeyOwner,
        report: Report,
        resource: str,
        slots: int = 1,
        entry: SessionEntry | None = None,
    ) -> None:
        self._check_queue(queue, named, owner, slots)
        ticket = queue.enter(named, slots, owner.id)
        undo.callback(run_cleanup, ticket.leave)
        if entry is not None:
            entry.ticket = ticket
        self._waiting[owner.id] += 1
        try:
            await ticket.wait(report, resource)
        finally:
            self._waiting[owner.id] -= 1

    def _check_queue(self, queue: Queue, named: bool, owner: KeyOwner, slots: int = 1) -> None:
        free = self._max_waiting - self.waiting
        own_waiting = self._waiting[owner.id]
        if free > 0 and self._sharing.may_have(own_waiting + 1, free):
            return
        if queue.would_wait(named, slots, owner.id):
            if free > 0:
                raise self._sharing.refused("the queue")
            raise RequestError(
                429,
                f"Queue is full ({self.waiting} waiting). Retry later.",
                CAPACITY_EXHAUSTED,
            )

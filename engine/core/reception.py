"""What callers ask of sessions: opened, asked, stopped, forked, closed."""

from __future__ import annotations

from engine.core.admission_queue import AdmissionQueue
from engine.core.report import report
from engine.core.session import ReplyState, SessionState
from engine.core.state import State
from engine.errors import (
    CONTEXT_OVERFLOW,
    INVALID_REQUEST,
    SESSION_BUSY,
    SESSION_CLOSED,
    UNKNOWN_MODEL,
    EngineError,
)
from engine.kv.session_kv import SessionKV
from engine.messages import (
    Cancel,
    CloseSession,
    FinishReason,
    Forget,
    Fork,
    GetStats,
    Message,
    OpenSession,
    Pause,
    Prioritise,
    Send,
)
from engine.model import backend
from engine.model.constraint import constrain
from engine.model.models import LoadedModel
from engine.model.quantised import kept_in
from engine.params import SamplingParams
from engine.scheduling import overflow
from engine.text import prompt
from engine.text.text import ReplyText


class Reception:
    """The commands that concern sessions, each a method that takes the command."""

    def __init__(self, state: State, room: AdmissionQueue) -> None:
        self._state = state
        self._room = room

    def open(self, command: OpenSession) -> None:
        """Open a session; where its model is not loaded, its first message is told so."""
        self._state.end_namesake(command.session_id)
        model = self._state.models.get(command.model_id)
        if model is None:  # its first message is answered with the reason
            self._state.ended[command.session_id] = (
                UNKNOWN_MODEL,
                "The model of this chat is not loaded. Load it first.",
            )
            return
        make, estimate = model.new_caches, model.estimate
        # Attention in two pieces rounds otherwise than in one.
        shares_prefix = model.shares_prefix and command.kv_bits is None and not command.reproducible
        if command.kv_bits is not None:
            try:
                kept = kept_in(model, command.kv_bits)
            except EngineError as error:
                self._state.ended[command.session_id] = (error.code, error.message)
                return
            make, estimate = kept.make, kept.estimate
        self._state.sessions[command.session_id] = SessionState(
            command.session_id,
            model,
            command.system,
            command.reproducible,
            command.reasoning,
            SessionKV(make, shares_prefix),
            estimate,
            command.kv_bits,
            command.on_overflow,
            command.scratch,
            command.named,
        )

    def send(self, command: Send) -> None:
        """Begin a reply, or refuse it with the reason."""
        session = self._state.sessions.get(command.session_id)
        if session is None:
            closed = (SESSION_CLOSED, "This chat's session is closed. Open it anew.")
            raise EngineError(*self._state.ended.get(command.session_id, closed))
        if session.reply is not None:
            raise EngineError(SESSION_BUSY, "This chat is still answering. Stop it or wait.")
        reply = self._prepare(session, command)
        session.reply = reply
        try:
            self._room.enter(session)
        except EngineError:
            session.reply = None
            raise

    def _prepare(self, session: SessionState, command: Send) -> ReplyState:
        """What a reply needs before it may begin; nothing of the session is changed yet."""
        model, params, asked = session.model, command.params, command.prompt
        whole = not isinstance(asked, str)
        given = prompt.check_messages(asked if whole else [{"role": "user", "content": asked}])
        messages = session.conversation(given if whole else given[0]["content"])
        messages, gone = self._without_gone(session, messages, whole)
        if session.named and not session.kv.tokens and not session.kv.ledger.text:
            record = self._state.offload.look(session)
            if record is not None:
                session.kv.ledger = record.ledger
        ready = self._build(session, messages)
        room = model.info.context_length - len(ready.tokens)
        if session.on_overflow == "slide" and room < self._least_room(model, params):
            kept, more = self._slide(session, messages)
            if more:
                gone = [*gone, *messages[overflow.head(messages) :][:more]]
                messages, ready = kept, self._build(session, kept)
                room = model.info.context_length - len(ready.tokens)
        if room < 1:
            raise EngineError(
                CONTEXT_OVERFLOW,
                f"The conversation is {len(ready.tokens):,} tokens long and {model.info.name} "
                f"takes at most {model.info.context_length:,}. Shorten it, start a new chat, or "
                "let this one drop its oldest turns.",
            )
        limit = min(params.max_tokens, room)
        text = ReplyText(model.tokenizer, ready.opened, params.stop)
        constraint = constrain(model, params, text, session.reasoning)
        if ready.answered:
            begun = ready.tokens[-ready.answered :]
            try:
                text.resume(begun, constraint.accept if constraint is not None else None)
            except EngineError as error:
                raise EngineError(
                    INVALID_REQUEST, "The answer's beginning does not have the form asked for."
                ) from error
        reply = ReplyState(
            command.reply_id,
            session.id,
            messages,
            ready,
            params,
            text,
            command.sink,
            command.sent_at,
            limit,
            constraint,
        )
        session.gone = gone
        reply.dropped = len(gone)
        return reply

    def _build(self, session: SessionState, messages: list[Message]) -> prompt.Prompt:
        ledger = session.kv.ledger
        return prompt.build(session.model.tokenizer, messages, session.reasoning, ledger)

    def _least_room(self, model: LoadedModel, params: SamplingParams) -> int:
        """Tokens that an answer should find free in the context."""
        return min(params.max_tokens, model.info.context_length // 8)

    def _without_gone(
        self, session: SessionState, messages: list[Message], whole: bool
    ) -> tuple[list[Message], list[Message]]:
        """The messages without those that did not fit the last time, and these.

        `whole`: the caller sent all of the conversation, these among them. Were they tried again,
        every turn would drop some more, and no cache could be reused.
        """
        gone, start = session.gone, overflow.head(messages)
        if not whole or not gone:
            return messages, gone
        end = start + len(gone)
        if session.on_overflow == "slide" and messages[start:end] == gone and messages[end:]:
            return [*messages[:start], *messages[end:]], gone
        return messages, []

    def _slide(self, session: SessionState, messages: list[Message]) -> tuple[list[Message], int]:
        """The messages without the oldest turns, as far as that helps, and how many went."""
        context = session.model.info.context_length

        def length(some: list[Message]) -> int:
            return len(self._build(session, some).tokens)

        target = int(context * overflow.KEPT_SHARE)
        return overflow.slide(messages, target, context - 1, length) or (messages, 0)

    def cancel(self, command: Cancel) -> None:
        """End a reply as the caller wants it."""
        session = self._state.sessions.get(command.session_id)
        if session is not None and session.reply and session.reply.id == command.reply_id:
            self._state.end_reply(session, FinishReason.CANCELLED)

    def fork(self, command: Fork) -> None:
        """Open a twin of a session."""
        source = self._state.sessions.get(command.session_id)
        self._state.end_namesake(command.twin_id)
        if source is None:  # the twin's first message is answered with the reason
            if command.session_id in self._state.ended:
                self._state.ended[command.twin_id] = self._state.ended[command.session_id]
            return
        self._state.sessions[command.twin_id] = SessionState(
            command.twin_id,
            source.model,
            source.system,
            source.reproducible,
            source.reasoning,
            source.kv.fork(),
            source.estimate,
            source.kv_bits,
            source.on_overflow,
            named=command.named,
            history=[dict(m) for m in source.history],
            gone=list(source.gone),
        )

    def close(self, command: CloseSession) -> None:
        """Free a session."""
        self._state.ended.pop(command.session_id, None)
        session = self._state.sessions.get(command.session_id)
        if session is not None:
            if session.named and not command.forget and session.reply is None:
                self._state.offload.save(session)
            else:
                self._state.offload.forget(session.id)
            self._state.end_session(
                session, SESSION_CLOSED, "The chat was closed while it answered."
            )
            backend.give_back_memory()

    def forget(self, command: Forget) -> None:
        """Remove what is on disk of a session."""
        self._state.offload.forget(command.session_id)

    def pause(self, command: Pause) -> None:
        """Let a reply stand still at the next token's border, or go on."""
        session = self._state.sessions.get(command.session_id)
        if session is not None and session.reply and session.reply.id == command.reply_id:
            session.reply.pause(command.paused)
            self._state.released = True

    def prioritise(self, command: Prioritise) -> None:
        """Say whose prompts come first."""
        session = self._state.sessions.get(command.session_id)
        if session is not None:
            session.priority = command.priority
            self._state.released = True

    def stats(self, command: GetStats) -> None:
        """Answer with the figures of this moment."""
        command.answer.set_result(report(self._state, [s.id for s in self._room.queue]))

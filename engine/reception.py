"""What callers ask of sessions: opened, asked, stopped, forked, closed."""

from __future__ import annotations

from dataclasses import asdict

from engine import backend, prompt
from engine.admission import Idle, make_room
from engine.constraint import constrain
from engine.errors import (
    CONTEXT_OVERFLOW,
    SESSION_BUSY,
    SESSION_CLOSED,
    UNKNOWN_MODEL,
    EngineError,
)
from engine.kv import SessionKV
from engine.messages import Cancel, CloseSession, FinishReason, Fork, GetStats, OpenSession, Send
from engine.prefilling import Prefilling
from engine.session import ReplyState, SessionState
from engine.state import State, give_back_memory
from engine.text import ReplyText


class Reception:
    """The commands that concern sessions, each a method that takes the command."""

    def __init__(self, state: State, prefilling: Prefilling) -> None:
        self._state = state
        self._prefilling = prefilling

    def open(self, command: OpenSession) -> None:
        """Open a session; where its model is not loaded, its first message is told so."""
        self._state.end_namesake(command.session_id)
        model = self._state.models.get(command.model_id)
        if model is None:  # its first message is answered with the reason
            self._state.ended[command.session_id] = EngineError(
                UNKNOWN_MODEL, "The model of this chat is not loaded. Load it first."
            )
            return
        self._state.sessions[command.session_id] = SessionState(
            command.session_id,
            model,
            command.system,
            command.reproducible,
            command.reasoning,
            SessionKV(model.new_caches),
        )

    def send(self, command: Send) -> None:
        """Begin a reply, or refuse it with the reason."""
        session = self._state.sessions.get(command.session_id)
        if session is None:
            raise self._state.ended.get(command.session_id) or EngineError(
                SESSION_CLOSED, "This chat's session is closed. Open it anew."
            )
        if session.reply is not None:
            raise EngineError(SESSION_BUSY, "This chat is still answering. Stop it or wait.")
        model = session.model
        asked = command.prompt
        if isinstance(asked, str):
            prompt.check_messages([{"role": "user", "content": asked}])
        messages = session.conversation(
            asked if isinstance(asked, str) else prompt.check_messages(asked)
        )
        ready = prompt.build(model.tokenizer, messages, session.reasoning, session.kv.ledger)
        room = model.info.context_length - len(ready.tokens)
        if room < 1:
            raise EngineError(
                CONTEXT_OVERFLOW,
                f"The conversation is {len(ready.tokens):,} tokens long and {model.info.name} "
                f"takes at most {model.info.context_length:,}. Shorten it or start a new chat.",
            )
        limit = min(command.params.max_tokens, room)
        text = ReplyText(model.tokenizer, ready.text, command.params.stop)
        constraint = constrain(model, command.params, text, session.reasoning)
        self._admit(session, len(ready.tokens) + limit)
        reply = ReplyState(
            command.reply_id,
            session.id,
            messages,
            ready,
            command.params,
            text,
            command.sink,
            command.sent_at,
            limit,
            constraint,
        )
        reply.reused = session.kv.begin(ready.tokens)
        reply.rebuilt = session.kv.rebuilt
        session.reply = reply
        if self._state.remaining(session):
            reply.progress(reply.reused, len(self._prefilling.waiting()) - 1)
        self._state.note_prefilled(session)

    def cancel(self, command: Cancel) -> None:
        """End a reply as the caller wants it."""
        session = self._state.sessions.get(command.session_id)
        if session is not None and session.reply and session.reply.id == command.reply_id:
            self._state.end_reply(session, FinishReason.CANCELLED)

    def fork(self, command: Fork) -> None:
        """Open a twin of a session."""
        source = self._state.sessions.get(command.session_id)
        self._state.end_namesake(command.twin_id)
        if source is None:
            return  # the twin's first message is answered with the reason
        self._state.sessions[command.twin_id] = SessionState(
            command.twin_id,
            source.model,
            source.system,
            source.reproducible,
            source.reasoning,
            source.kv.fork(),
            history=[dict(m) for m in source.history],
        )

    def close(self, command: CloseSession) -> None:
        """Free a session."""
        self._state.ended.pop(command.session_id, None)
        session = self._state.sessions.get(command.session_id)
        if session is not None:
            self._state.end_session(
                session, SESSION_CLOSED, "The chat was closed while it answered."
            )
            give_back_memory()

    def stats(self, command: GetStats) -> None:
        """Answer with the figures of this moment."""
        command.answer.set_result(
            {
                "backend": asdict(self._state.backend),
                "memory_budget": self._state.budget,
                "memory_in_use": backend.memory_in_use(),
                "step_seconds": self._state.step_seconds,
                "prefix_bytes": self._state.prefixes.nbytes,
                "models": [m.info for m in self._state.models.values()],
                "sessions": {
                    s.id: {
                        "model": s.model.info.id,
                        "kv_tokens": s.kv.length,
                        "kv_bytes": s.kv.owed,
                        "kv_sharers": s.kv.sharers,
                        "status": s.reply.status.name.lower() if s.reply else "idle",
                    }
                    for s in self._state.sessions.values()
                },
            }
        )

    def _admit(self, session: SessionState, tokens: int) -> None:
        """Make room for `tokens` tokens in `session`, dropping idle caches, or refuse."""
        others = [s for s in self._state.sessions.values() if s is not session]
        running = [
            s.model.need.bytes(len(s.reply.prompt.tokens) + s.reply.limit)
            for s in others
            if s.reply is not None
        ]
        idle = [Idle(s.id, s.kv.owed, s.used_at) for s in others if s.reply is None]
        pool = self._state.prefixes.pool
        idle += [Idle(key, p.kv.nbytes, p.used_at - 1e9) for key, p in pool.items()]
        needed = self._state.weights + session.model.need.bytes(tokens)
        for key in make_room(self._state.budget, needed, sum(running), idle):
            if key in pool:
                self._state.prefixes.drop(key)
            else:
                self._state.sessions[key].kv.drop()

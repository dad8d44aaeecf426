"""The engine thread: it owns every MLX object and gives each running chat one token a turn.

    commands in -> drain -> decode one token for every running session
                         -> prefill one chunk of one prompt -> events out

A model being loaded is read piece by piece after that.

Read `step` first; everything else is what it calls.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import mlx.core as mx

from engine import backend, models, prompt, runner
from engine.admission import Idle, make_room
from engine.constraint import constrain
from engine.errors import (
    CONTEXT_OVERFLOW,
    ENGINE_STOPPED,
    INTERNAL_ERROR,
    MODEL_LOAD_FAILED,
    OUT_OF_MEMORY,
    SESSION_BUSY,
    SESSION_CLOSED,
    UNKNOWN_MODEL,
    EngineError,
)
from engine.kv import SessionKV
from engine.mailbox import Mailbox, refuse
from engine.messages import (
    Cancel,
    CloseSession,
    Command,
    FinishReason,
    Fork,
    GetStats,
    Load,
    OpenSession,
    Send,
    Stop,
    Unload,
)
from engine.models import LoadedModel
from engine.prefixes import Prefixes
from engine.scheduler import Scheduler, Waiting
from engine.session import ReplyState, SessionState, Status
from engine.text import ReplyText

log = logging.getLogger(__name__)

# A model whose shared steps keep failing is stepped session by session from then on.
TOO_MANY_FAULTS = 3
# MLX keeps freed buffers for reuse; not more than this, since they are not in the arithmetic.
BUFFER_CACHE = 2**30

# Left for the rest of the process and for MLX's scratch buffers when no budget is given.
BUDGET_SHARE = 0.85

# Of the budget, for the beginnings of prompts that are kept for chats to come. They go first.
POOL_SHARE = 1 / 16


class Loop:
    """All sessions and models of one engine, stepped by the thread that calls `run`."""

    def __init__(self, mailbox: Mailbox, memory_budget: int | None = None) -> None:
        self._mailbox = mailbox
        self._backend = backend.start()
        self._budget = memory_budget or int(self._backend.memory * BUDGET_SHARE)
        mx.set_cache_limit(min(BUFFER_CACHE, self._budget // 8))
        self._scheduler = Scheduler()
        self._prefixes = Prefixes(int(self._budget * POOL_SHARE))
        self._models: dict[str, LoadedModel] = {}
        self._identities: dict[tuple[object, ...], str] = {}  # of folders, to the model's id
        self._loading: deque[tuple[Load, tuple[object, ...], models.Pieces]] = deque()
        self._inbox: deque[Command] = deque()
        self._ended: dict[str, EngineError] = {}  # sessions whose model was unloaded
        self._sessions: dict[str, SessionState] = {}
        self._step_seconds = self._step_started = 0.0
        self._handlers: dict[type, Callable[[Any], None]] = {
            Load: self._load,
            Unload: self._unload,
            OpenSession: self._open,
            Send: self._send,
            Cancel: self._cancel,
            Fork: self._fork,
            CloseSession: self._close,
            GetStats: self._stats,
        }

    def run(self) -> None:
        """Step until a `Stop` arrives or something cannot be fenced; always shuts down in order."""
        why = "The engine was stopped."
        try:
            while self.step():
                pass
        except BaseException as error:
            log.exception("the engine thread cannot go on")
            why = f"The engine cannot go on: {type(error).__name__}: {error}"
            raise
        finally:
            self._shut_down(why)

    def step(self) -> bool:
        """One turn of the loop; False when it is over. Blocks only when there is nothing to do."""
        if not self._drain(block=not self._busy()):
            return False
        self._decode()
        self._prefill()
        self._load_piece()
        return True

    # -- commands in ------------------------------------------------------------------------

    def _busy(self) -> bool:
        return bool(self._loading) or any(s.reply for s in self._sessions.values())

    def _drain(self, block: bool) -> bool:
        self._inbox.extend(self._mailbox.take(block and not self._inbox))
        while self._inbox:
            # Left in the inbox until it is done: whatever happens, somebody answers it.
            command = self._inbox[0]
            if isinstance(command, Stop):
                return False
            try:
                self._handlers[type(command)](command)
            except EngineError as error:
                refuse(command, error)
            except Exception as error:
                log.exception("%s failed", type(command).__name__)
                refuse(command, EngineError(INTERNAL_ERROR, f"{type(error).__name__}: {error}"))
            self._inbox.popleft()
        return True

    def _load(self, command: Load) -> None:
        folder = models.resolve(command.path)
        same = models.identity(folder)
        known = self._models.get(self._identities.get(same, ""))
        if known is not None:
            command.answer.set_result(known.info)
            return
        free = self._budget - backend.memory_in_use()
        pieces = models.load(folder, command.path, self._backend, free)
        self._loading.append((command, same, pieces))

    def _load_piece(self) -> None:
        """Go on with the model that is being loaded, if any; the others wait for their turn."""
        if not self._loading:
            return
        command, same, pieces = self._loading[0]
        try:
            next(pieces)
            return
        except StopIteration as done:
            # The same weights loaded twice are kept once.
            known = self._models.setdefault(done.value.info.id, done.value)
            self._identities[same] = known.info.id
            command.answer.set_result(known.info)
        except EngineError as error:
            refuse(command, error)
        except Exception as error:
            log.exception("loading failed")
            refuse(command, EngineError(MODEL_LOAD_FAILED, f"{type(error).__name__}: {error}"))
        self._loading.popleft()
        self._give_back_memory()

    def _unload(self, command: Unload) -> None:
        for session in list(self._sessions.values()):
            if session.model.info.id == command.model_id:
                self._ended[session.id] = EngineError(
                    UNKNOWN_MODEL, "The model was unloaded. Load it again."
                )
                self._end_session(session, UNKNOWN_MODEL, "The model was unloaded. Load it again.")
        self._prefixes.forget(command.model_id)
        if self._models.pop(command.model_id, None) is not None:
            self._give_back_memory()
        command.answer.set_result(None)

    def _open(self, command: OpenSession) -> None:
        self._end_namesake(command.session_id)
        model = self._models.get(command.model_id)
        if model is None:  # its first message is answered with the reason
            self._ended[command.session_id] = EngineError(
                UNKNOWN_MODEL, "The model of this chat is not loaded. Load it first."
            )
            return
        self._sessions[command.session_id] = SessionState(
            command.session_id,
            model,
            command.system,
            command.reproducible,
            command.reasoning,
            SessionKV(model.new_caches),
        )

    def _end_namesake(self, session_id: str) -> None:
        """A session opened under an id that is taken replaces the one before."""
        self._ended.pop(session_id, None)
        if session_id in self._sessions:
            message = "The chat was opened anew while it answered."
            self._end_session(self._sessions[session_id], SESSION_CLOSED, message)

    def _send(self, command: Send) -> None:
        session = self._sessions.get(command.session_id)
        if session is None:
            raise self._ended.get(command.session_id) or EngineError(
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
        if self._remaining(session):
            reply.progress(reply.reused, len(self._waiting()) - 1)
        self._note_prefilled(session)

    def _cancel(self, command: Cancel) -> None:
        session = self._sessions.get(command.session_id)
        if session is not None and session.reply and session.reply.id == command.reply_id:
            self._end_reply(session, FinishReason.CANCELLED)

    def _fork(self, command: Fork) -> None:
        source = self._sessions.get(command.session_id)
        self._end_namesake(command.twin_id)
        if source is None:
            return  # the twin's first message is answered with the reason
        self._sessions[command.twin_id] = SessionState(
            command.twin_id,
            source.model,
            source.system,
            source.reproducible,
            source.reasoning,
            source.kv.fork(),
            history=[dict(m) for m in source.history],
        )

    def _close(self, command: CloseSession) -> None:
        self._ended.pop(command.session_id, None)
        session = self._sessions.get(command.session_id)
        if session is not None:
            self._end_session(session, SESSION_CLOSED, "The chat was closed while it answered.")
            self._give_back_memory()

    def _stats(self, command: GetStats) -> None:
        command.answer.set_result(
            {
                "backend": asdict(self._backend),
                "memory_budget": self._budget,
                "memory_in_use": backend.memory_in_use(),
                "step_seconds": self._step_seconds,
                "prefix_bytes": self._prefixes.nbytes,
                "models": [m.info for m in self._models.values()],
                "sessions": {
                    s.id: {
                        "model": s.model.info.id,
                        "kv_tokens": s.kv.length,
                        "kv_bytes": s.kv.owed,
                        "kv_sharers": s.kv.sharers,
                        "status": s.reply.status.name.lower() if s.reply else "idle",
                    }
                    for s in self._sessions.values()
                },
            }
        )

    # -- admission --------------------------------------------------------------------------

    def _admit(self, session: SessionState, tokens: int) -> None:
        """Make room for `tokens` tokens in `session`, dropping idle caches, or refuse."""
        others = [s for s in self._sessions.values() if s is not session]
        running = [
            s.model.need.bytes(len(s.reply.prompt.tokens) + s.reply.limit)
            for s in others
            if s.reply is not None
        ]
        idle = [Idle(s.id, s.kv.owed, s.used_at) for s in others if s.reply is None]
        pool = self._prefixes.pool
        idle += [Idle(key, p.kv.nbytes, p.used_at - 1e9) for key, p in pool.items()]
        needed = self._weights() + session.model.need.bytes(tokens)
        for key in make_room(self._budget, needed, sum(running), idle):
            if key in pool:
                self._prefixes.drop(key)
            else:
                self._sessions[key].kv.drop()

    def _weights(self) -> int:
        return sum(m.info.nbytes for m in self._models.values())

    # -- decode -----------------------------------------------------------------------------

    def _groups(self) -> Iterator[list[SessionState]]:
        """The decoding sessions, by the forward pass that they take part in."""
        shared: dict[str, list[SessionState]] = {}
        for session in self._sessions.values():
            reply = session.reply
            if reply is None or reply.status != Status.DECODING:
                continue
            if session.reproducible or reply.alone:
                yield [session]
            else:
                shared.setdefault(session.model.info.id, []).append(session)
        yield from shared.values()

    def _decode(self) -> None:
        """One token for every decoding session."""
        self._step_started = time.perf_counter()
        for group in list(self._groups()):
            self._decode_group(group)

    def _decode_group(self, group: list[SessionState]) -> None:
        feeding = [s for s in group if s.reply is not None and s.reply.wants_more]
        alone = len(group) == 1 or group[0].model.faults >= TOO_MANY_FAULTS
        following: dict[str, Any] = {}
        try:
            if feeding:
                tokens = runner.decode(feeding, alone)
                following = {s.id: t for s, t in zip(feeding, tokens, strict=True)}
            read = {s.id: s.reply.read() for s in group if s.reply is not None}
        except Exception as error:  # in Python or on the device: whose fault it is cannot be told
            self._fence(group, error)
            return
        for session in group:
            try:
                self._advance(session, read[session.id], following.get(session.id))
            except Exception as error:
                self._fail_reply(session, error)

    def _advance(self, session: SessionState, token: int | None, following: Any) -> None:
        """Take the token that was pending (None: it was the prompt's last), go on to the next.

        `following` is the lazy token after it, its sampler's exception, or None when the pending
        one was the last that is wanted and was not fed.
        """
        reply = session.reply
        assert reply is not None
        if token is None:
            session.kv.note_fed(reply.tokens[-1])
        else:
            if following is not None:
                session.kv.note_fed(token)
            if token in session.model.eos:
                return self._end_reply(session, FinishReason.STOP)
            reply.accept(token)
            if reply.complete:
                return self._end_reply(session, FinishReason.STOP)
            if reply.generated >= reply.limit:
                return self._end_reply(session, FinishReason.LENGTH)
        if isinstance(following, Exception):
            return self._fail_reply(session, following)
        if isinstance(following, runner.Unsampled):
            following = runner.choose(reply, following)
        reply.next = following
        return None

    def _fence(self, group: list[SessionState], error: Exception) -> None:
        """Keep a fault with the session that caused it.

        A step that several shared does not tell whose fault it was: all go on alone, their caches
        made anew, and whoever fails alone is the one.
        """
        if len(group) == 1:
            self._fail_reply(group[0], error)
            return
        log.warning("a shared step failed (%s); its sessions go on alone", error)
        group[0].model.faults += 1
        for session in group:
            reply = session.reply
            assert reply is not None
            session.kv.drop()
            session.kv.begin(reply.tokens)
            reply.next = None
            reply.reused = 0
            reply.alone = reply.rebuilt = True
            reply.status = Status.PREFILLING
            reply.waiting_since = time.perf_counter()
            self._note_prefilled(session)

    # -- prefill ----------------------------------------------------------------------------

    def _remaining(self, session: SessionState) -> int:
        """Tokens to read before the last one, which the first decode step feeds."""
        assert session.reply is not None
        return len(session.reply.tokens) - 1 - session.kv.length

    def _waiting(self) -> list[Waiting]:
        return [
            Waiting(s.id, self._remaining(s), s.reply.waiting_since)
            for s in self._sessions.values()
            if s.reply is not None and s.reply.status == Status.PREFILLING
        ]

    def _prefill(self) -> None:
        """One chunk of one prompt."""
        now = time.perf_counter()
        order = self._scheduler.order(self._waiting(), now)
        if not order:
            return
        for position, waiting in enumerate(order):
            reply = self._sessions[waiting.key].reply
            if reply is not None and position and reply.queue_position != position:
                reply.progress(reply.reused, position)
        session, *others = (self._sessions[w.key] for w in order)
        try:
            self._adopt(session)
            if session.reply is not None and session.reply.status == Status.PREFILLING:
                self._prefill_chunk(session, others)
        except Exception as error:
            self._fail_reply(session, error)

    def _adopt(self, session: SessionState) -> None:
        """Take what another chat has read of the same prompt."""
        gain = self._prefixes.adopt(session, self._sessions.values())
        if gain and session.reply is not None:
            session.reply.reused += gain
            session.reply.progress(session.kv.length, 0)
            self._note_prefilled(session)

    def _prefill_chunk(self, session: SessionState, others: list[SessionState]) -> None:
        reply, kv, model = session.reply, session.kv, session.model
        assert reply is not None
        decoding = any(True for _ in self._groups())
        if decoding:
            # The decode step in flight must not be counted as reading time, nor the other way.
            # A fault in it is found by those whose step it is, when they read their tokens.
            with contextlib.suppress(Exception):
                mx.synchronize()
            self._step_seconds = time.perf_counter() - self._step_started
        step = self._step_seconds if decoding else None
        remaining = self._remaining(session)
        if session.reproducible:
            size = self._scheduler.fixed_chunk(kv.length, remaining)
        else:
            size = self._scheduler.chunk(model.info.id, remaining, step)
        to_border = reply.prompt.border - kv.length
        if kv.needs_snapshot and to_border > 0:
            size = min(size, to_border)
        halt = self._prefixes.stop_at(session, others)
        if halt is not None:
            size = min(size, halt - kv.length)
        before = kv.length
        started = time.perf_counter()
        runner.prefill(session, size)
        if size < remaining and not session.reproducible:
            self._scheduler.observe(model.info.id, size, time.perf_counter() - started, step)
        if kv.needs_snapshot and kv.length == reply.prompt.border:
            kv.snapshot()
        self._prefixes.keep(session, before, others)
        if remaining > size:
            reply.progress(kv.length, 0)
            return
        self._note_prefilled(session)
        # Those with the same prompt come along into the next step, as far as time allows.
        for other in others:
            if time.perf_counter() - started < self._scheduler.gap_budget + (step or 0.5):
                self._adopt(other)

    def _note_prefilled(self, session: SessionState) -> None:
        """Let the session decode once only its last token is left to feed."""
        reply = session.reply
        if reply is not None and self._remaining(session) == 0:
            reply.status = Status.DECODING
            reply.progress(len(reply.prompt.tokens), 0)

    # -- endings ----------------------------------------------------------------------------

    def _end_reply(self, session: SessionState, reason: FinishReason) -> None:
        reply = session.reply
        assert reply is not None
        try:
            reply.flush()
            session.conclude(reply, reason)
        except Exception as error:
            return self._fail_reply(session, error)
        reply.next = None
        session.reply = None
        session.used_at = time.monotonic()
        reply.finish(reason)
        return None

    def _fail_reply(self, session: SessionState, error: Exception) -> None:
        reply = session.reply
        assert reply is not None
        session.reply = None
        session.kv.drop()  # whatever state the caches were left in, nobody goes on from it
        if isinstance(error, EngineError):
            reply.fail(error.code, error.message)
        elif isinstance(error, MemoryError) or "allocate" in str(error).lower():
            reply.fail(OUT_OF_MEMORY, "The device ran out of memory. Close a chat and try again.")
        else:
            log.error("a reply failed", exc_info=error)
            reply.fail(INTERNAL_ERROR, f"Answering failed: {type(error).__name__}: {error}")

    def _end_session(self, session: SessionState, code: str, message: str) -> None:
        del self._sessions[session.id]
        if session.reply is not None:
            session.reply.fail(code, message)

    def _give_back_memory(self) -> None:
        mx.synchronize()
        mx.clear_cache()

    def _shut_down(self, why: str) -> None:
        for session in list(self._sessions.values()):
            self._end_session(session, ENGINE_STOPPED, why)
        loading = [command for command, _, _ in self._loading]
        for command in [*loading, *self._inbox, *self._mailbox.close()]:
            refuse(command, EngineError(ENGINE_STOPPED, why))
        self._loading.clear()
        self._models.clear()
        self._prefixes.clear()
        mx.synchronize()
        mx.clear_cache()
        # A thread that ends with live streams aborts the process at exit (mlx #4110, #4373).
        mx.clear_streams()

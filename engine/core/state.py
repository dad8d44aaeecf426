"""What the engine thread has in hand: its models, its sessions, the memory they may take.

The rooms of the engine thread (`loading`, `reception`, `prefilling`, `decoding`) share one `State`,
and how a reply or a session ends is written here once for all of them.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path

import mlx.core as mx

from engine.core.meter import Meter
from engine.core.session import SessionState, Status
from engine.errors import INTERNAL_ERROR, OUT_OF_MEMORY, SESSION_CLOSED, EngineError
from engine.kv.offload import Offload
from engine.kv.prefix_cache import PrefixCache
from engine.messages import FinishReason
from engine.model import backend
from engine.model.backend import Backend
from engine.model.models import LoadedModel
from engine.scheduling.scheduler import Scheduler

log = logging.getLogger(__name__)

# MLX keeps freed buffers for reuse; not more than this, since they are not in the arithmetic.
BUFFER_CACHE = 2**30

# Left for the rest of the process and for MLX's scratch buffers when no budget is given.
BUDGET_SHARE = 0.85

# Of the budget, for the beginnings of prompts that are kept for chats to come. They go first.
POOL_SHARE = 1 / 16


class State:
    """All sessions and models of one engine.

    Attributes:
        budget: bytes that weights and KV caches may take together.
        ended: why there is no such session (any more), as an error's code and message. Not as an
            exception: one that was raised holds all that its frames did.
        offload: caches on disk, of chats that had to make room or were closed.
        prefix_cache: beginnings of prompts that chats to come may take over.
        released: memory was given back since the waiting room looked last.
        meter: where the time goes.
        round_over: every model that has running chats has had a turn since the last chunk.
        undisturbed: nothing but decoding has been done since the last round began.
        gathering: those whose prompts are read wait for the ones that came with them.
        step_seconds: what a round took last, the reading between two rounds not in it.
    """

    def __init__(
        self,
        memory_budget: int | None = None,
        cache_dir: Path | None = None,
        cache_bytes: int = 0,
    ) -> None:
        self.backend: Backend = backend.start()
        self.budget = memory_budget or int(self.backend.memory * BUDGET_SHARE)
        mx.set_cache_limit(min(BUFFER_CACHE, self.budget // 8))
        self.scheduler = Scheduler()
        self.offload = Offload(cache_dir, cache_bytes)
        self.prefix_cache = PrefixCache(int(self.budget * POOL_SHARE))
        self.models: dict[str, LoadedModel] = {}
        self.sessions: dict[str, SessionState] = {}
        self.ended: dict[str, tuple[str, str]] = {}
        self.meter = Meter()
        self.released = False
        self.round_over = True
        self.undisturbed = False
        self.gathering = False
        self.step_seconds = self.step_started = 0.0

    @property
    def weights(self) -> int:
        """Bytes of all models' weights."""
        return sum(m.info.nbytes for m in self.models.values())

    def begin_reply(self, session: SessionState) -> None:
        """Let the session's reply, for which there is room, have its prompt read."""
        reply = session.reply
        assert reply is not None
        if session.kv.caches is None:
            self.offload.restore(session)
        reply.reused = session.kv.begin(reply.tokens)
        reply.rebuilt = session.kv.rebuilt
        reply.status = Status.PREFILLING
        reply.queue_position = -1
        if self.remaining(session):
            others = sum(s.reply_status == Status.PREFILLING for s in self.sessions.values()) - 1
            reply.progress(reply.reused, others)
        self.note_prefilled(session)

    def end_reply(self, session: SessionState, reason: FinishReason) -> None:
        """End the session's reply as asked, and keep what it adds to the conversation."""
        reply = session.reply
        assert reply is not None
        try:
            reply.flush()
            session.conclude(reply, reason)
        except Exception as error:
            return self.fail_reply(session, error)
        reply.next = None
        session.reply = None
        session.kv.settle()
        session.used_at = time.monotonic()
        self._let_go(session)
        reply.finish(reason)
        return None

    def fail_reply(self, session: SessionState, error: Exception) -> None:
        """End the session's reply with an error. The session stays and may be asked again."""
        reply = session.reply
        assert reply is not None
        session.reply = None
        session.kv.drop()  # whatever state the caches were left in, nobody goes on from it
        self._let_go(session)
        if isinstance(error, EngineError):
            reply.fail(error.code, error.message)
        elif isinstance(error, MemoryError) or "allocate" in str(error).lower():
            reply.fail(OUT_OF_MEMORY, "The device ran out of memory. Close a chat and try again.")
        else:
            log.error("a reply failed", exc_info=error)
            reply.fail(INTERNAL_ERROR, f"Answering failed: {type(error).__name__}: {error}")

    def _let_go(self, session: SessionState) -> None:
        """A reply has ended: who waited for its memory may have it."""
        self.released = True
        if session.scratch:
            self.sessions.pop(session.id, None)
            session.kv.drop()

    def end_session(self, session: SessionState, code: str, message: str) -> None:
        """Free a session; a reply that is running hears why."""
        self.sessions.pop(session.id, None)
        session.kv.drop()
        self.released = True
        if session.reply is not None:
            session.reply.fail(code, message)

    def end_namesake(self, session_id: str) -> None:
        """A session opened under an id that is taken replaces the one before."""
        self.ended.pop(session_id, None)
        if session_id in self.sessions:
            if self.sessions[session_id].reply is None:
                self.offload.save(self.sessions[session_id])  # the new one may go on from there
            message = "The chat was opened anew while it answered."
            self.end_session(self.sessions[session_id], SESSION_CLOSED, message)

    def remaining(self, session: SessionState) -> int:
        """Tokens to read before the last one, which the first decode step feeds."""
        assert session.reply is not None
        return len(session.reply.tokens) - 1 - session.kv.length

    def note_prefilled(self, session: SessionState) -> None:
        """Let the session decode once only its last token is left to feed."""
        reply = session.reply
        if reply is not None and self.remaining(session) == 0:
            reply.status = Status.DECODING
            reply.ready_at = time.perf_counter()
            reply.progress(len(reply.prompt.tokens), 0)

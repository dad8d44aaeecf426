"""The waiting room: replies whose memory is in use by others begin when those have ended.

A reply that could never fit is refused at once. One that would fit if fewer others ran waits, the
chats in front first and otherwise in the order in which they were sent; none is passed by.
"""

from __future__ import annotations

from engine.core.session import SessionState, Status
from engine.core.state import State
from engine.errors import EngineError
from engine.scheduling.admission import Idle, make_room

SCRATCH_TOKENS = 1024
"""So long a request in a scratch session always finds room, if no other such request runs."""

SCRATCH_SHARE = 1 / 16
"""Of the budget, at most so much is kept free for it."""


PENDING_SHARE = 1 / 16
"""Of the budget, so much may still be on its way to the disk when memory is needed."""


class AdmissionQueue:
    """Admission by arithmetic: no reply begins whose cache may not fit when it has grown."""

    def __init__(self, state: State) -> None:
        self._state = state

    @property
    def queue(self) -> list[SessionState]:
        """The sessions whose reply waits, the first to be admitted first."""
        waiting = [s for s in self._state.sessions.values() if s.reply_status == Status.QUEUED]
        return sorted(waiting, key=lambda s: (-s.priority, s.reply.waiting_since if s.reply else 0))

    def enter(self, session: SessionState) -> None:
        """Let the session's new reply begin, or wait.

        Raises:
            EngineError: `capacity_exhausted`, waiting would not help; nothing has been done.
        """
        if self.queue[0] is not session and not session.scratch:
            self._check(session)
            self._tell()
        elif not self._admit(session):
            self._tell()

    def step(self) -> None:
        """After memory was given back: admit who comes next."""
        if not self._state.released:
            return
        self._state.released = False
        for session in self.queue:
            try:
                if not session.paused and not self._admit(session):
                    break
            except EngineError as error:  # a model was loaded meanwhile
                self._state.fail_reply(session, error)
        self._tell()

    def _tell(self) -> None:
        """Tell those who wait how many come before them."""
        reading = sum(s.reply_status == Status.PREFILLING for s in self._state.sessions.values())
        for position, session in enumerate(self.queue, reading):
            reply = session.reply
            if reply is not None and reply.queue_position != max(1, position):
                reply.progress(0, max(1, position))

    def _check(self, session: SessionState) -> None:
        make_room(self._state.budget, self._needed(session), 0, (), self._kept_free())

    def _needed(self, session: SessionState) -> int:
        return self._state.weights + _most(session)

    def _kept_free(self) -> int:
        """Bytes that a scratch session which may come would need."""
        state = self._state
        if any(s.scratch and s.reply is not None for s in state.sessions.values()):
            return 0
        sizes = [m.estimate.bytes(SCRATCH_TOKENS) for m in state.models.values()]
        return min(max(sizes, default=0), int((state.budget - state.weights) * SCRATCH_SHARE))

    def _admit(self, session: SessionState) -> bool:
        """Make room for a reply at its longest, dropping idle caches; False when it must wait."""
        state, reply = self._state, session.reply
        assert reply is not None
        others = [s for s in state.sessions.values() if s is not session]
        running = [_most(s) for s in others if s.is_running]
        idle = [Idle(s.id, s.kv.owed, s.used_at) for s in others if not s.is_running]
        kept = state.prefix_cache.kept
        idle += [Idle(key, p.kv.owed, p.used_at - 1e9) for key, p in kept.items()]
        dropped = make_room(
            state.budget, self._needed(session), sum(running), idle, self._kept_free()
        )
        if dropped is None:
            return False
        for key in dropped:
            if key in kept:
                state.prefix_cache.drop(key)
            else:
                if state.offload.pending < state.budget * PENDING_SHARE:
                    state.offload.save(state.sessions[key])
                state.sessions[key].kv.drop()
        state.begin_reply(session)
        return True


def _most(session: SessionState) -> int:
    """Bytes of the session's cache when its reply has become as long as it may."""
    assert session.reply is not None
    whole = session.estimate.bytes(len(session.reply.prompt.tokens) + session.reply.limit)
    kv = session.kv
    if (
        kv.shared_prefix is not None
        and session.reply.tokens[: kv.shared_prefix.length] == kv.tokens[: kv.shared_prefix.length]
    ):
        return whole - kv.saved
    return whole

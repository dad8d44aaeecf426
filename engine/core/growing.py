"""Answers without a limit are promised memory a part at a time, as they grow."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.core.reply_state import PROMISED
from engine.core.session import SessionState
from engine.core.state import State
from engine.core.view import idle
from engine.errors import EngineError
from engine.scheduling.admission import make_room
from engine.scheduling.view import CacheKey


class Growing:
    """Promises more memory to answers that have used what they were promised.

    Args:
        evict: drops idle caches, by their keys.
    """

    def __init__(self, state: State, evict: Callable[[Iterable[CacheKey]], None]) -> None:
        self._state = state
        self._evict = evict

    def grow(self, session: SessionState) -> None:
        """Let a reply become longer, if it may and there is room. Otherwise it ends there."""
        reply = session.reply
        if reply is None or reply.limit >= reply.longest:
            return
        state, before = self._state, reply.limit
        reply.limit = min(reply.longest, before + PROMISED)
        others = sum(s.most for s in state.answering.values() if s.is_running and s is not session)
        needed = state.weights + session.most
        try:
            dropped = make_room(state.budget, needed, others, idle(state))
        except EngineError:
            dropped = None
        if dropped is None:
            reply.limit = before
        else:
            self._evict(dropped)

"""Answers without a limit are promised memory a part at a time, as they grow."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.core.reply_state import PROMISED
from engine.core.session import SessionState
from engine.core.state import State
from engine.core.view import room_for


class Growing:
    """Promises more memory to answers that have used what they were promised.

    Args:
        evict: drops idle caches, by their keys.
    """

    def __init__(self, state: State, evict: Callable[[Iterable[str]], None]) -> None:
        self._state = state
        self._evict = evict

    def grow(self, session: SessionState) -> None:
        """Let a reply become longer, if it may and there is room. Otherwise it ends by length."""
        reply = session.reply
        if reply is None or reply.limit >= reply.longest:
            return
        state, before = self._state, reply.limit
        reply.limit = min(reply.longest, before + PROMISED)
        own, groups = state.promised()
        room = room_for(state, state.weights + own + sum(groups.values()), groups)
        if room is None:
            reply.limit = before
        elif room[0]:
            self._evict(room[0])

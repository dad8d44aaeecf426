"""Answers without a limit are promised memory a part at a time, as they grow."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.core.reply_state import PROMISED
from engine.core.session import SessionState
from engine.core.state import State
from engine.core.view import room_for
from engine.scheduling.view import CacheKey

AHEAD = 256
"""So many tokens before its end an answer asks for more."""


class Growing:
    """Promises more memory to answers that have used what they were promised.

    Args:
        evict: drops idle caches, by their keys.
    """

    def __init__(self, state: State, evict: Callable[[Iterable[CacheKey]], None]) -> None:
        self._state = state
        self._evict = evict

    def grow(self, session: SessionState) -> None:
        """Let a reply become longer, if it may and there is room. Otherwise it ends by length.

        It is asked `AHEAD` tokens before that, so that what makes room can be written to disk.
        """
        reply = session.reply
        if reply is None or reply.limit >= reply.longest:
            return
        state, before = self._state, reply.limit
        last = reply.generated + 2 > before
        if reply.asked_for_more == state.memory_version and not last:
            return
        reply.limit = min(reply.longest, before + PROMISED)
        own, groups = state.promised()
        needed = state.weights + own + sum(groups.values())
        room = room_for(state, needed, groups)
        if room is None:
            reply.limit = before
        else:
            dropped, left = room
            if dropped:
                self._evict(dropped)
            if needed + left + state.leaving(groups) > state.budget:
                # The next few tokens take hardly more than they have.
                reply.limit = min(reply.longest, before + AHEAD) if last else before
        reply.asked_for_more = state.memory_version

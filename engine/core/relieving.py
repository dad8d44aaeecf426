"""The command `Relieve`: memory that can be had again is given back to the system."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.core.commands import Relieve
from engine.core.state import State
from engine.core.view import idle
from engine.model import backend
from engine.scheduling.view import CacheKey


class Relieving:
    """Drops every cache that no reply uses, and what MLX keeps for reuse.

    Args:
        evict: drops idle caches, by their keys.
    """

    def __init__(self, state: State, evict: Callable[[Iterable[CacheKey]], None]) -> None:
        self._state = state
        self._evict = evict

    def relieve(self, command: Relieve) -> None:
        """Answer a command."""
        before = self._held()
        self._evict([cache.key for cache in idle(self._state)])
        # What goes to disk is held until it is written. It is given back then, and not counted.
        backend.give_back_memory()
        command.answer.set_result(max(0, before - self._held()))

    def _held(self) -> int:
        state = self._state
        return state.kv_bytes + state.prefix_cache.nbytes + state.leaving(state.promised()[1])

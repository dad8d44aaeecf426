"""Unloading of models that no chat has used for a while."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable

from engine.messages import Pin, UnloadIdle
from engine.runtime.state import State

log = logging.getLogger(__name__)


class IdleUnloader:
    """Handler of `UnloadIdle` and `Pin`, which unloads unused models.

    Args:
        free: unloads a model, given its id.
        needed: returns the ids of models that are used by something other than sessions.
    """

    def __init__(
        self, state: State, free: Callable[[str], None], needed: Callable[[], set[str]]
    ) -> None:
        self._state = state
        self._free = free
        self._needed = needed
        self._after: float | None = None
        self._on_unloaded: Callable[[str], None] | None = None
        self._pinned: set[str] = set()
        self._next_check = 0.0

    def set(self, command: UnloadIdle) -> None:
        """Set the idle time in seconds, and the callback for unloaded models."""
        self._after, self._on_unloaded = command.after, command.callback
        self._next_check = 0.0

    def pin(self, command: Pin) -> None:
        """Protect a model from being unloaded, or stop protecting it."""
        (self._pinned.add if command.pinned else self._pinned.discard)(command.model_id)
        self._next_check = 0.0

    @property
    def due(self) -> float:
        """Time of the next check, on the clock of `time.monotonic`, or `inf`."""
        return max(self._next_check, min((at for _, at in self._due()), default=math.inf))

    def step(self) -> None:
        """Unload models that have been idle long enough. Checks at most once a second."""
        now = time.monotonic()
        if self._after is None or now < self._next_check:
            return
        self._next_check = now + min(1.0, self._after)
        for model_id, at in self._due():
            if at > now:
                continue
            self._free(model_id)
            try:
                if self._on_unloaded is not None:
                    self._on_unloaded(model_id)
            except BaseException:
                log.exception("callback for unloaded models failed")

    def _due(self) -> list[tuple[str, float]]:
        if self._after is None or not self._state.models:
            return []
        busy = {r.session.model.info.id for r in self._state.requests.values()} | self._needed()
        bases = {m.base.info.id for m in self._state.models.values() if m.base is not None}
        bases |= {d.model.info.id for d in self._state.memory.drafters.values()}
        # Unloading a base would free nothing.
        idle = self._state.models.keys() - busy - self._pinned - bases
        return [(i, self._state.models[i].used_at + self._after) for i in idle]

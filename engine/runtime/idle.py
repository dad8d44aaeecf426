"""Free memory while the engine is idle: buffers between steps, and unused models."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from engine.messages import Pin, UnloadIdle
from engine.model import backend
from engine.runtime.state import State

log = logging.getLogger(__name__)

REST_S = 5.0
"""Seconds without a step before buffers are freed.

Allocating them again delays the next step by a few milliseconds.
"""


class IdleMemoryReleaser:
    """Frees buffers once after each period of work."""

    def __init__(self) -> None:
        self._due: float | None = None

    def worked(self) -> None:
        """Note that a step was computed."""
        self._due = time.monotonic() + REST_S

    @property
    def patience(self) -> float | None:
        """Seconds until there's something to do, or None if nothing is due."""
        return None if self._due is None else max(0.0, self._due - time.monotonic())

    def step(self) -> None:
        """Free the buffers if the time has come."""
        if self._due is not None and time.monotonic() >= self._due:
            self._due = None
            backend.release_memory()


class IdleUnloader:
    """Handles `UnloadIdle` and `Pin`, and unloads unused models.

    Args:
        free: unloads a model by its id.
        needed: returns the ids of models that are used by something other than sessions.
    """

    def __init__(
        self, state: State, free: Callable[[str], None], needed: Callable[[], set[str]]
    ) -> None:
        self._state = state
        self._free = free
        self._needed = needed
        self._after: float | None = None
        self._told: Callable[[str], None] | None = None
        self._pinned: set[str] = set()
        self._look_at = 0.0

    def set(self, command: UnloadIdle) -> None:
        """Set the idle time in seconds, and the callback for unloaded models."""
        self._after, self._told = command.after, command.told
        self._look_at = 0.0

    def pin(self, command: Pin) -> None:
        """Protect a model from being unloaded, or stop protecting it."""
        (self._pinned.add if command.pinned else self._pinned.discard)(command.model_id)
        self._look_at = 0.0

    @property
    def patience(self) -> float | None:
        """Seconds until there's something to do, or None if nothing is due."""
        due = [at for _, at in self._due()]
        return max(0.0, max(min(due), self._look_at) - time.monotonic()) if due else None

    def step(self) -> None:
        """Unload models that have been idle long enough. Checks at most once a second."""
        now = time.monotonic()
        if self._after is None or now < self._look_at:
            return
        self._look_at = now + min(1.0, self._after)
        for model_id, at in self._due():
            if at <= now:
                self._unload(model_id)

    def _due(self) -> list[tuple[str, float]]:
        if self._after is None or not self._state.models:
            return []
        busy = {r.session.model.info.id for r in self._state.requests.values()} | self._needed()
        bases = {m.base.info.id for m in self._state.models.values() if m.base is not None}
        bases |= {d.model.info.id for d in self._state.memory.drafters.values()}
        # Unloading a base would free nothing.
        left = self._state.models.keys() - busy - self._pinned - bases
        return [(i, self._state.models[i].used_at + self._after) for i in left]

    def _unload(self, model_id: str) -> None:
        self._free(model_id)
        if self._told is None:
            return
        try:
            self._told(model_id)
        except BaseException:  # raised by the caller's callback
            log.exception("who hears of unloaded models raised")

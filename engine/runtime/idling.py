"""What is given back while nothing works: the memory between steps, and models nobody uses."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from engine.messages import Pin, UnloadIdle
from engine.model import backend
from engine.runtime.state import State

log = logging.getLogger(__name__)

REST_S = 5.0
"""Seconds without a step. To have the memory again costs the next step some milliseconds."""


class Resting:
    """When a rest is long enough, once after each time of work."""

    def __init__(self) -> None:
        self._due: float | None = None

    def worked(self) -> None:
        """A step was computed."""
        self._due = time.monotonic() + REST_S

    @property
    def patience(self) -> float | None:
        """Seconds until there is something to do; None where that will not be."""
        return None if self._due is None else max(0.0, self._due - time.monotonic())

    def step(self) -> None:
        """Give the memory back if it is time."""
        if self._due is not None and time.monotonic() >= self._due:
            self._due = None
            backend.give_back_memory()


class Idling:
    """The commands `UnloadIdle` and `Pin`, and what they decide.

    Args:
        free: frees a model, by its id.
        needed: ids of the models that are used by something else than sessions.
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
        """Say after how many seconds, and who hears of it."""
        self._after, self._told = command.after, command.told
        self._look_at = 0.0

    def pin(self, command: Pin) -> None:
        """Keep a model whatever happens, or no longer."""
        (self._pinned.add if command.pinned else self._pinned.discard)(command.model_id)
        self._look_at = 0.0

    @property
    def patience(self) -> float | None:
        """Seconds until there is something to do; None where that will not be."""
        due = [at for _, at in self._due()]
        return max(0.0, max(min(due), self._look_at) - time.monotonic()) if due else None

    def step(self) -> None:
        """Unload what has been idle for long enough. Looks once a second at most."""
        now = time.monotonic()
        if self._after is None or now < self._look_at:
            return
        self._look_at = now + min(1.0, self._after)
        for model_id, at in self._due():
            if at <= now:
                self._unload(model_id)

    def _due(self) -> list[tuple[str, float]]:
        """When each model that is not in use may go."""
        if self._after is None or not self._state.models:
            return []
        busy = {r.session.model.info.id for r in self._state.requests.values()} | self._needed()
        bases = {m.base.info.id for m in self._state.models.values() if m.base is not None}
        bases |= {d.model.info.id for d in self._state.memory.drafters.values()}
        left = self._state.models.keys() - busy - self._pinned - bases  # these would free nothing
        return [(i, self._state.models[i].used_at + self._after) for i in left]

    def _unload(self, model_id: str) -> None:
        self._free(model_id)
        if self._told is None:
            return
        try:
            self._told(model_id)
        except BaseException:  # the caller's own
            log.exception("who hears of unloaded models raised")

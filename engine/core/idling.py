"""Models that nobody has used for a while are unloaded, to come back when somebody loads them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from engine.core.commands import Pin, UnloadIdle
from engine.core.state import State

log = logging.getLogger(__name__)


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
        busy = {s.model.info.id for s in self._state.answering.values()} | self._needed()
        bases = {m.base.info.id for m in self._state.models.values() if m.base is not None}
        bases |= {d.model.info.id for d in self._state.drafters.values()}
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

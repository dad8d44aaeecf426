"""Unloading of idle models."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable

from engine.messages import Pin, UnloadIdle
from engine.runtime.state import State

log = logging.getLogger(__name__)


MIN_CHECK_S = 0.05  # minimum time between two checks


class IdleUnloader:
    """Handler for `UnloadIdle` and `Pin`.

    Args:
        free: unloads a model, given its id.
        needed: returns the ids of models that are used without a session.
    """

    def __init__(
        self, state: State, free: Callable[[str], None], get_needed: Callable[[], set[str]]
    ) -> None:
        self._state = state
        self._free = free
        self._needed = get_needed
        self._unload_after_s: float | None = None
        self._on_unloaded: Callable[[str], None] | None = None
        self._pinned: set[str] = set()
        # Time of the next call of `step`, on the clock of `time.monotonic`.
        self.next_check = math.inf

    def set(self, command: UnloadIdle) -> None:
        self._unload_after_s, self._on_unloaded = command.after, command.callback
        self.next_check = 0.0

    def pin(self, command: Pin) -> None:
        (self._pinned.add if command.pinned else self._pinned.discard)(command.model_id)
        self.next_check = 0.0

    def step(self) -> None:
        now, after = time.monotonic(), self._unload_after_s
        if after is None:
            self.next_check = math.inf
            return
        deadlines = self._due(after)
        # A model that isn't in `deadlines` yet can't be due before `after` seconds have passed.
        soonest = min((at for _, at in deadlines if at > now), default=now + after)
        self.next_check = max(soonest, now + max(MIN_CHECK_S, min(1.0, after)))
        for model_id in [model_id for model_id, at in deadlines if at <= now]:
            self.next_check = now + MIN_CHECK_S  # the base or draft model may now be unused
            self._free(model_id)
            try:
                if self._on_unloaded is not None:
                    self._on_unloaded(model_id)
            except BaseException:
                log.exception("callback for unloaded models failed")

    def _due(self, after: float) -> list[tuple[str, float]]:
        busy = {r.session.model.info.id for r in self._state.requests.values()} | self._needed()
        bases = {m.base.info.id for m in self._state.models.values() if m.base is not None}
        bases |= {d.model.info.id for d in self._state.memory.drafters.values()}
        # Unloading a base would free nothing.
        idle = self._state.models.keys() - busy - self._pinned - bases
        return [(i, self._state.models[i].used_at + after) for i in idle]

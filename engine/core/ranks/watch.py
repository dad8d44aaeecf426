"""Watches the ranks from outside their collectives, in which a rank waits for ever for a dead one.

Each rank tells twice a second how far it is, from a thread of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.core.ranks.processes import Rank, ended

BEAT = 0.5
"""Seconds between two messages of a rank that nothing ails."""

SILENCE = 3.5
"""Seconds without one after which a rank counts as lost: all replies end within five."""

SILENCE_LOADING = 60.0
"""The same while it starts or loads: libraries hold Python's lock for long then."""

STALL = 120.0
"""Seconds for which a rank that is busy may be in the same turn. The longest turn is a piece of a
prompt on a large model, or the try-out of one that was loaded."""

_LOOK = 0.2


@dataclass
class _Pulse:
    heard_at: float
    moved_at: float
    steps: int = -1
    busy: bool = False
    loading: bool = True


class Watch:
    """A thread that looks at all ranks, and says once what is wrong.

    Args:
        told: what is called, on that thread, with a sentence. It kills the group.
    """

    def __init__(self, ranks: Sequence[Rank], told: Callable[[str], None]) -> None:
        self._ranks = ranks
        self._told = told
        now = time.monotonic()
        self._pulses = [_Pulse(now, now) for _ in ranks]
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="stretto-ranks-watch", daemon=True)
        self._thread.start()

    def beat(self, rank: int, steps: int, busy: bool, loading: bool) -> None:
        """A rank has told how far it is."""
        now, pulse = time.monotonic(), self._pulses[rank]
        if steps != pulse.steps or not (busy and pulse.busy):
            pulse.moved_at = now
        pulse.heard_at, pulse.steps = now, steps
        pulse.busy, pulse.loading = busy, loading

    def steps(self, rank: int) -> int:
        """How far a rank has told to be."""
        return max(0, self._pulses[rank].steps)

    def close(self) -> None:
        """Look no more."""
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        before = time.monotonic()
        while not self._over.wait(_LOOK):
            now = time.monotonic()
            if now - before > 5 * _LOOK:
                # This process has been held up itself, and so has its hearing.
                for pulse in self._pulses:
                    pulse.heard_at = max(pulse.heard_at, now - SILENCE / 2)
            before = now
            wrong = self._wrong(now)
            if wrong is not None:
                self._told(wrong)
                return

    def _wrong(self, now: float) -> str | None:
        for rank, pulse in zip(self._ranks, self._pulses, strict=True):
            name = rank.place(len(self._ranks))
            if rank.process is not None and rank.process.poll() is not None:
                return f"{name} has died: {ended(rank.process)}."
            patience = SILENCE_LOADING if pulse.loading else SILENCE
            if now - pulse.heard_at > patience:
                return f"{name} has not answered for {patience:g} seconds."
            if now - pulse.moved_at > STALL:
                return f"{name} has been in the same step for {STALL:.0f} seconds."
        return None

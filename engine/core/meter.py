"""Where the engine thread's time goes, and how fast it is at the moment."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

WINDOW = 2.0
"""Seconds over which the present rates are taken."""


class Meter:
    """Sums and rates of one engine thread.

    Attributes:
        seconds: since the start, by phase: `commands`, `decode` (`launch` and `wait` are its main
            parts, `mixed` where a chunk of a prompt was read in the same pass), `prefill`,
            `load`, `idle`.
        decoded: tokens generated since the start.
        read: prompt tokens read since the start, reused ones not among them.
    """

    def __init__(self) -> None:
        phases = ("commands", "decode", "launch", "wait", "mixed", "prefill", "load", "idle")
        self.seconds = dict.fromkeys(phases, 0.0)
        self.decoded = self.read = 0
        self._recent: deque[tuple[float, int, int]] = deque()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Count what happens inside as time of that phase."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - started

    def note(self, decoded: int, read: int) -> None:
        """Count tokens of this moment."""
        self.decoded += decoded
        self.read += read
        now = time.perf_counter()
        self._recent.append((now, decoded, read))
        self._forget(now)

    def rates(self) -> tuple[float, float]:
        """Tokens per second generated and read, over the last two seconds."""
        now = time.perf_counter()
        self._forget(now)
        decoded = sum(d for _, d, _ in self._recent)
        read = sum(r for _, _, r in self._recent)
        return decoded / WINDOW, read / WINDOW

    def _forget(self, now: float) -> None:
        while self._recent and self._recent[0][0] < now - WINDOW:
            self._recent.popleft()

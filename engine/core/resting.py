"""Memory that steps keep for the next ones goes back to the system when none follow."""

from __future__ import annotations

import time

from engine.model import backend

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

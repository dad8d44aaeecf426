"""Models that have gone are freed a few arrays at a time, between the steps of the chats.

Giving pages back takes the system 0.1 s for half a gigabyte, and a GPU's driver no less.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

from engine.core.ending import surely
from engine.model import backend
from engine.model.loader import PAUSE

PIECE = 32 * 2**20
"""Bytes that are freed before it is looked how long that took."""


class Leaving:
    """What is still to be freed."""

    def __init__(self) -> None:
        self._going: deque[tuple[list[Any], Callable[[], None] | None]] = deque()

    @property
    def busy(self) -> bool:
        """Whether there is something to free."""
        return bool(self._going)

    def add(self, arrays: list[Any], then: Callable[[], None] | None = None) -> None:
        """Free arrays to which nobody else refers, and then tell so.

        Args:
            arrays: loses them. With none of them memory is given back that was kept for reuse.
        """
        self._going.append((arrays, then))

    def step(self) -> None:
        """Free the next ones, for about `PAUSE` seconds."""
        began = time.perf_counter()
        while self._going and time.perf_counter() - began < PAUSE:
            arrays, then = self._going[0]
            freed = 0
            while arrays and freed < PIECE:
                freed += arrays.pop().nbytes
            if not arrays:
                self._going.popleft()
            try:
                backend.give_back_memory()
            finally:
                if not arrays and then is not None:
                    then()

    def give_up(self) -> None:
        """Free everything at once; those who wait are told."""
        while self._going:
            _, then = self._going.popleft()
            if then is not None:
                surely(then)

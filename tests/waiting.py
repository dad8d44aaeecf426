"""Waiting for a condition."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(
    condition: Callable[[], object],
    seconds: float = 60,
    turn: Callable[[], object] = lambda: time.sleep(0.005),
) -> None:
    """Call ``turn`` until the condition holds. Fails after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s in vain"
        turn()

"""Waiting for a condition: `until`, and `wait_until` if Qt's event loop must run."""

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


def wait_until(condition: Callable[[], object], seconds: float = 20) -> None:
    """Run the event loop until the condition holds.

    A condition that raises AssertionError does not hold yet. It is checked every millisecond. All
    checks share one loop and one timer: pytest-qt's `waitUntil` creates both for each check, which
    takes three times the CPU time, and checks only every 10 ms.
    """
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    timer = QTimer(loop, singleShot=True, interval=1)
    timer.timeout.connect(loop.quit)

    def turn() -> None:
        timer.start()
        loop.exec()

    def holds() -> bool:
        try:
            return bool(condition())
        except AssertionError:
            return False

    if not holds():
        until(holds, seconds, turn)

"""Long work in a child leaves most of the processor to the chats that stream beside it.

On a CPU each product of a step is done by as many threads as there are cores, and ends with the
last of them. Those threads yield while they wait for each other, and Linux then gives a whole time
slice to whatever else can run: beside one busy child a step of 60 ms took 400 to 900, whatever the
child's priority. So the child is stopped for three quarters of the time, as long as a chat streams.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

RUN = 0.01
"""Seconds that a child works before it is stopped."""

PAUSE = 0.03
"""Seconds that it is stopped for."""

SLOWER = (RUN + PAUSE) / RUN
"""How many times longer its work can take."""

_STREAMS = 1.0  # seconds since the last token, after which nobody streams any more

_last = float("-inf")  # when a chat's token was computed, in any engine of this process


def streamed() -> None:
    """A chat's token was computed, by OpenBLAS. For the engine's loop."""
    global _last
    _last = time.monotonic()


def wanted() -> bool:
    """Whether a child with long work is to be stopped now and then."""
    return time.monotonic() - _last < _STREAMS


def pause(pid: int) -> float:
    """Stop a child for a moment; returns for how many seconds."""
    began = time.monotonic()
    with suppress(OSError):  # it has ended
        os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(PAUSE)
    finally:
        with suppress(OSError):
            os.kill(pid, signal.SIGCONT)
    return time.monotonic() - began

"""Keeps watch over a rank on another machine: it is killed as soon as nobody is at its link.

A rank may be stopped, or in a collective, or in a library that holds Python's lock, when the relay
or the connection goes. Its keeper is in none of them.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess

from engine.core.ranks.hosts.ssh import OVER_STDIO

_LOOK = 200  # milliseconds


def main() -> int:
    """Start a rank at this process's input and output; returns the rank's exit status."""
    from engine.core.ranks.processes import command

    rank = subprocess.Popen([*command(), OVER_STDIO], start_new_session=True)

    def end(*_: object) -> None:
        with contextlib.suppress(OSError):
            os.killpg(rank.pid, signal.SIGKILL)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, end)
    ends = select.poll()
    ends.register(0, 0)  # only that the other end has gone; what comes is the rank's
    ends.register(1, 0)
    while rank.poll() is None:
        if ends.poll(_LOOK):
            end()
            break
    status = rank.wait()
    return status if status >= 0 else 128 - status

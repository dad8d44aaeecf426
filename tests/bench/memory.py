"""Memory of the whole process with the Guide and a chat in every pane."""

from __future__ import annotations

import os
import subprocess
import time

from tests.bench.bars import Figure
from tests.bench.drive import program
from tests.bench.stalls import keep_asking, open_grid

MOST_MB = 350.0
_TURNS = 2
_REST_S = 20.0  # enough to write the titles and for the engine to become idle


def measure(panes: int) -> list[Figure]:
    with program(size=(1760, 1060)) as driver:
        figures = [Figure("with the Guide loaded", resident_mb(), "MB")]
        opened = open_grid(driver, panes)
        for _ in range(_TURNS):
            keep_asking(opened)
            driver.until(lambda: not any(pane.chat.reply.is_active for pane in opened), 600)
        figures.append(Figure("after the answers", resident_mb(), "MB", MOST_MB))
        end = time.monotonic() + _REST_S
        driver.until(lambda: time.monotonic() >= end, 2 * _REST_S)
        figures.append(Figure("at rest", resident_mb(), "MB", MOST_MB))
    return figures


def resident_mb() -> float:
    """Return this process's resident memory in MB."""
    command = ["ps", "-o", "rss=", "-p", str(os.getpid())]
    shown = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(shown.stdout) * 1024 / 1e6

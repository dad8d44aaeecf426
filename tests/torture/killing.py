"""Child process that prints a JSON line for each action, until it is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from tests.torture import ROOT


def run_child(
    module: str,
    arguments: Sequence[str],
    on_line: Callable[[list[Any]], object],
    wait: Callable[[subprocess.Popen[bytes]], object],
) -> float:
    """Run a module until `wait` returns, then kill it, and return the time of the kill.

    Args:
        on_line: called with each line, in a thread, except for a line that the kill cuts off.

    Raises:
        RuntimeError: the child has ended by itself with an error.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    stream = process.stdout
    assert stream is not None

    def listen() -> None:
        for line in stream:
            if line.endswith(b"\n"):
                on_line(json.loads(line))

    listener = threading.Thread(target=listen, name="listener")
    listener.start()
    try:
        wait(process)
        if process.poll() not in {None, 0, -9}:
            raise RuntimeError(f"The child ended by itself, with status {process.returncode}.")
    finally:
        killed = time.monotonic()
        process.kill()
        listener.join()
        stream.close()
        process.wait()
    return killed

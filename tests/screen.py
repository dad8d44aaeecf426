"""Virtual screen for tests, provided by Xvfb."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator


@contextlib.contextmanager
def xvfb(size: str) -> Iterator[str]:
    read, write = os.pipe()
    server = subprocess.Popen(
        # Without -noreset it resets when its last client disconnects, and refuses the next one.
        ["Xvfb", "-displayfd", str(write), "-noreset", "-nolisten", "tcp", "-screen", "0", size],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as told:
            yield f":{told.readline().strip()}"
    finally:
        server.terminate()
        server.wait()

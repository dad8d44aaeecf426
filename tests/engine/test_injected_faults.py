"""Inject a fault into each engine function while other chats stream.

Running the scenes of `fault_scenes` once finds the functions. This is a selection limited to four
seconds, in which each function fails at its first call. `python -m tests.torture faults` covers all
functions in every state of a reply.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_each_reply_ends_once_after_any_fault() -> None:
    command = [sys.executable, "-m", "tests.torture", "faults", "--once", "--jobs", "1"]
    command += ["--seconds", "4"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "faults in" in done.stdout

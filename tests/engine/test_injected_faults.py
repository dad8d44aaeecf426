"""Functions of the engine are made to raise once, while neighbours stream.

The list of functions is found by playing the scenes of `fault_scenes` once. This is a selection:
each function at its first call, as far as they come in four seconds. `python -m tests.torture
faults` has all of them, in every state of a reply.
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

"""`python -m engine doctor`."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def test_doctor_reports_versions_and_memory() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "engine", "doctor", "--json"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["versions"]["mlx-lm"]
    assert report["backend"]["memory_budget"] < report["backend"]["memory"]
    assert done.returncode == bool(report["missing"]), done.stderr

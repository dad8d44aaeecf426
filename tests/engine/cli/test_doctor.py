"""`python -m engine doctor`, and running with patches disabled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

TIMEOUT_S = 120

ANSWERS = """
import sys, engine
from engine import Engine, SamplingParams
from tests import checked
checked.once()
with Engine() as running:
    model = running.load(sys.argv[1])
    reply = running.open_session(model).send("Hello", SamplingParams(max_tokens=3, temperature=0))
    print(model.step, len(reply.tokens()) > 0)
"""


def run(*arguments: str, without_patches: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "STRETTO_WITHOUT_PATCHES": without_patches},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def test_patches_are_disabled_by_name(model_folder: Callable[[str], Path]) -> None:
    done = run("-c", ANSWERS, str(model_folder("plain")), without_patches="attention, linear")
    assert done.stdout.split() == ["alone", "True"], done.stderr
    assert "'attention' is off" in done.stderr


def test_doctor_reports_disabled_patch() -> None:
    done = run("-m", "engine", "doctor", "--json", without_patches="linear")
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["versions"]["mlx-lm"]
    assert report["backend"]["memory_budget"] < report["backend"]["memory"]
    patches = {patch["name"]: patch["on"] for patch in report["patches"]}
    assert patches["attention"]
    if sys.platform == "linux" and report["backend"]["device"] == "cpu":
        assert not patches["linear"]
        assert done.returncode == 1, done.stderr
        assert any("'linear' is off" in difference for difference in report["differences"])

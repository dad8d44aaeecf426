"""Inject a fault into some engine functions while other chats stream.

`python -m tests.torture faults` covers all functions in every state of a reply.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FAULTS = (
    "states runtime.preparing.prepare Panic",
    "states runtime.delivery.Delivery.deliver RuntimeError",
    "talk text.splitter.TextSplitter.kind RuntimeError",
    "talk model.sampling.evaluate_rows Panic",
    "talk cache.slot_layer.advance Panic",
    "load model.folder.sampling_defaults Panic",
    "start runtime.workers.Workers.__init__ Panic",
    "serve serve.queue.Queue.enter RuntimeError",
)
"""Scene, function and kind of error."""


def test_each_reply_ends_once_after_any_fault() -> None:
    command = [sys.executable, "-m", "tests.torture", "faults", "--part", "1/1"]
    command += [word for fault in FAULTS for word in ("--inject", fault)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = [json.loads(line) for line in done.stdout.splitlines()]
    outcomes = [one for one in told if "took" in one]
    assert len(outcomes) == len(FAULTS)
    for fault, outcome in zip(FAULTS, outcomes, strict=True):
        assert outcome["fired_in"], fault
        assert not outcome["restarted"], fault
        assert outcome["problems"] == [], fault
    assert told[-1] == {"ends": True, "engines_left": 0}

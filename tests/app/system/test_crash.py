"""`kill -9` during a reply."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.app.conftest import Start

ROOT = Path(__file__).resolve().parents[3]


def test_kill_loses_at_most_one_second(start: Start, profile):
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.app.crash_child", str(profile)],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        text=True,
    )
    shown: list[tuple[float, int]] = []
    try:
        for line in child.stdout:
            at, words = line.split()
            shown.append((float(at), int(words)))
            # Long enough for several checkpoints.
            if shown[-1][0] - shown[0][0] > 2.5:
                break
    finally:
        child.kill()
        child.communicate()
    a_second_ago = max(words for at, words in shown if at <= shown[-1][0] - 1.0)

    run = start().ready()
    question, answer = run.pane.chat.transcript.path
    assert question.content == "count 1000000"
    assert answer.status == "interrupted"
    assert answer.content.split()[:3] == ["1", "2", "3"]
    assert len(answer.content.split()) >= a_second_ago > 100
    run.say("say it goes on")
    assert run.answered() == "it goes on "

"""Two programs never write the same chats."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from app.application import Application
from app.paths import Paths
from app.single import SingleInstance


def test_a_second_start_ends_and_calls_the_first(start, qapp, profile, qtbot):
    run = start()
    run.window.showMinimized()
    run.until(run.window.isMinimized)
    second = Application(qapp, Paths.in_profile(profile), engine_factory=lambda *_: None)
    assert not second.start()
    assert second.already_runs
    with qtbot.waitSignal(run.app.single.called):
        assert second.single.call()
    assert not run.window.isMinimized()
    second.shut_down()
    assert second.store is None
    run.ready()
    run.say("say still here")
    assert run.answered() == "still here "


def test_another_profile_is_another_program(start, tmp_path):
    start()
    other = SingleInstance(tmp_path)
    assert other.claim()
    other.release()


def test_a_killed_program_does_not_keep_the_profile(tmp_path, qapp):
    hold = (
        "import sys; from pathlib import Path; from PySide6.QtCore import QCoreApplication;"
        "from app.single import SingleInstance; a = QCoreApplication([]);"
        "s = SingleInstance(Path(sys.argv[1])); print(s.claim(), flush=True); a.exec()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", hold, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "True\n"
        mine = SingleInstance(tmp_path)
        assert not mine.claim()
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
    assert mine.claim()
    mine.release()

"""Two instances of the program on one profile."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from pytestqt.qtbot import QtBot

from app.program.application import Application
from app.settings.paths import Paths
from app.system.single_instance import SingleInstance
from tests.app.conftest import Start

HOLD = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.system.single_instance import SingleInstance
qt = QCoreApplication([])
single = SingleInstance(Path(sys.argv[1]))
single.show_requested.connect(lambda: print("called", flush=True))
print(single.claim(), flush=True)
sys.stdin.readline()  # busy: no event is handled before a line comes
qt.exec()
"""

CALL = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.system.single_instance import SingleInstance
qt = QCoreApplication([])
single = SingleInstance(Path(sys.argv[1]))
single.ANSWER_MS = int(sys.argv[2])
if single.claim():
    print("claimed", flush=True)
else:
    print("asking", flush=True)
    print("answered" if single.call() else "silent", flush=True)
single.release()
"""


START = """
import sys
from app.__main__ import main
from app.system.single_instance import SingleInstance
asks = SingleInstance.call
def call(single):
    print("asking", flush=True)
    return asks(single)
SingleInstance.call, SingleInstance.ANSWER_MS = call, 60_000
sys.exit(main(["--profile", sys.argv[1]]))
"""


class Child:
    def __init__(self, code, profile, *more):
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, str(profile), *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def line(self):
        return self.process.stdout.readline().strip()

    def go_on(self):
        self.process.stdin.write("go on\n")
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.process.communicate()


class Caller:
    def __init__(self, profile, patience_ms=60_000):
        self.child = Child(CALL, profile, str(patience_ms))
        assert self.child.line() == "asking"

    def ended(self):
        return self.child.process.poll() is not None

    def answered(self):
        word = self.child.line()
        self.child.process.communicate()
        return word == "answered"


@pytest.fixture
def first(tmp_path):
    child = Child(HOLD, tmp_path)
    assert child.line() == "True"
    yield child
    child.kill()


def test_busy_program_comes_forward_later(first, tmp_path):
    caller = Caller(tmp_path)
    assert not caller.ended()
    first.go_on()
    assert first.line() == "called"
    assert caller.answered()


def test_hung_program_is_not_considered_running(first, tmp_path):
    assert not Caller(tmp_path, patience_ms=200).answered()
    # Once idle it shows its window, although the caller has given up.
    first.go_on()
    assert first.line() == "called"


def test_start_waiting_for_hung_one_ends_by_signal(first, tmp_path):
    second = Child(START, tmp_path)
    try:
        assert second.line() == "asking"
        second.process.send_signal(signal.SIGTERM)
        assert second.process.wait(20) == -signal.SIGTERM
    finally:
        second.kill()


def test_next_start_after_crash_takes_over(first, tmp_path, qapp):
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    assert (tmp_path / "running.lock").exists(), "left behind, as its socket is"
    second = Child(HOLD, tmp_path)
    try:
        assert second.line() == "True"
        second.go_on()
        assert Caller(tmp_path).answered()
        assert second.line() == "called"
    finally:
        second.kill()


@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"\0" * 60, b"1\ninit\nanother name of this computer\n"]
)
def test_lock_of_unknown_owner_blocks_nothing(tmp_path, qapp, content):
    (tmp_path / "running.lock").write_bytes(content)
    mine = SingleInstance(tmp_path)
    assert mine.claim()
    other = SingleInstance(tmp_path)
    assert not other.claim()
    mine.release()


@pytest.mark.parametrize("content", [b"", b"1\ninit\nanother name of this computer\n"])
def test_living_owner_keeps_lock_despite_its_file(first, tmp_path, qapp, content):
    with (tmp_path / "running.lock").open("r+b") as file:
        file.truncate(0)
        file.write(content)
    assert not SingleInstance(tmp_path).claim()


def test_second_start_calls_first_and_exits(start: Start, qapp, profile, qtbot: QtBot):
    run = start().ready()  # in a single process, ending the second would cancel the first's loads
    run.window.showMinimized()
    run.until(run.window.isMinimized)
    second = Application(qapp, Paths.for_profile(profile), engine_factory=lambda *_: None)
    assert not second.start()
    assert second.already_runs
    # Both share a thread here: the call blocks for an answer that needs the other's event loop.
    with qtbot.waitSignal(run.app.single.show_requested):
        caller = Caller(profile)
    run.until(caller.ended)
    assert caller.answered()
    assert not run.window.isMinimized()
    second.shut_down()
    assert second.store is None
    run.say("say still here")
    assert run.answered() == "still here "


def test_another_profile_is_another_program(start: Start, tmp_path):
    start()
    other = SingleInstance(tmp_path)
    assert other.claim()
    other.release()

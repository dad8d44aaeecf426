"""``make test`` reports the failed tests and runs a few of them again alone.

Imports: nothing of the program.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.halves import Run

ONCE = """
from pathlib import Path

def test_fails_the_first_time():
    seen = Path(__file__).with_name("seen")
    first = not seen.exists()
    seen.touch()
    assert not first

def test_holds():
    pass
"""


def run_of(folder: Path, text: str) -> Run:
    file = folder / "test_one.py"
    file.write_text(text)
    pytest = [sys.executable, "-m", "pytest", "-q", f"--rootdir={folder}", "-c", "/dev/null"]
    return Run(pytest, [str(file)], folder / "cache")


DIES = """
import os, signal
from pathlib import Path

def test_holds():
    pass

def test_dies_the_first_time():
    seen = Path(__file__).with_name("seen")
    first = not seen.exists()
    seen.touch()
    if first:
        os.kill(os.getpid(), signal.SIGNAL)
"""


def test_failed_tests_run_alone_once_more(tmp_path: Path) -> None:
    run = run_of(tmp_path, ONCE)
    assert "1 failed, 1 passed" in run.go()
    assert run.status == 1
    assert run.failed() == ["test_one.py::test_fails_the_first_time"]
    assert "1 passed" in run.again()
    assert run.status == 0
    assert not run.death


def test_second_failure_counts(tmp_path: Path) -> None:
    run = run_of(tmp_path, "def test_no():\n    assert False\n")
    for go in (run.go, run.again):
        assert "1 failed" in go()
        assert run.status == 1


def test_bad_exit_without_failed_test_stays_bad(tmp_path: Path) -> None:
    run = run_of(tmp_path, "def test_yes():\n    pass\n")
    run.go()
    assert run.failed() == []
    run.again()
    assert run.status == 5  # pytest's "no tests ran"


@pytest.mark.parametrize(
    ("number", "where"),
    [(signal.SIGSEGV, "test_dies_the_first_time"), (signal.SIGKILL, "\n.")],
    ids=["its stacks are there", "without a word"],
)
def test_died_group_reports_and_reruns(tmp_path: Path, number: signal.Signals, where: str) -> None:
    run = run_of(tmp_path, DIES.replace("SIGNAL", number.name))
    run.go()
    assert run.status == -number
    assert [fault.partition(" of ")[0] for fault in run.failed()] == ["The process"]
    assert where in run.death
    assert "2 passed" in run.again()
    assert run.status == 0
    assert where in run.death

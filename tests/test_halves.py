"""``make test`` lists the failed tests, and where a process died.

Imports: nothing of the program.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.halves import Run

DIES = """
import os, signal

def test_holds():
    pass

def test_dies():
    os.kill(os.getpid(), signal.SIGNAL)
"""


@pytest.fixture(autouse=True)
def no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def run_of(folder: Path, text: str) -> Run:
    file = folder / "test_one.py"
    file.write_text(text)
    pytest = [sys.executable, "-m", "pytest", "-q", f"--rootdir={folder}", "-c", "/dev/null"]
    run = Run(pytest, [str(file)], folder / "cache")
    run.go()
    return run


def test_failed_tests_are_listed(tmp_path: Path) -> None:
    run = run_of(tmp_path, "def test_yes():\n    pass\n\ndef test_no():\n    assert False\n")
    assert run.status == 1
    assert run.failed() == ["test_one.py::test_no"]
    assert not run.death


def test_bad_exit_without_failed_test_stays_bad(tmp_path: Path) -> None:
    run = run_of(tmp_path, "")
    assert run.failed() == []
    assert run.status == 5  # pytest's "no tests ran"


@pytest.mark.parametrize(
    ("number", "where"),
    [(signal.SIGSEGV, "test_dies"), (signal.SIGKILL, "\n.")],
    ids=["its stacks are there", "without a word"],
)
def test_died_group_reports_its_place(tmp_path: Path, number: signal.Signals, where: str) -> None:
    run = run_of(tmp_path, DIES.replace("SIGNAL", number.name))
    assert run.status == -number
    assert [fault.partition(" of ")[0] for fault in run.failed()] == ["The process"]
    assert where in run.death

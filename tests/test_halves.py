"""``make test`` says which tests failed, and runs a few of them again alone.

Imports: nothing of the program.
"""

from __future__ import annotations

import sys
from pathlib import Path

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


def test_what_failed_runs_alone_once_more(tmp_path: Path) -> None:
    run = run_of(tmp_path, ONCE)
    assert "1 failed, 1 passed" in run.go()
    assert run.status == 1
    assert run.failed() == ["test_one.py::test_fails_the_first_time"]
    assert "1 passed" in run.go("--last-failed", "--last-failed-no-failures=none")
    assert run.status == 0


def test_what_fails_again_has_failed(tmp_path: Path) -> None:
    run = run_of(tmp_path, "def test_no():\n    assert False\n")
    for more in ((), ("--last-failed", "--last-failed-no-failures=none")):
        assert "1 failed" in run.go(*more)
        assert run.status == 1


def test_a_group_that_ended_badly_without_a_failed_test_stays_bad(tmp_path: Path) -> None:
    run = run_of(tmp_path, "def test_yes():\n    pass\n")
    run.go()
    assert run.failed() == []
    run.go("--last-failed", "--last-failed-no-failures=none")
    assert run.status == 5  # pytest's "no tests ran"

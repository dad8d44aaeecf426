"""Runs the tests in two processes side by side: ``make test``.

Most tests keep one core busy, so on two cores it takes little more than half the time. They are in
groups, the longest first; whichever process is free takes the next one. With files or folders among
the arguments there is one process, and pytest as ever.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections import deque
from pathlib import Path

TESTS = Path(__file__).parent
AT_ONCE = 2
GROUPS: tuple[tuple[str, ...], ...] = (
    ("app",),
    ("engine",),
    ("engine/test_[o-r]*", "engine/test_s[!e]*", "engine/test_[t-z]*"),
    ("engine/test_serve*", "engine/test_doors*", "engine/test_load*", "engine/test_batch*"),
    ("engine/test_confined*", "engine/test_hostile*", "engine/test_*faults*", "engine/test_hub*"),
    ("bundle", "guide", "test_*"),
    ("desktop",),
)
"""Patterns below this folder. A file is in the first group that names it or lies in a folder."""


def groups() -> list[list[str]]:
    """The files of each group. All test files are in one of them."""
    left = set(TESTS.glob("**/test_*.py"))
    by_file = [g for g in GROUPS if any("*" in pattern for pattern in g)]
    taken: dict[tuple[str, ...], set[Path]] = {}
    for group in (*by_file, *(g for g in GROUPS if g not in by_file)):
        found = {p for pattern in group for place in TESTS.glob(pattern) for p in _files(place)}
        taken[group] = found & left
        left -= taken[group]
    if left:
        raise SystemExit(f"tests/halves.py: in no group: {', '.join(sorted(map(str, left)))}")
    return [sorted(str(p) for p in taken[group]) for group in GROUPS]


def _files(place: Path) -> list[Path]:
    return list(place.glob("**/test_*.py")) if place.is_dir() else [place]


def main(arguments: list[str]) -> int:
    """The exit status of pytest, of the first group that failed."""
    pytest = [sys.executable, "-m", "pytest", *arguments]
    if any(Path(argument.partition("::")[0]).exists() for argument in arguments):
        return subprocess.call(pytest)
    waiting, printing = deque(groups()), threading.Lock()
    bad: list[int] = []

    def work() -> None:
        while True:
            try:
                files = waiting.popleft()
            except IndexError:
                return
            with tempfile.TemporaryFile("w+") as said:
                # Nothing but pytest's own cache is shared, and only one process may write that.
                command = [*pytest, "-p", "no:cacheprovider", *files]
                status = subprocess.call(command, stdout=said, stderr=subprocess.STDOUT)
                said.seek(0)
                with printing:
                    print(said.read(), end="", flush=True)
                    if status:
                        bad.append(status)

    workers = [threading.Thread(target=work, daemon=True) for _ in range(AT_ONCE)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return bad[0] if bad else 0  # a killed one's is below zero


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Runs lint and all tests in four processes side by side, for ``make test``.

The tests are in groups, the longest first. Each free process takes the next group, after ``make
lint``. Some groups mostly wait, for limits of child processes and for windows. One process starts
with those. Other tests sometimes wait, too: with three processes, two cores would be idle for a
seventh of the time. With files or folders among the arguments, there is one normal pytest process.

The failed tests are listed at the end, and where a process died.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import deque
from pathlib import Path

TESTS = Path(__file__).parent
AT_ONCE = 3
"""Number of processes besides the process that starts with waiting groups."""
DEATH_LINES = 150
"""Lines to keep of the stacks that Python prints when a signal kills it."""
LAST = 1000
"""Characters of output to keep, which name the test if there are no stacks."""
ROOM = 4 * 2**30
"""Required free bytes, of which a run uses about a quarter."""
GROUPS: tuple[tuple[str, ...], ...] = (
    ("engine", "engine/cache", "engine/cluster"),
    ("app",),
    ("app/ui",),
    ("engine/model", "engine/runtime", "engine/text"),
    ("engine/serve", "engine/batch", "engine/cli"),
    ("bundle", "guide", "test_*"),
)
"""Groups of patterns below this folder. A file belongs to the most specific pattern."""
WAITING: tuple[tuple[str, ...], ...] = (
    ("engine/sandbox", "engine/hub", "engine/test_*faults*"),
    ("desktop",),
)
"""Groups, as in `GROUPS`, that leave a core idle for more than half of their time."""


def groups() -> list[list[str]]:
    left = set(TESTS.glob("**/test_*.py"))
    taken: dict[tuple[str, ...], set[Path]] = {group: set() for group in (*GROUPS, *WAITING)}
    patterns = [(pattern, group) for group in taken for pattern in group]
    for pattern, group in sorted(patterns, key=lambda one: -one[0].count("/")):
        found = {p for place in TESTS.glob(pattern) for p in _files(place)} & left
        taken[group] |= found
        left -= found
    if left:
        raise SystemExit(f"tests/halves.py: in no group: {', '.join(sorted(map(str, left)))}")
    return [sorted(str(p) for p in taken[group]) for group in (*GROUPS, *WAITING)]


def _files(place: Path) -> list[Path]:
    return list(place.glob("**/test_*.py")) if place.is_dir() else [place]


def in_memory() -> str | None:
    """Return a folder in memory for the tests' files, if there is room.

    Each start of the window syncs its database several times. With a disk, that takes a tenth of a
    run.
    """
    place = Path("/dev/shm")
    return str(place) if place.is_dir() and shutil.disk_usage(place).free > ROOM else None


def main(arguments: list[str]) -> int:
    # Container images set this variable. Each process that a test starts would then compile the
    # program again, which takes more than half of its start.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if sys.platform == "linux":
        # MLX passes each small piece of work to another thread. If a woken thread does not preempt
        # the one that woke it, the engine's tests take a sixth less time.
        with contextlib.suppress(OSError):  # not permitted in some containers
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    pytest = [sys.executable, "-m", "pytest", *arguments]
    if any(Path(argument.partition("::")[0]).exists() for argument in arguments):
        return subprocess.call(pytest)
    with tempfile.TemporaryDirectory(dir=in_memory()) as folder:
        os.environ["TMPDIR"] = folder
        # shares what one group's process has checked (checked.py)
        os.environ["STRETTO_PASSED"] = folder
        lint = Lint()
        runs = [Run(pytest, files, Path(folder) / str(n)) for n, files in enumerate(groups())]
        busy = deque[Lint | Run]([lint, *runs[: len(GROUPS)]])
        idle = deque[Lint | Run](runs[len(GROUPS) :])
        printing = threading.Lock()

        def work(*queues: deque[Lint | Run]) -> None:
            while any(queues):
                try:
                    run = next(filter(None, queues)).popleft()
                except (IndexError, StopIteration):  # another thread has taken it
                    continue
                said = run.go()
                with printing:
                    print(said, end="", flush=True)

        kinds = [(busy, idle)] * AT_ONCE + [(idle, busy)]
        workers = [threading.Thread(target=work, args=kind, daemon=True) for kind in kinds]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        bad = [run for run in runs if run.status]
        failed = [fault for run in bad for fault in run.failed()]
        deaths = [run.death for run in bad if run.death]
        if failed:
            print("", "Failed:", *failed, sep="\n  ", flush=True)
        for death in deaths:
            print("", death, sep="\n", flush=True)
        if lint.status:
            print("\n`make lint` failed: see above.", flush=True)
        # negative if a signal killed it
        return lint.status or next((run.status for run in bad if run.status), 0)


class Lint:
    status = 0

    def go(self) -> str:
        command = ["make", "--no-print-directory", "lint"]
        done = subprocess.run(
            command, cwd=TESTS.parent, check=False, capture_output=True, text=True
        )
        self.status = done.returncode
        return done.stdout + done.stderr


class Run:
    def __init__(self, pytest: list[str], files: list[str], cache: Path) -> None:
        self.command = [*pytest, "-o", f"cache_dir={cache}", *files]
        self.status = 0
        self._files = files
        self.death = ""  # place where a signal killed the process, if the output shows it
        self._failed = cache / "v" / "cache" / "lastfailed"

    def go(self) -> str:
        with tempfile.TemporaryFile("w+") as said:
            self.status = subprocess.call(self.command, stdout=said, stderr=subprocess.STDOUT)
            said.seek(0)
            printed = said.read()
        if self.status < 0:
            _, fatal, stacks = printed.rpartition("Fatal Python error")
            lines = (fatal + stacks if fatal else printed[-LAST:]).splitlines()[:DEATH_LINES]
            self.death = "\n".join([f"{self._who()} died of signal {-self.status}:", *lines])
        return printed

    def failed(self) -> list[str]:
        """Return the failed tests, or the group if its process died and cannot tell."""
        if self.status < 0:
            return [self._who()]
        return list(json.loads(self._failed.read_text())) if self._failed.exists() else []

    def _who(self) -> str:
        return f"The process of {Path(self._files[0]).name} to {Path(self._files[-1]).name}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Runs the checks of the code and the tests in three processes side by side: ``make test``.

Most tests keep one core busy, so on two cores it takes little more than half the time. They are in
groups, the longest first; whichever process is free takes the next one, after ``make lint``. Some
groups wait more than they compute, for children's limits and for windows: a third process begins
with those, and goes on to fill what the two leave of the cores. With files or folders among the
arguments there is one process, and pytest as ever.

A few tests that failed run once more at the end, with nothing beside them, and so does a group
whose process died. Those that pass then are named and do not fail the run: a fault all the same, of
the test or of the program. Where a process died is printed last.
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
AT_ONCE = 2
"""Beside the one that begins with groups that wait."""
FEW_FAILED = 4
"""More than these are no accident, and do not run again."""
DEATH_LINES = 150
"""Of the stacks that Python writes when a signal ends it."""
LAST = 1000
"""Characters that tell which test it was, where the program had the stacks written elsewhere."""
ROOM = 4 * 2**30
"""Bytes; a run's files are about one of these four."""
GROUPS: tuple[tuple[str, ...], ...] = (
    ("app/ui",),
    ("app",),
    ("engine/serve", "engine/batch", "engine/cli"),
    ("engine",),
    ("engine/runtime", "engine/text"),
    ("engine/cache", "engine/cluster"),
    ("engine/model",),
    ("bundle", "guide", "test_*"),
)
"""Patterns below this folder. A file is in the group that names it most closely."""
WAITING: tuple[tuple[str, ...], ...] = (
    ("engine/sandbox", "engine/hub", "engine/test_*faults*"),
    ("desktop",),
)
"""As `GROUPS`: those that leave a core free for more than half of their time."""


def groups() -> list[list[str]]:
    """The files of each group. All test files are in one of them."""
    left = set(TESTS.glob("**/test_*.py"))
    taken: dict[tuple[str, ...], set[Path]] = {}
    for group in sorted(
        (*GROUPS, *WAITING), key=lambda g: -max(pattern.count("/") for pattern in g)
    ):
        found = {p for pattern in group for place in TESTS.glob(pattern) for p in _files(place)}
        taken[group] = found & left
        left -= taken[group]
    if left:
        raise SystemExit(f"tests/halves.py: in no group: {', '.join(sorted(map(str, left)))}")
    return [sorted(str(p) for p in taken[group]) for group in (*GROUPS, *WAITING)]


def _files(place: Path) -> list[Path]:
    return list(place.glob("**/test_*.py")) if place.is_dir() else [place]


def in_memory() -> str | None:
    """Where files of tests lie that no disk is waited for, if the system has room for them.

    Each start of the window syncs its database some times; a tenth of a run is such waiting.
    """
    place = Path("/dev/shm")
    return str(place) if place.is_dir() and shutil.disk_usage(place).free > ROOM else None


def main(arguments: list[str]) -> int:
    """The exit status of pytest, of the first group that failed."""
    # Images of containers set it: each process that a test starts would compile the program anew,
    # for more than half of the time that its start takes.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if sys.platform == "linux":
        # MLX hands each small piece of work to another thread. Where one that is woken does not
        # push the one that woke it aside, the engine's tests take a sixth less.
        with contextlib.suppress(OSError):  # a container may forbid it
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    pytest = [sys.executable, "-m", "pytest", *arguments]
    if any(Path(argument.partition("::")[0]).exists() for argument in arguments):
        return subprocess.call(pytest)
    with tempfile.TemporaryDirectory(dir=in_memory()) as folder:
        os.environ["TMPDIR"] = folder
        os.environ["STRETTO_PASSED"] = folder  # what one group's process has checked (checked.py)
        lint = Lint()
        runs = [Run(pytest, files, Path(folder) / str(n)) for n, files in enumerate(groups())]
        busy = deque[Lint | Run]([lint, *runs[: len(GROUPS)]])
        idle = deque[Lint | Run](runs[len(GROUPS) :])
        printing = threading.Lock()

        def work(*queues: deque[Lint | Run]) -> None:
            while any(queues):
                try:
                    run = next(filter(None, queues)).popleft()
                except (IndexError, StopIteration):  # another one has taken it
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
        if len(failed) <= FEW_FAILED and all(run.status == 1 or run.death for run in bad):
            for run in bad:
                print(run.again(), end="", flush=True)
            if bad and not any(run.status for run in bad):
                print("", "Failed once, and passed alone:", *failed, sep="\n  ", flush=True)
        for death in deaths:
            print("", death, sep="\n", flush=True)
        if lint.status:
            print("\n`make lint` failed: see above.", flush=True)
        # a killed one's is below zero
        return lint.status or next((run.status for run in bad if run.status), 0)


class Lint:
    """``make lint``, which needs a core for a minute."""

    status = 0

    def go(self) -> str:
        """What it printed; its exit status is kept."""
        command = ["make", "--no-print-directory", "lint"]
        done = subprocess.run(
            command, cwd=TESTS.parent, check=False, capture_output=True, text=True
        )
        self.status = done.returncode
        return done.stdout + done.stderr


class Run:
    """One group's files under pytest, with a cache of its own in ``cache``."""

    def __init__(self, pytest: list[str], files: list[str], cache: Path) -> None:
        self.command = [*pytest, "-o", f"cache_dir={cache}", *files]
        self.status = 0
        self._files = files
        self.death = ""  # where a signal ended the process, as far as it said so
        self._failed = cache / "v" / "cache" / "lastfailed"

    def go(self, *more: str) -> str:
        """What pytest printed; its exit status is kept."""
        with tempfile.TemporaryFile("w+") as said:
            self.status = subprocess.call(
                [*self.command, *more], stdout=said, stderr=subprocess.STDOUT
            )
            said.seek(0)
            printed = said.read()
        if self.status < 0:
            _, fatal, stacks = printed.rpartition("Fatal Python error")
            lines = (fatal + stacks if fatal else printed[-LAST:]).splitlines()[:DEATH_LINES]
            self.death = "\n".join([f"{self._who()} died of signal {-self.status}:", *lines])
        return printed

    def again(self) -> str:
        """As `go`: the tests that failed once more, or all where the process died."""
        whole = self.status < 0
        return self.go(*(() if whole else ("--last-failed", "--last-failed-no-failures=none")))

    def failed(self) -> list[str]:
        """The tests that failed, or the group where its process died: it cannot say which did."""
        if self.status < 0:
            return [self._who()]
        return list(json.loads(self._failed.read_text())) if self._failed.exists() else []

    def _who(self) -> str:
        return f"The process of {Path(self._files[0]).name} to {Path(self._files[-1]).name}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

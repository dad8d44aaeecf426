"""What is left of a crash: a report that the person can read, written by whatever still works.

Errors of Python leave one at once; a crash of the process leaves the stacks that faulthandler
wrote, which the next start makes a report of. Reports hold versions, stacks and the last lines of
the log; nothing that a person or a model wrote is in any of these.
"""

from __future__ import annotations

import contextlib
import faulthandler
import platform
import sys
import time
import traceback
from pathlib import Path
from types import TracebackType
from typing import IO

from app import __version__

KEPT = 20  # older reports are removed

MOST = 5  # reports of one run: what breaks breaks often

LOG_LINES = 60


class CrashReports:
    """The reports in one folder.

    Args:
        folder: where logs lie; it exists.
        log: the program's log, whose end goes into reports.
    """

    def __init__(self, folder: Path, log: Path) -> None:
        self._folder = folder
        self._log = log
        self._stacks = folder / "crash-stacks.txt"
        self._stream: IO[str] | None = None
        self._told: set[str] = set()  # stacks of this run that there is a report of
        self._before = False

    def begin(self) -> list[Path]:
        """Watch over this run; returns the reports of the last one that nobody has seen."""
        with contextlib.suppress(OSError):
            left = self._stacks.read_text("utf-8", "replace") if self._stacks.exists() else ""
            if left.strip():
                self._write("The program crashed.", left)
            self._before = faulthandler.is_enabled()
            self._stream = self._stacks.open("w", encoding="utf-8")
            faulthandler.enable(self._stream)
        return self.unseen()

    def end(self) -> None:
        """The program ends in order: nothing crashed."""
        if self._stream is not None:
            faulthandler.disable()
            if self._before and sys.__stderr__ is not None:
                faulthandler.enable(sys.__stderr__)
            self._stream.close()
            self._stream = None
            with contextlib.suppress(OSError):
                self._stacks.unlink()

    def report(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> Path | None:
        """Write down an error that nobody caught. A few a run: one that repeats is one report."""
        # Stacks without the error's own words: these may hold what a person wrote.
        stack = "".join(traceback.format_tb(trace))
        if len(self._told) >= MOST or f"{kind.__name__}\n{stack}" in self._told:
            return None
        self._told.add(f"{kind.__name__}\n{stack}")
        try:
            return self._write(f"An error that nobody caught: {kind.__name__}.", stack)
        except OSError:
            return None

    def unseen(self) -> list[Path]:
        """Reports that were not shown yet, the latest first."""
        return sorted(self._folder.glob("crash-*.new.txt"), reverse=True)

    def see(self) -> list[Path]:
        """Take all for seen; returns them under their new names, the latest first."""
        seen = []
        for path in self.unseen():
            target = path.with_name(path.name.replace(".new.txt", ".txt"))
            with contextlib.suppress(OSError):
                seen.append(path.replace(target))
        return seen

    def _write(self, what: str, stack: str) -> Path:
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        lines = [
            f"Stretto {__version__}, {now}",
            what,
            "",
            f"{platform.platform()}, Python {platform.python_version()}",
            *(f"{name} {number}" for name, number in versions().items()),
            "",
            stack.strip(),
            "",
            "The end of the log:",
            *self._log_end(),
            "",
        ]
        stamp = time.strftime("%Y%m%d-%H%M%S")
        number = 0
        while True:
            path = self._folder / f"crash-{stamp}-{number}.new.txt"
            try:
                with path.open("x", encoding="utf-8") as stream:
                    stream.write("\n".join(lines))
                break
            except FileExistsError:
                number += 1
        # The new report is kept whatever its date: the clock may have been set back.
        others = sorted(set(self._folder.glob("crash-[0-9]*.txt")) - {path})
        for old in others[: 1 - KEPT]:
            with contextlib.suppress(OSError):
                old.unlink()
        return path

    def _log_end(self) -> list[str]:
        try:
            return self._log.read_text("utf-8", "replace").splitlines()[-LOG_LINES:]
        except OSError:
            return ["(there is none)"]


PACKAGES = (
    "PySide6-Essentials",
    "PySide6-QtAds",
    "mlx",
    "mlx-lm",
    "transformers",
    "tokenizers",
    "huggingface_hub",
    "llguidance",
)


def versions() -> dict[str, str]:
    """The installed version of each package; words where one is not there."""
    # 20 ms, which no start needs
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "is not installed"
    return found

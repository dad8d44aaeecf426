"""Crash reports for the user.

Python exceptions are reported immediately. After a crash, the next start creates a report from
faulthandler's stack dump. Reports contain versions, stacks and the end of the log, but no text from
the user or a model.
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

KEPT = 20  # older reports are deleted

MOST = 5  # reports per run, because errors tend to repeat

LOG_LINES = 60


class CrashReports:
    """Crash reports in a folder.

    ``log`` is the app's log file, whose last lines are included in reports.
    """

    def __init__(self, folder: Path, log: Path) -> None:
        self._folder = folder
        self._log = log
        self._stacks = folder / "crash-stacks.txt"
        self._stream: IO[str] | None = None
        self._reported: set[str] = set()  # stacks already reported in this run
        self._before = False

    def begin(self) -> list[Path]:
        """Start crash detection. Return the unseen reports of earlier runs."""
        with contextlib.suppress(OSError):
            previous = self._stacks.read_text("utf-8", "replace") if self._stacks.exists() else ""
            if previous.strip():
                self._write("The program crashed.", previous)
            self._before = faulthandler.is_enabled()
            self._stream = self._stacks.open("w", encoding="utf-8")
            faulthandler.enable(self._stream)
        return self.unseen_reports()

    def end(self) -> None:
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
        """Report an uncaught exception, once per error and at most `MOST` times per run."""
        # Leave out the exception's message, because it may contain text from the user.
        stack = "".join(traceback.format_tb(trace))
        if len(self._reported) >= MOST or f"{kind.__name__}\n{stack}" in self._reported:
            return None
        self._reported.add(f"{kind.__name__}\n{stack}")
        try:
            return self._write(f"Uncaught error: {kind.__name__}", stack)
        except OSError:
            return None

    def unseen_reports(self) -> list[Path]:
        return sorted(self._folder.glob("crash-*.new.txt"), reverse=True)

    def mark_seen(self) -> list[Path]:
        paths = []
        for path in self.unseen_reports():
            target = path.with_name(path.name.replace(".new.txt", ".txt"))
            with contextlib.suppress(OSError):
                paths.append(path.replace(target))
        return paths

    def _write(self, report: str, stack: str) -> Path:
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        lines = [
            f"Stretto {__version__}, {now}",
            report,
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
        # Keep the new report, because the clock may have been set back.
        old_reports = sorted(set(self._folder.glob("crash-[0-9]*.txt")) - {path})
        for old in old_reports[: 1 - KEPT]:
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
    """Return the installed version of each package, or a note if it's missing."""
    # Imported here because it takes 20 ms.
    from importlib.metadata import PackageNotFoundError, version

    by_package = {}
    for package in PACKAGES:
        try:
            by_package[package] = version(package)
        except PackageNotFoundError:
            by_package[package] = "is not installed"
    return by_package

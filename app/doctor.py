"""What `python -m engine doctor` says of a chosen mlx-lm, asked in a child process."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.language import counted, mark, tr
from engine.model import overlay
from engine.sandbox.process import own_command

_LOOK_S = 0.1
_QUICK_S, _FAMILIES_S = 120.0, 1800.0
_MOST = 4 * 2**20  # characters of its answer that are read


@dataclass(frozen=True)
class Examined:
    """What was found.

    Attributes:
        starts: whether the engine can use it at all.
        why_not: the end of a sentence, where it cannot; `tr` of it is shown.
        version: of mlx-lm.
        families, ran: architectures that were tried, and that run; 0 where none was tried.
        findings: what is not as with the mlx-lm that comes with the program, a sentence each.
    """

    starts: bool
    why_not: str = ""
    version: str = ""
    families: int = 0
    ran: int = 0
    findings: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """All of it, for a person."""
        if not self.starts:
            return tr("Stretto cannot use it: {why}.", why=tr(self.why_not))
        told = [tr("mlx-lm {version} can be used.", version=self.version)]
        if self.families:
            told.append(
                counted(
                    "{ran} of its %n architectures run.",
                    "{ran} of its %n architectures run.",
                    self.families,
                    ran=self.ran,
                )
            )
        if not self.findings:
            told.append(tr("Nothing else is different from Stretto’s own."))
            return " ".join(told)
        told.append(tr("What is different from Stretto’s own:"))
        return "\n".join([" ".join(told), "", *self.findings])


class CancelledError(Exception):
    """Nobody waits for the answer any more."""


def examine(folder: Path, families: bool, stop: threading.Event) -> Examined:
    """Have the mlx-lm of a folder examined. Takes seconds, and minutes with its `families`.

    Raises:
        CancelledError: ``stop`` was set. The child is gone then.
    """
    command = own_command("doctor", "--json", *([] if families else ["--quick"]))
    environment = {**os.environ, overlay.VARIABLE: str(folder)}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            env=environment,
            start_new_session=True,  # its own children go with it
        )
        try:
            waited = 0.0
            while child.poll() is None:
                if stop.wait(_LOOK_S):
                    raise CancelledError
                waited += _LOOK_S
                if waited > (_FAMILIES_S if families else _QUICK_S):
                    return Examined(False, mark("it takes too long to start"))
        finally:
            _end(child)
        out.seek(0)
        errors.seek(0)
        said = out.read(_MOST).decode("utf-8", "replace")
        wrong = errors.read(_MOST).decode("utf-8", "replace").strip().splitlines()
    ended = tr("its process ended with {status}", status=child.returncode)
    return _told(said, wrong[-1][:200] if wrong else ended)


def _end(child: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(child.pid, 9)
    except (ProcessLookupError, PermissionError):  # it has ended, and all that it started
        child.kill()
    child.wait()


def _told(said: str, wrong: str) -> Examined:
    try:
        report: Mapping[str, Any] = json.loads(said)
        place, differences = report["mlx_lm"], [str(d) for d in report["differences"]]
        wanted = [str(m) for m in report["missing"]]
        missing = [tr("It wants {what}.", what=m) for m in wanted if not m.startswith("OpenBLAS")]
        if place.get("refused"):
            return Examined(False, str(place["refused"]))
        version = str(place["version"])
        counts = int(report["families"]), int(report["ran"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return Examined(False, wrong.rstrip("."))
    return Examined(True, "", version, *counts, tuple(missing + differences))

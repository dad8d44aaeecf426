"""A newer mlx-lm than the one that comes with the program: a wheel that the person has chosen.

It is unpacked in the profile, in a folder named by its hash, and used from the next start on: a
running program would otherwise import the half of it that it has not imported yet. Before a start
begins with it this is noted on disk, so that one which ends the program is not used a second time.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from app import flows
from app.bridge import Bridge
from app.settings.language import counted, mark, tr
from engine.model import overlay
from engine.sandbox.process import own_command

log = logging.getLogger(__name__)

_DIED = mark("Stretto quit while starting with it")
_HASH = re.compile(r"[0-9a-f]{64}")


class Chosen(Struct, frozen=True):
    """A wheel that was unpacked."""

    wheel: str  # the name of its file;  sha256: its hash;  version: of mlx-lm
    sha256: str
    version: str
    starting: bool = False  # a start with it has begun and is not known to have succeeded
    # why it is not used, as the end of a sentence; "" where it is. `tr` of it is shown.
    failed: str = ""


class NewerMlxLm(QObject):
    """What the person has chosen, and what came of it at this start."""

    changed = Signal()  # another is chosen, or something is known of it
    failed = Signal(str)  # (words): this start does not use it; why, as sentences

    def __init__(self, folder: Path, bridge: Bridge, parent: QObject | None = None) -> None:
        """``folder``: in the profile; what lies in it is this object's."""
        super().__init__(parent)
        self._folder = folder
        self._note = folder / "chosen.json"
        self._bridge = bridge
        self._began_with = ""
        self.used = ""  # the version of the chosen one that this run uses; "" where it uses its own
        # the wheel; None for the mlx-lm that comes with the program
        self.chosen = _read(self._note)

    def place(self, sha256: str) -> Path:
        """The folder of the wheel with this hash."""
        return self._folder / sha256[:16]

    @property
    def waits(self) -> bool:
        """Whether the next start uses another mlx-lm than this one."""
        good = self.chosen is not None and not self.chosen.failed
        return (self.chosen.sha256 if self.chosen is not None and good else "") != self._began_with

    def begin(self) -> None:
        """Use what was chosen, before the engine imports mlx-lm."""
        chosen, now = self.chosen, overlay.in_use()
        if chosen is None:
            return
        if now is not None and now.folder == self.place(chosen.sha256).resolve():
            self.used, self._began_with = chosen.version, chosen.sha256  # by a run before this one
        if overlay.asked() is not None or "mlx_lm" in sys.modules:
            return  # a developer's own, or it is too late
        if not chosen.failed:
            found = overlay.look(self.place(chosen.sha256))
            if chosen.starting or found.refused:
                self._keep(replace(chosen, starting=False, failed=found.refused or _DIED))
            else:
                self._keep(replace(chosen, starting=True))
                os.environ[overlay.VARIABLE] = str(self.place(chosen.sha256))
                overlay.apply()
                self.used, self._began_with = chosen.version, chosen.sha256
                _, overlay.watcher = self._bridge.channel(self._on_imported)
        if self.chosen is not None and self.chosen.failed:
            self.failed.emit(self.words)

    @property
    def words(self) -> str:
        """Which mlx-lm is used, and why, for a person."""
        chosen = self.chosen
        if chosen is None:
            return tr("Built-in, from the next start") if self.used else tr("Built-in")
        if chosen.failed:
            return tr(
                "mlx-lm {version} is not used: {why}. Stretto uses the built-in version.",
                version=chosen.version,
                why=tr(chosen.failed),
            )
        if self.waits:
            return tr("mlx-lm {version}, from the next start", version=chosen.version)
        return tr("mlx-lm {version}, from {wheel}", version=chosen.version, wheel=chosen.wheel)

    def end(self) -> None:
        """The program ends in order: nothing is known against the chosen one."""
        overlay.watcher = None
        self._started()

    def _on_imported(self, why: str) -> None:
        """The engine has imported it, or could not and took its own."""
        if why and self.chosen is not None:
            self.used, self._began_with = "", ""
            self._keep(replace(self.chosen, starting=False, failed=why))
            self.failed.emit(self.words)
        else:
            self._started()

    def _started(self) -> None:
        if self.chosen is not None and self.chosen.starting:
            self._keep(replace(self.chosen, starting=False))

    # Choosing.

    async def look(self, wheel: Path) -> str:
        """The SHA-256 of a wheel.

        Raises:
            ValueError: it is none; why, as a sentence.
        """
        try:
            return await flows.aside(lambda _: overlay.digest(wheel))
        except Exception as error:
            raise ValueError(_words(error)) from None

    async def take(self, wheel: Path, sha256: str) -> None:
        """Unpack a wheel whose hash the person was shown, to be used from the next start on.

        Raises:
            ValueError: it cannot be; why, as a sentence.
        """
        keep, place = {self._began_with[:16]} - {""}, self.place(sha256)
        try:
            found = await flows.aside(lambda _: _unpack(wheel, place, sha256, keep))
        except Exception as error:
            raise ValueError(_words(error)) from None
        self._keep(Chosen(wheel.name, sha256, found.version))

    def try_again(self) -> None:
        """Use it at the next start although it was not this time."""
        if self.chosen is not None:
            self._keep(replace(self.chosen, failed="", starting=False))

    def refuse(self, why: str) -> None:
        """It was tried in another process and does not work."""
        if self.chosen is not None:
            self._keep(replace(self.chosen, failed=why))

    def remove(self) -> None:
        """Use Stretto's own from the next start on. What this run uses stays until then."""
        self._keep(None)

    def _keep(self, chosen: Chosen | None) -> None:
        self.chosen = chosen
        try:
            if chosen is None:
                self._note.unlink(missing_ok=True)
            else:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                beside = self._note.with_suffix(".new")
                # names of files may have bytes that are no UTF-8: only ASCII carries them
                beside.write_text(json.dumps(msgspec.to_builtins(chosen)), encoding="ascii")
                beside.replace(self._note)
        except OSError as error:
            log.warning("What was chosen of mlx-lm was not kept: %s", error)
        self.changed.emit()


def _unpack(wheel: Path, into: Path, sha256: str, keep: set[str]) -> overlay.Overlay:
    found = overlay.install(wheel, into, sha256)
    for other in into.parent.iterdir():  # unpacked before, and used no longer
        if other.is_dir() and not other.is_symlink() and other.name not in {into.name, *keep}:
            shutil.rmtree(other, ignore_errors=True)
    return found


def _read(note: Path) -> Chosen | None:
    """What was chosen; None where nothing was, or the note cannot be read."""
    try:
        chosen = msgspec.convert(json.loads(note.read_bytes()), Chosen)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        log.warning("The note of the chosen mlx-lm cannot be read: %s", error)
        return None
    return chosen if _HASH.fullmatch(chosen.sha256) else None


def _words(error: Exception) -> str:
    if isinstance(error, ValueError):
        return str(error)
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return tr("Cannot be read: {why}.", why=told)


_LOOK_S = 0.1
_QUICK_S, _FAMILIES_S = 120.0, 1800.0
_MOST = 4 * 2**20  # characters of its answer that are read


class Examined(Struct, frozen=True):
    """What was found."""

    starts: bool  # whether the engine can use it at all
    why_not: str = ""  # the end of a sentence, where it cannot; `tr` of it is shown
    version: str = ""  # of mlx-lm
    # families, ran: architectures that were tried, and that run; 0 where none was tried
    families: int = 0
    ran: int = 0
    # what is not as with the mlx-lm that comes with the program, a sentence each
    findings: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """All of it, for a person."""
        if not self.starts:
            return tr("Cannot be used: {why}.", why=tr(self.why_not))
        told = [tr("mlx-lm {version} works.", version=self.version)]
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
            told.append(tr("No other differences from the built-in version."))
            return " ".join(told)
        told.append(tr("Differences from the built-in version:"))
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
        missing = [tr("Requires {what}.", what=m) for m in wanted if not m.startswith("OpenBLAS")]
        if place.get("refused"):
            return Examined(False, str(place["refused"]))
        version = str(place["version"])
        counts = int(report["families"]), int(report["ran"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return Examined(False, wrong.rstrip("."))
    return Examined(True, "", version, *counts, tuple(missing + differences))

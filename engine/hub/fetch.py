"""Downloading a model that was looked at: file by file, each checked, none of it ever run."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from engine.errors import DOWNLOAD_FAILED, NO_SPACE, NOT_A_MODEL, EngineError
from engine.hub import cache, net
from engine.hub.models import HubFile, HubModel, address, headers

TRIES = 5
"""How often in a row a connection may break without having brought anything new."""
MEAGRE_TRIES = 20
"""How often in a row it may break with less than `ENOUGH` new bytes."""
ENOUGH = 2**18
PAUSE_S = 1.0
"""How long the pause before another try is, times the number of such failures before it."""
LONGEST_PAUSE_S = 10.0
SPARE = 64 * 10**6
"""Bytes of the disk that a download leaves free."""

_PIECE = 2**20

Progress = Callable[[int, int], object]
"""Called with (bytes that are there, bytes in all) on the thread that downloads."""


def check_space(model: HubModel) -> None:
    """Raises EngineError `no_space` if the rest of the model does not fit on the disk."""
    missing = model.size - cache.held(model.repo, model.files)
    try:
        free = cache.free_bytes(cache.root())
    except OSError as error:
        raise net.disk_error(error) from None
    if missing + SPARE > free:
        raise EngineError(
            NO_SPACE,
            f"{model.repo} needs {missing / 1e9:.2f} GB more, and the disk has "
            f"{free / 1e9:.2f} GB left. Free some space, or choose a smaller model.",
        )


def download(
    model: HubModel,
    progress: Progress | None = None,
    cancelled: threading.Event | None = None,
    token: str | None = None,
    tidy: bool = True,
) -> Path:
    """Fetch what is missing of the model; returns its folder, which the engine can load.

    After any interruption the same call goes on where it was. Set ``cancelled`` from any thread to
    stop it within a fraction of a second. With ``tidy``, parts of other versions are thrown away
    once it is whole.

    Raises:
        EngineError: `no_space`, `gated`, `not_found`, `not_a_model`, `offline`,
            `download_failed`, `download_cancelled`.
    """
    if not model.known:
        raise EngineError(
            NOT_A_MODEL,
            f"{model.repo} is of the type {model.architecture!r}, which this version does not "
            "know. A newer version of Stretto may.",
        )
    check_space(model)
    stop = cancelled or threading.Event()
    try:
        with cache.locked(model.repo):
            run = _Run(model, progress or (lambda _done, _total: None), stop, token)
            for file in model.files:
                run.fetch(file)
            return cache.publish(model.repo, model.revision, model.commit, model.files, tidy)
    except OSError as error:
        raise net.disk_error(error) from None


class _Run:
    """The download of one model."""

    def __init__(
        self, model: HubModel, progress: Progress, cancelled: threading.Event, token: str | None
    ) -> None:
        self._model = model
        self._progress = progress
        self._cancelled = cancelled
        self._headers = headers(token)
        self._total = model.size
        self._before = cache.held(model.repo, model.files)  # of all files but the one in hand

    def fetch(self, file: HubFile) -> None:
        """Download one file, or the rest of one that has come in part."""
        self._before -= cache.held(self._model.repo, [file])
        target = cache.blob(self._model.repo, file)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            part = cache.part(self._model.repo, file)
            with part.open("ab") as out:
                got = self._fill(file, part, out)
                out.flush()
                os.fsync(out.fileno())
            if got != file.digest:
                part.unlink()
                raise EngineError(
                    DOWNLOAD_FAILED,
                    f"{file.name} arrived damaged and was thrown away. Download it again.",
                )
            os.replace(part, target)
        self._before += file.size
        self._progress(self._before, self._total)

    def _fill(self, file: HubFile, part: Path, out: BinaryIO) -> str:
        """Append what is missing; returns the digest of all."""
        from httpx2 import RemoteProtocolError

        have = out.tell()
        if have > file.size:
            out.truncate(have := 0)
        digest = file.hasher()
        with part.open("rb") as there:
            while piece := there.read(_PIECE):
                self._look()
                digest.update(piece)
        patience, why = _Patience(have), EngineError(DOWNLOAD_FAILED, "")
        while have < file.size:
            if patience.is_over:
                raise why
            self._cancelled.wait(patience.pause)
            self._look()
            asked = dict(self._headers)
            if have:
                asked["Range"] = f"bytes={have}-"
            url = address(self._model.repo, self._model.commit, file.name)
            why = _broken_off(file)
            try:
                for status, piece in net.pieces(url, asked, self._model.repo, self._cancelled):
                    if not piece:
                        if have and status != 206:  # all of it comes, not the rest
                            out.truncate(have := 0)
                            digest = file.hasher()
                        continue
                    if have + len(piece) > file.size:
                        out.truncate(0)
                        raise EngineError(
                            DOWNLOAD_FAILED,
                            f"{file.name} is longer than the hub said. Download it again.",
                        )
                    out.write(piece)
                    digest.update(piece)
                    have += len(piece)
                    self._progress(self._before + have, self._total)
            except net.BrokenError as error:
                if not isinstance(error.cause, RemoteProtocolError):
                    why = net.translated(error.cause, self._model.repo)
            patience.ended(have)
        return digest.hexdigest()

    def _look(self) -> None:
        if self._cancelled.is_set():
            raise net.cancelled_error()


class _Patience:
    """Counts the connections that broke. A hub that never gets on is given up.

    A hub that ignores Range begins anew each time. Only what goes beyond the best try counts.

    Attributes:
        pause: seconds to wait before the next connection.
    """

    def __init__(self, have: int) -> None:
        self._best = have
        self._fruitless = 0  # connections in a row that brought nothing new
        self._meagre = 0  # connections in a row that brought little or nothing
        self.pause = 0.0

    def ended(self, have: int) -> None:
        """A connection has ended with so many bytes there."""
        new = max(0, have - self._best)
        self._best += new
        self._fruitless = 0 if new else self._fruitless + 1
        self._meagre = 0 if new >= ENOUGH else self._meagre + 1
        self.pause = min(PAUSE_S * max(1, self._meagre), LONGEST_PAUSE_S)

    @property
    def is_over(self) -> bool:
        return self._fruitless > TRIES or self._meagre > MEAGRE_TRIES


def _broken_off(file: HubFile) -> EngineError:
    return EngineError(
        DOWNLOAD_FAILED,
        f"The hub breaks off in the midst of {file.name}. What has come is kept; go on later.",
    )

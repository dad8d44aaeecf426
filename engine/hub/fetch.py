"""Downloading a model that was looked at: file by file, each checked, none of it ever run."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from engine.errors import DOWNLOAD_FAILED, NO_SPACE, NOT_A_MODEL, EngineError
from engine.hub import cache, net
from engine.hub.look import HubFile, HubModel, address, headers

TRIES = 5
"""How often in a row a connection may break without a byte having come."""
PAUSE_S = 1.0
"""Between two of them, times the number of those before."""
SPARE = 64 * 10**6
"""Bytes of the disk that a download leaves free."""

_PIECE = 2**20

Progress = Callable[[int, int], object]
"""Is told (bytes that are there, bytes in all), from the thread that downloads."""


def check_space(model: HubModel) -> None:
    """Raises EngineError `no_space` if the rest of the model does not fit on the disk."""
    missing = model.size - cache.held(model.repo, model.files)
    try:
        free = cache.free_bytes()
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

    Whatever ends it, the same call goes on where it was. Set ``cancelled`` from any thread to
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
    """One model's files on their way."""

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
        """Bring one file wholly here, going on with what has come of it."""
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
        broken, why = 0, EngineError(DOWNLOAD_FAILED, "")
        while have < file.size:
            if broken > TRIES:
                raise why
            if broken:
                self._cancelled.wait(PAUSE_S * broken)
            asked = dict(self._headers)
            if have:
                asked["Range"] = f"bytes={have}-"
            url = address(self._model.repo, self._model.commit, file.name)
            broken, why = broken + 1, _broken_off(file)
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
                    broken = 0
                    self._progress(self._before + have, self._total)
            except net.BrokenError as error:
                if not isinstance(error.cause, RemoteProtocolError):
                    why = net.translated(error.cause, self._model.repo)
        return digest.hexdigest()

    def _look(self) -> None:
        if self._cancelled.is_set():
            raise net.cancelled_error()


def _broken_off(file: HubFile) -> EngineError:
    return EngineError(
        DOWNLOAD_FAILED,
        f"The hub breaks off in the midst of {file.name}. What has come is kept; go on later.",
    )

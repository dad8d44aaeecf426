"""Downloads: where they lie, and how a model that was looked at gets there. None of it is ever run.

They lie in huggingface_hub's own cache, in its documented layout: `models--OWNER--NAME/` holds
`blobs/DIGEST`, `snapshots/COMMIT/FILE` (links to blobs) and `refs/REVISION` (the commit that the
revision stands for). A file that is not complete is `blobs/DIGEST.incomplete`. A snapshot's folder
appears in one step, after all of its files have come, so one that was made here is a whole model.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from engine.errors import DOWNLOAD_FAILED, NO_SPACE, NOT_A_MODEL, EngineError
from engine.hub import net
from engine.hub.models import HubFile, HubModel, address, headers
from engine.hub.names import MAIN, is_revision

TRIES = 5  # how often in a row a connection may break without having brought anything new
MEAGRE_TRIES = 20  # how often in a row it may break with less than `ENOUGH` new bytes
ENOUGH = 2**18
PAUSE_S = 1.0
"""How long the pause before another try is, times the number of such failures before it."""
LONGEST_PAUSE_S = 10.0
SPARE = 64 * 10**6  # bytes of the disk that a download leaves free

_PIECE = 2**20

Progress = Callable[[int, int], object]
"""Called with (bytes that are there, bytes in all) on the thread that downloads."""

_COMMIT = re.compile(r"[0-9a-f]{40}")
_DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_INCOMPLETE = ".incomplete"


def root() -> Path:
    """The folder of all downloads (HF_HUB_CACHE, or within HF_HOME)."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE).expanduser()


def _folder(repo: str) -> Path:
    return root() / f"models--{repo.replace('/', '--')}"


def find(repo: str, revision: str = MAIN) -> Path | None:
    """The folder of a downloaded model, or None. The hub is not asked."""
    if repo.count("/") != 1 or ".." in repo or not is_revision(revision):
        return None
    folder = _folder(repo)
    commit = revision
    if not _COMMIT.fullmatch(revision):
        try:
            commit = (folder / "refs" / revision).read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            return None
    snapshot = folder / "snapshots" / commit
    return snapshot if _COMMIT.fullmatch(commit) and os.path.isdir(snapshot) else None


def complete(model: HubModel) -> Path | None:
    """The folder of a model that was looked up, if all of its present files are in it.

    huggingface_hub makes the folder with the first file, so others may be missing.
    """
    folder = find(model.repo, model.revision)
    if folder is None or folder != find(model.repo, model.commit):
        return None
    return folder if all(os.path.isfile(folder / file.name) for file in model.files) else None


def blob(repo: str, file: HubFile) -> Path:
    return _folder(repo) / "blobs" / file.digest


def part(repo: str, file: HubFile) -> Path:
    """The place of a file that is not complete yet."""
    return _folder(repo) / "blobs" / (file.digest + _INCOMPLETE)


def bytes_present(repo: str, files: Iterable[HubFile]) -> int:
    """How many bytes of these files are there already."""
    count = 0
    for file in files:
        if os.path.exists(blob(repo, file)):
            count += file.size
        else:
            with contextlib.suppress(OSError):
                count += min(part(repo, file).stat().st_size, file.size)
    return count


def free_bytes(place: Path) -> int:
    """How many bytes are free on the disk of a place, which need not exist. Raises OSError."""
    place = place.absolute()
    there = next(p for p in (place, *place.parents) if os.path.exists(p))
    return shutil.disk_usage(there).free


def publish(
    repo: str, revision: str, commit: str, files: Iterable[HubFile], tidy: bool = True
) -> Path:
    """Make the snapshot of files that are all complete. Raises OSError."""
    folder = _folder(repo)
    snapshot = folder / "snapshots" / commit
    if snapshot.is_dir():  # another program fetched some of it
        for file in files:
            link, beside = snapshot / file.name, snapshot / f".{file.name}.new"
            if not link.exists():
                beside.unlink(missing_ok=True)
                beside.symlink_to(Path("..", "..", "blobs", file.digest))
                os.replace(beside, link)
    else:
        staged = folder / f".{commit}.new"
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir(parents=True)
        for file in files:
            (staged / file.name).symlink_to(Path("..", "..", "blobs", file.digest))
        snapshot.parent.mkdir(exist_ok=True)
        os.replace(staged, snapshot)
    if revision != commit:
        ref = folder / "refs" / revision
        ref.parent.mkdir(parents=True, exist_ok=True)
        beside = folder / f".{commit}.ref"
        beside.write_text(commit, encoding="utf-8")
        os.replace(beside, ref)
    if tidy:
        for left in (folder / "blobs").glob(f"*{_INCOMPLETE}"):
            if _is_ours(left):
                left.unlink(missing_ok=True)
    return snapshot


def discard(repo: str) -> None:
    """Remove the files of an unfinished download. Snapshots and all their files stay.

    Raises:
        EngineError: `download_failed` while the download goes on.
    """
    folder = _folder(repo)
    with locked(repo):
        for file in _loose(folder):
            file.unlink(missing_ok=True)
    for place in (folder / "blobs", folder):
        with contextlib.suppress(OSError):
            place.rmdir()  # unless there is something in it


def bytes_unfinished(repo: str) -> int:
    """Bytes of a model's unfinished downloads. The hub is not asked."""
    count = 0
    for file in _loose(_folder(repo)):
        with contextlib.suppress(OSError):
            count += file.stat().st_size
    return count


def _loose(folder: Path) -> list[Path]:
    """Files, complete or not, that belong to no snapshot."""
    used = {os.path.realpath(link) for link in folder.glob("snapshots/*/**/*")}
    return [
        file
        for file in (folder / "blobs").glob("*")
        if _is_ours(file) and os.path.realpath(file) not in used
    ]


def _is_ours(blob: Path) -> bool:
    """Whether it can be ours: unfinished files of other programs have longer names."""
    return bool(_DIGEST.fullmatch(blob.name.removesuffix(_INCOMPLETE)))


@contextlib.contextmanager
def locked(repo: str) -> Iterator[None]:
    """Keep other programs from writing the same files. After a crash the system frees the lock.

    Raises:
        EngineError: `download_failed` where another program holds the lock.
    """
    from filelock import FileLock, Timeout

    place = root() / ".locks" / _folder(repo).name
    place.mkdir(parents=True, exist_ok=True)
    lock = FileLock(place / "stretto.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise EngineError(
            DOWNLOAD_FAILED, f"{repo} is being downloaded already, by this or another program."
        ) from None
    try:
        yield
    finally:
        lock.release()


# Fetching.


def check_space(model: HubModel) -> None:
    """Raises EngineError `no_space` if the rest of the model does not fit on the disk."""
    missing = model.size - bytes_present(model.repo, model.files)
    try:
        free = free_bytes(root())
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
    on_wait: net.OnWait | None = None,
) -> Path:
    """Fetch what is missing of the model; returns its folder, which the engine can load.

    After any interruption the same call goes on where it was. Set ``cancelled`` from any thread to
    stop it within a fraction of a second. With ``tidy``, parts of other versions are thrown away
    once it is whole. A hub that asks to wait is waited for.

    Args:
        on_wait: called with the seconds before each wait, on this thread.

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
        with locked(model.repo):
            waits = net.Waits(stop, on_wait=on_wait)
            run = _Run(model, progress or (lambda _done, _total: None), stop, token, waits)
            for file in model.files:
                run.fetch(file)
            return publish(model.repo, model.revision, model.commit, model.files, tidy)
    except OSError as error:
        raise net.disk_error(error) from None


class _Run:
    """The download of one model."""

    def __init__(
        self,
        model: HubModel,
        progress: Progress,
        cancelled: threading.Event,
        token: str | None,
        waits: net.Waits,
    ) -> None:
        self._waits = waits
        self._model = model
        self._progress = progress
        self._cancelled = cancelled
        self._headers = headers(token)
        self._before = bytes_present(model.repo, model.files)  # of all files but the one in hand

    def fetch(self, file: HubFile) -> None:
        """Download one file, or the rest of one that has come in part."""
        self._before -= bytes_present(self._model.repo, [file])
        target = blob(self._model.repo, file)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            unfinished = part(self._model.repo, file)
            with unfinished.open("ab") as out:
                got = self._fill(file, unfinished, out)
                out.flush()
                os.fsync(out.fileno())
            if got != file.digest:
                unfinished.unlink()
                raise EngineError(
                    DOWNLOAD_FAILED,
                    f"{file.name} arrived damaged and was thrown away. Download it again.",
                )
            os.replace(unfinished, target)
        self._before += file.size
        self._progress(self._before, self._model.size)

    def _fill(self, file: HubFile, unfinished: Path, out: BinaryIO) -> str:
        """Append what is missing; returns the digest of all."""
        from httpx2 import RemoteProtocolError

        have = out.tell()
        if have > file.size:
            out.truncate(have := 0)
        digest = file.hasher()
        with unfinished.open("rb") as there:
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
            why = EngineError(
                DOWNLOAD_FAILED,
                f"The hub breaks off in the midst of {file.name}. What has come is kept; go on "
                "later.",
            )
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
                    self._waits.progressed()
                    self._progress(self._before + have, self._model.size)
            except net.BusyError as error:
                out.flush()
                self._waits.wait(error, self._model.repo)
                continue
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
    """

    def __init__(self, have: int) -> None:
        self._best = have
        self._fruitless = 0  # connections in a row that brought nothing new
        self._meagre = 0  # connections in a row that brought little or nothing
        self.pause = 0.0  # seconds to wait before the next connection

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

"""Downloads to huggingface_hub's cache.

The cache has a documented layout: `models--OWNER--NAME/` with `blobs/DIGEST`,
`snapshots/COMMIT/FILE` (links to blobs) and `refs/REVISION` (the revision's commit). While a file
is downloading, it's called `blobs/DIGEST.incomplete`. The snapshot folder is only created once all
of its files are there.
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
from engine.hub.models import HubFile, HubModel, file_url, request_headers
from engine.hub.names import MAIN, is_revision

MAX_SLOW_RETRIES = 8  # consecutive retries with less than `MIN_PROGRESS_BYTES` of new data
MIN_PROGRESS_BYTES = 2**18
PAUSE_S = 1.0
"""Delay before a retry, multiplied by the number of consecutive slow retries."""
MAX_PAUSE_S = 10.0
RESERVED_BYTES = 64 * 10**6  # disk space to leave free

_CHUNK_BYTES = 2**20

Progress = Callable[[int, int], object]
"""Callback on the downloading thread, with the bytes present and the total."""

_COMMIT = re.compile(r"[0-9a-f]{40}")
_DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_INCOMPLETE = ".incomplete"


def cache_root() -> Path:
    """Return the root of the cache, from HF_HUB_CACHE or HF_HOME."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE).expanduser()


def _repo_folder(repo: str) -> Path:
    return cache_root() / f"models--{repo.replace('/', '--')}"


def find(repo: str, revision: str = MAIN) -> Path | None:
    if repo.count("/") != 1 or ".." in repo or not is_revision(revision):
        return None
    folder = _repo_folder(repo)
    commit = revision
    if not _COMMIT.fullmatch(revision):
        try:
            commit = (folder / "refs" / revision).read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            return None
    snapshot = folder / "snapshots" / commit
    return snapshot if _COMMIT.fullmatch(commit) and os.path.isdir(snapshot) else None


def find_complete(model: HubModel) -> Path | None:
    """Return a model's folder if all its current files have been downloaded.

    huggingface_hub creates the folder with the first file, so every file is checked.
    """
    folder = find(model.repo, model.revision)
    if folder is None or folder != find(model.repo, model.commit):
        return None
    return folder if all(os.path.isfile(folder / file.name) for file in model.files) else None


def blob_path(repo: str, file: HubFile) -> Path:
    return _repo_folder(repo) / "blobs" / file.digest


def part_path(repo: str, file: HubFile) -> Path:
    return _repo_folder(repo) / "blobs" / (file.digest + _INCOMPLETE)


def bytes_present(repo: str, files: Iterable[HubFile]) -> int:
    count = 0
    for file in files:
        if os.path.exists(blob_path(repo, file)):
            count += file.size
        else:
            with contextlib.suppress(OSError):
                count += min(part_path(repo, file).stat().st_size, file.size)
    return count


def free_bytes(path: Path) -> int:
    """Return the free bytes on a path's disk. The path needn't exist. Raises `OSError`."""
    path = path.absolute()
    existing = next(p for p in (path, *path.parents) if os.path.exists(p))
    return shutil.disk_usage(existing).free


def publish(
    repo: str, revision: str, commit: str, files: Iterable[HubFile], tidy: bool = True
) -> Path:
    """Create a snapshot of complete files. Raises `OSError`."""
    folder = _repo_folder(repo)
    snapshot = folder / "snapshots" / commit
    if snapshot.is_dir():  # another program has downloaded some of the files
        for file in files:
            link, temporary = snapshot / file.name, snapshot / f".{file.name}.new"
            if not link.exists():
                temporary.unlink(missing_ok=True)
                temporary.symlink_to(Path("..", "..", "blobs", file.digest))
                os.replace(temporary, link)
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
        temporary = folder / f".{commit}.ref"
        temporary.write_text(commit, encoding="utf-8")
        os.replace(temporary, ref)
    if tidy:
        for leftover in (folder / "blobs").glob(f"*{_INCOMPLETE}"):
            if _is_ours(leftover):
                leftover.unlink(missing_ok=True)
    return snapshot


def discard(repo: str) -> None:
    """Delete the rest of an unfinished download. Files used by snapshots are kept."""
    folder = _repo_folder(repo)
    with lock_repository(repo):
        for file in _unused_blobs(folder):
            file.unlink(missing_ok=True)
    for folder_to_remove in (folder / "blobs", folder):
        with contextlib.suppress(OSError):
            folder_to_remove.rmdir()  # fails unless the folder is empty


def bytes_unfinished(repo: str) -> int:
    count = 0
    for file in _unused_blobs(_repo_folder(repo)):
        with contextlib.suppress(OSError):
            count += file.stat().st_size
    return count


def _unused_blobs(folder: Path) -> list[Path]:
    used = {os.path.realpath(link) for link in folder.glob("snapshots/*/**/*")}
    return [
        file
        for file in (folder / "blobs").glob("*")
        if _is_ours(file) and os.path.realpath(file) not in used
    ]


def _is_ours(blob: Path) -> bool:
    """Return True for Stretto's files. Incomplete files of other programs have longer names."""
    return bool(_DIGEST.fullmatch(blob.name.removesuffix(_INCOMPLETE)))


@contextlib.contextmanager
def lock_repository(repo: str) -> Iterator[None]:
    """Lock a repository against other programs.

    Raises:
        EngineError: `download_failed` if another program holds the lock.
    """
    from filelock import FileLock, Timeout

    locks = cache_root() / ".locks" / _repo_folder(repo).name
    locks.mkdir(parents=True, exist_ok=True)
    lock = FileLock(locks / "stretto.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise EngineError(
            DOWNLOAD_FAILED, f"{repo} is already being downloaded by this or another program."
        ) from None
    try:
        yield
    finally:
        lock.release()


def check_space(model: HubModel) -> None:
    """Raise `no_space` if there isn't enough disk space for the missing files."""
    missing = model.size - bytes_present(model.repo, model.files)
    try:
        free = free_bytes(cache_root())
    except OSError as error:
        raise net.disk_error(error) from None
    if missing + RESERVED_BYTES > free:
        raise EngineError(
            NO_SPACE,
            f"{model.repo} needs {missing / 1e9:.2f} GB more, but the disk has "
            f"{free / 1e9:.2f} GB free. Free some space, or choose a smaller model.",
        )


def download(
    model: HubModel,
    progress: Progress | None = None,
    cancelled: threading.Event | None = None,
    token: str | None = None,
    tidy: bool = True,
    on_wait: net.OnWait | None = None,
) -> Path:
    """Download a model's missing files, and return its folder.

    A download resumes after an interruption, and waits if the hub is busy.

    Args:
        cancelled: set it to stop the download.
        tidy: delete incomplete files of other versions when done.
        on_wait: called on this thread before each wait, with its length in seconds.

    Raises:
        EngineError: `no_space`, `gated`, `not_found`, `not_a_model`, `offline`, `download_failed`,
            `download_cancelled`.
    """
    if not model.known:
        raise EngineError(
            NOT_A_MODEL,
            f"{model.repo} has type {model.architecture!r}, which this version does not "
            "support. A newer version of Stretto may.",
        )
    check_space(model)
    stop = cancelled or threading.Event()
    try:
        with lock_repository(model.repo):
            waits = net.BusyWaiter(stop, on_wait=on_wait)
            run = ModelDownload(model, progress or (lambda _done, _total: None), stop, token, waits)
            for file in model.files:
                run.fetch(file)
            return publish(model.repo, model.revision, model.commit, model.files, tidy)
    except OSError as error:
        raise net.disk_error(error) from None


class ModelDownload:
    def __init__(
        self,
        model: HubModel,
        progress: Progress,
        cancelled: threading.Event,
        token: str | None,
        waits: net.BusyWaiter,
    ) -> None:
        self._waits = waits
        self._model = model
        self._progress = progress
        self._cancelled = cancelled
        self._headers = request_headers(token)
        # Size of all files except the current file.
        self._present_bytes = bytes_present(model.repo, model.files)

    def fetch(self, file: HubFile) -> None:
        self._present_bytes -= bytes_present(self._model.repo, [file])
        target = blob_path(self._model.repo, file)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            unfinished = part_path(self._model.repo, file)
            with unfinished.open("ab") as out:
                digest = self._download_rest(file, unfinished, out)
                out.flush()
                os.fsync(out.fileno())
            if digest != file.digest:
                unfinished.unlink()
                raise EngineError(
                    DOWNLOAD_FAILED,
                    f"{file.name} was damaged in transfer and deleted. Download it again.",
                )
            os.replace(unfinished, target)
        self._present_bytes += file.size
        self._progress(self._present_bytes, self._model.size)

    def _download_rest(self, file: HubFile, unfinished: Path, out: BinaryIO) -> str:
        """Append the missing bytes. Return the digest of the whole file."""
        from httpx2 import RemoteProtocolError

        have = out.tell()
        if have > file.size:
            out.truncate(have := 0)
        digest = file.hasher()
        with unfinished.open("rb") as unfinished_file:
            while piece := unfinished_file.read(_CHUNK_BYTES):
                self._check_cancelled()
                digest.update(piece)
        policy, error_to_raise = RetryPolicy(have), EngineError(DOWNLOAD_FAILED, "")
        while have < file.size:
            if policy.is_over:
                raise error_to_raise
            self._cancelled.wait(policy.pause)
            self._check_cancelled()
            headers = dict(self._headers)
            if have:
                headers["Range"] = f"bytes={have}-"
            url = file_url(self._model.repo, self._model.commit, file.name)
            error_to_raise = EngineError(
                DOWNLOAD_FAILED,
                f"Hugging Face closed the connection during {file.name}. The received part is "
                "kept. Resume the download later.",
            )
            try:
                for status, piece in net.stream_chunks(
                    url, headers, self._model.repo, self._cancelled
                ):
                    if not piece:
                        if have and status != 206:  # the whole file rather than the rest
                            out.truncate(have := 0)
                            digest = file.hasher()
                        continue
                    if have + len(piece) > file.size:
                        out.truncate(0)
                        raise EngineError(
                            DOWNLOAD_FAILED,
                            f"{file.name} is longer than announced. Download it again.",
                        )
                    out.write(piece)
                    digest.update(piece)
                    have += len(piece)
                    self._waits.reset()
                    self._progress(self._present_bytes + have, self._model.size)
            except net.HubStatusError as error:
                out.flush()
                self._waits.wait(error, self._model.repo)
                continue
            except net.BrokenError as error:
                if not isinstance(error.cause, RemoteProtocolError):
                    error_to_raise = net.to_engine_error(error.cause, self._model.repo)
            policy.record_connection(have)
        return digest.hexdigest()

    def _check_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise net.cancelled_error()


class RetryPolicy:
    """Policy for retries after a broken connection.

    If the hub ignores Range, files start from zero every time, so only bytes beyond the best
    attempt count.
    """

    def __init__(self, have: int) -> None:
        self._best = have
        self._slow_retries = 0
        self.pause = 0.0  # delay before the next attempt, in seconds

    def record_connection(self, have: int) -> None:
        """Record the end of a connection. `have` is the number of bytes present."""
        added_bytes = max(0, have - self._best)
        self._best += added_bytes
        self._slow_retries = 0 if added_bytes >= MIN_PROGRESS_BYTES else self._slow_retries + 1
        self.pause = min(PAUSE_S * max(1, self._slow_retries), MAX_PAUSE_S)

    @property
    def is_over(self) -> bool:
        return self._slow_retries > MAX_SLOW_RETRIES

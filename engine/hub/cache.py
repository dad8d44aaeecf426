"""Where downloads lie: huggingface_hub's own cache, in its documented layout.

`models--OWNER--NAME/` holds `blobs/DIGEST`, `snapshots/COMMIT/FILE` (links to blobs) and
`refs/REVISION` (the commit that the revision stands for). A file that is not complete is
`blobs/DIGEST.incomplete`. A snapshot's folder appears in one step, after all of its files have
come. A snapshot that was made here is therefore always a complete model.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import DOWNLOAD_FAILED, EngineError
from engine.hub.names import MAIN, is_revision

if TYPE_CHECKING:
    from engine.hub.models import HubFile, HubModel

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


def whole(model: HubModel) -> Path | None:
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


def held(repo: str, files: Iterable[HubFile]) -> int:
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


def come(repo: str) -> int:
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

"""The system's trash: a folder goes there, and comes back where the system says where it lies.

`send2trash` knows each system's trash. It does not tell where a folder went: on Linux and wherever
else the freedesktop.org Trash specification (1.0) holds, the `.trashinfo` that it writes does. The
Finder of macOS alone puts a thing back.

All of it blocks on the disk.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from app.settings.language import tr

_MOST_INFOS = 50_000


@dataclass(frozen=True)
class Trashed:
    """A folder that was moved to the trash.

    Attributes:
        folder: where it was.
        kept: where it lies now; None where the system does not say.
        info: the file beside it that says where it came from.
    """

    folder: Path
    kept: Path | None = None
    info: Path | None = None


def move(folder: Path) -> Trashed:
    """Move a folder to the trash. Raises OSError, whose words can be shown."""
    folder = Path(os.path.abspath(folder))
    if not os.path.lexists(folder):
        raise FileNotFoundError(errno.ENOENT, tr("it is not there any more"), str(folder))
    from send2trash import send2trash

    # Of the disk that it lies on; afterwards it cannot be found out any more.
    trashes = list(_trashes(folder))
    before = set(_infos(trashes))
    try:
        send2trash(os.fspath(folder))
    except OSError:
        raise
    except Exception as error:  # of the desktop's own library, where send2trash uses that
        raise OSError(errno.EIO, str(error)[:200] or tr("the trash does not take it")) from error
    if os.path.lexists(folder):
        raise OSError(errno.EIO, tr("the trash has not taken it"))
    for info in _infos(trashes):
        if info not in before and folder in _came_from(info):
            kept = info.parent.parent / "files" / info.name.removesuffix(".trashinfo")
            if os.path.lexists(kept):
                return Trashed(folder, kept, info)
    return Trashed(folder)


def restore(trashed: Trashed) -> None:
    """Put a folder back. Raises OSError, whose words can be shown; it stays in the trash then."""
    kept, folder = trashed.kept, trashed.folder
    if kept is None or not os.path.lexists(kept):
        raise FileNotFoundError(errno.ENOENT, tr("it is not in the trash any more"), str(folder))
    if os.path.lexists(folder):
        raise FileExistsError(
            errno.EEXIST, tr("something of that name is there again"), str(folder)
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.rename(kept, folder)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.move(kept, folder)
    if trashed.info is not None:
        trashed.info.unlink(missing_ok=True)


def _trashes(folder: Path) -> Iterator[Path]:
    """The trash folders that the specification names for a folder: home's, and its disk's."""
    if sys.platform == "darwin":
        return
    yield _data_home() / "Trash"
    top = _mount_point(folder)
    yield top / ".Trash" / str(os.getuid())
    yield top / f".Trash-{os.getuid()}"


def _data_home() -> Path:
    named = os.environ.get("XDG_DATA_HOME", "")
    return Path(named) if named else Path.home() / ".local" / "share"


def _mount_point(folder: Path) -> Path:
    place = Path(os.path.realpath(folder.parent))
    while not os.path.ismount(place):
        place = place.parent
    return place


def _infos(trashes: list[Path]) -> Iterator[Path]:
    for trash in trashes:
        try:
            with os.scandir(trash / "info") as entries:
                for _, entry in zip(range(_MOST_INFOS), entries, strict=False):
                    if entry.name.endswith(".trashinfo"):
                        yield Path(entry.path)
        except OSError:  # there is none yet
            continue


def _came_from(info: Path) -> set[Path]:
    """The paths that a `.trashinfo` may mean: in a disk's own trash they begin at its top."""
    try:
        lines = info.read_text(encoding="utf-8", errors="surrogateescape")[:65_536].splitlines()
    except OSError:
        return set()
    for line in lines:
        if line.startswith("Path="):
            path = Path(unquote(line.removeprefix("Path="), errors="surrogateescape"))
            trash = info.parent.parent
            tops = {trash.parent, trash.parent.parent, _data_home()}
            return {path} if path.is_absolute() else {top / path for top in tops}
    return set()

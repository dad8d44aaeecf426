"""Access to the system trash. All functions block."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from pathlib import Path

from msgspec import Struct
from PySide6.QtCore import QFile, QStandardPaths

from app.settings.language import tr


class TrashedFolder(Struct, frozen=True):
    folder: Path
    kept: Path | None = None  # location in the trash, or None if unknown


def move(folder: Path) -> TrashedFolder:
    """Move a folder to the trash. Raises OSError with a message for the user."""
    folder = Path(os.path.abspath(folder))
    if not os.path.lexists(folder):
        raise FileNotFoundError(errno.ENOENT, tr("it no longer exists"), str(folder))
    if sys.platform != "darwin":  # Qt creates the trash, but not its parent folders
        data = QStandardPaths.StandardLocation.GenericDataLocation
        Path(QStandardPaths.writableLocation(data)).mkdir(parents=True, exist_ok=True)
    file = QFile(os.fspath(folder))
    if not file.moveToTrash() and os.path.lexists(folder):
        raise OSError(errno.EIO, file.errorString()[:200] or tr("it can’t be moved to the Trash"))
    if os.path.lexists(folder):
        raise OSError(errno.EIO, tr("it wasn’t moved to the Trash"))
    target = Path(file.fileName())
    return TrashedFolder(folder, target if target != folder and os.path.lexists(target) else None)


def restore(trashed: TrashedFolder) -> None:
    """Restore a folder.

    If this fails, the folder stays in the trash and OSError has a message for the user.
    """
    trashed_path, folder = trashed.kept, trashed.folder
    if trashed_path is None or not os.path.lexists(trashed_path):
        raise FileNotFoundError(errno.ENOENT, tr("it is no longer in the Trash"), str(folder))
    if os.path.lexists(folder):
        raise FileExistsError(
            errno.EEXIST, tr("an item with that name already exists"), str(folder)
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.rename(trashed_path, folder)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.move(trashed_path, folder)
    # Remove the record of the original location (freedesktop.org trash 1.0).
    info = trashed_path.parent.parent / "info" / f"{trashed_path.name}.trashinfo"
    info.unlink(missing_ok=True)

"""Paths of the user's data, and of the data that ships with the program."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from stat import S_ISVTX

import platformdirs
from msgspec import Struct

log = logging.getLogger(__name__)

APP_NAME = "Stretto"

GUIDE = "guide"
"""Reference of the bundled model, instead of a path, since a frozen app may be moved."""


TABLES = "Comparison tables"  # folder of tables exported by earlier versions


_OURS = (
    "chats", "settings.json", "mcp.json", "hosts.json", "running.lock", "backups", "log", "cache",
    "kv", "stretto", "crash", "mlx-lm", TABLES,
)  # fmt: skip
"""Prefixes of the names of the program's files in a profile."""


class Paths(Struct, frozen=True):
    """Folders of one profile."""

    data: Path  # chats and settings
    log: Path  # log files
    cache: Path  # recreatable files: KV caches of chats

    @classmethod
    def standard(cls) -> Paths:
        """Return the system's standard folders for this user."""
        return cls(
            platformdirs.user_data_path(APP_NAME, appauthor=False),
            platformdirs.user_log_path(APP_NAME, appauthor=False),
            platformdirs.user_cache_path(APP_NAME, appauthor=False),
        )

    @classmethod
    def in_profile(cls, folder: Path) -> Paths:
        """Return folders inside one folder (``--profile``)."""
        folder = folder.expanduser().absolute()
        return cls(folder, folder / "log", folder / "cache")

    @property
    def chats(self) -> Path:
        return self.data / "chats.db"

    @property
    def settings(self) -> Path:
        return self.data / "settings.json"

    @property
    def kv(self) -> Path:
        """Return the folder of the engine's caches."""
        return self.cache / "kv"

    @property
    def hosts(self) -> Path | None:
        """Return the file of machines for spread models, or None for that of the command line."""
        return None if self == Paths.standard() else self.data / "hosts.json"

    @property
    def tools(self) -> Path:
        """Return the file of tool servers, in the format that other programs use."""
        return self.data / "mcp.json"

    def create(self) -> None:
        """Create the folders with access for their owner only. Raises OSError.

        Folders and files of earlier versions are changed, too.
        """
        for folder in (self.data, self.log):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (self.data, self.log, self.cache, self.data / "backups"):
            _close_to_others(folder)


def _close_to_others(folder: Path) -> None:
    """Set the mode of a folder of this user with the program's files to 0700, and of the files to
    0600.

    A folder that contains other things as well (``--profile ~``) keeps its mode, and so must one
    that is writable by everybody, such as /tmp.
    """
    if not folder.is_dir():
        return
    try:
        stat = folder.stat()
        if stat.st_uid != os.geteuid():
            return
        names = [entry for entry in folder.iterdir() if not entry.is_symlink()]
        ours = [entry for entry in names if entry.name.startswith(_OURS)]
        if len(ours) == len(names) and not stat.st_mode & S_ISVTX and stat.st_mode & 0o077:
            folder.chmod(0o700)
        for file in ours:
            mode = file.stat().st_mode
            if file.is_file() and mode & 0o077:
                file.chmod(mode & 0o700)
    except OSError as error:  # a file system without permissions, or a file that was deleted
        log.warning("cannot restrict a profile folder to its owner: %s", error.strerror)


def resources() -> Path:
    """Return the folder of data that ships with the program, next to `app` also in a frozen app."""
    return Path(__file__).resolve().parents[2] / "resources"


def short_path(folder: Path) -> str:
    """Return a folder for display, with "~" for the home folder."""
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except ValueError:
        return str(folder)

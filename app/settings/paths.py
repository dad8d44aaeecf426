"""Paths of user data, and of data shipped with the app."""

from __future__ import annotations

import logging
import os
import time
from functools import cache
from pathlib import Path
from stat import S_ISVTX

import platformdirs
from msgspec import Struct

log = logging.getLogger(__name__)

APP_NAME = "Stretto"

GUIDE = "guide"
"""Reference of the bundled model. Users may move the frozen app, so it isn't a path."""


TABLES = "Comparison tables"  # folder for tables exported from earlier versions


_OURS = (
    "chats", "settings.json", "mcp.json", "hosts.json", "running.lock", "backups", "log", "cache",
    "kv", "stretto", "crash", "mlx-lm", TABLES,
)  # fmt: skip


class Paths(Struct, frozen=True):
    data: Path  # folder for chats and settings
    log: Path  # folder for log files
    cache: Path  # folder for KV caches and other files that can be recreated

    @classmethod
    def standard(cls) -> Paths:
        return cls(
            platformdirs.user_data_path(APP_NAME, appauthor=False),
            platformdirs.user_log_path(APP_NAME, appauthor=False),
            platformdirs.user_cache_path(APP_NAME, appauthor=False),
        )

    @classmethod
    def for_profile(cls, folder: Path) -> Paths:
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
        return self.cache / "kv"

    @property
    def hosts(self) -> Path | None:
        """Return the hosts file for distributed models, or None for the command line's default."""
        return None if self == Paths.standard() else self.data / "hosts.json"

    @property
    def tools(self) -> Path:
        return self.data / "mcp.json"

    def create(self) -> None:
        """Create the folders with access for the owner only.

        Folders and files of earlier versions are corrected, too.
        """
        for folder in (self.data, self.log):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (self.data, self.log, self.cache, self.data / "backups"):
            _close_to_others(folder)


def _close_to_others(folder: Path) -> None:
    """Set the user's folder to mode 0700 and our files in it to 0600.

    Folders that have other files (``--profile ~``) or are writable by anyone (/tmp) are unchanged.
    """
    if not folder.is_dir():
        return
    try:
        stat = folder.stat()
        if stat.st_uid != os.geteuid():
            return
        names = [entry for entry in folder.iterdir() if not entry.is_symlink()]
        own_files = [entry for entry in names if entry.name.startswith(_OURS)]
        if len(own_files) == len(names) and not stat.st_mode & S_ISVTX and stat.st_mode & 0o077:
            folder.chmod(0o700)
        for file in own_files:
            mode = file.stat().st_mode
            if file.is_file() and mode & 0o077:
                file.chmod(mode & 0o700)
    except OSError as error:  # the file system doesn't support permissions, or a file was deleted
        log.warning("cannot restrict a profile folder to its owner: %s", error.strerror)


@cache
def resources() -> Path:
    """Return the folder of the data shipped with the app, which is always next to `app`."""
    return Path(__file__).resolve().parents[2] / "resources"


def free_dated_path(folder: Path, prefix: str, suffix: str = "") -> Path:
    """Return an unused path named after the current time, e.g. `chats.db.aside-20261120-224801`."""
    dated = f"{prefix}{time.strftime('%Y%m%d-%H%M%S')}"
    number, path = 1, folder / f"{dated}{suffix}"
    while path.exists():
        number += 1
        path = folder / f"{dated}-{number}{suffix}"
    return path


def short_path(folder: Path) -> str:
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except ValueError:
        return str(folder)

"""Where things lie on disk: the person's data, and what ships with the program."""

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
"""How a chat names the bundled model. Never by its path: a frozen app may lie elsewhere."""


TABLES = "Comparison tables"  # the folder of tables that earlier versions made


_OURS = (
    "chats", "settings.json", "mcp.json", "hosts.json", "running.lock", "backups", "log", "cache",
    "kv", "stretto", "crash", "mlx-lm", TABLES,
)  # fmt: skip
"""How the names begin of what the program puts into a profile."""


class Paths(Struct, frozen=True):
    """The folders of one profile."""

    data: Path  # chats and settings
    log: Path  # log files
    cache: Path  # what can be made anew: KV caches of chats

    @classmethod
    def standard(cls) -> Paths:
        """The system's own places for this person."""
        return cls(
            platformdirs.user_data_path(APP_NAME, appauthor=False),
            platformdirs.user_log_path(APP_NAME, appauthor=False),
            platformdirs.user_cache_path(APP_NAME, appauthor=False),
        )

    @classmethod
    def in_profile(cls, folder: Path) -> Paths:
        """Everything under one folder (``--profile``)."""
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
        """The engine's caches on disk."""
        return self.cache / "kv"

    @property
    def hosts(self) -> Path | None:
        """The machines for spread models; None for the file that the command line has, too."""
        return None if self == Paths.standard() else self.data / "hosts.json"

    @property
    def tools(self) -> Path:
        """The servers of tools, in the format that other programs use."""
        return self.data / "mcp.json"

    def create(self) -> None:
        """Make the folders, for their owner alone. Raises OSError where that is not possible.

        Folders and files of an earlier version are closed to others, too.
        """
        for folder in (self.data, self.log):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (self.data, self.log, self.cache, self.data / "backups"):
            _close_to_others(folder)


def _close_to_others(folder: Path) -> None:
    """0700 for a folder of this person that holds the program's files, 0600 for those files.

    A folder that holds other things as well (``--profile ~``) keeps its rights; one that everybody
    writes to, as /tmp, must.
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
    except OSError as error:  # a file system without rights, or a file that went meanwhile
        log.warning("A folder of the profile is not closed to others: %s", error.strerror)


def resources() -> Path:
    """The data that ships with the program, beside `app` also where it is frozen."""
    return Path(__file__).resolve().parents[2] / "resources"


def short_path(folder: Path) -> str:
    """A folder as a person reads it, with "~" for their own."""
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except ValueError:
        return str(folder)

"""Where things lie on disk: the person's data, and what ships with the program."""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISVTX

import platformdirs

from app.remote.address import named

log = logging.getLogger(__name__)

APP_NAME = "Stretto"

GUIDE = "guide"
"""How a chat names the bundled model. Never by its path: a frozen app may lie elsewhere."""


_OURS = (
    "chats", "settings.json", "mcp.json", "hosts.json", "running.lock", "backups", "log", "cache",
    "kv", "stretto", "crash", "mlx-lm",
)  # fmt: skip
"""How the names begin of what the program puts into a profile."""


@dataclass(frozen=True)
class Paths:
    """The folders of one profile.

    Attributes:
        data: chats and settings.
        log: log files.
        cache: what can be made anew: KV caches of chats.
    """

    data: Path
    log: Path
    cache: Path

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
    def mlx_lm(self) -> Path:
        """Where the mlx-lm lies that the person chose in the place of the program's own."""
        return self.data / "mlx-lm"

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
    """The data that ships with the program, beside this package also where it is frozen."""
    return Path(__file__).resolve().parent.parent / "resources"


_WITH = " + "
_DIGEST = re.compile(r"(?<=.)-[0-9a-f]{12}$")


def variant_of(model: str, adapter: Path) -> str:
    """How chats name a model with an adapter, whose folder is absolute."""
    return f"{base_of(model)}{_WITH}{adapter}"


def base_of(model: str) -> str:
    """The name of the model that a chat's ``model`` is, or is a variant of."""
    return model.partition(_WITH + os.sep)[0]


def adapter_of(model: str) -> str:
    """The folder of the adapter that a chat's ``model`` has; "" for a model without one."""
    _, has_one, folder = model.partition(_WITH + os.sep)
    return os.sep + folder if has_one else ""


def model_location(model: str) -> str:
    """The folder or hub id that the engine loads for a chat's ``model``, or for its base."""
    base = base_of(model)
    return str(resources() / "guide") if base == GUIDE else base


def short_path(folder: Path) -> str:
    """A folder as a person reads it, with "~" for their own."""
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except ValueError:
        return str(folder)


def model_fallback_name(model: str) -> str:
    """A name to show before the model itself is loaded and tells its own."""
    if (remote := named(model)) is not None:
        return remote.name
    base, adapter = base_of(model), adapter_of(model)
    # The folder of a GGUF file is named by its contents as well, which says nothing to a person.
    name = "Guide" if base == GUIDE else _DIGEST.sub("", Path(base).name) or base
    return f"{name} + {Path(adapter).name}" if adapter else name

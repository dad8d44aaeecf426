"""Where things lie on disk: the person's data, and what ships with the program."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import platformdirs

APP_NAME = "Stretto"

GUIDE = "guide"
"""How a chat names the bundled model. Never by its path: a frozen app may lie elsewhere."""


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

    def create(self) -> None:
        """Make the folders. Raises OSError where that is not possible."""
        self.data.mkdir(parents=True, exist_ok=True)
        self.log.mkdir(parents=True, exist_ok=True)


def resources() -> Path:
    """The data that ships with the program, beside this package also where it is frozen."""
    return Path(__file__).resolve().parent.parent / "resources"


def model_location(model: str) -> str:
    """The folder or hub id that the engine loads for a chat's ``model``."""
    return str(resources() / "guide") if model == GUIDE else model


def short_path(folder: Path) -> str:
    """A folder as a person reads it, with "~" for their own."""
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except ValueError:
        return str(folder)


def model_fallback_name(model: str) -> str:
    """A name to show before the model itself is loaded and tells its own."""
    return "Guide" if model == GUIDE else Path(model).name or model

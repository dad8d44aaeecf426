"""What a person has chosen, kept in one small JSON file."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

TEXT_PX = (11, 28)
"""The smallest and the largest text."""


@dataclass
class Settings:
    """All options, with the values of a first start.

    Attributes:
        appearance: "system", "light" or "dark".
        sidebar: whether the list of chats is shown.
        model: what a new chat is opened with (``paths.GUIDE``, a folder or a hub id).
        models: model folders opened before, newest first.
        downloads: what is not wholly downloaded, with its size in bytes (0 if not known).
        text_px: size of what is read and written in the conversations, in pixels.
        send_key: "enter", or "ctrl_enter" where Enter breaks the line.
        new_chat: what a new chat's settings begin with, as `ChatOptions.to_params`.
        system: the instructions it begins with.
        presets: settings saved by name: {"params": …, "system": …} each.
        memory_gb: what models and chats may take, in 10^9 bytes; 0 leaves it to the engine.
        cache_gb: what KV caches may take on disk; 0 keeps none there.
        look_for_updates: ask once a day whether there is a newer version.
        looked_at: when that was done last, in seconds since 1970.
        skipped_version: the one that the person does not want to hear of again.
    """

    appearance: str = "system"
    sidebar: bool = True
    model: str = "guide"
    models: tuple[str, ...] = ()
    downloads: dict[str, int] = field(default_factory=dict)
    text_px: int = 15
    send_key: str = "enter"
    new_chat: dict[str, Any] = field(default_factory=dict)
    system: str = ""
    presets: dict[str, dict[str, object]] = field(default_factory=dict)
    memory_gb: float = 0.0
    cache_gb: float = 4.0
    look_for_updates: bool = False
    looked_at: float = 0.0
    skipped_version: str = ""

    @classmethod
    def load(cls, path: Path) -> Settings:
        """Read the file; what is missing, unknown or of the wrong type falls back, never fails."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, RecursionError) as error:
            log.warning("Settings not read, starting with the defaults: %s", error)
            return cls()
        try:
            return cls(**_valid(data)) if isinstance(data, dict) else cls()
        except (OverflowError, TypeError) as error:  # a number of four hundred digits, say
            log.warning("Settings not understood, starting with the defaults: %s", error)
            return cls()

    def save(self, path: Path) -> None:
        """Write the file in one step, so that a crash leaves the old one or the new one."""
        beside = path.with_suffix(".json.new")
        try:
            beside.touch(mode=0o600)  # the folder may be open to others
            beside.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")
            os.replace(beside, path)
        except OSError as error:
            log.warning("Settings not saved: %s", error)

    def remember_model(self, model: str) -> None:
        """Put a model folder first in the list of those opened before (50 are kept)."""
        self.models = (model, *(m for m in self.models if m != model))[:50]


def _valid(data: dict[str, Any]) -> dict[str, Any]:
    """The entries of ``data`` that are options and have the type of the option's default."""
    taken: dict[str, Any] = {}
    defaults = Settings()
    for option in fields(Settings):
        value = data.get(option.name)
        default = getattr(defaults, option.name)
        if option.name == "models":
            if isinstance(value, list) and all(isinstance(item, str) for item in value):
                taken[option.name] = tuple(value)
        elif isinstance(default, float):
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                taken[option.name] = float(value)
        elif type(value) is type(default):
            taken[option.name] = value
    presets = taken.get("presets", {})
    taken["presets"] = {n: p for n, p in presets.items() if n and isinstance(p, dict)}
    downloads = taken.get("downloads", {})
    taken["downloads"] = {n: b for n, b in downloads.items() if n and type(b) is int and b >= 0}
    for name, good in _BOUNDS.items():
        if name in taken and not good(taken[name]):
            del taken[name]
    return taken


_BOUNDS: dict[str, Callable[[Any], bool]] = {
    "appearance": lambda v: v in {"system", "light", "dark"},
    "send_key": lambda v: v in {"enter", "ctrl_enter"},
    "text_px": lambda v: TEXT_PX[0] <= v <= TEXT_PX[1],
    "memory_gb": lambda v: 0 <= v < 100_000,
    "cache_gb": lambda v: 0 <= v < 100_000,
}

"""What lies on disk of a model that was opened before."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.paths import adapter_of


@dataclass(frozen=True)
class ModelFolder:
    """One remembered model.

    Attributes:
        ref: how chats name it: a folder, or a hub id, or one of these with an adapter's folder,
            which is then looked at.
        local: whether that is a folder, and not a model of the hub that was downloaded.
        path: the folder, also of a downloaded one; None where it is not there.
        found: whether the folder is there.
        holds_model: whether a model's config.json is in it, or an adapter's.
        bytes: of all files in it, links followed, each file once.
    """

    ref: str
    local: bool
    path: Path | None = None
    found: bool = False
    holds_model: bool = False
    bytes: int = 0


def look_at(ref: str, stop: Callable[[], bool] = lambda: False) -> ModelFolder:
    """Look at a model's folder now. Never raises: what cannot be read counts as not there.

    ``stop``: says that nobody wants to know any more; the size is then what was counted by now.
    """
    adapter = adapter_of(ref)
    local = bool(adapter) or Path(ref).is_absolute()
    folder = Path(adapter or ref) if local else _downloaded(ref)
    if folder is not None and not adapter and not os.path.isdir(folder):
        folder = _converted(folder)
    if folder is None or not os.path.isdir(folder):
        return ModelFolder(ref, local)
    from engine.hub.inventory import bytes_in

    holds = os.path.isfile(folder / ("adapter_config.json" if adapter else "config.json"))
    return ModelFolder(ref, local, folder, True, holds, bytes_in(folder, stop))


def _converted(file: Path) -> Path | None:
    """The folder that was made of a GGUF file."""
    from engine.hub.gguf import kept

    return kept.known(file) if kept.is_gguf(file) else None


def _downloaded(ref: str) -> Path | None:
    from engine import hub

    wanted = hub.parse(ref)
    return hub.find(wanted.repo, wanted.revision) if wanted is not None else None

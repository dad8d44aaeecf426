"""What a window works with: made before it, handed down, and never set afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from app.chats.library import ChatLibrary
from app.models.models import Models
from app.serving import Serving
from app.settings.options import Settings
from app.settings.paths import Paths
from app.spelling.speller import Speller
from app.store import Store
from app.system.newer_mlx_lm import NewerMlxLm
from app.system.updates import Updates


@dataclass(frozen=True)
class WindowContext:
    """The program's parts that a window shows and commands."""

    library: ChatLibrary
    store: Store
    settings: Settings
    paths: Paths
    models: Models
    serving: Serving
    speller: Speller
    updates: Updates
    newer: NewerMlxLm

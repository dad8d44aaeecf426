"""What the program's settings mean for its engine."""

from __future__ import annotations

import os
from typing import Any

from app.paths import Paths
from app.settings import Settings


def engine_options(paths: Paths, settings: Settings) -> dict[str, Any]:
    """The arguments of `engine.Engine`. STRETTO_NO_WAYS is for tests."""
    return {
        "memory_budget": int(settings.memory_gb * 1e9) or None,
        "cache_dir": paths.cache / "kv" if settings.cache_gb else None,
        "cache_bytes": int(settings.cache_gb * 1e9),
        "ways_dir": None if os.environ.get("STRETTO_NO_WAYS") else paths.cache / "ways",
    }

"""Putting a function of the engine's in the place of one of mlx-lm's."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


def replace(home: ModuleType, name: str, new: Any) -> None:
    """Let `home.name` be `new`, also for the model modules that have imported it by name already.

    Those that are imported later find it in `home`.
    """
    old = getattr(home, name)
    setattr(home, name, new)
    for path, module in list(sys.modules.items()):
        if path.startswith("mlx_lm.models.") and getattr(module, name, None) is old:
            setattr(module, name, new)

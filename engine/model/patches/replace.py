"""Putting a function of the engine's in the place of another."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


def replace(home: ModuleType, name: str, new: Any) -> None:
    """Let `home.name` be `new`, also in the model modules that have imported it by name already.

    Modules that are imported later find it in `home`.
    """
    old = getattr(home, name)
    setattr(home, name, new)
    for path, module in list(sys.modules.items()):
        if path.startswith("mlx_lm.models.") and getattr(module, name, None) is old:
            setattr(module, name, new)


def expect(function: Callable[..., Any], *names: str) -> None:
    """Check that a function's first parameters are these, and may be given by position.

    Parameters after them are allowed. A function that has no signature to look at is accepted.

    Raises:
        TypeError: says what the parameters are instead.
    """
    try:
        known = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return
    first = [p.name for p in known[: len(names)] if p.kind is p.POSITIONAL_OR_KEYWORD]
    if first != list(names):
        takes = ", ".join(str(p) for p in known)
        raise TypeError(f"it takes ({takes}), not ({', '.join(names)})")

"""Monkey patches for mlx-lm, MLX and Python, which `backend.start` applies for the whole process.

They match the pinned versions. This module doesn't import MLX or mlx-lm, but the modules with
patches do.

Imports: nothing.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any


def replace(home: Any, name: str, replacement: Any) -> None:
    """Replace `home.name`, even in model modules that already imported it."""
    original = getattr(home, name)
    setattr(home, name, replacement)
    for path, module in list(sys.modules.items()):
        if (
            path.startswith(("mlx_lm.models.", "mlx_vlm.models."))
            and getattr(module, name, None) is original
        ):
            setattr(module, name, replacement)


def mix_in(mixin: type, modules: Iterable[Any]) -> Callable[[], None]:
    """Add `mixin` to the classes of modules. Return an undo function.

    Modules that already have the mixin are skipped, e.g. modules that a variant shares with its
    base.
    """
    changed = [(module, type(module)) for module in modules if not isinstance(module, mixin)]
    for module, kind in changed:
        module.__class__ = _create_class(mixin, kind)  # type: ignore[arg-type]

    def undo() -> None:
        for module, kind in changed:
            module.__class__ = kind

    return undo


@functools.cache
def _create_class(mixin: type, kind: type) -> type:
    return type(f"{mixin.__name__}{kind.__name__}", (mixin, kind), {})

"""Lets transformers read the names of its models' classes once while it is imported, not twice.

It finds them in the sources of all its models, two thousand files. The second time it names the
same folder in another way, and its own cache does not see that.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.model.patches.replace import expect

_original: Callable[[Any], Any] | None = None


def install() -> None:
    """Import transformers, and let it know a folder by any of its names after that."""
    global _original
    if _original is not None:
        return
    os.environ["TRANSFORMERS_NO_ADVISORY_WARNINGS"] = "1"  # as mlx-lm does
    importlib.import_module("transformers")
    home: Any = importlib.import_module("transformers.utils.import_utils")
    original = home.create_import_structure_from_path
    expect(original, "module_path")

    @functools.wraps(original)
    def by_folder(module_path: Any) -> Any:
        path = Path(module_path)
        return original(path.parent if path.is_file() else path)

    _original = original
    home.create_import_structure_from_path = by_folder

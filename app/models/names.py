"""References of models in chats: the Guide, a folder, a hub id, one with an adapter, a
remote one."""

from __future__ import annotations

import os
import re
from pathlib import Path

from app.remote.address import named
from app.settings.paths import GUIDE, resources

_WITH = " + "
_DIGEST = re.compile(r"(?<=.)-[0-9a-f]{12}$")


def variant_of(model: str, adapter: Path) -> str:
    """Return the reference of a model with an adapter, whose folder is absolute."""
    return f"{base_of(model)}{_WITH}{adapter}"


def base_of(model: str) -> str:
    """Return the reference of a model without its adapter."""
    return model.partition(_WITH + os.sep)[0]


def adapter_of(model: str) -> str:
    """Return the adapter's folder in a reference, or ""."""
    _, has_one, folder = model.partition(_WITH + os.sep)
    return os.sep + folder if has_one else ""


def model_location(model: str) -> str:
    """Return the folder or hub id that the engine loads for a reference, or for its base."""
    base = base_of(model)
    return str(resources() / "guide") if base == GUIDE else base


def model_fallback_name(model: str) -> str:
    """Return a name to display until the model is loaded."""
    if (remote := named(model)) is not None:
        return remote.name
    base, adapter = base_of(model), adapter_of(model)
    # The folder of a GGUF file has a digest in its name, which is meaningless to the user.
    name = "Guide" if base == GUIDE else _DIGEST.sub("", Path(base).name) or base
    return f"{name} + {Path(adapter).name}" if adapter else name

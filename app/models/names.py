"""How chats name models: the Guide, a folder, a hub id, a model with an adapter, one elsewhere."""

from __future__ import annotations

import os
import re
from pathlib import Path

from app.remote.address import named
from app.settings.paths import GUIDE, resources

_WITH = " + "
_DIGEST = re.compile(r"(?<=.)-[0-9a-f]{12}$")


def variant_of(model: str, adapter: Path) -> str:
    """How chats name a model with an adapter, whose folder is absolute."""
    return f"{base_of(model)}{_WITH}{adapter}"


def base_of(model: str) -> str:
    """The name of the model that a chat's ``model`` is, or is a variant of."""
    return model.partition(_WITH + os.sep)[0]


def adapter_of(model: str) -> str:
    """The folder of the adapter that a chat's ``model`` has; "" for a model without one."""
    _, has_one, folder = model.partition(_WITH + os.sep)
    return os.sep + folder if has_one else ""


def model_location(model: str) -> str:
    """The folder or hub id that the engine loads for a chat's ``model``, or for its base."""
    base = base_of(model)
    return str(resources() / "guide") if base == GUIDE else base


def model_fallback_name(model: str) -> str:
    """A name to show before the model itself is loaded and tells its own."""
    if (remote := named(model)) is not None:
        return remote.name
    base, adapter = base_of(model), adapter_of(model)
    # The folder of a GGUF file is named by its contents as well, which says nothing to a person.
    name = "Guide" if base == GUIDE else _DIGEST.sub("", Path(base).name) or base
    return f"{name} + {Path(adapter).name}" if adapter else name

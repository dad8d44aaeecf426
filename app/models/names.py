"""Model references in chats: the Guide, a folder, a hub ID, with or without adapter, or remote."""

from __future__ import annotations

import os
import re
from pathlib import Path

from app.remote.address import parse_ref
from app.settings.paths import GUIDE, resources

_WITH = " + "
_DIGEST = re.compile(r"(?<=.)-[0-9a-f]{12}$")


def variant_of(model: str, adapter: Path) -> str:
    return f"{base_model(model)}{_WITH}{adapter}"


def base_model(model: str) -> str:
    return model.partition(_WITH + os.sep)[0]


def adapter_of(model: str) -> str:
    _, has_one, folder = model.partition(_WITH + os.sep)
    return os.sep + folder if has_one else ""


def model_location(model: str) -> str:
    """Return the folder or hub ID that the engine loads, without the adapter."""
    base = base_model(model)
    return str(resources() / "guide") if base == GUIDE else base


def model_fallback_name(model: str) -> str:
    if (remote := parse_ref(model)) is not None:
        return remote.name
    base, adapter = base_model(model), adapter_of(model)
    # Folders of GGUF files have a digest in their name. Don't show it.
    name = "Guide" if base == GUIDE else _DIGEST.sub("", Path(base).name) or base
    return f"{name} + {Path(adapter).name}" if adapter else name

"""Metadata of a model folder that is available before loading. Doesn't use MLX."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.cache.estimate import context_limit
from engine.errors import MODEL_LOAD_FAILED, EngineError
from engine.params import is_valid
from engine.sandbox import folders
from engine.sandbox.protocol import RefusedError

_MAX_CARD_BYTES = 2**16  # size limit of stretto.json


def load_refused(message: str, reason: str = "") -> EngineError:
    return EngineError(MODEL_LOAD_FAILED, message, reason)


def check_folder(folder: Path, name: str) -> dict[str, Any]:
    """Run the sandbox's checks on a folder in this process, and return its config.

    Raises:
        EngineError: `model_load_failed`.
    """
    try:
        return folders.inspect_model(folder, name).config
    except RefusedError as refusal:
        raise load_refused(str(refusal)) from None


def context_length(config: dict[str, Any], tokenizer: Any) -> int:
    """Return the model's context limit in tokens, or a large default."""
    config_limit = context_limit(config)
    if config_limit is not None:
        return config_limit
    limit = getattr(tokenizer, "model_max_length", None)
    return int(limit) if isinstance(limit, int) and 0 < limit < 1 << 24 else 131_072


def display_name(folder: Path) -> str:
    card = folder / "stretto.json"  # file with an optional display name
    if card.is_file():
        try:
            with card.open("rb") as stream:  # limit the size, because the folder isn't trusted
                content = json.loads(stream.read(_MAX_CARD_BYTES))
            name = content.get("name") if isinstance(content, dict) else None
        except (OSError, ValueError, RecursionError):
            name = None
        if isinstance(name, str) and name.strip():
            return name.strip()
    if folder.parent.name == "snapshots":  # hub cache layout: models--OWNER--NAME/snapshots/…
        return folder.parent.parent.name.rsplit("--", 1)[-1]
    return folder.resolve().name


def sampling_defaults(folder: Path) -> dict[str, Any]:
    try:
        defaults = json.loads((folder / "generation_config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(defaults, dict):
        return {}
    settings = {n: defaults[n] for n in _SETTINGS if n in defaults and is_valid(n, defaults[n])}
    if defaults.get("do_sample") is False:  # use greedy decoding, regardless of the temperature
        settings["temperature"] = 0.0
    return settings


_SETTINGS = (
    *("temperature", "top_p", "top_k", "min_p", "typical_p"),
    *("repetition_penalty", "presence_penalty", "frequency_penalty"),
)

"""What a model folder says of itself, looked at before anything of it is loaded. No MLX."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.errors import MODEL_LOAD_FAILED, EngineError
from engine.kv.fitting import context_limit
from engine.params import takes

# What the loader needs beside the weights, in a plain folder or a hub snapshot.
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "tiktoken.model", "vocab.json")

_MOST_CARD = 2**16  # bytes of a stretto.json


def refuse(message: str) -> EngineError:
    """The error for a folder that cannot be loaded."""
    return EngineError(MODEL_LOAD_FAILED, message)


def check(folder: Path, name: str) -> dict[str, Any]:
    """The folder's config after the checks that give better words than the loader's own."""
    config_file = folder / "config.json"
    if not config_file.is_file():
        raise refuse(
            f"{name} is not a model folder: config.json is missing. Choose a folder that "
            "holds config.json, safetensors weights and a tokenizer."
        )
    try:
        config = json.loads(config_file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise refuse(f"The config.json of {name} cannot be read: {error}.") from None
    if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
        raise refuse(f"The config.json of {name} does not name a model type.")
    weights = list(folder.glob("model*.safetensors"))
    if not weights:
        raise refuse(
            f"{name} has no safetensors weights. Only safetensors are loaded: other "
            "formats can run code."
        )
    for file in weights:
        _check_safetensors(file)
    _check_all_there(folder, name)
    if config.get("model_file"):
        raise refuse(
            f"{name} wants to run code from its own folder ({config['model_file']}). "
            "Stretto never does that."
        )
    if not any((folder / name).exists() for name in _TOKENIZER_FILES):
        raise refuse(f"{name} has no tokenizer (tokenizer.json or tokenizer.model).")
    return config


def _check_all_there(folder: Path, name: str) -> None:
    """Files of weights that the index names and the folder lacks: a download that was cut off.

    An index of which nothing is there is another model's, left over from a conversion.
    """
    try:
        index = json.loads((folder / "model.safetensors.index.json").read_text(encoding="utf-8"))
        named = {str(file) for file in index["weight_map"].values()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return  # the loader needs none
    missing = sorted(file for file in named if not (folder / file).is_file())
    if 0 < len(missing) < len(named):
        raise refuse(
            f"{name} is incomplete: {len(missing)} of its {len(named)} files of weights are "
            f"missing ({missing[0]}). Download the model again."
        )


def _check_safetensors(file: Path) -> None:
    """Compare a file's size with what its header promises: a broken download is common."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        head = stream.read(8)
        length = int.from_bytes(head, "little") if len(head) == 8 else -1
        if not 0 < length <= size - 8:
            raise refuse(f"{file.name} is damaged or incomplete. Download the model again.")
        try:
            header = json.loads(stream.read(length))
            end = max(
                (t["data_offsets"][1] for n, t in header.items() if n != "__metadata__"), default=0
            )
        except (ValueError, KeyError, TypeError, IndexError):
            raise refuse(f"{file.name} is damaged. Download the model again.") from None
    if 8 + length + end > size:
        raise refuse(
            f"{file.name} is incomplete: {8 + length + end - size:,} bytes are missing. "
            "Download the model again."
        )


def context_length(config: dict[str, Any], tokenizer: Any) -> int:
    """The model's own limit; models that name none get a large one, memory permitting."""
    named = context_limit(config)
    if named is not None:
        return named
    limit = getattr(tokenizer, "model_max_length", None)
    return int(limit) if isinstance(limit, int) and 0 < limit < 1 << 24 else 131_072


def display_name(folder: Path) -> str:
    """What to call a model where a person reads it."""
    card = folder / "stretto.json"  # a folder may carry its own name for people
    if card.is_file():
        try:
            with card.open("rb") as stream:  # nothing has been checked here yet, not even its size
                content = json.loads(stream.read(_MOST_CARD))
            name = content.get("name") if isinstance(content, dict) else None
        except (OSError, ValueError, RecursionError):
            name = None
        if isinstance(name, str) and name.strip():
            return name.strip()
    if folder.parent.name == "snapshots":  # in the hub's cache: models--OWNER--NAME/snapshots/…
        return folder.parent.parent.name.rsplit("--", 1)[-1]
    return folder.resolve().name


def defaults(folder: Path) -> dict[str, Any]:
    """The sampling settings that the model's maker recommends, for what nobody has chosen."""
    try:
        found = json.loads((folder / "generation_config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    wanted = {n: found[n] for n in _SETTINGS if n in found and takes(n, found[n])}
    if found.get("do_sample") is False and "temperature" not in wanted:
        wanted["temperature"] = 0.0
    return wanted


_SETTINGS = (
    *("temperature", "top_p", "top_k", "min_p", "typical_p"),
    *("repetition_penalty", "presence_penalty", "frequency_penalty"),
)

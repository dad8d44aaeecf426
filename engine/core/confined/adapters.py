"""In the child: what an adapter's folder holds, judged before anything of it is loaded.

The layout is mlx-lm's own (`mlx_lm.tuner.utils.load_adapters`): `adapter_config.json` says which
layers are changed and how, `adapters.safetensors` holds the arrays.
"""

from __future__ import annotations

import math
import stat
from pathlib import Path
from typing import Any

from engine.core.confined.files import check_holes, read_json
from engine.core.confined.headers import header
from engine.core.confined.refusing import RefusedError

CONFIG, WEIGHTS = "adapter_config.json", "adapters.safetensors"

_MOST_CONFIG = 2**20
_MOST_LAYERS = 2_000
_MOST_KEYS = 10_000
_LONGEST_KEY = 500
_MOST_RANK = 16_384
_MOST_TENSORS = 100_000
_KINDS = ("lora", "dora")
_ENDS = {"lora": {"lora_a", "lora_b"}, "dora": {"lora_a", "lora_b", "m"}}
_BYTES = {"F32": 4, "F16": 2, "BF16": 2}


def look(folder: Path, name: str) -> dict[str, Any]:
    """What the engine needs to know before it loads an adapter.

    Returns:
        "kind" ("lora" or "dora"), "layers" (how many of the last ones are changed; none or fewer
        means all), "parameters" ("rank", "scale", "dropout", "keys"), "size" in bytes, that size
        with all numbers in float32 ("wide"), and how many numbers the largest layer has whose
        weights are computed anew in every pass ("rebuilt", 0 but for DoRA).

    Raises:
        RefusedError: the folder cannot be used.
    """
    config = _config(folder, name)
    kind = config.get("fine_tune_type", "lora")
    if kind == "full":
        raise RefusedError(
            f"{name} holds fully trained layers, not a LoRA or DoRA adapter. Fuse it with its "
            "model (python -m mlx_lm fuse) and load the result as a model of its own."
        )
    if kind not in _KINDS:
        raise RefusedError(f"{name} is no LoRA or DoRA adapter: its fine_tune_type is unknown.")
    layers = config.get("num_layers")
    if type(layers) is not int or layers > _MOST_LAYERS:
        raise RefusedError(f"The {CONFIG} of {name} does not say how many layers (num_layers).")
    parameters = _parameters(config.get("lora_parameters"), name)
    sizes = _sizes(folder, name, str(kind), parameters["rank"])
    return {"kind": kind, "layers": layers, "parameters": parameters, **sizes}


def _config(folder: Path, name: str) -> dict[str, Any]:
    try:
        config = read_json(folder / CONFIG, _MOST_CONFIG)
    except FileNotFoundError:
        raise RefusedError(
            f"{name} is no adapter: {CONFIG} is missing. Choose a folder that holds {CONFIG} "
            f"and {WEIGHTS}, as mlx-lm writes them."
        ) from None
    except (OSError, ValueError) as error:
        raise RefusedError(f"The {CONFIG} of {name} cannot be read: {error}.") from None
    if not isinstance(config, dict):
        raise RefusedError(f"The {CONFIG} of {name} is not an object.")
    if "peft_type" in config:
        raise RefusedError(
            f"{name} is an adapter in the layout of the PEFT library. Only mlx-lm's own layout "
            f"({CONFIG} and {WEIGHTS}) can be used."
        )
    return config


def _parameters(given: Any, name: str) -> dict[str, Any]:
    """`lora_parameters`, judged; the names that mlx-lm does not use are left out."""
    if not isinstance(given, dict):
        raise RefusedError(f"The {CONFIG} of {name} has no lora_parameters.")
    rank, keys = given.get("rank"), given.get("keys")
    scale: Any = given.get("scale")
    dropout: Any = given.get("dropout", 0.0)
    if type(rank) is not int or not 1 <= rank <= _MOST_RANK:
        raise RefusedError(f"The {CONFIG} of {name} names no rank from 1 to {_MOST_RANK:,}.")
    if not _is_number(scale):
        hint = " It names alpha, which mlx-lm does not use." if "alpha" in given else ""
        raise RefusedError(f"The {CONFIG} of {name} names no scale.{hint}")
    if not _is_number(dropout) or not 0 <= dropout < 1:
        raise RefusedError(f"The dropout in the {CONFIG} of {name} is not a share of 1.")
    if keys is not None and not _are_names(keys):
        raise RefusedError(f"The keys in the {CONFIG} of {name} are no list of layers' names.")
    return {"rank": rank, "scale": float(scale), "dropout": 0.0, "keys": keys}


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e9 and math.isfinite(value)


def _are_names(keys: Any) -> bool:
    return (
        isinstance(keys, list)
        and len(keys) <= _MOST_KEYS
        and all(isinstance(key, str) and 0 < len(key) <= _LONGEST_KEY for key in keys)
    )


def _sizes(folder: Path, name: str, kind: str, rank: int) -> dict[str, int]:
    """ "size", "wide" and "rebuilt", as of `look`."""
    try:
        status = (folder / WEIGHTS).stat()
    except OSError:
        raise RefusedError(f"{name} is no adapter: {WEIGHTS} is missing.") from None
    if not stat.S_ISREG(status.st_mode):
        raise RefusedError(f"{WEIGHTS} is no ordinary file, so {name} is not loaded.")
    check_holes(WEIGHTS, status)
    tensors = header(folder / WEIGHTS, "adapter")
    if not tensors or len(tensors) > _MOST_TENSORS:
        raise RefusedError(f"{name} is no adapter: {WEIGHTS} holds {len(tensors):,} arrays.")
    size = wide = 0
    numbers: dict[str, int] = {}  # by layer: inputs times outputs
    for tensor, entry in tensors.items():
        end = tensor.rpartition(".")[2]
        if end not in _ENDS[kind]:
            raise RefusedError(
                f"{name} holds an array that is not part of a {_SPELT[kind]} adapter: "
                f"{tensor[:100]!r}."
            )
        if str(entry["dtype"]) not in _BYTES:
            raise RefusedError(
                f"{name} keeps {tensor[:100]!r} in a type that adapters are not kept in."
            )
        if end != "m" and rank not in entry["shape"]:
            raise RefusedError(
                f"The {CONFIG} of {name} says rank {rank}, and {tensor[:100]!r} has the shape "
                f"{entry['shape'][:4]}. The two files are not of the same training."
            )
        begin, ends = entry["data_offsets"]
        size += ends - begin
        wide += (ends - begin) * 4 // _BYTES[str(entry["dtype"])]
        if end != "m":
            side, layer = math.prod(entry["shape"]) // rank, tensor.rpartition(".")[0]
            numbers[layer] = numbers.get(layer, 1) * side
    rebuilt = max(numbers.values()) if kind == "dora" else 0
    return {"size": size, "wide": wide, "rebuilt": rebuilt}


_SPELT = {"lora": "LoRA", "dora": "DoRA"}

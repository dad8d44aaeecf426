"""Random LoRA and DoRA adapters for a model folder, written in mlx-lm's layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm.tuner.utils import linear_to_lora_layers
from mlx_lm.utils import load_model

LEAVES = ("lora_a", "lora_b", "m")


def write_adapter(
    folder: Path,
    base: Path,
    kind: str = "lora",
    seed: int = 1,
    layers: int = -1,
    keys: list[str] | None = None,
    dtype: str = "float32",
) -> Path:
    """Write a random adapter that changes a model's output and return its folder.

    Args:
        layers: number of layers to change, counted from the last; -1 for every layer.
        keys: module names to change within a layer or the model; None for mlx-lm's defaults.
    """
    net, _ = load_model(base, lazy=True)
    parameters: dict[str, Any] = {"rank": 4, "scale": 4.0, "dropout": 0.1}
    if keys is not None:
        parameters["keys"] = keys
    linear_to_lora_layers(net, layers, parameters, use_dora=kind == "dora")
    random = mx.random.key(seed)
    arrays = {}
    for name, array in tree_flatten(net.parameters()):
        if name.rpartition(".")[2] in LEAVES:
            random, own = mx.random.split(random)
            arrays[name] = (0.2 * mx.random.normal(array.shape, key=own)).astype(getattr(mx, dtype))
    folder.mkdir(parents=True)
    mx.save_safetensors(str(folder / "adapters.safetensors"), arrays)
    config = {"fine_tune_type": kind, "num_layers": layers, "lora_parameters": parameters}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return folder

"""Tiny quantized models, for tests of models that use the CPU kernels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx.utils import tree_flatten
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.utils import load_model

from engine.bench.random_models import write_model
from engine.model import loader


def write_few_bits(
    folder: Path,
    config: dict[str, Any],
    bits: int = 4,
    group: int = 32,
    mode: str = "affine",
    head: bool = True,
) -> Path:
    """Write a tiny random quantized model.

    Args:
        head: quantize the output head too.
    """
    sizes = {"hidden_size": 64, "intermediate_size": 128, "head_dim": 32}
    write_model(folder, {**config, **sizes}, scale=3.0)
    net, made = load_model(folder)
    nn.quantize(
        net,
        group,
        bits,
        mode=mode,
        class_predicate=lambda name, part: (
            hasattr(part, "to_quantized") and (head or name != "lm_head")
        ),
    )
    mx.save_safetensors(str(folder / "model.safetensors"), dict(tree_flatten(net.parameters())))
    made = {**made, "quantization": {"group_size": group, "bits": bits, "mode": mode}}
    (folder / "config.json").write_text(json.dumps(made))
    return folder


def packed(path: Path) -> Any:
    net, _ = loader.load_net(path, lazy=True)
    net.set_dtype(mx.float32)
    for _ in loader.pack_weights(net, path):
        pass
    return net


def passes(net: Any) -> list[np.ndarray[Any, Any]]:
    cache, found = make_prompt_cache(net), []
    for ids in ([5, 9, 30, 7, 200, 41], [8], [3], [250]):
        found.append(np.array(net(mx.array([ids]), cache=cache)[:, -1]))
    return found


def difference(found: Any, wanted: Any) -> float:
    found, wanted = np.array(found), np.array(wanted)
    return float(np.abs(found - wanted).max() / wanted.std())

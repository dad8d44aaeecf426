"""Draft models made from a model's own weights, for benchmarks and tests."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.model import backend

LAYER = "model.layers."


def first_layers(model: Path, folder: Path, layers: int) -> Path:
    """Copy the first `layers` layers of a model, and return the folder.

    With more layers, the copy agrees with the model more often.
    """

    def select(name: str, array: Any) -> Any:
        number = int(name.removeprefix(LAYER).split(".")[0]) if name.startswith(LAYER) else -1
        return array if number < layers else None

    return _copy(model, folder, {"num_hidden_layers": layers}, select)


def perturb(model: Path, folder: Path, share: float, seed: int = 0) -> Path:
    """Copy a model with noise in its weights, and return the folder.

    With little noise, the copy mostly agrees with the model, even if the weights are random.

    Args:
        share: standard deviation of the noise, relative to the mean absolute weight.
    """
    import mlx.core as mx

    mx.random.seed(seed)

    def moved(_: str, array: Any) -> Any:
        if not mx.issubdtype(array.dtype, mx.floating) or array.ndim < 2:
            return array
        spread = share * mx.abs(array.astype(mx.float32)).mean()
        return array + (spread * mx.random.normal(array.shape)).astype(array.dtype)

    return _copy(model, folder, {}, moved)


def _copy(
    model: Path, folder: Path, changes: dict[str, Any], convert: Callable[[str, Any], Any]
) -> Path:
    backend.load_openblas()  # must run before MLX is imported
    import mlx.core as mx

    folder.mkdir(parents=True, exist_ok=True)
    for file in (*model.glob("*.json"), *model.glob("*.jinja")):
        shutil.copy(file, folder)
    config = json.loads((model / "config.json").read_text()) | changes
    (folder / "config.json").write_text(json.dumps(config))
    weights: dict[str, Any] = {}
    for file in sorted(model.glob("model*.safetensors")):
        read = mx.load(str(file))
        assert isinstance(read, dict)
        for name, array in read.items():
            if (changed := convert(name, array)) is not None:
                weights[name] = changed
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})
    return folder

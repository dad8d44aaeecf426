"""Models with random weights and a prediction head (MTP) that is right often, or never."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from engine.model import backend
from engine.model.info import HEADS


def with_head(model: Path, folder: Path, head: Path, share: float, right: bool = True) -> Path:
    """Write a copy of a model in which mostly the latest token decides, and a head that knows so.

    Args:
        model: of a type that has heads in folders of their own, with tied embeddings.
        folder: gets the copy.
        head: gets the head.
        share: of what the model's layers add to a token, the copy's add so much. With a small one
            the head is right nearly always.
        right: else it says what is the least likely.

    Returns:
        `folder`.
    """
    backend.take_openblas()  # before anything imports MLX
    import mlx.core as mx
    from mlx.utils import tree_flatten

    from engine.model import vlm

    shutil.copytree(model, folder, dirs_exist_ok=True)
    weights: Any = mx.load(str(folder / "model.safetensors"))
    ends = "o_proj.weight", "out_proj.weight", "down_proj.weight"
    last = next(name for name in weights if name.endswith("model.norm.weight"))
    mx.random.seed(3)
    weights = {n: share * a if n.endswith(ends) else a for n, a in weights.items()}
    weights[last] = mx.random.normal(weights[last].shape).astype(weights[last].dtype)
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})

    text = json.loads((folder / "config.json").read_text())
    text = text.get("text_config", text)
    rope = {name: text.get(name) for name in ("rope_theta", "partial_rotary_factor")}
    text["rope_parameters"] = text.get("rope_parameters") or rope
    half = int(text["head_dim"] * text["rope_parameters"]["partial_rotary_factor"]) // 2
    text["rope_parameters"] |= {"mrope_section": [half, 0, 0], "type": "default"}
    kind = next(iter(HEADS))
    config = {"model_type": kind, "text_config": text, "tie_word_embeddings": True}
    package = vlm.head_package(config)
    net = package.Model(package.ModelConfig.from_dict(config))
    own = dict(tree_flatten(net.parameters()))
    own = {n: 0.1 * share * a if n.endswith(ends) else a for n, a in own.items()}
    size = text["hidden_size"]
    own["fc.weight"] = mx.concatenate([mx.eye(size), mx.zeros((size, size))], axis=1)
    own["norm.weight"] = weights[last] if right else -weights[last]
    own = {name: array.astype(weights[last].dtype) for name, array in own.items()}
    head.mkdir(parents=True, exist_ok=True)
    mx.save_safetensors(str(head / "model.safetensors"), own, {"format": "mlx"})
    (head / "config.json").write_text(json.dumps(config))
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folder / name, head)
    return folder

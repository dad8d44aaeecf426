"""Tiny random models that see, and images to show them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from engine.bench.random_models import write_model
from engine.messages import Image, Message

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n"
    "{% if m['content'] is string %}{{ m['content'] }}{% else %}{% for part in m['content'] %}"
    "{% if part['type'] == 'image' %}BEGIN{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

_TEXT: dict[str, Any] = {
    "vocab_size": 300,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10000.0,
    "max_position_embeddings": 8192,
    "tie_word_embeddings": False,
}

QWEN: dict[str, Any] = {
    "model_type": "qwen3_vl",
    "image_token_id": 262,
    "video_token_id": 264,
    "vision_start_token_id": 261,
    "vision_end_token_id": 263,
    "text_config": {
        **_TEXT,
        "model_type": "qwen3_vl_text",
        "rope_scaling": {"type": "default", "mrope_section": [4, 2, 2], "rope_type": "default"},
    },
    "vision_config": {
        "model_type": "qwen3_vl",
        "depth": 3,
        "hidden_size": 32,
        "intermediate_size": 64,
        "out_hidden_size": 64,
        "num_heads": 2,
        "patch_size": 4,
        "in_channels": 3,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
        "num_position_embeddings": 64,
        "deepstack_visual_indexes": [0, 1],
    },
    "vocab_size": 300,
}

QWEN35: dict[str, Any] = {
    **QWEN,
    "model_type": "qwen3_5",
    "text_config": {
        **_TEXT,
        "model_type": "qwen3_5_text",
        "num_hidden_layers": 4,
        "full_attention_interval": 2,
        "linear_num_value_heads": 4,
        "linear_num_key_heads": 2,
        "linear_key_head_dim": 32,
        "linear_value_head_dim": 32,
        "linear_conv_kernel_dim": 4,
        "rope_parameters": {
            "type": "default",
            "mrope_section": [2, 1, 1],
            "rope_theta": 10000.0,
            "partial_rotary_factor": 0.5,
        },
    },
    "vision_config": {
        **QWEN["vision_config"],
        "model_type": "qwen3_5",
        "deepstack_visual_indexes": [],
    },
}

_EXPERTS: dict[str, Any] = {
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [],
    "norm_topk_prob": True,
}
QWEN_MOE: dict[str, Any] = {
    **QWEN,
    "model_type": "qwen3_vl_moe",
    "text_config": {**QWEN["text_config"], **_EXPERTS, "model_type": "qwen3_vl_moe_text"},
    "vision_config": {**QWEN["vision_config"], "model_type": "qwen3_vl_moe"},
}
QWEN35_MOE: dict[str, Any] = {
    **QWEN35,
    "model_type": "qwen3_5_moe",
    "text_config": {
        **QWEN35["text_config"],
        **_EXPERTS,
        "model_type": "qwen3_5_moe_text",
        "shared_expert_intermediate_size": 32,
    },
    "vision_config": {**QWEN35["vision_config"], "model_type": "qwen3_5_moe"},
}
FAMILIES = {config["model_type"]: config for config in (QWEN, QWEN_MOE, QWEN35, QWEN35_MOE)}
"""Of every kind that sees a config."""

_WORDS = ("<|vision_start|>", "<|image_pad|>", "<|vision_end|>")
_PROCESSOR = (
    '{"patch_size": 4, "merge_size": 2, "temporal_patch_size": 2, "min_pixels": 64, '
    '"max_pixels": 4096, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}'
)


def write_qwen(folder: Path, config: dict[str, Any] = QWEN) -> Path:
    """A tiny model that sees as Qwen's do."""
    from tokenizers import AddedToken, Tokenizer

    template = TEMPLATE.replace("BEGIN", "".join(_WORDS))
    write_model(folder, config, scale=2.0, template=template)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.add_special_tokens([AddedToken(w, special=True, normalized=False) for w in _WORDS])
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "preprocessor_config.json").write_text(_PROCESSOR)
    return folder


def image(width: int, height: int, seed: int = 0) -> Image:
    """A PNG of coloured noise."""
    import numpy as np
    from PIL import Image as Pillow

    pixels = np.random.default_rng(seed).integers(0, 255, (height, width, 3), np.uint8)
    file = io.BytesIO()
    Pillow.fromarray(pixels).save(file, "PNG")
    return Image(file.getvalue())


def shown(text: str, *images: Image) -> list[Message]:
    """One message that shows images before its text."""
    parts: list[dict[str, Any]] = [{"type": "image", "image": one} for one in images]
    return [{"role": "user", "content": [*parts, {"type": "text", "text": text}]}]

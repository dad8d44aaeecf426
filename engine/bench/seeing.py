"""Tiny vision models with random weights for `families` and tests, covering each `VisionFamily`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.bench.random_models import write_model

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n"
    "{% if m['content'] is string %}{{ m['content'] }}{% else %}{% for part in m['content'] %}"
    "{% if part['type'] == 'image' %}BEGIN{% elif part['type'] == 'audio' %}<|audio|>"
    "{% else %}{{ part['text'] }}{% endif %}"
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
PIXTRAL_TOWER: dict[str, Any] = {
    "model_type": "pixtral",
    "num_hidden_layers": 2,
    "hidden_size": 32,
    "head_dim": 16,
    "intermediate_size": 48,
    "num_attention_heads": 2,
    "image_size": 128,
    "patch_size": 4,
}
PIXTRAL: dict[str, Any] = {
    "model_type": "pixtral",
    "image_token_index": 261,
    "text_config": {**_TEXT, "model_type": "mistral"},
    "vision_config": PIXTRAL_TOWER,
    "vocab_size": 300,
}
MISTRAL3: dict[str, Any] = {
    **PIXTRAL,
    "model_type": "mistral3",
    "spatial_merge_size": 2,
    "text_config": {
        **_TEXT,
        "model_type": "ministral3",
        "layer_types": ["sliding_attention", "full_attention", "full_attention"],
        "sliding_window": 16,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 10000.0,
            "llama_4_scaling_beta": 0.4,
            "original_max_position_embeddings": 16,
        },
    },
}
LFM2_VL: dict[str, Any] = {
    "model_type": "lfm2_vl",
    "image_token_id": 261,
    "projector_hidden_size": 48,
    "encoder_patch_size": 4,
    "text_config": {
        **{name: value for name, value in _TEXT.items() if name != "head_dim"},
        "model_type": "lfm2",
        "layer_types": ["conv", "full_attention", "conv"],
        "block_dim": 64,
        "block_ff_dim": 96,
        "block_multiple_of": 16,
        "tie_word_embeddings": True,
    },
    "vision_config": {
        "model_type": "lfm2_vl",
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "patch_size": 4,
        "num_patches": 16,
    },
    "vocab_size": 300,
}
GLM_OCR: dict[str, Any] = {
    **QWEN,
    "model_type": "glm_ocr",
    "text_config": {
        **{name: value for name, value in _TEXT.items() if name != "rope_theta"},
        "model_type": "glm_ocr_text",
        "rope_parameters": {
            "rope_type": "default",
            "mrope_section": [4, 2, 2],
            "rope_theta": 10000.0,
            "partial_rotary_factor": 1.0,
        },
    },
    "vision_config": {
        "model_type": "glm_ocr_vision",
        "depth": 2,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_heads": 2,
        "patch_size": 4,
        "out_hidden_size": 64,
    },
}
MUSE: dict[str, Any] = {
    "model_type": "muse_glimmer",
    "image_token_id": 261,
    "out_hidden_size": 128,
    "projector_hidden_size": 48,
    "text_config": {
        **_TEXT,
        "model_type": "muse_glimmer_text",
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        "sliding_window": 16,
    },
    "vision_config": {
        "patch_size": 4,
        "pos_emb_height": 4,
        "pos_emb_width": 4,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_attention_heads": 2,
        "num_hidden_layers": 2,
        "layer_types": ["window_attention", "full_attention"],
    },
    "vocab_size": 300,
}
_GEMMA_TEXT: dict[str, Any] = {
    **_TEXT,
    "model_type": "gemma4_text",
    "num_hidden_layers": 4,
    "global_head_dim": 16,
    "vocab_size_per_layer_input": 300,
    "num_kv_shared_layers": 2,
    "hidden_size_per_layer_input": 16,
    "layer_types": ["sliding_attention", "full_attention"] * 2,
    "sliding_window": 16,
    "use_bidirectional_attention": "vision",
}
GEMMA4: dict[str, Any] = {
    "model_type": "gemma4",
    "image_token_id": 261,
    "boi_token_id": 262,
    "eoi_token_id": 263,
    "audio_token_id": 264,
    "text_config": _GEMMA_TEXT,
    "vision_config": {
        "model_type": "gemma4_vision",
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "patch_size": 4,
        "pooling_kernel_size": 2,
        "default_output_length": 40,
        "position_embedding_size": 64,
    },
    "boa_token_id": 265,
    "eoa_token_id": 266,
    "audio_config": {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "subsampling_conv_channels": (8, 4),
        "output_proj_dims": 32,
    },
    "vocab_size": 300,
}
GEMMA4_UNIFIED: dict[str, Any] = {
    **GEMMA4,
    "model_type": "gemma4_unified",
    "audio_config": None,
    "text_config": {
        **_GEMMA_TEXT,
        "model_type": "gemma4_unified_text",
        "num_kv_shared_layers": 0,
        "hidden_size_per_layer_input": 0,
        "num_global_key_value_heads": 1,
        "attention_k_eq_v": True,
    },
    "vision_config": {
        "patch_size": 4,
        "pooling_kernel_size": 2,
        "model_patch_size": 8,
        "mm_embed_dim": 32,
        "mm_posemb_size": 64,
        "output_proj_dims": 32,
    },
}


class VisionModelSpec(Struct, frozen=True):
    config: dict[str, Any]
    words: tuple[str, ...]  # added tokens, with ids from 261
    written: str  # text that the chat template inserts for an image
    processor: dict[str, Any]  # image processor settings
    # See `write_model`. Must be small for Gemma, because its norms saturate with large weights.
    scale: float = 2.0


_QWEN_WORDS = ("<|vision_start|>", "<|image_pad|>", "<|vision_end|>")
_QWEN_SIZES = {
    "patch_size": 4,
    "merge_size": 2,
    "temporal_patch_size": 2,
    "size": {"shortest_edge": 64, "longest_edge": 4096},
    "image_mean": [0.5, 0.5, 0.5],
    "image_std": [0.5, 0.5, 0.5],
}
_GLM_WORDS = ("<|begin_of_image|>", "<|image|>", "<|end_of_image|>")
_PIXTRAL_WORDS = ("[IMG]", "[IMG_BREAK]", "[IMG_END]")
_LFM2_WORDS = ("<image>", "<|image_start|>", "<|image_end|>", "<|img_thumbnail|>")
_LFM2_SIZES = {
    "encoder_patch_size": 4,
    "tile_size": 16,
    "min_image_tokens": 4,
    "max_image_tokens": 16,
    "do_resize": False,
    "do_image_splitting": False,
}
_GEMMA_WORDS = ("<|image|>", "<|image>", "<image|>", "<|audio|>", "<|audio>", "<audio|>")
_GEMMA_SIZES = {"patch_size": 4, "pooling_kernel_size": 2, "max_soft_tokens": 40}
_TILES = tuple(f"<|img_row_{row}_col_{column}|>" for row in (1, 2, 3) for column in (1, 2, 3))

FAMILIES = {
    family.config["model_type"]: family
    for family in (
        *(
            VisionModelSpec(config, _QWEN_WORDS, "".join(_QWEN_WORDS), _QWEN_SIZES)
            for config in (QWEN, QWEN_MOE, QWEN35, QWEN35_MOE)
        ),
        VisionModelSpec(GLM_OCR, _GLM_WORDS, "".join(_GLM_WORDS), _QWEN_SIZES),
        *(
            VisionModelSpec(
                config, _PIXTRAL_WORDS, "[IMG]", {"size": {"longest_edge": 64}, "patch_size": 4}
            )
            for config in (PIXTRAL, MISTRAL3)
        ),
        VisionModelSpec(LFM2_VL, (*_LFM2_WORDS, *_TILES), "<image>", _LFM2_SIZES),
        VisionModelSpec(
            MUSE,
            ("<|patch|>", "<|image_start|>", "<|image_end|>"),
            "<|patch|>",
            {"patch_size": 4, "max_image_tokens": 48},
        ),
        *(
            VisionModelSpec(config, _GEMMA_WORDS, "<|image|>", _GEMMA_SIZES, 0.6)
            for config in (GEMMA4, GEMMA4_UNIFIED)
        ),
    )
}


def write_seeing(
    folder: Path,
    name: str = "qwen3_vl",
    tower: Mapping[str, Any] | None = None,
    processor: Mapping[str, Any] | None = None,
) -> Path:
    """Write a tiny vision model to a folder, with overridden settings of the tower and the image
    processor.
    """
    from tokenizers import AddedToken, Tokenizer

    family = FAMILIES[name]
    template = TEMPLATE.replace("BEGIN", family.written)
    vision = {**family.config["vision_config"], **(tower or {})}
    config = {**family.config, "vision_config": vision}
    write_model(folder, config, scale=family.scale, template=template)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    words = [AddedToken(word, special=True, normalized=False) for word in family.words]
    tokenizer.add_special_tokens(words)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"image_processor": {**family.processor, **(processor or {})}, "patch_size": 4}
    (folder / "processor_config.json").write_text(json.dumps(settings))
    if "<image|>" in family.words:  # mlx-vlm's processor reads Gemma's tokens from this file
        config_file = folder / "tokenizer_config.json"
        token_fields = dict(
            zip(("image_token", "boi_token", "eoi_token"), family.words, strict=False)
        )
        config_file.write_text(json.dumps(json.loads(config_file.read_text()) | token_fields))
    return folder

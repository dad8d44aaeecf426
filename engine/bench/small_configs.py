"""Tiny configs for all architectures in the installed mlx-lm and mlx-vlm, using introspection.

`SIZES` sets fields of any config dataclass by name. `SPECIAL` adds settings for architectures that
need more: layer patterns, unique fields, and sizes that must match. `VLM_SPECIAL` is the same for
mlx-vlm, and `TOWER` has the sizes of vision and audio towers.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from typing import Any

from engine.model import backend

VOCAB = 300  # the byte-level tokenizer has 261 ids; encoding never uses the others
WINDOW = 16  # window in tokens; shorter than most conversations in `families`

SIZES: dict[str, Any] = {
    # General.
    "vocab_size": VOCAB,
    "hidden_size": 64,
    "hidden_dim": 64,
    "n_embd": 64,
    "d_model": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_layers": 2,
    "n_layer": 2,
    "n_layers": 2,
    "max_position_embeddings": 8192,
    "model_max_length": 8192,
    "n_positions": 8192,
    "n_ctx": 8192,
    "block_size": 8192,
    "rms_norm_eps": 1e-5,
    "layer_norm_eps": 1e-5,
    "layernorm_epsilon": 1e-5,
    "layer_norm_epsilon": 1e-5,
    "norm_eps": 1e-5,
    "tie_word_embeddings": False,
    "mlp_bias": False,
    "use_bias": False,
    # Attention.
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_heads": 4,
    "num_kv_heads": 2,
    "n_head": 4,
    "n_heads": 4,
    "n_kv_heads": 2,
    "head_dim": 16,
    "attention_bias": False,
    "qkv_bias": False,
    "use_qkv_bias": False,
    "use_qk_norm": True,
    "rope_theta": 10000.0,
    "rope_scaling": None,
    "rotary_dim": 8,
    "partial_rotary_factor": 0.5,
    "query_pre_attn_scalar": 16,
    "sliding_window": WINDOW,
    "sliding_window_size": WINDOW,
    "sliding_window_pattern": 2,
    "attention_window_size": WINDOW,
    "window_size": WINDOW,
    "attention_chunk_size": WINDOW,
    # Latent attention (MLA).
    "kv_lora_rank": 16,
    "q_lora_rank": 24,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16,
    "v_head_dim": 16,
    "index_head_dim": 16,
    "index_n_heads": 2,
    "index_topk": WINDOW,
    # Mixture of experts.
    "moe_intermediate_size": 32,
    "shared_expert_intermediate_size": 32,
    "shared_intermediate_size": 32,
    "moe_shared_expert_intermediate_size": 32,
    "num_experts": 4,
    "num_local_experts": 4,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "num_experts_per_token": 2,
    "n_shared_experts": 1,
    "num_shared_experts": 1,
    "num_shared_expert": 1,
    "moe_layer_freq": 1,
    "first_k_dense_replace": 1,
    "num_dense_layers": 1,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [],
    "n_group": 1,
    "topk_group": 1,
    "num_expert_group": 1,
    "norm_topk_prob": True,
    "routed_scaling_factor": 1.0,
    "scoring_func": "sigmoid",
    "topk_method": "noaux_tc",
    # Recurrent layers.
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 32,
    "linear_value_head_dim": 32,
    "linear_conv_kernel_dim": 4,
    "full_attention_interval": 2,
    "layer_group_size": 2,
    "group_norm_size": 2,
    "state_size": 16,
    "ssm_state_size": 16,
    "conv_kernel": 4,
    "n_groups": 1,
    "conv_L_cache": 3,
    "conv_bias": True,
    "use_conv_bias": True,
    "mamba_d_conv": 4,
    "mamba_d_state": 16,
    "mamba_n_heads": 4,
    "mamba_num_heads": 4,
    "mamba_d_head": 16,
    "mamba_head_dim": 16,
    "mamba_n_groups": 1,
    "mamba_proj_bias": False,
    "mamba_conv_bias": True,
    "time_step_limit": [0.0, 100.0],
    "time_step_rank": "auto",
}

_SLIDING_THEN_FULL = ["sliding_attention", "full_attention"]
_ROPE = {"rope_theta": 10000.0, "rope_type": "default"}
_LINEAR = {
    "kda_layers": [1],
    "full_attn_layers": [2],
    "num_heads": 4,
    "head_dim": 32,
    "short_conv_kernel_size": 4,
}
_QWEN_3_5 = {
    "model_type": "qwen3_5_text",
    "rope_parameters": {**_ROPE, "partial_rotary_factor": 0.5},
    "tie_word_embeddings": True,
}

_GRANITE = {
    "logits_scaling": 1.0,
    "attention_multiplier": 0.25,
    "embedding_multiplier": 2.0,
    "residual_multiplier": 0.5,
}
_LFM2 = {
    "layer_types": ["conv", "full_attention"],
    "block_dim": 64,
    "block_multiple_of": 16,
    "block_ffn_dim_multiplier": 1.0,
    "block_auto_adjust_ff_dim": False,
}
_LLAMA4_ROPE = {
    **_ROPE,
    "llama_4_scaling_beta": 0.1,
    "original_max_position_embeddings": WINDOW,  # small, so that position scaling has an effect
}
_LONGCAT = {
    "ffn_hidden_size": 96,
    "moe_topk": 2,
    "expert_ffn_hidden_size": 32,
    "zero_expert_num": 2,
    "mla_scale_q_lora": True,
    "mla_scale_kv_lora": True,
}
_MINICPM = {"dim_model_base": 32, "scale_depth": 1.4, "scale_emb": 2.0}

SPECIAL: dict[str, dict[str, Any]] = {
    "afm7": {"num_layers": 4, "num_kv_reuse_layers": 2},
    "afmoe": {"layer_types": _SLIDING_THEN_FULL, "num_experts": 4},
    "apertus": {"post_norm": False, "qk_norm": True},
    "baichuan_m1": {"sliding_window_layers": [0], "conv_window": 2},
    "cohere": {"num_key_value_heads": 2},
    "dbrx": {
        "ffn_config": {"ffn_hidden_size": 96, "moe_num_experts": 4, "moe_top_k": 2},
        "attn_config": {"kv_n_heads": 2, "clip_qkv": 8.0, "rope_theta": 10000.0},
    },
    "deepseek_v2": {
        "topk_method": "greedy",
        "rope_scaling": {"type": "yarn", "factor": 2.0, "original_max_position_embeddings": 4096},
    },
    "deepseek_v41": {
        "num_hidden_layers": 4,
        "head_dim": 32,
        "o_groups": 2,
        "o_lora_rank": 16,
        "compress_ratios": [0, 4, 4, 0],
        "kv_source_layer_ids": [0, 1, 1, 3],
        "index_source_layer_ids": [0, 1, 1, 3],
        "hc_mult": 2,
    },
    "ernie4_5_moe": {"moe_num_experts": 4, "moe_k": 2},
    "exaone4": {"sliding_window_pattern": "LG", "layer_types": _SLIDING_THEN_FULL},
    "exaone_moe": {"layer_types": _SLIDING_THEN_FULL, "is_moe_layer": [False, True]},
    "falcon_h1": {"mamba_d_ssm": 64},
    # The third layer type, "conv_mixer", is rejected by transformers' config validation.
    "gear": {"layer_types": _SLIDING_THEN_FULL},
    "gemma3n": {
        "model_type": "gemma3n_text",
        "num_hidden_layers": 4,
        "intermediate_size": [96] * 4,
        "num_kv_shared_layers": 2,
        "vocab_size_per_layer_input": VOCAB,
        "rope_local_base_freq": 10000.0,
        "final_logit_softcapping": 30.0,
        "layer_types": _SLIDING_THEN_FULL * 2,
        "activation_sparsity_pattern": [0.0] * 4,
        "hidden_size_per_layer_input": 16,
        "altup_num_inputs": 2,
        "altup_coef_clip": 120.0,
        "altup_correct_scale": True,
        "altup_active_idx": 0,
        "laurel_rank": 8,
    },
    "gemma4_text": {
        "num_hidden_layers": 4,
        "num_kv_shared_layers": 2,
        "global_head_dim": 16,
        "vocab_size_per_layer_input": VOCAB,
        "hidden_size_per_layer_input": 16,
    },
    "glm_moe_dsa": {"rope_parameters": _ROPE},
    "gpt2": {"n_positions": 1024, "n_ctx": 1024},
    "gpt_bigcode": {"n_inner": 96, "n_positions": 1024},
    "gpt_neox": {"rotary_emb_base": 10000, "rotary_pct": 0.5},
    "granite": _GRANITE,
    "granitemoe": _GRANITE,
    "granitemoehybrid": {**_GRANITE, "layer_types": ["mamba", "attention"], "mamba_n_heads": 8},
    "hunyuan": {
        "num_hidden_layers": 4,
        "moe_topk": 2,
        "use_mixed_mlp_moe": True,
        "use_cla": True,
        "cla_share_factor": 2,
        "rope_scaling": {"alpha": 1.0, "factor": 1.0, "type": "dynamic"},
    },
    "hunyuan_v1_dense": {"rope_scaling": {"alpha": 1.0, "factor": 1.0, "type": "dynamic"}},
    "jamba": {
        "num_hidden_layers": 4,
        "attn_layer_offset": 1,
        "attn_layer_period": 2,
        "expert_layer_offset": 1,
        "expert_layer_period": 2,
        "mamba_expand": 2,
    },
    "kimi_k3": {"linear_attn_config": _LINEAR, "activation_situ_beta": 2.0},
    "kimi_linear": {"linear_attn_config": _LINEAR},
    "laguna": {"layer_types": _SLIDING_THEN_FULL},
    "lfm2": _LFM2,
    "lfm2_moe": {"layer_types": ["conv", "full_attention"], "use_expert_bias": True},
    "llama4": {
        "model_type": "llama4_text",
        "num_hidden_layers": 4,
        "intermediate_size_mlp": 96,
        "interleave_moe_layer_step": 2,
        "num_experts_per_tok": 1,
    },
    "llama4_text": {"intermediate_size_mlp": 96, "no_rope_layers": [1, 0]},
    "longcat_flash": {**_LONGCAT, "attention_method": "MLA", "zero_expert_type": "identity"},
    "longcat_flash_ngram": {**_LONGCAT, "ngram_vocab_size_ratio": 2},
    "mamba2": {"num_heads": 8, "intermediate_size": 128},
    "mellum": {
        "layer_types": _SLIDING_THEN_FULL,
        "rope_parameters": dict.fromkeys(_SLIDING_THEN_FULL, _ROPE),
    },
    "mimo_v2_flash": {
        "hybrid_layer_pattern": [1, 0],
        "moe_layer_freq": [0, 1],
        "add_swa_attention_sink_bias": True,
        "add_full_attention_sink_bias": False,
        "swa_rope_theta": 10000.0,
        "swa_num_attention_heads": 4,
        "swa_num_key_value_heads": 2,
        "swa_head_dim": 16,
        "swa_v_head_dim": 16,
    },
    "minicpm": _MINICPM,
    "minicpm3": {**_MINICPM, "rope_scaling": {"original_max_position_embeddings": 8192}},
    "minimax_m3_vl": {
        "model_type": "minimax_m3",
        "moe_layer_freq": [0, 1],
        "dense_intermediate_size": 96,
        "intermediate_size": 32,
        "sparse_attention_freq": [0, 1],
        "index_block_size": 8,
        "index_topk_blocks": 2,
    },
    "ministral3": {
        "rope_parameters": _LLAMA4_ROPE,
        "layer_types": _SLIDING_THEN_FULL,
    },
    "mistral3": {"model_type": "ministral3"},
    "mistral4": {"rope_parameters": _LLAMA4_ROPE},
    "muse_glimmer": {"layer_types": _SLIDING_THEN_FULL},
    "muse_spark": {
        "post_norm_eps": 1e-5,
        "rope_parameters": _ROPE,
        "layer_rope_theta": [10000.0, 0],
        "layer_types": _SLIDING_THEN_FULL,
        "final_logit_softcapping": 20.0,
        "output_multiplier": 0.5,
        "moe_hidden_size": 32,
        "num_shared_experts": 0,
    },
    "nanbeige": {"num_loops": 2},
    "nemotron": {"hidden_act": "relu2"},
    "nemotron-nas": {
        "block_configs": [
            {"attention": {"n_heads_in_group": 2}, "ffn": {"ffn_mult": 1.0}},
            {"attention": {"no_op": True}, "ffn": {"ffn_mult": 1.0}},
        ],
    },
    "nemotron_h": {"hybrid_override_pattern": ["M", "*", "-", "E"], "num_hidden_layers": 4},
    "olmo3": {"layer_types": _SLIDING_THEN_FULL},
    "olmo_hybrid": {
        "layer_types": ["linear_attention", "full_attention"],
        "linear_allow_neg_eigval": True,
    },
    "openelm": {
        "num_transformer_layers": 2,
        "model_dim": 64,
        "ffn_dim_divisor": 16,
        "num_query_heads": [4, 4],
        "num_kv_heads": [2, 2],
        "ffn_multipliers": [1.0, 1.5],
    },
    "phi3small": {
        "dense_attention_every_n_layers": 2,
        "ff_intermediate_size": 96,
        "gegelu_limit": 20.0,
        "vocab_size": 100352,  # the model code contains token ids up to this size
        "blocksparse_block_size": 32,
        "blocksparse_num_local_blocks": 2,
        "blocksparse_vert_stride": 2,
    },
    "phimoe": {
        "rope_scaling": {
            "type": "longrope",
            "short_factor": [1.0] * 8,
            "long_factor": [1.0] * 8,
            "short_mscale": 1.0,
            "long_mscale": 1.0,
        },
    },
    "phixtral": {"num_vocab": VOCAB, "model_dim": 64},
    "plamo": {"num_attention_heads": 8},
    "plamo2": {"hidden_size_per_head": 16, "full_attention_idx": []},
    "qwen": {"kv_channels": 16},
    "qwen3_5": _QWEN_3_5,
    "qwen3_5_moe": _QWEN_3_5,
    "recurrent_gemma": {
        "conv1d_width": 4,
        "logits_soft_cap": 30.0,
        "block_types": ["recurrent", "attention"],
    },
    "rwkv7": {
        "a_low_rank_dim": 8,
        "v_low_rank_dim": 8,
        "gate_low_rank_dim": 8,
        "decay_low_rank_dim": 8,
    },
    "smollm3": {"no_rope_layers": [1, 0]},
    "spark2_5": {
        "layer_types": _SLIDING_THEN_FULL,
        "rope_parameters": dict.fromkeys(_SLIDING_THEN_FULL, _ROPE),
    },
    "step3p5": {
        "num_attention_groups": 2,
        "layer_types": _SLIDING_THEN_FULL,
        "moe_num_experts": 4,
        "moe_top_k": 2,
        "share_expert_dim": 32,
        "moe_layers_enum": "1",
    },
}
"""Additional settings by architecture. For multimodal models, they belong to the `text_config`."""

WRAPPED: dict[str, str] = {
    "gemma3": "gemma3_text",
    "gemma4": "gemma4_text",
    "kimi_k25": "deepseek_v3",
    "lfm2-vl": "lfm2",
    "mistral3": "ministral3",
    "pixtral": "llama",
    "prism_hadamard_qwen35": "qwen3_5",
    "qwen2_vl": "qwen2",
    "qwen3_5_moe": "qwen3_5",
    "qwen3_vl": "qwen3",
    "qwen3_vl_moe": "qwen3_moe",
}
"""Architecture of the text model, for architectures without a dataclass for its config."""


TOWER: dict[str, Any] = {
    "depth": 1,
    "layers": 1,
    "num_layers": 1,
    "num_hidden_layers": 1,
    "hidden_size": 32,
    "embed_dim": 32,
    "width": 32,
    "intermediate_size": 48,
    "heads": 2,
    "num_heads": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "out_hidden_size": 64,
    "output_dim": 64,
    "projection_dim": 32,
    "image_size": 32,
    "patch_size": 4,
    "num_position_embeddings": 64,
    "deepstack_visual_indexes": [],
    "input_local_dim": 32,
    "input_local_layers": 1,
    "input_local_attn_heads": 2,
    "input_local_head_dim": 16,
    "input_local_intermediate_size": 48,
}

VLM_SPECIAL: dict[str, dict[str, Any]] = {
    "deepseek_v4": {
        "num_hidden_layers": 4,
        "head_dim": 32,
        "o_groups": 2,
        "o_lora_rank": 16,
        "compress_ratios": [0, 4, 4, 0],
        "hc_mult": 2,
        "num_hash_layers": 1,
    },
    "glm5_next": {"num_key_value_heads": 4, "qk_rope_head_dim": 0},
    "hy_v4": {"num_key_value_heads": 1, "hc_mult": 2},
    "longcat_flash_sparse": {**_LONGCAT, "index_n_heads": 2, "num_layers": 2},
    "mimo_v2": SPECIAL["mimo_v2_flash"],
    "step3p7": SPECIAL["step3p5"],
}
"""Additional settings for mlx-vlm's architectures. See `SPECIAL`."""


class NotBuildableError(Exception):
    pass


def architectures() -> list[str]:
    package = importlib.import_module("mlx_lm.models")
    helpers = {
        "activations",
        "base",
        "bitlinear_layers",
        "cache",
        "gated_delta",
        "mla",
        "pipeline",
        "rope_utils",
        "ssm",
        "switch_layers",
    }
    return sorted(m.name for m in pkgutil.iter_modules(package.__path__) if m.name not in helpers)


def small_config(architecture: str) -> dict[str, Any]:
    """Return the `config.json` of a tiny model.

    Raises:
        NotBuildableError: if the architecture can't be imported.
    """
    module = _module(architecture)
    special = SPECIAL.get(architecture, {})
    fields = {f.name for f in dataclasses.fields(module.ModelArgs)}
    config: dict[str, Any] = {"model_type": architecture}
    if "text_config" not in fields:
        return {**config, **_sizes_for(fields), **special}
    if architecture in WRAPPED:
        text = small_config(WRAPPED[architecture])
        text = {**text.get("text_config", text), **special}
    else:
        inner = next(
            v
            for n in ("TextArgs", "TextConfig", "TextModelArgs")
            if (v := getattr(module, n, None)) is not None
        )
        text = {**_sizes_for({f.name for f in dataclasses.fields(inner)}), **special}
    return {**config, "vocab_size": VOCAB, "text_config": text}


def small_vlm_config(architecture: str) -> dict[str, Any]:
    """Return the `config.json` of a tiny model for mlx-vlm. See `small_config`."""
    from engine.model import vlm

    package = vlm.import_package({"model_type": architecture})
    special = VLM_SPECIAL.get(architecture, {})
    fields = _fields(package.ModelConfig)
    config: dict[str, Any] = {"model_type": architecture, "vocab_size": VOCAB}
    if "text_config" not in fields:
        return {**config, **_sizes_for(fields), **special}
    config["text_config"] = {
        **({"model_type": architecture} if _requires(package.TextConfig, "model_type") else {}),
        **_sizes_for(_fields(package.TextConfig)),
        **special,
    }
    for tower in ("vision", "audio"):
        kind = getattr(package, f"{tower.title()}Config", None)
        if kind is not None and f"{tower}_config" in fields:
            field_names = _fields(kind)
            sized = {name: value for name, value in TOWER.items() if name in field_names}
            type_fields = {"model_type": architecture} if _requires(kind, "model_type") else {}
            config[f"{tower}_config"] = {**type_fields, **sized}
    return config


def _requires(kind: Any, field: str) -> bool:
    parameters = inspect.signature(kind).parameters
    return field in parameters and parameters[field].default is inspect.Parameter.empty


def _fields(kind: Any) -> set[str]:
    return set(inspect.signature(kind).parameters)


def _sizes_for(fields: set[str]) -> dict[str, Any]:
    return {name: value for name, value in SIZES.items() if name in fields}


def _module(architecture: str) -> Any:
    backend.import_mlx_lm()  # makes the following import twice as fast
    try:
        return importlib.import_module(f"mlx_lm.models.{architecture}")
    except SystemExit:
        raise NotBuildableError(
            "its module ends the process: a package of its own is missing"
        ) from None
    except ImportError as error:
        raise NotBuildableError(f"its module cannot be imported: {error}") from None

"""Tiny configs of model families, one for each type of cache."""

from __future__ import annotations

from typing import Any

from engine.bench.small_configs import small_config

VOCAB = 300  # the byte-level tokenizer's 261 ids, plus some that no text encodes to

_COMMON: dict[str, Any] = {
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "intermediate_size": 96,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "rms_norm_eps": 1e-5,
    "vocab_size": VOCAB,
    "max_position_embeddings": 8192,
    "rope_theta": 10000.0,
}

# Every third entry is a mixture of experts: `turns(3)` relies on that (tests/conftest.py).
FAMILIES: dict[str, dict[str, Any]] = {
    "plain": {**_COMMON, "model_type": "llama"},
    "sliding window": {
        **_COMMON,
        "model_type": "gemma3_text",
        "num_hidden_layers": 3,
        "sliding_window": 16,
        "sliding_window_pattern": 3,
        "query_pre_attn_scalar": 16,
    },
    "MLA": {
        **_COMMON,
        "model_type": "deepseek_v3",
        "moe_intermediate_size": 32,
        "n_shared_experts": 1,
        "n_routed_experts": 4,
        "num_experts_per_tok": 2,
        "kv_lora_rank": 16,
        "q_lora_rank": 24,
        "qk_rope_head_dim": 8,
        "v_head_dim": 16,
        "qk_nope_head_dim": 16,
        "first_k_dense_replace": 1,
    },
    "hybrid recurrent": {
        **_COMMON,
        "model_type": "qwen3_next",
        "num_hidden_layers": 4,
        "full_attention_interval": 2,
        "linear_num_value_heads": 4,
        "linear_num_key_heads": 2,
        "linear_key_head_dim": 16,
        "linear_value_head_dim": 16,
        "linear_conv_kernel_dim": 4,
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "decoder_sparse_step": 1,
        "shared_expert_intermediate_size": 32,
        "mlp_only_layers": [],
        "moe_intermediate_size": 32,
        "partial_rotary_factor": 0.5,
        "norm_topk_prob": True,
    },
    "chunked mask": small_config("llama4"),
    "pure recurrent": {
        "model_type": "mamba2",
        "num_heads": 4,
        "head_dim": 24,
        "vocab_size": VOCAB,
        "hidden_size": 48,
        "intermediate_size": 96,
        "state_size": 16,
        "num_hidden_layers": 2,
        "layer_norm_epsilon": 1e-5,
        "conv_kernel": 4,
        "n_groups": 1,
        "use_bias": False,
        "use_conv_bias": True,
        "tie_word_embeddings": True,
        "time_step_limit": [0.0, 100.0],
        "time_step_rank": "auto",
        "max_position_embeddings": 8192,
    },
    "attention sinks": {
        **_COMMON,
        "model_type": "gpt_oss",
        "num_local_experts": 4,
        "num_experts_per_tok": 2,
        "sliding_window": 16,
        "layer_types": ["sliding_attention", "full_attention"],
        "rope_theta": 10000,
    },
    "shared KV": {
        **_COMMON,
        "model_type": "gemma4_text",
        "num_hidden_layers": 6,
        "global_head_dim": 16,
        "vocab_size_per_layer_input": VOCAB,
        "num_kv_shared_layers": 3,
        "hidden_size_per_layer_input": 16,
        "sliding_window": 16,
        "sliding_window_pattern": 3,
    },
    # With the default soft cap, its random weights repeat a single token.
    "own attention": {**small_config("gemma2"), "final_logit_softcapping": 10.0},
    "sparse MLA": small_config("deepseek_v32"),
    "MoE": {
        **_COMMON,
        "model_type": "qwen3_moe",
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "decoder_sparse_step": 1,
        "mlp_only_layers": [],
        "moe_intermediate_size": 32,
        "tie_word_embeddings": True,
        "norm_topk_prob": True,
    },
}

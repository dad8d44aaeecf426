"""Whether a model fits, from the numbers of its config."""

from __future__ import annotations

from typing import Any

import pytest

from engine.hub import KVCost, Verdict, fit, kv_cost
from engine.hub.kv_cost import STEP, context_length
from engine.model import backend
from tests.engine.families import FAMILIES

GB = 10**9
PLAIN = {
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "hidden_size": 4096,
}
PER_TOKEN = 32 * 2 * 8 * 128 * 2


def test_the_sum_decides_between_yes_tight_and_no() -> None:
    cost = KVCost(((100_000, 1 << 62),))
    yes = fit(5 * GB, cost, 10 * GB, 8192, 4)
    assert (yes.verdict, yes.kv) == (Verdict.YES, 4 * 8192 * 100_000)
    assert yes.needed == yes.weights + (yes.kv or 0) + yes.headroom <= yes.budget
    assert fit(5 * GB, cost, 10 * GB, 8192, 8).verdict is Verdict.TIGHT
    assert fit(10 * GB, cost, 10 * GB, 8192, 1).verdict is Verdict.NO
    assert fit(9 * GB, None, 10 * GB, 8192, 1).verdict is Verdict.YES
    assert fit(9 * GB, None, 10 * GB, 8192, 1).kv is None


def test_a_chat_is_not_reckoned_longer_than_the_models_context() -> None:
    cost = KVCost(((100_000, 1 << 62),))
    assert fit(GB, cost, 10 * GB, 32_768, 1, context=4096).tokens == 4096
    assert fit(GB, cost, 10 * GB, 32_768, 1, context=0).tokens == 32_768


@pytest.mark.parametrize(
    ("config", "per_token"),
    [
        (PLAIN, PER_TOKEN),
        ({"text_config": PLAIN, "vision_config": {}}, PER_TOKEN),
        ({**PLAIN, "head_dim": 64}, PER_TOKEN // 2),
        ({**PLAIN, "sliding_window": 4096, "use_sliding_window": False}, PER_TOKEN),
        ({**PLAIN, "full_attention_interval": 4}, PER_TOKEN // 4),
        ({**PLAIN, "layer_types": ["linear_attention"] * 24 + ["full_attention"] * 8}, 32_768),
        ({**PLAIN, "hybrid_override_pattern": "M-M*-M*"}, 2 * 2 * 8 * 128 * 2),
        ({**PLAIN, "kv_lora_rank": 512, "qk_rope_head_dim": 64}, 32 * (512 + 64) * 2),
        ({**PLAIN, "num_kv_shared_layers": 16}, PER_TOKEN // 2),
    ],
)
def test_the_cost_of_a_token(config: dict[str, Any], per_token: int) -> None:
    cost = kv_cost(config)
    assert cost is not None
    assert cost.bytes(10 * STEP) == 10 * STEP * per_token
    assert cost.bytes(1) == STEP * per_token  # caches grow in steps


def test_layers_with_a_window_stop_growing_and_are_held_twice() -> None:
    kinds = ["sliding_attention", "sliding_attention", "full_attention"] * 10 + ["full_attention"]
    config = {**PLAIN, "num_hidden_layers": 31, "layer_types": kinds, "sliding_window": 1024}
    cost = kv_cost(config)
    assert cost is not None
    layer = 2 * 8 * 128 * 2
    assert cost.bytes(100 * STEP) == 11 * layer * 100 * STEP + 2 * 20 * layer * (1024 + STEP)


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"num_hidden_layers": 10**12, "num_attention_heads": 1, "hidden_size": 8},
        {"num_hidden_layers": 300_000, "num_attention_heads": 4, "hidden_size": 64},
        {"num_hidden_layers": "32", "num_attention_heads": 1, "hidden_size": 8},
        {"num_hidden_layers": 4, "num_attention_heads": -1, "hidden_size": 8},
        {"num_hidden_layers": 4, "num_attention_heads": True},
        {"num_hidden_layers": 4, "num_attention_heads": 4, "hidden_size": 2},
        {"num_hidden_layers": 4, "text_config": [], "linear_attn_config": {}},
    ],
)
def test_a_config_that_does_not_tell_gives_no_cost(config: dict[str, Any]) -> None:
    assert kv_cost(config) is None


def test_a_context_is_named_under_several_names_or_not_at_all() -> None:
    assert context_length({"n_positions": 1024}) == 1024
    assert context_length({"text_config": {"max_position_embeddings": 8}}) == 8
    assert context_length({"max_position_embeddings": "8"}) == 0


@pytest.mark.parametrize("family", ["plain", "MoE", "MLA", "hybrid recurrent"])
def test_it_agrees_with_the_caches_that_mlx_lm_makes(family: str) -> None:
    backend.start()
    import mlx.core as mx
    from mlx_lm.models.cache import make_prompt_cache
    from mlx_lm.utils import _get_classes

    config = dict(FAMILIES[family])
    network, arguments = _get_classes(config)
    net = network(arguments.from_dict(config))
    caches = make_prompt_cache(net)
    net(mx.zeros((1, STEP), mx.int32), cache=caches)
    grown = [cache for cache in caches if hasattr(cache, "keys")]
    held = sum(array.size * 2 for cache in grown for array in (cache.keys, cache.values))
    cost = kv_cost(config)
    assert cost is not None
    assert cost.bytes(STEP) == held

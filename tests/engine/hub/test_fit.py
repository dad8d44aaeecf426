"""Predictions of whether a model on the hub fits in memory."""

from __future__ import annotations

from typing import Any

import pytest

from engine import hub
from engine.hub import HubFile, HubModel

GB = 10**9
PLAIN = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "hidden_size": 4096,
    "intermediate_size": 14_336,
    "vocab_size": 128_000,
}


def model(config: dict[str, Any], size: int = 5 * GB, context: int = 0) -> HubModel:
    file = HubFile("model.safetensors", size, "0" * 64)
    where = ("a/b", "main", "0" * 40, (file,))
    return HubModel(*where, "llama", True, 4, False, context=context, config=config)


def test_estimate_matches_the_engines() -> None:
    found = hub.fit(model(PLAIN), 10 * GB, 8192, 4)
    assert found.exact
    assert found.per_token == 32 * 2 * 8 * 128 * 2
    assert found.total == found.weights + found.caches + found.working
    assert found.weights == 5 * GB
    assert found.caches >= 4 * 8192 * found.per_token
    assert [hub.fit(model(PLAIN), n * GB, 8192, 4).verdict for n in (20, 11, 6)] == [
        "yes",
        "tight",
        "no",
    ]


def test_estimate_is_limited_to_the_models_context() -> None:
    assert hub.fit(model(PLAIN, context=4096), 10 * GB, 32_768, 1).context == 4096
    assert hub.fit(model(PLAIN), 100 * GB, 32_768, 1).context == 32_768


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"num_hidden_layers": 300_000, "num_attention_heads": 4, "hidden_size": 64},
        {**PLAIN, "num_hidden_layers": 10**12},
        {**PLAIN, "text_config": {"num_hidden_layers": 10**12}},
        {**PLAIN, "layer_types": ["full_attention"] * 100_000},
        {**PLAIN, "hidden_size": 10**400, "head_dim": 10**400},
        {**PLAIN, "num_attention_heads": -1},
        {**PLAIN, "num_hidden_layers": "many"},
        {"text_config": [], "linear_attn_config": {}},
    ],
)
def test_invalid_config_gives_finite_estimate(
    config: dict[str, Any],
) -> None:
    assert 5 * GB <= hub.fit(model(config), 10 * GB, 8192, 2).total < 2**60

"""Memory estimates for models, and suggestions for models that don't fit."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, EngineError, SamplingParams
from engine.bench import memory
from engine.bench.small_configs import NotBuildableError, architectures, small_config
from engine.cache.cache_objects import iterate_arrays
from engine.cache.config_shape import shape_of
from engine.cache.estimate import Fit, MemoryEstimate, ResidentModel, Weights, estimate, fit

GB = 10**9

LLAMA_8B = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
}
DEEPSEEK = {
    "model_type": "deepseek_v3",
    "hidden_size": 7168,
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "kv_lora_rank": 512,
    "qk_rope_head_dim": 64,
    "qk_nope_head_dim": 128,
    "v_head_dim": 128,
    "vocab_size": 129280,
}
GEMMA_27B = {
    "model_type": "gemma3",
    "text_config": {
        "model_type": "gemma3_text",
        "hidden_size": 5376,
        "num_hidden_layers": 62,
        "num_attention_heads": 32,
        "num_key_value_heads": 16,
        "head_dim": 128,
        "sliding_window": 1024,
        "sliding_window_pattern": 6,
    },
}
GPT_OSS = {
    "model_type": "gpt_oss",
    "hidden_size": 2880,
    "num_hidden_layers": 24,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "sliding_window": 128,
}
QWEN_NEXT = {
    "model_type": "qwen3_next",
    "hidden_size": 2048,
    "num_hidden_layers": 48,
    "num_attention_heads": 16,
    "num_key_value_heads": 2,
    "head_dim": 256,
    "full_attention_interval": 4,
    "linear_num_value_heads": 32,
    "linear_num_key_heads": 16,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_conv_kernel_dim": 4,
}


def cost(config: dict[str, Any], kv_bits: int | None = None) -> MemoryEstimate:
    shape = shape_of(config)
    assert shape is not None
    return estimate(shape, 2, kv_bits)


@pytest.mark.parametrize(
    ("config", "per_token"),
    [
        pytest.param(LLAMA_8B, 32 * 2 * 8 * 128 * 2, id="llama 8B"),
        pytest.param(DEEPSEEK, 61 * (512 + 64) * 2, id="deepseek v3"),
        pytest.param(GEMMA_27B, 10 * 2 * 16 * 128 * 2, id="gemma 3 27B"),
        pytest.param(GPT_OSS, 12 * 2 * 8 * 64 * 2, id="gpt-oss 20B"),
        pytest.param(QWEN_NEXT, 12 * 2 * 2 * 256 * 2, id="qwen3 next 80B"),
    ],
)
def test_known_models_cost_as_their_configs_imply(config: dict[str, Any], per_token: int) -> None:
    assert cost(config).per_token == per_token


def test_keys_in_few_bits_cost_about_a_half_and_a_quarter() -> None:
    whole = cost(LLAMA_8B).per_token
    assert 0.5 < cost(LLAMA_8B, 8).per_token / whole < 0.55
    assert 0.25 < cost(LLAMA_8B, 4).per_token / whole < 0.3
    # Sliding window layers don't shrink.
    assert cost(GEMMA_27B, 8).bytes(1024) > cost(GEMMA_27B).bytes(1024) // 2


def test_caches_of_every_family_are_estimated_from_config() -> None:
    from mlx_lm.models.cache import make_prompt_cache
    from mlx_lm.utils import _get_classes

    compared, different = 0, {}
    for name in architectures():
        if name == "deepseek_v41":
            continue  # mlx-lm doesn't have this cache class
        try:
            config = small_config(name)
            kind, arguments = _get_classes(dict(config))
            net = kind(arguments.from_dict(dict(config)))
            real = sorted(map(str, _kept(net, make_prompt_cache(net))))
        except (NotBuildableError, RuntimeError, ValueError):
            continue  # unsupported here
        shape = shape_of(config)
        told = (
            [] if shape is None else [(c.keys, c.values, c.window, c.state) for c in shape.caches]
        )
        compared += 1
        if sorted(map(str, told)) != real:
            different[name] = (told, real)
    assert not different
    assert compared > 110


class OneOfTwo:
    def size(self) -> int:
        return 2

    def rank(self) -> int:
        return 0


def test_rank_cache_estimate_is_read_from_config(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import mlx.core as mx
    from mlx_lm.models.cache import make_prompt_cache
    from mlx_lm.utils import _get_classes

    monkeypatch.setattr(mx.distributed, "all_sum", lambda array, **_: array)
    monkeypatch.setattr(mx.distributed, "all_gather", lambda array, **_: array)
    for name in ("llama", "gpt_oss", "deepseek_v2", "deepseek_v32", "qwen3_5", "minimax_m3_vl"):
        config = small_config(name)
        kind, arguments = _get_classes(dict(config))
        net = kind(arguments.from_dict(dict(config)))
        net.shard(OneOfTwo())
        real = sorted(map(str, _kept(net, make_prompt_cache(net))))
        shape = shape_of(config, 2)
        assert shape is not None
        told = [(c.keys, c.values, c.window, c.state) for c in shape.caches]
        assert sorted(map(str, told)) == real, name
        whole = shape_of(config)
        assert whole is not None
        assert (whole.heads, whole.inner) == (2 * shape.heads, 2 * shape.inner)


def _kept(net: Any, caches: list[Any]) -> Iterator[tuple[int, int, int | None, int]]:
    import mlx.core as mx

    net(mx.array([[1] * 40]), cache=caches)
    mx.eval(list(iterate_arrays(caches)))
    parts = [p for c in caches if c is not None for p in getattr(c, "caches", [c])]
    for part in parts:
        if hasattr(part, "keys"):
            if part.keys is not None:
                keys, values = (a.shape[1] * a.shape[3] for a in (part.keys, part.values))
                most = getattr(part, "max_size", None) or getattr(part, "chunk_size", None)
                yield keys, values, most, 0
        else:
            yield 0, 0, None, sum(a.size for a in iterate_arrays(part))


def test_estimate_tolerates_any_config() -> None:
    chance = random.Random(7)
    junk = [None, -1, 0, 1 << 70, 3, "x", [], [1, "y"], {}, {"a": 1}, True, 2.5]
    known = [LLAMA_8B, DEEPSEEK, GEMMA_27B, GPT_OSS, QWEN_NEXT, small_config("nemotron_h")]
    known += [small_config(n) for n in ("kimi_linear", "jamba", "nemotron-nas", "deepseek_v41")]
    for _ in range(400):
        config = dict(chance.choice(known))
        for name in chance.sample(sorted(config), min(2, len(config))):
            config[name] = chance.choice(junk)
        found = fit(config, Weights(GB, GB), 8 * GB, 4096)
        assert found.total >= GB
    assert shape_of({}) is None
    assert shape_of({"model_type": "llama", "num_hidden_layers": 300_000}) is None


def test_fitting_model_gets_no_offers() -> None:
    found = fit(LLAMA_8B, Weights(4 * GB, 4 * GB), 16 * GB, 8192)
    assert (found.verdict, found.offers, found.exact) == ("yes", (), True)
    assert found.total == found.weights + found.caches + found.working
    assert fit(LLAMA_8B, Weights(4 * GB, 4 * GB), int(found.total * 1.05), 8192).verdict == "tight"


def test_unfitting_model_gets_offers_that_fit() -> None:
    weights, free = Weights(4 * GB, 4 * GB), 8 * GB
    loaded = [
        ResidentModel("small", GB, True),
        ResidentModel("used", 9 * GB, False),
        ResidentModel("big", 30 * GB, True),
    ]
    found = fit(LLAMA_8B, weights, free, 32768, loaded=loaded)
    assert found.verdict == "no"
    offers = {offer.what: offer for offer in found.offers}
    assert set(offers) == {"context", "kv_bits", "unload"}
    again = fit(LLAMA_8B, weights, free, offers["context"].value)
    assert again.verdict != "no"
    assert again.total == offers["context"].total
    assert fit(LLAMA_8B, weights, free, 32768, kv_bits=offers["kv_bits"].value).verdict != "no"
    assert offers["unload"].model == "big"  # unloading the small model wouldn't free enough


def test_fused_attention_needs_no_memory_for_scores() -> None:
    weights, free = Weights(4 * GB, 4 * GB), 64 * GB
    long = 131072
    on_cpu = fit(LLAMA_8B, weights, free, long).working
    assert fit(LLAMA_8B, weights, free, long, gpu=True).working < on_cpu / 4
    in_bits = fit(LLAMA_8B, weights, free, long, kv_bits=8, gpu=True).working
    assert in_bits == fit(LLAMA_8B, weights, free, long, kv_bits=8).working
    other = {**LLAMA_8B, "head_dim": 112}
    assert fit(other, weights, free, long, gpu=True).working > on_cpu / 2


def test_eight_chats_are_offered_to_become_one() -> None:
    found = fit(LLAMA_8B, Weights(4 * GB, 4 * GB), 7 * GB, 8192, chats=8)
    assert ("chats", 1) in {(offer.what, offer.value) for offer in found.offers}


def test_hopelessly_large_weights_get_no_offers() -> None:
    assert fit(LLAMA_8B, Weights(16 * GB, 32 * GB), 8 * GB, 8192).offers == ()


def test_float32_is_offered_up_first() -> None:
    found = fit(LLAMA_8B, Weights(16 * GB, 32 * GB), 24 * GB, 8192, wide=True)
    assert found.weights == 16 * GB
    assert found.verdict != "no"


def test_unknown_family_is_estimated_and_marked() -> None:
    found = fit({"model_type": "tomorrow"}, Weights(4 * GB, 4 * GB), 16 * GB, 4096)
    assert not found.exact
    assert found.total > 4 * GB


def test_engine_estimates_a_folder(engine: Engine, model_folder: Callable[[str], Path]) -> None:
    folder = model_folder("plain")
    before = engine.estimate(folder, context=1024)
    model = engine.load(folder)
    assert before.weights == pytest.approx(model.nbytes, rel=0.02)
    assert before.exact
    assert before.verdict == "yes"
    chat = engine.open_session(model)
    chat.send("a" * 900, SamplingParams(max_tokens=100)).tokens()
    held = engine.stats()["sessions"][chat.id]["kv_bytes"]
    assert before.caches == pytest.approx(held, rel=0.2)


def test_an_idle_model_is_offered_to_make_room(model_folder: Callable[[str], Path]) -> None:
    plain, other = model_folder("plain"), model_folder("MoE")
    with Engine() as engine:
        alone = engine.estimate(plain, context=256)
        half = engine.load(other).nbytes // 2
    with Engine(memory_budget=alone.total + half) as engine:
        idle = engine.load(other)
        found: Fit = engine.estimate(plain, context=256)
        assert found.verdict == "no"
        assert ("unload", idle.id) in [(offer.what, offer.model) for offer in found.offers]
        engine.unload(idle)
        assert engine.estimate(plain, context=256).verdict != "no"


def test_non_model_cannot_be_estimated(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        engine.estimate(tmp_path)
    assert caught.value.code == "model_load_failed"
    with pytest.raises(ValueError, match="kv_bits"):
        engine.estimate(tmp_path, kv_bits=3)
    with pytest.raises(ValueError, match="at least 1"):
        engine.estimate(tmp_path, chats=0)


def test_the_estimate_is_within_a_tenth_of_the_peak() -> None:
    found = list(memory.measure_in_children(["gemma3_text"], contexts=(256,)))
    assert {(p.kv_bits, p.chats) for p in found if p.measured} == {
        (bits, chats) for bits in (None, 8, 4) for chats in (1, 8)
    }
    assert [p for p in found if abs(p.error_share) > 0.1] == []

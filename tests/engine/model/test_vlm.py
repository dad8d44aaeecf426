"""mlx-vlm architectures, loaded without importing the package and run like mlx-lm's models."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine import Engine, EngineError, SamplingParams
from engine.bench.random_models import write_model
from engine.model import vlm

HY: dict[str, Any] = {
    "model_type": "hy_v4",
    "vocab_size": 300,
    "hidden_size": 64,
    "intermediate_size": 96,
    "moe_intermediate_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "kv_lora_rank": 16,
    "q_lora_rank": 24,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16,
    "v_head_dim": 16,
    "index_head_dim": 16,
    "index_n_heads": 2,
    "index_topk": 64,
    "hc_mult": 2,
    "max_position_embeddings": 8192,
}
FEW = SamplingParams(max_tokens=12, temperature=0.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("vlm") / "hy", HY, scale=2.0)


def test_mlx_lm_architectures_stay_with_mlx_lm() -> None:
    assert not vlm.should_load({"model_type": "llama"})
    assert not vlm.should_load({"model_type": "no_such_type"})
    assert not vlm.should_load({"model_type": "sam3.generate"})
    assert vlm.should_load({"model_type": "hy_v4"})


def test_only_mlx_vlm_models_are_imported() -> None:
    assert vlm.should_load(HY)
    assert not hasattr(sys.modules["mlx_vlm"], "__version__")
    assert not {"mlx_vlm.generate", "mlx_vlm.trainer", "mlx_vlm.server", "torch"} & {*sys.modules}


def test_vlm_logits_match_mlx_vlm() -> None:
    mx.random.seed(1)
    net = vlm.build(HY)
    ids = mx.array([[7 * i % 261 for i in range(40)]])
    whole = type(net).__mro__[2].__call__(net, ids).logits  # mlx-vlm's own `Model`
    assert mx.allclose(net(ids), whole, atol=1e-4)
    caches = net.make_cache()
    parts = [net(ids[:, :25], cache=caches), net(ids[:, 25:], cache=caches)]
    assert mx.allclose(mx.concatenate(parts, axis=1), whole, atol=1e-4)


def test_indexer_does_not_depend_on_first_prompt() -> None:
    """mlx-vlm's version caches the start of the top scores. This only fails where MLX compiles."""
    vlm.import_package(HY)
    best = sys.modules["mlx_vlm.models.hy_v4.indexer"]._partition_scores(4, False)
    for tokens in (10, 30):
        mx.random.seed(tokens)
        q, k = mx.random.normal((1, 2, 3, 8)), mx.random.normal((1, 1, tokens, 8))
        scores = mx.maximum(q @ k.swapaxes(-1, -2), 0).sum(axis=1)
        wanted = mx.argsort(scores, axis=-1)[..., -4:]
        found = best(q, k, mx.ones((1, 3, 2)))[:, 0, :, -4:]
        assert mx.array_equal(mx.sort(found, axis=-1), mx.sort(wanted, axis=-1))


def test_several_vlm_chats_answer_as_alone(engine: Engine, folder: Path) -> None:
    model = engine.load(folder)
    asked = ["What is this?", "And this one, which is longer than the other?", "No."]
    alone = [engine.open_session(model).send(text, FEW).tokens(60) for text in asked]
    replies = [engine.open_session(model).send(text, FEW) for text in asked]
    assert [reply.tokens(60) for reply in replies] == alone
    assert len({tuple(tokens) for tokens in alone}) > 1


def test_non_language_model_is_refused_by_name(engine: Engine, tmp_path: Path) -> None:
    place = write_model(tmp_path / "eyes", {**HY})
    (place / "config.json").write_text('{"model_type": "sam3"}')
    with pytest.raises(EngineError, match="sam3"):
        engine.load(place)

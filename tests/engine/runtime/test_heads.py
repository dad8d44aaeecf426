"""A model's own prediction head drafts for it, and nobody can tell but by the clock."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from transformers import AutoTokenizer

from engine import Engine, EngineError, Model, SamplingParams, TextDelta
from engine.bench.heads import with_head
from engine.bench.random_models import write_model
from engine.bench.small_configs import small_config
from engine.model import vlm
from engine.runtime import drafts as drafting

WAYS: list[dict[str, Any]] = [
    {"temperature": 0.0, "repetition_penalty": 1.3},
    {"temperature": 0.6, "json_schema": json.dumps({"enum": ["do re mi fa", "so la ti do"]})},
    {"temperature": 0.8, "logprobs": 1},
    {"temperature": 0.4},
]


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drafts are made whether they win or not: which it is depends on the machine."""
    monkeypatch.setattr(drafting, "WORTH", math.inf)


def answers(engine: Engine, model: Model) -> list[list[int]]:
    """Answers of chats, of their forks, and after a cancellation; others come meanwhile."""
    said: list[list[int]] = []
    for seed, way in enumerate(WAYS):
        chat = engine.open_session(model, kv_bits=8 if seed == 3 else None)
        other = engine.open_session(model)
        reply, come, beside = (
            chat.send("do re mi " * 9, SamplingParams(48, seed=seed, **way)),
            0,
            None,
        )
        for event in reply:
            come += isinstance(event, TextDelta)
            if come == 20 and beside is None:
                beside = other.send("la la", SamplingParams(max_tokens=6, seed=1))
        said += [reply.tokens(60), beside.tokens(60) if beside else []]
        twin = chat.fork()
        for one in (chat, twin):
            said.append(one.send("and more", SamplingParams(max_tokens=20, seed=seed)).tokens(60))
            one.close()
        other.close()
    return said


@pytest.mark.parametrize("family", ["qwen3_5", "qwen3_next"])
def test_answers_are_the_same_with_a_head_that_is_right_and_one_that_never_is(
    engine: Engine, tmp_path: Path, family: str
) -> None:
    config = small_config(family)  # with heads as wide as few bits want them
    config.get("text_config", config).update(head_dim=32, tie_word_embeddings=True)
    made = write_model(tmp_path / "made", config, scale=3.0)
    large = with_head(made, tmp_path / "large", tmp_path / "right", 0.05)
    with_head(made, tmp_path / "large", tmp_path / "wrong", 0.05, right=False)
    plain = answers(engine, engine.load(large))
    shares = []
    for head in ("right", "wrong"):
        model = engine.load(large, draft=tmp_path / head)
        assert answers(engine, model) == plain
        figures = engine.stats()["drafts"][model.id]
        assert figures["drafted_tokens"] > 40
        shares.append(figures["accepted_tokens"] / figures["drafted_tokens"])
    assert shares[0] > 0.4 > 0.1 > shares[1]

    # Cancelled in the midst of its drafts, it goes on from what was said.
    chat = engine.open_session(engine.load(large, draft=tmp_path / "right"))
    reply, come = chat.send("do re mi", SamplingParams(max_tokens=200, temperature=0.5, seed=4)), 0
    for event in reply:
        come += isinstance(event, TextDelta)
        if come == 30:
            reply.cancel()
    said, more = reply.tokens(60), SamplingParams(max_tokens=12, temperature=0.5, seed=5)
    after = chat.send("and?", more).tokens(60)
    chat.close()
    other = engine.open_session(engine.load(large, draft=""))
    params = SamplingParams(max_tokens=len(said), temperature=0.5, seed=4)
    assert other.send("do re mi", params).tokens(60) == said
    assert other.send("and?", more).tokens(60) == after
    other.close()


def test_a_head_is_refused_in_words_where_it_does_not_fit(
    engine: Engine, tmp_path: Path, model_folder: Any
) -> None:
    made = write_model(tmp_path / "made", small_config("qwen3_5"))
    large, head = with_head(made, tmp_path / "large", tmp_path / "head", 0.05), tmp_path / "head"
    for draft in (None, "", "lookup"):
        with pytest.raises(EngineError, match="only drafts for the model"):
            engine.load(head, draft=draft)
    wider = json.loads((head / "config.json").read_text())
    small = small_config("qwen3_5")
    small["text_config"] = {**small["text_config"], "hidden_size": 32}
    other = write_model(tmp_path / "other", small)
    for wrong in (other, model_folder("plain")):
        with pytest.raises(EngineError, match=r"does not fit|tokenizers differ"):
            engine.load(wrong, draft=head)
    wider["text_config"]["hidden_size"] = 4096  # its weights are of another size than it says
    (head / "config.json").write_text(json.dumps(wider))
    with pytest.raises(EngineError):
        engine.load(large, draft=head)
    assert engine.load(large).draft == ""


def test_with_a_head_it_says_what_mlx_vlm_says_without(engine: Engine, tmp_path: Path) -> None:
    """What that drafts itself has to be rolled back by a kernel that a CPU has not."""
    config = {**small_config("qwen3_next"), "head_dim": 32, "tie_word_embeddings": True}
    made = write_model(tmp_path / "made", config, scale=3.0)
    large = with_head(made, tmp_path / "large", tmp_path / "head", 0.1)
    chat = engine.open_session(engine.load(large, draft=tmp_path / "head"))
    said = chat.send("do re mi " * 9, SamplingParams(max_tokens=30, temperature=0.0)).tokens(60)
    assert engine.stats()["drafts"][chat.model.id]["drafted_tokens"] > 9
    words = AutoTokenizer.from_pretrained(large)
    turn = [{"role": "user", "content": "do re mi " * 9}]
    fed = words.apply_chat_template(turn, add_generation_prompt=True, return_dict=False)
    net = vlm.load_net(large, json.loads((large / "config.json").read_text()), lazy=False)
    caches, others = net.make_cache(), []
    for _ in said:
        fed = [int(mx.argmax(net(mx.array([fed]), cache=caches)[0, -1]).item())]
        others += fed
    assert said == others


def test_a_head_beside_shared_beginnings_and_caches_on_disk(tmp_path: Path) -> None:
    config = {**small_config("qwen3_next"), "head_dim": 32, "tie_word_embeddings": True}
    made = write_model(tmp_path / "made", config, scale=3.0)
    large = with_head(made, tmp_path / "large", tmp_path / "head", 0.1)
    long, some = "do re mi fa so la " * 60, SamplingParams(max_tokens=24, temperature=0.7, seed=2)

    def said(engine: Engine, model: Model) -> list[list[int]]:
        found, asked = [], [{"role": "system", "content": long}]
        chats = [engine.open_session(model, name) for name in "ab"]
        for chat in chats:  # the second begins as the first
            reply = chat.send([*asked, {"role": "user", "content": chat.id}], some)
            found.append(reply.tokens(60))
        assert reply.stats.reused_tokens > 1024
        chats[1].close()
        asked += [{"role": "user", "content": "b"}, {"role": "assistant", "content": reply.text()}]
        chat = engine.open_session(model, "b")
        reply = chat.send([*asked, {"role": "user", "content": "and?"}], some)
        found.append(reply.tokens(60))
        assert reply.stats.reused_tokens > reply.stats.prompt_tokens - 30  # from disk
        return found

    with Engine(cache_dir=tmp_path / "plain") as engine:
        plain = said(engine, engine.load(large))
    with Engine(cache_dir=tmp_path / "drafted") as engine:
        model = engine.load(large, draft=tmp_path / "head")
        assert said(engine, model) == plain
        figures = engine.stats()["drafts"][model.id]
        assert 0 < figures["accepted_tokens"] < figures["drafted_tokens"]

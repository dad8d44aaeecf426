"""Chats with quantized keys and values: accuracy, mixing with other chats, and refusals."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine import Engine, EngineError, SamplingParams, TextDelta
from engine.bench.random_models import write_model
from engine.cache.cache_objects import clone, iterate_arrays
from engine.model import attention, backend
from engine.model.loaded_model import LoadedModel
from engine.model.loader import load_blocking
from engine.model.quantized_kv import quantized_caches, try_quantized_caches
from engine.runtime import commands
from tests.engine.families import FAMILIES

PROMPTS = ["hello " * n for n in (9, 3, 40, 20, 2, 11)]
BITS = [8, 4, None, 8, None, 4]


def wide(family: str) -> dict[str, Any]:
    config = {**FAMILIES[family], "hidden_size": 128, "head_dim": 32}
    if family == "sliding window":
        config["query_pre_attn_scalar"] = 32
    return config


@pytest.fixture(scope="session")
def wide_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    root = tmp_path_factory.mktemp("head width")

    def folder(family: str) -> Path:
        path = root / family.replace(" ", "-")
        return path if path.exists() else write_model(path, wide(family), scale=2.0)

    return folder


QUANTISABLE = pytest.mark.parametrize(
    "family", ["plain", "sliding window", "MoE", "hybrid recurrent"]
)


def params(seed: int, tokens: int = 16) -> SamplingParams:
    calm = {3: -1e9, 4: -1e9}
    return SamplingParams(max_tokens=tokens, temperature=0.9, seed=seed, logit_bias=calm)


@QUANTISABLE
@pytest.mark.turns(4)
def test_quantized_chats_reply_as_alone(
    engine: Engine, wide_folder: Callable[[str], Path], family: str
) -> None:
    folder = wide_folder(family)
    model = engine.load(folder)
    chats = [engine.open_session(model, kv_bits=bits) for bits in BITS]
    replies = [chats[n].send(prompt, params(n)) for n, prompt in enumerate(PROMPTS)]
    firsts = [reply.tokens(60) for reply in replies]
    twins = [chats[0].fork(), chats[1].fork()]
    again = [chat.send("and then?", params(50 + n)) for n, chat in enumerate([*chats, *twins])]
    seconds = [reply.tokens(60) for reply in again]
    for reply in again:  # across turns and forks
        assert reply.stats.prompt_tokens - reply.stats.reused_tokens <= 40
    for n, (bits, prompt) in enumerate(zip(BITS, PROMPTS, strict=True)):
        with Engine() as other:
            chat = other.open_session(other.load(folder), kv_bits=bits)
            assert chat.send(prompt, params(n)).tokens(60) == firsts[n]
            assert chat.send("and then?", params(50 + n)).tokens(60) == seconds[n]
    assert len({tuple(t) for t in firsts}) > 3


@QUANTISABLE
@pytest.mark.turns(2)
def test_going_back_and_handing_on(
    engine: Engine, wide_folder: Callable[[str], Path], family: str
) -> None:
    model = engine.load(wide_folder(family))
    long = "word " * 60
    chat = engine.open_session(model, kv_bits=8)
    chat.send(long + "end", params(1)).tokens(60)
    edited = chat.send([{"role": "user", "content": long + "other"}], params(2))
    said = edited.tokens(60)  # so that this one is read first
    fresh = engine.open_session(model, kv_bits=8)
    same = fresh.send([{"role": "user", "content": long + "other"}], params(2))
    assert same.tokens(60) == said
    other_bits = engine.open_session(model, kv_bits=4)
    reply = other_bits.send(long + "other", params(2))
    reply.tokens(60)
    assert reply.stats.reused_tokens == 0
    if family in ("plain", "MoE"):
        assert edited.stats.reused_tokens > 200
    assert same.stats.reused_tokens > 200


@QUANTISABLE
@pytest.mark.turns(4)
def test_fewer_cache_bits_hold_fewer_bytes(
    engine: Engine, wide_folder: Callable[[str], Path], family: str
) -> None:
    model = engine.load(wide_folder(family))
    held = {}
    for bits in (None, 8, 4):
        chat = engine.open_session(model, kv_bits=bits)
        chat.send("word " * 120, params(1, 2)).tokens(60)
        held[bits] = engine.stats()["sessions"][chat.id]["kv_bytes"]
        chat.close()
    assert held[4] < held[8] < held[None]


@pytest.mark.stepped
def test_first_quantized_chats_let_others_stream(
    engine: Engine, wide_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    def watched(model: LoadedModel, bits: int) -> Generator[None, None, None]:
        tried.append(bits)
        return try_quantized_caches(model, bits)

    monkeypatch.setattr(commands, "try_quantized_caches", watched)
    model = engine.load(wide_folder("plain"))
    stream = engine.open_session(model).send("hello", params(1, 3000))
    next(event for event in stream if isinstance(event, TextDelta))
    counts = []
    for _ in range(2):
        before = len(stream._tokens)
        chats = [engine.open_session(model, kv_bits=8) for _ in range(2)]
        for reply in [chat.send("hello", params(2, 2)) for chat in chats]:
            assert reply.tokens(60)
        counts.append(len(stream._tokens) - before)
    assert counts[0] - counts[1] >= 8  # a step after each pass
    assert tried == [8]  # one attempt for both chats
    stream.cancel()


def loaded(folder: Path) -> LoadedModel:
    return load_blocking(folder, wide=backend.start().prefers_float32)


def test_quantized_estimate_counts_bits_and_scales(wide_folder: Callable[[str], Path]) -> None:
    """32 values share a 32-bit scale and offset, so 8 and 4 bits cost 10 and 6 bits each."""
    model = loaded(wide_folder("plain"))
    for bits, share in ((8, 10 / 32), (4, 6 / 32)):
        assert quantized_caches(model, bits).estimate.bytes(
            1000
        ) == share * model.abilities.estimate.bytes(1000)


def logits(model: Any, caches: Any, prompt: list[int]) -> mx.array:
    model.net(mx.array([prompt[:-1]]), cache=caches)
    mx.eval(list(iterate_arrays(caches)))
    last = model.net(mx.array([prompt[-1:]]), cache=clone(caches))[0, -1]
    return last - mx.logsumexp(last)


@pytest.mark.parametrize("widens", [False, True])
@pytest.mark.parametrize(("bits", "most"), [(8, 0.002), (4, 0.5)])
def test_quantized_cache_bounds_divergence(
    wide_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    bits: int,
    most: float,
    widens: bool,
) -> None:
    monkeypatch.setattr(attention, "_dequantizes", widens)  # as on CUDA
    model = loaded(wide_folder("plain"))
    worst = 0.0
    for seed in range(8):
        prompt = [(seed * 31 + 17 * i * i) % 256 for i in range(40 + seed)]
        full = logits(model, model.new_caches(), prompt)
        few = logits(model, quantized_caches(model, bits).make(), prompt)
        worst = max(worst, float(mx.sum(mx.exp(full) * (full - few)).item()))
    assert 0 < worst < most


@pytest.mark.parametrize(
    ("family", "why"),
    [
        ("plain", "head width"),  # the usual test models have heads 16 wide
        ("pure recurrent", "grows"),
        ("MLA", "head width"),
        ("attention sinks", "head width"),
    ],
)
def test_unsupported_bits_are_refused_first(
    engine: Engine, model_folder: Callable[[str], Path], family: str, why: str
) -> None:
    chat = engine.open_session(engine.load(model_folder(family)), kv_bits=8)
    for session in (chat, chat.fork()):
        with pytest.raises(EngineError, match=why) as caught:
            session.send("hello", params(1)).tokens(60)
        assert caught.value.code == "unsupported_session"
    assert engine.stats()["sessions"] == {}


def test_refusal_does_not_end_a_reopened_session(
    engine: Engine, model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    reopened = threading.Event()

    def held(model: LoadedModel, bits: int) -> Generator[None, None, None]:
        while not reopened.is_set():
            yield
        yield from try_quantized_caches(model, bits)

    monkeypatch.setattr(commands, "try_quantized_caches", held)
    model = engine.load(model_folder("plain"))
    engine.open_session(model, session_id="a", kv_bits=8)
    chat = engine.open_session(model, session_id="a")
    assert chat.send("hello", params(1, 1)).tokens(60)
    reopened.set()
    with pytest.raises(EngineError, match="head width"):
        engine.open_session(model, kv_bits=8).send("hello", params(1)).tokens(60)
    assert chat.send("again", params(1, 1)).tokens(60)


@pytest.mark.parametrize("family", ["attention sinks", "shared KV", "MLA"])
def test_incompatible_attention_is_refused(engine: Engine, tmp_path: Path, family: str) -> None:
    config = {**FAMILIES[family], "hidden_size": 128, "head_dim": 32, "global_head_dim": 32}
    if family == "MLA":
        config |= {"kv_lora_rank": 32, "qk_rope_head_dim": 32}
    chat = engine.open_session(engine.load(write_model(tmp_path / "m", config)), kv_bits=8)
    with pytest.raises(EngineError, match="cannot read them") as caught:
        chat.send("hello", params(1)).tokens(60)
    assert caught.value.code == "unsupported_session"


def test_invalid_bits_are_refused(engine: Engine, model_folder: Callable[[str], Path]) -> None:
    model = engine.load(model_folder("plain"))
    with pytest.raises(ValueError, match="kv_bits"):
        engine.open_session(model, kv_bits=3)


@pytest.mark.parametrize("fits", [True, False])
def test_unloading_frees_quantized_keys(
    model_folder: Callable[[str], Path], wide_folder: Callable[[str], Path], fits: bool
) -> None:
    """A refused reply keeps nothing in memory, either."""
    folder = (wide_folder if fits else model_folder)("plain")
    gc.collect()
    gc.disable()  # rely on reference counts alone, since the app turns the collector off
    try:
        with Engine() as engine:
            model = engine.load(folder)
            before = engine.stats()["memory_in_use"]
            chat = engine.open_session(model, kv_bits=8)
            for _ in range(2):
                reply = chat.send("hello", params(1))
                if fits:
                    assert reply.tokens(60)
                    continue
                with pytest.raises(EngineError, match="unsupported_session"):
                    reply.text(60)
            engine.unload(model)
            assert engine.stats()["memory_in_use"] < before - model.nbytes // 2
    finally:
        gc.enable()

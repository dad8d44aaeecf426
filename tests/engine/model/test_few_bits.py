"""Weights of few bits on a Linux CPU: right products, independent rows, whole decoder layers."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlx.utils import tree_flatten
from mlx_lm.models.cache import KVCache, make_prompt_cache
from mlx_lm.utils import load_model
from msgspec.structs import replace

from engine import Engine, SamplingParams
from engine.bench.random_models import write_model
from engine.model import adapting, backend, loader, probe
from engine.model.cpu import blocks, experts, few_bits, layers, onnx_graph
from engine.model.slices import at_once
from engine.runtime import examining as estimating
from engine.runtime.examining import Candidate
from engine.sandbox.folders import look_at_adapter
from tests.engine.adapters import write_adapter
from tests.engine.families import FAMILIES

pytestmark = [
    pytest.mark.skipif(
        sys.platform != "linux" or backend.device_here() != "cpu", reason="for Linux CPUs"
    ),
    pytest.mark.usefixtures("all_cores"),
]

CLOSE = 2e-5
"""Of the outputs' standard deviation: what float32 rounds."""

FORMATS = [
    ("affine", 4, 32, CLOSE),
    ("affine", 4, 64, CLOSE),
    ("affine", 4, 128, CLOSE),
    ("affine", 8, 64, CLOSE),
    ("affine", 2, 64, CLOSE),
    ("affine", 3, 64, CLOSE),
    ("affine", 5, 64, CLOSE),
    ("affine", 6, 64, CLOSE),
    ("mxfp4", 4, 32, CLOSE),
    ("nvfp4", 4, 16, CLOSE),
    ("mxfp8", 8, 32, 2e-2),  # 240 values of unlike distances become 256 of like ones
]


def layer(mode: str, bits: int, group: int, seed: int = 0, bias: bool = True) -> Any:
    made = nn.Linear(256, 96, bias=bias)
    made.weight = mx.random.normal(made.weight.shape, key=mx.random.key(seed)) + 0.2
    if bias:
        made.bias = mx.random.normal(made.bias.shape, key=mx.random.key(seed + 1))
    return nn.QuantizedLinear.from_linear(made, group, bits, mode=mode)


def codes_of(layer: Any) -> few_bits.Codes | None:
    return few_bits.codes_of(layer, few_bits.Format.of(layer))


def off(found: Any, wanted: Any) -> float:
    found, wanted = np.array(found), np.array(wanted)
    return float(np.abs(found - wanted).max() / wanted.std())


@pytest.mark.parametrize(("mode", "bits", "group", "close"), FORMATS)
def test_products_are_those_of_mlx(mode: str, bits: int, group: int, close: float) -> None:
    whole, x = layer(mode, bits, group), mx.random.normal((9, 256), key=mx.random.key(5))
    codes = codes_of(whole)
    assert codes is not None
    for rounded in (False, True):
        product = few_bits.product([codes], rounded)
        for rows in (1, 2, 3, 4, 9):
            found = product(np.array(x[:rows]))[0]
            assert off(found, whole(x[:rows])) < max(close, 2e-4 if rounded else 0), rows


def test_a_bias_that_is_no_multiple_of_the_scale_is_kept_exactly() -> None:
    whole, x = layer("affine", 4, 32), mx.random.normal((5, 256), key=mx.random.key(5))
    whole.biases = whole.biases + 0.4 * whole.scales
    whole.scales[3, 2] = 0  # all of the group are the bias
    codes = codes_of(whole)
    assert codes is not None
    assert codes.rest is not None
    assert off(few_bits.product([codes])(np.array(x))[0], whole(x)) < CLOSE


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 9), st.integers(0, 2**30), st.sampled_from(FORMATS[:4]))
def test_no_row_knows_of_the_others(
    rows: int, seed: int, form: tuple[str, int, int, float]
) -> None:
    """A neighbour of huge, infinite or no numbers changes nothing; nor does how many there are."""
    mode, bits, group, _ = form
    codes = codes_of(layer(mode, bits, group))
    assert codes is not None
    random = np.random.default_rng(seed)
    x = random.standard_normal((rows, 256), np.float32)
    beside = random.standard_normal((rows, 256), np.float32) * random.choice([1e-20, 1, 1e20])
    beside[random.random(beside.shape) < 0.1] = np.nan
    both = np.stack([x, beside.astype(np.float32)], 1).reshape(-1, 256)
    for rounded in (False, True):
        product = few_bits.product([codes], rounded)
        alone = np.concatenate([product(x[row : row + 1])[0] for row in range(rows)])
        assert off(product(both)[0][::2], alone) < CLOSE
        if rounded:  # always an even number of rows: the same kernel, to the bit
            assert np.array_equal(product(both)[0][::2], alone)


def test_several_matrices_are_one_call() -> None:
    matrices = [layer("affine", 4, 32, seed) for seed in (1, 2)] + [layer("affine", 8, 64, 3)]
    x = mx.random.normal((2, 256), key=mx.random.key(5))
    found = few_bits.product([codes_of(m) for m in matrices])(np.array(x))  # type: ignore[misc]
    assert all(off(y, m(x)) < CLOSE for y, m in zip(found, matrices, strict=True))


def test_what_onnxruntime_refuses_is_one_kind_of_error() -> None:
    codes = codes_of(layer("affine", 4, 32))
    assert codes is not None
    wrong = few_bits.Codes(codes.words[:, :, :3], codes.scales, None, 4)
    with pytest.raises(RuntimeError, match="onnxruntime refuses"):
        few_bits.product([wrong])


def test_numbers_in_a_graph_may_be_negative_and_long() -> None:
    assert onnx_graph._varint(300) == b"\xac\x02"
    assert onnx_graph._varint(-1) == b"\xff" * 9 + b"\x01"


def test_a_session_holds_its_weights_once() -> None:
    """onnxruntime would keep the graph's bytes beside the form that it computes with."""
    codes = codes_of(layer("affine", 4, 32))
    assert codes is not None
    words, scales = np.repeat(codes.words, 200, axis=0), np.repeat(codes.scales, 200, axis=0)
    many = few_bits.Codes(words, scales, None, 4)
    made, before = [few_bits.product([many])], resident()
    made += [few_bits.product([many]) for _ in range(20)]
    assert resident() - before < 1.5 * 20 * (many.words.nbytes + many.scales.nbytes)
    assert len(made) == 21


def resident() -> int:
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# ---------------------------------------------------------------- models


def few(folder: Path, config: dict[str, Any], bits: int = 4, group: int = 32) -> Path:
    """A tiny model in few bits."""
    sizes = {"hidden_size": 64, "intermediate_size": 128, "head_dim": 32}
    write_model(folder, {**config, **sizes}, scale=3.0)
    net, made = load_model(folder)
    nn.quantize(net, group, bits)
    mx.save_safetensors(str(folder / "model.safetensors"), dict(tree_flatten(net.parameters())))
    made = {**made, "quantization": {"group_size": group, "bits": bits}}
    (folder / "config.json").write_text(json.dumps(made))
    return folder


@pytest.fixture(scope="module", params=["llama", "qwen3"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = {**FAMILIES["plain"], "model_type": request.param, "tie_word_embeddings": True}
    return few(tmp_path_factory.mktemp("few") / request.param, config)


def taken(path: Path) -> Any:
    net, _ = loader.load_net(path, lazy=True)
    net.set_dtype(mx.float32)
    for _ in loader.take_few_bits(net, path):
        pass
    return net


def passes(net: Any) -> list[np.ndarray[Any, Any]]:
    """Logits of a prompt and of the three tokens after it."""
    cache, found = make_prompt_cache(net), []
    for ids in ([5, 9, 30, 7, 200, 41], [8], [3], [250]):
        found.append(np.array(net(mx.array([ids]), cache=cache)[:, -1]))
    return found


def test_a_model_says_the_same_with_its_layers_and_with_its_blocks(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, _ = load_model(folder)
    wanted, whole = passes(theirs), taken(folder)
    assert all(hasattr(layer, "block") for layer in whole.layers)
    assert all(off(a, b) < 1e-3 for a, b in zip(passes(whole), wanted, strict=True))
    monkeypatch.setattr(blocks, "take", lambda net: iter(()))
    parts = taken(folder)
    assert not any(hasattr(layer, "block") for layer in parts.layers)
    assert all(off(a, b) < 1e-3 for a, b in zip(passes(parts), wanted, strict=True))


def test_weights_are_held_once(folder: Path) -> None:
    net = taken(folder)
    linear = net.layers[0].mlp.down_proj
    before = mx.get_active_memory()
    shape, nbytes = linear.weight.shape, linear.weight.nbytes
    assert shape == (64, 16)
    assert nbytes == 64 * 64  # what a sum of a model's bytes finds
    linear.weight = linear.scales = linear.biases = None
    assert before - mx.get_active_memory() < 100


def test_a_layer_of_another_kind_keeps_its_own_code(tmp_path: Path) -> None:
    """Granite's parts have the usual names, and it multiplies what they say."""
    config = {
        **FAMILIES["plain"],
        "model_type": "granite",
        "logits_scaling": 2.0,
        "embedding_multiplier": 3.0,
        "attention_multiplier": 0.2,
        "residual_multiplier": 0.3,
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": True,
    }
    path = few(tmp_path / "granite", config)
    net = taken(path)
    assert layers.taken(net)
    assert not any(hasattr(layer, "block") for layer in net.layers)
    theirs, _ = load_model(path)
    assert all(off(a, b) < 1e-3 for a, b in zip(passes(net), passes(theirs), strict=True))


def test_several_rows_of_one_cache_are_those_of_mlx(folder: Path) -> None:
    theirs, _ = load_model(folder)
    ids, found = mx.array([[5, 9, 30], [7, 200, 41]]), []
    for net in (taken(folder), theirs):
        cache = make_prompt_cache(net)
        net(ids, cache=cache)
        found.append(net(ids[:, :1], cache=cache))
    assert off(*found) < 1e-3


def test_what_was_taken_back_is_not_read(folder: Path) -> None:
    """A chat goes on from an earlier place: what stood behind it may be no number."""
    net, found = taken(folder), []
    for beyond in (0.0, np.nan):
        cache = make_prompt_cache(net)
        net(mx.array([[5, 9, 30, 7, 200, 41]]), cache=cache)
        for own in cache:
            own.trim(3)
            own.keys[:, :, 3:] = beyond
            own.values[:, :, 3:] = beyond
        found.append(np.array(net(mx.array([[8]]), cache=cache)))
    assert off(*found) < 1e-3


@pytest.mark.parametrize("kind", ["llama", "internlm3"])
def test_a_rotation_that_depends_on_the_length_of_a_chat_has_no_table(
    kind: str, tmp_path: Path
) -> None:
    """Dynamic scaling begins beyond the longest text of the training."""
    config = {
        **FAMILIES["plain"],
        "model_type": kind,
        "bias": False,
        "qkv_bias": False,
        "tie_word_embeddings": False,
        "max_position_embeddings": 4096,
        "rope_scaling": {"rope_type": "dynamic", "factor": 6.0},
    }
    path = few(tmp_path / kind, config)
    net = taken(path)
    assert layers.taken(net)
    theirs, _ = load_model(path)
    random = np.random.default_rng(0)
    attention = net.layers[0].self_attn
    width = attention.k_proj.scales.shape[0] // attention.n_kv_heads
    shape = (1, attention.n_kv_heads, 5000, width)
    keys, values = (random.standard_normal(shape, np.float32) for _ in range(2))
    x = mx.array(random.standard_normal((1, 1, 64), np.float32))
    said = []
    for layer in (net.layers[0], theirs.layers[0]):
        cache = KVCache()
        cache.keys, cache.values, cache.offset = mx.array(keys), mx.array(values), 4900
        said.append(layer(x, None, cache))
    assert off(*said) < 1e-3


def test_a_layer_that_cannot_be_called_keeps_its_own_code() -> None:
    class Bare(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.self_attn, self.mlp = nn.Module(), nn.Module()
            self.input_layernorm = self.post_attention_layernorm = nn.RMSNorm(8)

    net = nn.Module()
    net.layers = [Bare()]
    assert not list(blocks.take(net))


def test_a_model_without_layers_of_few_bits_does_not_ask_for_onnxruntime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_model(tmp_path / "whole", {**FAMILIES["plain"], "model_type": "llama"})
    monkeypatch.setattr(few_bits, "available", lambda: pytest.fail("imported"))
    taken(path)


def test_a_layer_that_stands_at_two_places_is_taken_once(tmp_path: Path) -> None:
    config = {**FAMILIES["plain"], "model_type": "llama", "tie_word_embeddings": True}
    path = few(tmp_path / "twice", config)
    found = []
    for take in (False, True):
        net, _ = load_model(path)
        first, second = net.layers
        second.mlp = first.mlp  # one has a part of the other, and one is there twice
        net.model.layers += [first]
        for _ in loader.take_few_bits(net, path) if take else ():
            pass
        found.append(passes(net))
    assert hasattr(first, "block")
    assert all(off(a, b) < 1e-3 for a, b in zip(*found, strict=True))


def test_a_layer_whose_block_says_no_number_is_not_taken(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = blocks.Attention.__call__

    def none(self: Any, *given: Any) -> Any:
        return [part * np.nan for part in real(self, *given)]

    monkeypatch.setattr(blocks.Attention, "__call__", none)
    assert not any(hasattr(layer, "block") for layer in taken(folder).layers)


# ---------------------------------------------------------------- experts


@pytest.fixture(scope="module")
def experts_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = {**FAMILIES["MoE"], "num_experts": 8, "moe_intermediate_size": 64}
    return few(tmp_path_factory.mktemp("few") / "experts", config)


def test_experts_say_the_same(experts_folder: Path) -> None:
    net = taken(experts_folder)
    assert experts.taken(net)
    theirs, _ = load_model(experts_folder)
    assert all(off(a, b) < 1e-3 for a, b in zip(passes(net), passes(theirs), strict=True))


def test_rows_of_experts_are_independent(experts_folder: Path) -> None:
    layer = taken(experts_folder).layers[0].mlp.switch_mlp
    random = np.random.default_rng(0)
    x = mx.array(random.standard_normal((1, 40, 64), np.float32))
    chosen = mx.array(random.integers(0, 8, (1, 40, 2)))
    whole = layer(x, chosen)
    each = [layer(x[:, n : n + 1], chosen[:, n : n + 1]) for n in range(40)]
    assert whole.shape == (1, 40, 2, 64)
    assert off(mx.concatenate(each, axis=1), whole) < CLOSE


def test_experts_of_a_file_that_became_shorter_are_an_error(experts_folder: Path) -> None:
    name = "model.layers.0.mlp.switch_mlp.gate_proj.weight"
    with contextlib.closing(experts.Tensors(experts_folder)) as tensors:
        assert tensors.piece(name, 7).shape == (64, 8)
        with pytest.raises(OSError, match="has become shorter"):
            tensors.piece(name, 10**9)


def test_experts_whose_tensors_are_called_otherwise_stay_those_of_mlx(
    experts_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experts.Tensors, "has", lambda *_: False)
    net = taken(experts_folder)
    assert layers.taken(net)
    assert not experts.taken(net)
    assert len(passes(net)) == 4


def test_chats_of_experts_say_the_same_alone_and_together(
    experts_folder: Path, tmp_path: Path
) -> None:
    adapter = write_adapter(tmp_path / "adapter", experts_folder)
    with Engine() as engine:
        alone = answers(engine, experts_folder, together=False)
        assert answers(engine, experts_folder, together=True) == alone
        variant = engine.open_session(engine.load(experts_folder, adapter=adapter))
        reply = variant.send(PROMPTS[0], SamplingParams(max_tokens=24, temperature=0.8, seed=0))
        reply.text(timeout=60)
        assert reply.tokens() != alone[0]


@pytest.mark.parametrize("kind", ["lora", "dora"])
def test_a_variant_that_reads_its_base_again_is_as_wide_and_counts_it(
    kind: str, folder: Path, experts_folder: Path, tmp_path: Path
) -> None:
    """An adapter on experts, and DoRA, need the weights that onnxruntime has taken."""
    path = tmp_path / "half"
    shutil.copytree(experts_folder if kind == "lora" else folder, path)
    net, _ = load_model(path)
    net.set_dtype(mx.bfloat16)
    mx.save_safetensors(str(path / "model.safetensors"), dict(tree_flatten(net.parameters())))
    written = write_adapter(tmp_path / "adapter", path, kind)
    told = replace(look_at_adapter(written, "it"), size=10, wide=20, rebuilt=0)
    adapter = adapting.examine(written, "it", told)
    base = loader.load_at_once(path, wide=True)
    variant = at_once(adapting.adapt(base, adapter))
    cache = variant.can.make_cache()
    variant.net(mx.array([[5]]), cache=cache)
    assert cache[0].keys.dtype == mx.float32
    assert variant.info.nbytes == loader.weight_bytes(variant.net)
    candidate = Candidate(base.examined, None, adapter, wide=10**6)  # type: ignore[arg-type]
    assert candidate.request("", base, float32=True).nbytes == 10**6 + 20
    facts = SimpleNamespace(size=10**6, wide=10**6)
    found: Any = SimpleNamespace(facts=facts, adapter=told)
    assert estimating._weights(found, base, float32=True).shared == 0


# ---------------------------------------------------------------- chats


PROMPTS = ["a", "Tell me of foxes. " * 3, "1 2 3", "And then? " * 20]


def answers(engine: Engine, path: Path, together: bool, **options: Any) -> list[list[int]]:
    model = engine.load(path)
    found, replies = [], []
    for seed, prompt in enumerate(PROMPTS):
        chat = engine.open_session(model, **options)
        params = SamplingParams(max_tokens=24, temperature=0.8, seed=seed)
        replies.append(chat.send(prompt, params))
        if not together:
            replies[-1].text(timeout=60)
    for reply in replies:
        reply.text(timeout=60)
        found.append(reply.tokens())
    return found


def test_chats_say_the_same_alone_and_together(folder: Path) -> None:
    with Engine() as engine:
        alone = answers(engine, folder, together=False)
        assert answers(engine, folder, together=True) == alone
        assert engine.load(folder).step == "shared"
        assert all(len(tokens) > 1 for tokens in alone)


@pytest.mark.parametrize("options", [{"kv_bits": 8}, {"reproducible": True}])
@pytest.mark.turns(2)
def test_chats_of_other_kinds_do_so_too(folder: Path, options: dict[str, Any]) -> None:
    with Engine() as engine:
        alone = answers(engine, folder, together=False, **options)
        assert answers(engine, folder, together=True, **options) == alone


def test_an_adapter_on_a_blocks_layer_is_heard(folder: Path, tmp_path: Path) -> None:
    adapter = write_adapter(tmp_path / "adapter", folder)
    with Engine() as engine:
        model, variant = engine.load(folder), engine.load(folder, adapter=adapter)
        said = []
        for which in (model, variant, model):
            chat = engine.open_session(which)
            reply = chat.send("Hello", SamplingParams(max_tokens=12, temperature=0))
            reply.text(timeout=60)
            said.append(reply.tokens())
    assert said[0] == said[2] != said[1]


def test_without_onnxruntime_models_of_few_bits_still_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def missing() -> Any:
        raise ImportError("no such library")

    monkeypatch.setattr(few_bits, "_runtime", missing)
    net = taken(folder)
    assert not layers.taken(net)
    assert "are slow here" in caplog.text
    assert len(passes(net)) == 4


# ---------------------------------------------------------------- what is kept of a load


def test_the_ways_of_a_model_are_tried_out_once(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Any] = []
    real = probe._ways

    def counted(net: Any, sessions: Any, vocab: int) -> Any:
        tried.append(net)
        return (yield from real(net, sessions, vocab))

    monkeypatch.setattr(probe, "_ways", counted)
    found = []
    for _ in range(2):
        with Engine(ways_dir=tmp_path / "ways") as engine:
            model = engine.load(folder)
            found.append((model.step, answers(engine, folder, together=True)))
    assert len(tried) == 1
    assert found[0] == found[1]
    for file in (tmp_path / "ways").glob("*.json"):
        kept = json.loads(file.read_text())
        kept["results"] = {"slots": 1, "prefix": True, "mixes": True}
        file.write_text(json.dumps(kept))
    with Engine(ways_dir=tmp_path / "ways") as engine:
        engine.load(folder)
    assert len(tried) == 2  # what nobody can have written is not believed

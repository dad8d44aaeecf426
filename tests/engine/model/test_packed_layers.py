"""Quantized layers and experts that use the CPU kernels."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_flatten
from mlx_lm.utils import load_model
from msgspec.structs import replace

from engine import Engine, EngineError, SamplingParams
from engine.bench.random_models import write_model
from engine.kernels import library as kernels
from engine.model import adapters, backend, loader, packed_experts, packed_layers, plain_decoder
from engine.model.packed_layers import PackedEmbedding, PackedLinear
from engine.model.sliced_pass import run_to_end
from engine.runtime import candidate as estimating
from engine.runtime.candidate import Candidate
from engine.sandbox.folders import inspect_adapter, inspect_model
from tests.engine.adapters import write_adapter
from tests.engine.families import FAMILIES
from tests.engine.model.few_bits import difference, packed, passes, write_few_bits

pytestmark = [
    pytest.mark.skipif(
        sys.platform != "linux" or backend.current_device() != "cpu", reason="for Linux CPUs"
    ),
    pytest.mark.usefixtures("all_cores"),
]

CLOSE = 1e-2  # error of 16-bit activations, keys and values after a few layers


@pytest.fixture(scope="module", params=["llama", "qwen3"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = {**FAMILIES["plain"], "model_type": request.param, "tie_word_embeddings": True}
    return write_few_bits(tmp_path_factory.mktemp("few") / request.param, config)


def test_model_says_the_same_as_by_mlx(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, _ = load_model(folder)
    wanted = passes(theirs)
    monkeypatch.setattr(plain_decoder, "install", lambda *_: False)
    net = packed(folder)
    assert packed_layers.is_packed(net)
    assert all(difference(a, b) < CLOSE for a, b in zip(passes(net), wanted, strict=True))


def test_packed_weights_are_held_once(folder: Path) -> None:
    net = packed(folder)
    linear = net.layers[0].mlp.down_proj
    before = mx.get_active_memory()
    shape, nbytes = linear.weight.shape, linear.weight.nbytes
    assert shape == (64, 16)
    assert nbytes == 64 * 64  # so that sums over a model's arrays are right
    linear.weight = linear.scales = linear.biases = None
    assert before - mx.get_active_memory() < 100


@pytest.mark.parametrize("bits", [3, 4, 6])
def test_model_counts_the_memory_of_packed_weights(bits: int, tmp_path: Path) -> None:
    path = write_few_bits(tmp_path / "few", FAMILIES["plain"], bits)
    model = loader.load_blocking(path, wide=True)
    matrices = {
        id(part.matrix): part.matrix.nbytes
        for part in model.net.modules()
        if isinstance(part, (PackedLinear, PackedEmbedding))
    }
    norms = [a.nbytes for name, a in tree_flatten(model.net.parameters()) if "norm" in name]
    assert model.info.nbytes == sum(matrices.values()) + sum(norms)
    assert inspect_model(path, "it").wide > 0.99 * model.info.nbytes  # without partial tiles


def test_layer_at_two_places_is_packed_once(tmp_path: Path) -> None:
    config = {**FAMILIES["plain"], "model_type": "llama", "tie_word_embeddings": True}
    path = write_few_bits(tmp_path / "twice", config)
    found = []
    for take in (False, True):
        net, _ = load_model(path)
        first, second = net.layers
        second.mlp = first.mlp
        net.model.layers += [first]
        for _ in loader.pack_weights(net, path) if take else ():
            pass
        found.append(passes(net))
    assert isinstance(first.mlp.down_proj, packed_layers.PackedLinear)
    assert all(difference(a, b) < CLOSE for a, b in zip(*found, strict=True))


def test_model_without_few_bits_loads_no_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_model(tmp_path / "whole", {**FAMILIES["plain"], "model_type": "llama"})
    monkeypatch.setattr(kernels, "load", lambda: pytest.fail("loaded"))
    packed(path)


def test_model_answers_without_kernels(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "load", lambda: None)
    net = packed(folder)
    assert not packed_layers.is_packed(net)
    assert len(passes(net)) == 4


def test_layer_with_other_format_stays_mlx(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_layers, "can_pack", lambda _: False)
    net = packed(folder)
    assert not packed_layers.is_packed(net)
    assert len(passes(net)) == 4


def test_non_code_weights_are_refused(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "floats"))
    arrays = mx.load(str(copy / "model.safetensors"))
    name = "model.layers.1.mlp.down_proj.weight"
    arrays[name] = arrays[name].astype(mx.float16)
    mx.save_safetensors(str(copy / "model.safetensors"), arrays)
    with (
        Engine() as engine,
        pytest.raises(EngineError, match=r"could not be loaded: .*uint32"),
    ):
        engine.load(copy)


def test_unsupported_group_size_is_an_error(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "groups"))
    arrays = mx.load(str(copy / "model.safetensors"))
    for name, array in arrays.items():
        if name.endswith(("scales", "biases")):
            arrays[name] = mx.repeat(array, 4, axis=1)  # groups of 8 inputs
    mx.save_safetensors(str(copy / "model.safetensors"), arrays)
    with Engine() as engine, pytest.raises(EngineError, match=r"group size 8 is not supported"):
        engine.load(copy)


@pytest.mark.parametrize(
    ("part", "shape"), [("down_proj.weight", [64, 2**31 // 8]), ("down_proj.scales", [2**31, 4])]
)
def test_shape_larger_than_the_file_is_an_error(
    folder: Path, tmp_path: Path, part: str, shape: list[int]
) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "huge"))
    weights = copy / "model.safetensors"
    data = weights.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    header[f"model.layers.0.mlp.{part}"]["shape"] = shape
    text = json.dumps(header).encode()
    weights.write_bytes(len(text).to_bytes(8, "little") + text + data[end:])
    with Engine() as engine, pytest.raises(EngineError, match=r"model\.safetensors is damaged"):
        engine.load(copy)


@pytest.mark.parametrize(("mode", "bits", "group"), [("nvfp4", 4, 16), ("mxfp8", 8, 32)])
def test_unsupported_formats_still_reply(tmp_path: Path, mode: str, bits: int, group: int) -> None:
    config = {**FAMILIES["plain"], "model_type": "llama"}
    path = write_few_bits(tmp_path / mode, config, bits, group, mode)
    assert not packed_layers.is_packed(packed(path))
    with Engine() as engine:
        session = engine.open_session(engine.load(path))
        assert session.send("Hello", SamplingParams(max_tokens=3, temperature=0.0)).tokens()


# ---------------------------------------------------------------- experts


@pytest.fixture(scope="module")
def experts_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = {**FAMILIES["MoE"], "num_experts": 8, "moe_intermediate_size": 64}
    return write_few_bits(tmp_path_factory.mktemp("few") / "experts", config)


def test_experts_match_mlx(experts_folder: Path) -> None:
    net = packed(experts_folder)
    assert packed_experts.is_packed(net)
    theirs, _ = load_model(experts_folder)
    pairs = zip(passes(net), passes(theirs), strict=True)
    assert all(difference(a, b) < CLOSE for a, b in pairs)


def test_rows_of_experts_are_independent(experts_folder: Path) -> None:
    layer = packed(experts_folder).layers[0].mlp.switch_mlp
    random = np.random.default_rng(0)
    x = mx.array(random.standard_normal((1, 40, 64), np.float32))
    chosen = mx.array(random.integers(0, 8, (1, 40, 2)))
    whole = layer(x, chosen)
    each = [layer(x[:, n : n + 1], chosen[:, n : n + 1]) for n in range(40)]
    assert whole.shape == (1, 40, 2, 64)
    assert np.array_equal(np.array(mx.concatenate(each, axis=1)), np.array(whole))


def test_shortened_file_of_experts_is_an_error(experts_folder: Path) -> None:
    name = "model.layers.0.mlp.switch_mlp.gate_proj.weight"
    with contextlib.closing(packed_experts.Tensors(experts_folder)) as tensors:
        assert tensors.read_slice(name, 7).shape == (64, 8)
        with pytest.raises(OSError, match="became shorter"):
            tensors.read_slice(name, 10**9)


def test_experts_with_other_tensor_names_stay_mlx(
    experts_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_experts.Tensors, "has_tensor", lambda *_: False)
    net = packed(experts_folder)
    assert packed_layers.is_packed(net)
    assert not packed_experts.is_packed(net)
    assert len(passes(net)) == 4


@pytest.mark.parametrize("kind", ["lora", "dora"])
def test_variant_with_reread_base_counts_its_memory(
    kind: str, folder: Path, experts_folder: Path, tmp_path: Path
) -> None:
    """An adapter on experts and DoRA both need the original weights."""
    path = tmp_path / "half"
    shutil.copytree(experts_folder if kind == "lora" else folder, path)
    net, _ = load_model(path)
    net.set_dtype(mx.bfloat16)
    mx.save_safetensors(str(path / "model.safetensors"), dict(tree_flatten(net.parameters())))
    written = write_adapter(tmp_path / "adapter", path, kind)
    facts = replace(inspect_adapter(written, "it"), size=10, wide=20, rebuilt=0)
    adapter = adapters.check_adapter(written, "it", facts)
    base = loader.load_blocking(path, wide=True)
    variant = run_to_end(adapters.adapt(base, adapter))
    cache = variant.abilities.make_cache()
    variant.net(mx.array([[5]]), cache=cache)
    assert cache[0].keys.dtype == mx.float32
    assert variant.info.nbytes == loader.weight_bytes(variant.net)
    candidate = Candidate(base.checked_model, None, adapter, wide=10**6)  # type: ignore[arg-type]
    assert candidate.request("", base, float32=True).min_bytes == 10**6 + 20
    assert estimating.weights_of(10**6, 10**6, facts, base, float32=True).shared == 0


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


PROMPTS = ["a", "Tell me of foxes. " * 3, "1 2 3", "And then? " * 20]


def answers(engine: Engine, path: Path, together: bool) -> list[list[int]]:
    model = engine.load(path)
    found, replies = [], []
    for seed, prompt in enumerate(PROMPTS):
        chat = engine.open_session(model)
        replies.append(chat.send(prompt, SamplingParams(max_tokens=24, temperature=0.8, seed=seed)))
        if not together:
            replies[-1].text(timeout=60)
    for reply in replies:
        reply.text(timeout=60)
        found.append(reply.tokens())
    return found

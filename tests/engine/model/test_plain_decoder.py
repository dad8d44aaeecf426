"""Models built from plain decoder layers: detection, accuracy and batches."""

from __future__ import annotations

import gc
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx_lm.models.cache import KVCache, QuantizedKVCache, make_prompt_cache
from mlx_lm.utils import load_model

from engine import Engine, SamplingParams
from engine.bench.families import quantize_folder, write_family
from engine.bench.small_configs import small_config
from engine.cache.cache_file import create_image
from engine.cache.cache_objects import clone, detach_buffers, stagger_growth
from engine.cache.session_kv import SessionKV
from engine.kernels import library as kernels
from engine.model import backend, loader, packed_layers, plain_decoder, probe, ragged, runner
from engine.model.plain_decoder import PlainDecoder
from engine.stepping import SteppedEngine
from tests.engine.adapters import write_adapter
from tests.engine.families import FAMILIES
from tests.engine.model.few_bits import difference, packed, passes, write_few_bits

pytestmark = [
    pytest.mark.skipif(
        sys.platform != "linux" or backend.current_device() != "cpu", reason="for Linux CPUs"
    ),
    pytest.mark.usefixtures("all_cores"),
]

CLOSE = 1e-2  # error of 16-bit keys and values
EITHER_FOLDER = pytest.mark.turns(2)
"""Run with one of the two models, which other tests in this file share between them."""


@pytest.fixture(scope="module", params=["llama", "qwen3"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = {**FAMILIES["plain"], "model_type": request.param, "tie_word_embeddings": True}
    return write_few_bits(tmp_path_factory.mktemp("few") / request.param, config)


def logits(net: Any, tokens: list[int], caches: Any) -> np.ndarray[Any, Any]:
    return np.array(net(mx.array([tokens]), cache=caches)[0])


def together(net: Any, fed: list[tuple[Any, list[int]]]) -> list[np.ndarray[Any, Any]]:
    decoding = [(caches, tokens) for caches, tokens in fed if len(tokens) == 1]
    reading = [(caches, tokens) for caches, tokens in fed if len(tokens) > 1]
    order = [*decoding, *reading]
    ends = np.cumsum([len(tokens) for _, tokens in order])
    decoder = plain_decoder.full_decoder(net)
    rows = None if decoder is None else decoder.logits(order, range(ends[-1]))
    found = _by_model(net, decoding, reading) if rows is None else rows.copy()
    by_session = dict(zip((id(c) for c, _ in order), np.split(found, ends[:-1]), strict=True))
    return [by_session[id(caches)] for caches, _ in fed]


def _by_model(net: Any, decoding: Any, reading: Any) -> np.ndarray[Any, Any]:
    shared = ragged.combine_caches(
        [caches for caches, _ in decoding], None, [(c, len(t)) for c, t in reading]
    )
    ids = mx.array([token for _, tokens in (*decoding, *reading) for token in tokens])[:, None]
    return np.array(net(ids, cache=shared)[:, 0])


# ---------------------------------------------------------------- finding them


def test_model_says_the_same_as_by_mlx(folder: Path) -> None:
    theirs, _ = load_model(folder)
    net = packed(folder)
    assert plain_decoder.is_installed(net)
    pairs = zip(passes(net), passes(theirs), strict=True)
    assert all(difference(a, b) < CLOSE for a, b in pairs)


@pytest.mark.parametrize("kind", ["gemma2", "phi3", "glm4", "exaone4", "nanbeige"])
def test_other_layer_types_are_supported(kind: str, tmp_path: Path) -> None:
    """Cover other norms, GELU, soft caps, scaled embeddings, fused matrices and repeated layers."""
    more = {"sliding_window": None, "sliding_window_pattern": None} if kind == "exaone4" else {}
    path = write_few_bits(tmp_path / kind, {**small_config(kind), **more})
    net, (theirs, _) = packed(path), load_model(path)
    assert (plain_decoder.full_decoder(net) is None) == (kind == "gemma2")  # its logits are capped
    pairs = zip(passes(net), passes(theirs), strict=True)
    assert all(difference(a, b) < CLOSE for a, b in pairs)
    test_chunks_and_neighbors_change_no_bit(path)


def test_rounding_does_not_refuse_layers(tmp_path: Path) -> None:
    """Activations that are rounded in the other direction move these logits by 1.1e-3."""
    path = write_family(tmp_path / "smollm3", "smollm3", 64)
    quantize_folder(path, 64, 8)
    assert plain_decoder.is_installed(packed(path))


@pytest.mark.parametrize("part", ["activation", "norm", "argument", "head"])
def test_parts_of_another_kind_keep_their_own_code(
    part: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    net, _ = loader.load_net(folder, lazy=True)
    net.set_dtype(mx.float32)
    library = kernels.load()
    assert library is not None
    for _ in packed_layers.pack_layers(net, library):
        pass
    layer = net.layers[1]
    module = {"activation": layer.mlp, "norm": net.model.norm, "argument": layer, "head": net}[part]
    real = type(module).__call__

    def activation(self: Any, x: mx.array) -> mx.array:
        return self.down_proj(nn.relu(self.gate_proj(x)) * self.up_proj(x))

    def norm(self: Any, x: mx.array) -> mx.array:
        return real(self, x) + 0.1

    def argument(self: Any, x: mx.array, scale: Any, mask: Any = None, cache: Any = None) -> Any:
        return real(self, x, mask, cache)

    def head(self: Any, inputs: mx.array, cache: Any = None, input_embeddings: Any = None) -> Any:
        return 2 * real(self, inputs, cache, input_embeddings)

    monkeypatch.setattr(type(module), "__call__", locals()[part])
    is_taken = plain_decoder.install(net, library)
    assert is_taken == (part == "head")  # the decoder layers are standard
    assert plain_decoder.full_decoder(net) is None


@pytest.mark.parametrize("kind", ["granite", "nemotron-nas", "dots1"])
def test_layers_of_another_kind_keep_their_own_code(kind: str, tmp_path: Path) -> None:
    """Outputs are multiplied, layers have no attention, or only the first has no experts."""
    path = write_few_bits(tmp_path / kind, small_config(kind))
    net, (theirs, _) = packed(path), load_model(path)
    assert packed_layers.is_packed(net)
    assert not plain_decoder.is_installed(net)
    pairs = zip(passes(net), passes(theirs), strict=True)
    assert all(difference(a, b) < CLOSE for a, b in pairs)


@pytest.mark.parametrize("kind", ["llama", "internlm3"])
def test_rotation_that_depends_on_length_has_no_table(kind: str, tmp_path: Path) -> None:
    """Dynamic scaling starts beyond the training length."""
    config = {
        **FAMILIES["plain"],
        "model_type": kind,
        "bias": False,
        "qkv_bias": False,
        "tie_word_embeddings": False,
        "max_position_embeddings": 4096,
        "rope_scaling": {"rope_type": "dynamic", "factor": 6.0},
    }
    net = packed(write_few_bits(tmp_path / kind, config))
    assert packed_layers.is_packed(net)
    if plain_decoder.is_installed(net):  # mlx-lm 0.32.2 ignores the scaling for this family
        rope = net.layers[0].self_attn.rope
        head = mx.ones((1, 1, 1, 32))
        table = plain_decoder._build_rotation(rope, 32)
        table.extend_to(5000)
        found = np.array(rope(head, offset=5000))[0, 0, 0, :16]
        assert np.allclose(found, table.cosines[5000] - table.sines[5000], atol=CLOSE)


@EITHER_FOLDER
def test_layer_that_returns_nan_is_not_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = PlainDecoder._run

    def broken(*given: Any, **more: Any) -> Any:
        hidden, logits = run(*given, **more)
        return hidden * np.nan, None if logits is None else logits * np.nan

    monkeypatch.setattr(PlainDecoder, "_run", broken)
    assert not plain_decoder.is_installed(packed(folder))


@EITHER_FOLDER
def test_adapter_on_a_plain_layer_has_effect(folder: Path, tmp_path: Path) -> None:
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


# ---------------------------------------------------------------- bits


@EITHER_FOLDER
def test_chunks_and_neighbors_change_no_bit(folder: Path) -> None:
    net, random = packed(folder), np.random.default_rng(3)
    texts = [random.integers(0, 256, int(n)).tolist() for n in random.integers(20, 400, 5)]
    alone = [logits(net, text, make_prompt_cache(net)) for text in texts]
    sessions = [make_prompt_cache(net) for _ in texts]
    for caches in sessions:
        stagger_growth(caches)
    done = [0] * len(texts)
    while any(n < len(text) for n, text in zip(done, texts, strict=True)):
        fed, which = [], []
        for n in random.permutation(len(texts)):
            count = min(len(texts[n]) - done[n], int(random.choice([0, 1, 1, 2, 30])))
            if count:
                fed.append((sessions[n], texts[n][done[n] : done[n] + count]))
                which.append(n)
        for n, found in zip(which, together(net, fed) if fed else (), strict=True):
            assert found.tobytes() == alone[n][done[n] : done[n] + len(found)].tobytes()
            done[n] += len(found)


@EITHER_FOLDER
def test_chunk_that_fills_the_cache_changes_no_bit(folder: Path) -> None:
    net, text = packed(folder), list(range(200)) * 2
    caches = make_prompt_cache(net)
    found = [logits(net, part, caches) for part in (text[:256], text[256:])]
    assert np.array_equal(np.concatenate(found), logits(net, text, make_prompt_cache(net)))


@EITHER_FOLDER
def test_fork_and_original_continue_separately(folder: Path) -> None:
    net, prompt = packed(folder), list(range(40))
    caches = make_prompt_cache(net)
    logits(net, prompt, caches)
    twin = clone(caches)
    wanted = [
        logits(net, [*prompt, *more], make_prompt_cache(net))[40:] for more in ([1, 2], [3, 4])
    ]
    for step in range(2):
        assert np.array_equal(logits(net, [1 + step], caches)[0], wanted[0][step])
        assert np.array_equal(logits(net, [3 + step], twin)[0], wanted[1][step])


@pytest.mark.parametrize("copy", [SessionKV.frozen_copy, SessionKV.fork])
def test_image_of_caches_excludes_later_tokens(
    folder: Path, copy: Callable[[SessionKV], SessionKV]
) -> None:
    net, prompt = packed(folder), list(range(40))
    kv = SessionKV(lambda: make_prompt_cache(net))
    kv.replace_caches(make_prompt_cache(net), [], [])
    logits(net, prompt, kv.leave_slots())
    kv.record_chunk(prompt)
    image = create_image(copy(kv), "model")
    before, after = io.BytesIO(), io.BytesIO()
    image.write(before)
    logits(net, [7], kv.layers)
    image.write(after)
    assert before.getvalue() == after.getvalue()


@EITHER_FOLDER
def test_taking_tokens_back_leaves_forks_alone(folder: Path) -> None:
    """After trimming, a session overwrites positions that its forks still read."""
    net, prompt = packed(folder), list(range(40))
    caches = make_prompt_cache(net)
    logits(net, prompt, caches)
    twin = clone(caches)
    for cache in caches:
        cache.trim(10)
    other = logits(net, [7] * 10, caches)
    assert np.array_equal(
        other, logits(net, [*prompt[:30], *[7] * 10], make_prompt_cache(net))[30:]
    )
    wanted = logits(net, [*prompt, 5], make_prompt_cache(net))[40]
    assert np.array_equal(logits(net, [5], twin)[0], wanted)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.turns(6)
def test_random_schedules_change_no_bit(folder: Path, seed: int) -> None:
    net, random = packed(folder), np.random.default_rng(seed)
    sessions: list[tuple[list[int], Any]] = []
    for _ in range(40):
        if len(sessions) < 2 or random.random() < 0.1:
            sessions.append(([], make_prompt_cache(net)))
            stagger_growth(sessions[-1][1])
        text, caches = sessions[random.integers(len(sessions))]
        choice = random.choice(["feed", "feed", "feed", "fork", "back", "copy", "leave"])
        if choice == "fork" and text:
            sessions.append((list(text), clone(caches)))
        elif choice == "back" and len(text) > 1:
            surplus = int(random.integers(1, len(text)))
            del text[len(text) - surplus :]
            for cache in caches:
                cache.trim(surplus)
        elif choice == "copy" and text:
            caches[:] = [detach_buffers(cache, room=True) for cache in clone(caches)]
        elif choice == "leave":
            sessions = [session for session in sessions if session[0] is not text]
        elif choice == "feed":
            some = random.permutation(len(sessions))[: random.integers(1, 5)]
            fed = [
                (*sessions[n], random.integers(0, 256, random.choice([1, 1, 1, 7, 40])).tolist())
                for n in some
            ]
            found = together(net, [(caches, tokens) for _, caches, tokens in fed])
            for (text, _, tokens), own in zip(fed, found, strict=True):
                text.extend(tokens)
                wanted = logits(net, text, make_prompt_cache(net))[-len(tokens) :]
                assert own.tobytes() == wanted.tobytes()


@EITHER_FOLDER
def test_trimmed_tokens_are_not_read(folder: Path) -> None:
    net, found = packed(folder), []
    for beyond in (0.0, np.nan):
        cache = make_prompt_cache(net)
        net(mx.array([[5, 9, 30, 7, 200, 41]]), cache=cache)
        for own in cache:
            own.trim(3)
            own.keys[:, :, 3:] = beyond
            own.values[:, :, 3:] = beyond
        found.append(np.array(net(mx.array([[8]]), cache=cache)))
    assert np.array_equal(*found)


@EITHER_FOLDER
def test_sessions_behind_a_shared_prefix_have_the_same_bits(folder: Path) -> None:
    net, prompt = packed(folder), np.random.default_rng(1).integers(0, 256, 1100).tolist()
    origin = SessionKV(lambda: make_prompt_cache(net), shares_prefix=True)
    origin.replace_caches(make_prompt_cache(net), [], [])
    logits(net, prompt, origin.leave_slots())
    origin.record_chunk(prompt)
    assert origin.make_shared_prefix()
    twin = origin.fork()
    fed = [(origin.layers, [3]), (twin.layers, [5, 6, 7])]
    found = together(net, fed)
    for (_, tokens), own in zip(fed, found, strict=True):
        wanted = logits(net, [*prompt, *tokens], make_prompt_cache(net))[1100:]
        assert own.tobytes() == wanted.tobytes()


def test_shared_prefix_of_one_key_head_has_the_same_bits(tmp_path: Path) -> None:
    """With a single key head, keys and values are stored side by side in one array."""
    config = {**FAMILIES["plain"], "model_type": "llama", "tie_word_embeddings": True}
    path = write_few_bits(tmp_path / "one", {**config, "num_key_value_heads": 1})
    test_sessions_behind_a_shared_prefix_have_the_same_bits(path)


@EITHER_FOLDER
def test_session_with_quantized_keys_changes_no_neighbor(folder: Path) -> None:
    net, prompt = packed(folder), list(range(40))
    plain, few = make_prompt_cache(net), [QuantizedKVCache(32, 8) for _ in net.layers]
    logits(net, prompt, plain)
    logits(net, prompt, few)
    found = together(net, [(few, [1]), (plain, [2])])
    wanted = logits(net, [*prompt, 2], make_prompt_cache(net))[40]
    assert np.array_equal(found[1][0], wanted)
    assert np.isfinite(found[0]).all()


@EITHER_FOLDER
def test_several_rows_of_one_cache_match_mlx(folder: Path) -> None:
    theirs, _ = load_model(folder)
    ids, found = mx.array([[5, 9, 30], [7, 200, 41]]), []
    for net in (packed(folder), theirs):
        cache = make_prompt_cache(net)
        net(ids, cache=cache)
        found.append(net(ids[:, :1], cache=cache))
    assert difference(*found) < CLOSE


@EITHER_FOLDER
def test_arrays_are_released_with_their_sessions(folder: Path) -> None:
    net = packed(folder)
    caches = make_prompt_cache(net)
    logits(net, [1, 2, 3], caches)
    arrays = net.model.plain._arrays
    assert len(arrays) == 1
    del caches
    gc.collect()
    assert not arrays


@EITHER_FOLDER
def test_embedding_is_the_same_for_any_chunks(folder: Path) -> None:
    model, text, found = loader.load_blocking(folder, wide=True), list(range(3, 90)), []
    for size in (87, 40, 7, 1):
        caches, total = model.new_caches(), None
        for first in range(0, len(text), size):
            total = runner.add_hidden_states(model, caches, text[first : first + size], total)
        assert total is not None
        found.append(runner.embedding_vector(total))
    assert len(set(found)) == 1


@EITHER_FOLDER
def test_plain_caches_are_mlx_lm_caches(folder: Path) -> None:
    assert {type(cache) for cache in make_prompt_cache(packed(folder))} == {KVCache}


# ---------------------------------------------------------------- chats

PROMPTS = ["a", "Tell me of foxes. " * 3, "1 2 3", "And then? " * 20]


def answers(engine: Engine, path: Path, is_together: bool, **options: Any) -> list[list[int]]:
    model = engine.load(path)
    found, replies = [], []
    for seed, prompt in enumerate(PROMPTS):
        chat = engine.open_session(model, **options)
        params = SamplingParams(max_tokens=24, temperature=0.8, seed=seed)
        replies.append(chat.send(prompt, params))
        if not is_together:
            replies[-1].text(timeout=60)
    for reply in replies:
        reply.text(timeout=60)
        found.append(reply.tokens())
    return found


@EITHER_FOLDER
def test_chats_say_the_same_alone_and_together(folder: Path) -> None:
    with Engine() as engine:
        alone = answers(engine, folder, is_together=False)
        assert answers(engine, folder, is_together=True) == alone
        assert engine.load(folder).step == "shared"
        assert all(len(tokens) > 1 for tokens in alone)


def test_stopped_reply_needs_a_pass_per_token(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tokens are delivered in the turn of their pass, so none follows a stop string."""
    passes, real = [0], PlainDecoder.logits

    def counted(self: PlainDecoder, fed: Any, wanted: Any) -> Any:
        passes[0] += len(wanted) > 0
        return real(self, fed, wanted)

    monkeypatch.setattr(PlainDecoder, "logits", counted)
    params: dict[str, Any] = {"max_tokens": 30, "temperature": 0.9, "seed": 3}
    with Engine() as engine:
        model = engine.load(folder)
        text = engine.open_session(model).send("Hello", SamplingParams(**params)).text(60)
        stop, passes[0] = text[len(text) // 2 :][:2], 0
        reply = engine.open_session(model).send("Hello", SamplingParams(**params, stop=[stop]))
        assert 0 < len(reply.tokens(60)) < 30
        assert passes[0] == len(reply.tokens(60))


@pytest.mark.parametrize("options", [{"kv_bits": 8}, {"kv_bits": 8, "reproducible": True}])
@pytest.mark.turns(2)
def test_chats_of_other_kinds_do_so_too(folder: Path, options: dict[str, Any]) -> None:
    with Engine() as engine:
        alone = answers(engine, folder, is_together=False, **options)
        assert answers(engine, folder, is_together=True, **options) == alone


@EITHER_FOLDER
def test_reproducible_chats_share_steps_and_say_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[int] = []
    real = PlainDecoder._run
    monkeypatch.setattr(
        PlainDecoder,
        "_run",
        lambda self, given, own, *more, **named: (
            rows.append(len(own)) or real(self, given, own, *more, **named)
        ),
    )
    with SteppedEngine() as engine:
        alone = answers(engine, folder, is_together=False)
        rows.clear()
        assert answers(engine, folder, is_together=True, reproducible=True) == alone
        assert max(rows) > 1
        assert engine.load(folder).exact


def test_model_with_float_head_is_not_exact(tmp_path: Path) -> None:
    config = {**FAMILIES["plain"], "model_type": "llama", "tie_word_embeddings": False}
    path = write_few_bits(tmp_path / "float-head", config, head=False)
    net = packed(path)
    assert plain_decoder.is_installed(net)
    assert not plain_decoder.is_exact(net)


@EITHER_FOLDER
def test_capabilities_are_probed_once(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Any] = []
    real = probe._find_modes

    def counted(net: Any, sessions: Any, vocab: int) -> Any:
        tried.append(net)
        return (yield from real(net, sessions, vocab))

    monkeypatch.setattr(probe, "_find_modes", counted)
    found = []
    for _ in range(2):
        with Engine(ways_dir=tmp_path / "ways") as engine:
            model = engine.load(folder)
            found.append((model.step, answers(engine, folder, is_together=True)))
    assert len(tried) == 1
    assert found[0] == found[1]
    for file in (tmp_path / "ways").glob("*.json"):
        kept = json.loads(file.read_text())
        kept["results"] = {"slots": 1, "prefix": True, "mixes": True, "exact": True}
        file.write_text(json.dumps(kept))
    with Engine(ways_dir=tmp_path / "ways") as engine:
        engine.load(folder)
    assert len(tried) == 2  # invalid results aren't used


@EITHER_FOLDER
def test_module_without_usual_parts_is_left(folder: Path) -> None:
    net = nn.Module()
    net.layers = [nn.Module()]
    assert not list(plain_decoder._find_bodies(net))

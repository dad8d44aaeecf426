"""Adapters that share the arrays of their base model."""

from __future__ import annotations

import gc
import http.client
import json
import os
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import mlx_lm
import pytest
from mlx.utils import tree_flatten
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.utils import load_model

from engine import Engine, EngineError, Model, SamplingParams
from engine.bench.random_models import SHAPES, write_model
from engine.cli.main import main
from engine.model import adapters, backend, loader, output_rows
from engine.model.loaded_model import LoadedModel
from engine.model.patches import dense
from engine.sandbox.folders import inspect_adapter
from engine.serve.server import Server
from tests.engine.adapters import LEAVES, write_adapter
from tests.engine.families import FAMILIES
from tests.engine.faults import HeldLoads

PATIENCE = 60.0
ATTENTION = ["self_attn.q_proj", "self_attn.v_proj"]
PROMPTS = ["hello " * n for n in (1, 3, 7, 20, 2, 11, 50, 5)]


def quantised(folder: Path) -> Path:
    write_model(folder, SHAPES["tiny"], scale=3.0)
    net, config = load_model(folder)
    nn.quantize(net, group_size=32, bits=4)
    mx.save_safetensors(str(folder / "model.safetensors"), dict(tree_flatten(net.parameters())))
    config = {**config, "quantization": {"group_size": 32, "bits": 4}}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


class Folders:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.base = write_model(root / "base", FAMILIES["plain"], scale=3.0)
        self.pirate = write_adapter(root / "pirate", self.base)
        self.poet = write_adapter(root / "poet", self.base, "dora", seed=2, keys=ATTENTION)

    def damaged(self, name: str, change: Callable[[Path], object]) -> Path:
        folder = self.root / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.pirate, folder)
        change(folder)
        return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    return Folders(tmp_path_factory.mktemp("adapters"))


@pytest.fixture(scope="module")
def shared_engine() -> Iterator[Engine]:
    with Engine() as running:
        yield running


def size(adapter: Path) -> int:
    arrays = mx.load(str(adapter / "adapters.safetensors"))
    return sum(array.nbytes for array in arrays.values())


def done(pieces: loader.Pieces) -> LoadedModel:
    while True:
        try:
            next(pieces)
        except StopIteration as last:
            model: LoadedModel = last.value
            return model


def variant(base: LoadedModel, folder: Path) -> LoadedModel:
    found = adapters.check_adapter(folder, folder.name, inspect_adapter(folder, folder.name))
    return done(adapters.adapt(base, found))


def answer(engine: Engine, model: Model, prompt: str = "Hello", seed: int = 3) -> list[int]:
    params = SamplingParams(max_tokens=12, temperature=0.9, seed=seed)
    chat = engine.open_session(model)
    tokens = chat.send(prompt, params).tokens(PATIENCE)
    chat.close()
    return tokens


# ---------------------------------------------------------------- results of variants


@pytest.mark.parametrize(
    ("family", "kind", "keys", "layers"),
    [
        ("plain", "lora", None, -1),
        ("plain", "lora", [*ATTENTION, "model.embed_tokens", "lm_head"], 1),
        ("plain", "dora", ATTENTION, -1),
        ("MoE", "lora", None, -1),
        ("hybrid recurrent", "lora", None, 2),
        ("four bits", "lora", None, -1),
        ("four bits", "dora", ATTENTION, -1),
    ],
)
def test_variant_matches_mlx_lm_and_shares_arrays(
    model_folder: Callable[[str], Path],
    tmp_path: Path,
    family: str,
    kind: str,
    keys: list[str] | None,
    layers: int,
) -> None:
    folder = quantised(tmp_path / "q") if family == "four bits" else model_folder(family)
    adapter = write_adapter(tmp_path / "adapter", folder, kind, keys=keys, layers=layers)
    base = loader.load_blocking(folder, wide=False)
    ids = mx.array([[5, 9, 30, 7, 200, 41]])
    before = base.net(ids, cache=base.new_caches())
    made = variant(base, adapter)

    theirs, _ = mlx_lm.load(str(folder), adapter_path=str(adapter))[:2]
    expected = theirs(ids, cache=make_prompt_cache(theirs))
    found = made.net(ids, cache=made.new_caches())
    if family == "four bits":  # uses another library for products, with different rounding
        assert mx.allclose(found, expected, atol=2e-3 * mx.std(expected).item())
    else:
        assert mx.array_equal(found, expected)
    assert not mx.array_equal(found, before)
    assert mx.array_equal(base.net(ids, cache=base.new_caches()), before)

    if (family, kind) == ("four bits", "dora"):
        return  # DoRA keeps a copy of some weights
    its_own = {id(array) for _, array in tree_flatten(base.net.parameters())}
    shared = {id(a) for n, a in tree_flatten(made.net.parameters()) if not n.endswith(LEAVES)}
    assert shared == its_own


@pytest.mark.parametrize(("tied", "key"), [(False, "lm_head"), (True, "model.embed_tokens")])
def test_adapted_output_layer_skips_unused_rows(tmp_path: Path, tied: bool, key: str) -> None:
    """On a Linux CPU the output layer skips unused rows, so the adapter's output must match."""
    backend.start()
    shape = {**FAMILIES["plain"], "vocab_size": 16_500, "num_hidden_layers": 1}
    folder = write_model(tmp_path / "base", {**shape, "tie_word_embeddings": tied}, scale=3.0)
    adapter = write_adapter(tmp_path / "adapter", folder, keys=[key])
    made = variant(loader.load_blocking(folder, wide=False), adapter)
    ids = mx.array([[5], [9], [30], [7], [200]])
    whole = made.net(ids, cache=made.new_caches())
    with dense.engage(), output_rows.restrict_rows(range(2)):
        found = made.net(ids, cache=made.new_caches())
        mx.eval(found)
    assert found.shape[0] == 2
    assert mx.allclose(found, whole[:2], atol=1e-3)


def test_16_bit_adapters_get_the_model_dtype(shared_engine: Engine, folders: Folders) -> None:
    half = write_adapter(folders.root / "half", folders.base, seed=4, dtype="bfloat16")
    model = shared_engine.load(folders.base, adapter=half)
    assert model.nbytes == 2 * size(half)
    assert model.dtype == "float32"
    shared_engine.unload(model)


# ---------------------------------------------------------------- several variants


def test_base_and_variant_answer_as_alone(engine: Engine, folders: Folders) -> None:
    models = [
        engine.load(folders.base),
        engine.load(folders.base, adapter=folders.pirate),
        engine.load(folders.base, adapter=folders.poet),
    ]
    assert len({model.id for model in models}) == 3
    assert [model.name for model in models[1:]] == ["base + pirate", "base + poet"]
    mine = [(models[n % 3], PROMPTS[n], n) for n in range(8)]
    alone = [answer(engine, *one) for one in mine]
    chats = [engine.open_session(model) for model, _, _ in mine]
    replies = [
        chat.send(prompt, SamplingParams(max_tokens=12, temperature=0.9, seed=seed))
        for chat, (_, prompt, seed) in zip(chats, mine, strict=True)
    ]
    assert [reply.tokens(PATIENCE) for reply in replies] == alone
    same = {tuple(answer(engine, model)) for model in models}
    assert len(same) == 3  # the replies differ, so the test would notice a mix-up


def test_variant_does_not_reuse_caches_of_base(
    engine: Engine, folders: Folders, tmp_path: Path
) -> None:
    prompt = "The same long beginning of every prompt. " * 20
    params = SamplingParams(max_tokens=4, temperature=0.0)
    base = engine.load(folders.base)
    pirate = engine.load(folders.base, adapter=folders.pirate)
    poet = engine.load(folders.base, adapter=folders.poet)
    with Engine() as other:  # with empty caches
        fresh = other.load(folders.base, adapter=folders.pirate)
        expected = other.open_session(fresh).send(prompt, params).tokens(PATIENCE)
    for model in (base, poet, pirate):
        reply = engine.open_session(model).send(prompt, params)
        tokens = reply.tokens(PATIENCE)
        assert reply.stats is not None
        assert reply.stats.reused_tokens == 0
    assert tokens == expected
    again = engine.open_session(pirate).send(prompt, params)
    assert again.tokens(PATIENCE) == expected
    assert again.stats is not None
    assert again.stats.reused_tokens > 0  # reuses the prefix of the same variant


def test_disk_cache_is_not_shared_with_variant(folders: Folders, tmp_path: Path) -> None:
    params = SamplingParams(max_tokens=4, temperature=0.0)
    with Engine(cache_dir=tmp_path) as engine:
        base = engine.load(folders.base)
        pirate = engine.load(folders.base, adapter=folders.pirate)
        expected = engine.open_session(pirate).send("Tell me a tale.", params).tokens(PATIENCE)
        chat = engine.open_session(base, session_id="one")
        chat.send("Tell me a tale.", params).tokens(PATIENCE)
        chat.close()
        reply = engine.open_session(pirate, session_id="one").send("Tell me a tale.", params)
        assert reply.tokens(PATIENCE) == expected


# ---------------------------------------------------------------- memory of variants


def figures(engine: Engine) -> tuple[int, int]:
    stats = engine.stats()
    return stats["weights_bytes"], round(stats["memory_in_use"], -4)


def about(*nbytes: int) -> tuple[int, int]:
    return sum(nbytes), round(sum(nbytes), -4)


def test_base_is_in_memory_once(engine: Engine, folders: Folders) -> None:
    gc.collect()  # free reference cycles left by earlier tests
    mx.clear_cache()  # MLX counts the full size of a reused buffer
    base = engine.load(folders.base)
    whole, pirates, poets = base.nbytes, size(folders.pirate), size(folders.poet)
    assert figures(engine) == about(whole)
    pirate = engine.load(folders.base, adapter=folders.pirate)
    assert (pirate.nbytes, pirate.base, base.base) == (pirates, base.id, "")
    assert pirate.adapter == str(folders.pirate.resolve())
    assert engine.load(folders.base, adapter=folders.pirate) == pirate
    assert figures(engine) == about(whole, pirates)
    poet = engine.load(folders.base, adapter=folders.poet)
    assert figures(engine) == about(whole, pirates, poets)

    expected = answer(engine, pirate)
    engine.unload(base)  # the variants keep its arrays alive
    assert {m.id for m in engine.stats()["models"]} == {pirate.id, poet.id}
    assert engine.stats()["weights_bytes"] == whole + pirates + poets
    assert answer(engine, pirate) == expected
    engine.unload(poet)
    assert engine.stats()["weights_bytes"] == whole + pirates
    assert engine.load(folders.base) == base  # no reload
    assert engine.stats()["weights_bytes"] == whole + pirates
    engine.unload(pirate)
    assert figures(engine)[0] == whole
    engine.unload(base)
    assert figures(engine) == (0, 0)


def test_base_loaded_after_variant_is_not_reread(
    engine: Engine, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    pirate = engine.load(folders.base, adapter=folders.pirate)
    assert [m.id for m in engine.stats()["models"]] == [pirate.id]
    monkeypatch.setattr(loader, "load", None)  # fail if weights are read
    poet = engine.load_later(folders.base, adapter=folders.poet)
    base = engine.load(folders.base)
    assert base.id == pirate.base == poet.result(PATIENCE).base
    assert engine.stats()["weights_bytes"] == base.nbytes + sum(
        size(folder) for folder in (folders.pirate, folders.poet)
    )
    answer(engine, base)


def test_concurrent_variant_loads_read_the_base_once(engine: Engine, folders: Folders) -> None:
    wanted = [folders.pirate, None, folders.poet, folders.pirate, None]
    loads = [engine.load_later(folders.base, adapter=adapter) for adapter in wanted]
    models = [load.result(PATIENCE) for load in loads]
    assert models[0] == models[3]
    assert models[1] == models[4]
    held = models[1].nbytes + size(folders.pirate) + size(folders.poet)
    assert engine.stats()["weights_bytes"] == held


def test_budget_for_one_base_fits_its_variants(folders: Folders) -> None:
    nbytes = sum(f.stat().st_size for f in folders.base.glob("*.safetensors"))
    most = int(2.1 * nbytes)  # while reading, weights may be in memory twice
    with Engine(memory_budget=most) as engine:
        for adapter in (None, folders.pirate, folders.poet):
            engine.load(folders.base, adapter=adapter)
        other = write_model(folders.root / "other", FAMILIES["plain"], seed=9)
        with pytest.raises(EngineError) as refused:
            engine.load(other)
        assert refused.value.code == "out_of_memory"


def test_an_estimate_counts_an_adapters_arrays_and_a_base_once(
    engine: Engine, folders: Folders
) -> None:
    bare = engine.estimate(folders.base, context=256)
    both = engine.estimate(folders.base, context=256, adapter=folders.pirate)
    assert (bare.adapter, bare.shared, both.shared) == (0, 0, 0)
    assert both.adapter == size(folders.pirate)
    assert both.weights == bare.weights + both.adapter
    assert both.caches == bare.caches

    engine.load(folders.base, adapter=folders.pirate)
    held = engine.stats()["weights_bytes"]
    assert both.weights == pytest.approx(held, rel=0.02)
    beside = engine.estimate(folders.base, context=256, adapter=folders.poet)
    assert beside.weights == beside.adapter == size(folders.poet)
    assert beside.shared == held - size(folders.pirate)
    engine.load(folders.base, adapter=folders.poet)
    assert engine.stats()["weights_bytes"] == held + beside.weights
    kept = engine.estimate(folders.base, context=256)  # still loaded for its variants
    assert (kept.weights, kept.shared) == (0, beside.shared)


def test_estimate_includes_adapter_computation(engine: Engine, folders: Folders) -> None:
    """DoRA recomputes weights in each pass, and 16-bit arrays are widened to float32 on a CPU."""
    half = write_adapter(folders.root / "halved", folders.base, seed=4, dtype="bfloat16")
    assert engine.estimate(folders.base, 256, adapter=half).adapter == 2 * size(half)
    bare = engine.estimate(folders.base, 256).working
    assert engine.estimate(folders.base, 256, adapter=folders.pirate).working == bare
    shape = FAMILIES["plain"]
    query = shape["hidden_size"] * shape["num_attention_heads"] * shape["head_dim"]
    dora = engine.estimate(folders.base, 256, adapter=folders.poet).working
    assert dora == bare + 2 * 4 * query  # the sum and the added term, in float32


def test_base_is_not_offered_for_unloading_for_its_variant(folders: Folders) -> None:
    with Engine() as engine:
        whole = engine.load(folders.base).nbytes
    with Engine(memory_budget=int(2.2 * whole)) as engine:
        base = engine.load(folders.base)
        other = engine.load(folders.base, adapter=folders.poet)
        context = 2
        while (found := engine.estimate(folders.base, context, adapter=folders.pirate)).total <= (
            found.free
        ):
            context *= 2
        offered = {offer.model for offer in found.offers if offer.what == "unload"}
        assert base.id not in offered
        alone = engine.estimate(folders.base, context).offers
        assert not {o.model for o in alone} - {"", base.id, other.id}


def test_unusable_adapter_is_not_estimated(engine: Engine, folders: Folders) -> None:
    with pytest.raises(EngineError) as refused:
        engine.estimate(folders.base, adapter=folders.root / "nowhere")
    assert refused.value.code == "model_load_failed"
    assert "adapter" in refused.value.message


# ---------------------------------------------------------------- invalid folders


def settings(**changed: Any) -> Callable[[Path], object]:
    """Return a function that edits `adapter_config.json`. A double underscore selects a nested
    key.
    """

    def change(folder: Path) -> None:
        file = folder / "adapter_config.json"
        config = json.loads(file.read_text())
        for name, value in changed.items():
            place, _, inner = name.partition("__")
            (config[place] if inner else config).update({inner or place: value})
        file.write_text(json.dumps(config))

    return change


def arrays(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    def changed(folder: Path) -> None:
        file = str(folder / "adapters.safetensors")
        held = dict(mx.load(file))
        mx.eval(list(held.values()))
        change(held)
        mx.save_safetensors(file, held)

    return changed


def written(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def fifo(folder: Path) -> None:
    (folder / "adapters.safetensors").unlink()
    os.mkfifo(folder / "adapters.safetensors")


def cut_short(folder: Path) -> None:
    file = folder / "adapters.safetensors"
    file.write_bytes(file.read_bytes()[:-100])


FIRST = "model.layers.0.self_attn.q_proj.lora_a"
HUGE = json.dumps({FIRST: {"dtype": "F32", "shape": [2**40, 4], "data_offsets": [0, 64]}})

DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "fully trained": (settings(fine_tune_type="full"), "mlx_lm fuse"),
    "of a kind of its own": (settings(fine_tune_type=["lora"]), "fine_tune_type"),
    "of PEFT": (settings(peft_type="LORA"), "PEFT"),
    "without its config": (lambda f: (f / "adapter_config.json").unlink(), "is missing"),
    "with no JSON": (written("adapter_config.json", b"{"), "cannot be read"),
    "with deep JSON": (written("adapter_config.json", b"[" * 100_000), "cannot be read"),
    "with a long config": (written("adapter_config.json", b" " * 2**21), "cannot be read"),
    "with a list": (written("adapter_config.json", b"[]"), "not an object"),
    "without layers": (settings(num_layers=None), "num_layers"),
    "with a billion layers": (settings(num_layers=10**9), "num_layers"),
    "without parameters": (settings(lora_parameters=None), "lora_parameters"),
    "of no rank": (settings(lora_parameters__rank="8"), "rank"),
    "of a rank of its own": (settings(lora_parameters__rank=8), "rank 8"),
    "of a huge rank": (settings(lora_parameters__rank=10**12), "rank"),
    "of no scale": (settings(lora_parameters__scale=None, lora_parameters__alpha=1), "alpha"),
    "of an endless scale": (settings(lora_parameters__scale=float("inf")), "scale"),
    "of a wrong dropout": (settings(lora_parameters__dropout=1.5), "dropout"),
    "with keys that are none": (settings(lora_parameters__keys=[{}]), "keys"),
    "with other keys": (settings(lora_parameters__keys=["mlp.up_proj"]), "not made for"),
    "with a norm's key": (
        settings(lora_parameters__keys=[*ATTENTION, "input_layernorm"]),
        "RMSNorm",
    ),
    "without arrays": (lambda f: (f / "adapters.safetensors").unlink(), "is missing"),
    "with a FIFO": (fifo, "not a regular file"),
    "cut short": (cut_short, "incomplete"),
    "with a header that lies": (
        written("adapters.safetensors", struct.pack("<Q", len(HUGE)) + HUGE.encode()),
        "damaged",
    ),
    "with an array too many": (
        arrays(lambda held: held.update({"model.layers.7.mlp.up_proj.lora_a": held[FIRST]})),
        "was not made for this model",
    ),
    "with a layer's weights": (
        arrays(lambda held: held.update({"model.norm.weight": held[FIRST]})),
        "not part of a LoRA adapter",
    ),
    "with an array too few": (arrays(lambda held: held.pop(FIRST)), "is missing"),
    "of another shape": (
        arrays(lambda held: held.update({FIRST: mx.zeros((9, 4))})),
        "has the shape",
    ),
    "of whole numbers": (
        arrays(lambda held: held.update({FIRST: mx.zeros((48, 4), dtype=mx.int32)})),
        "type",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_unusable_adapter_folder_gives_a_message(
    shared_engine: Engine, folders: Folders, damage: str
) -> None:
    change, words = DAMAGE[damage]
    base = shared_engine.load(folders.base)
    before = shared_engine.stats()["weights_bytes"]
    folder = folders.damaged(f"adapter {damage}", change)
    with pytest.raises(EngineError) as refused:
        shared_engine.load(folders.base, adapter=folder)
    assert refused.value.code == "model_load_failed"
    says = refused.value.message
    assert words in says
    assert says.endswith(".")
    assert len(says) < 400
    assert "Traceback" not in says
    assert shared_engine.stats()["weights_bytes"] == before
    assert shared_engine.stats()["models"] == [base]


def test_adapter_that_is_unsuitable_or_missing_is_refused(
    shared_engine: Engine, folders: Folders, model_folder: Callable[[str], Path]
) -> None:
    for adapter, words in ((folders.pirate, "model"), (folders.root / "none", "does not exist")):
        with pytest.raises(EngineError) as refused:
            shared_engine.load(model_folder("sliding window"), adapter=adapter)
        assert refused.value.code == "model_load_failed"
        assert words in refused.value.message


def test_base_chats_continue_while_variant_is_refused(engine: Engine, folders: Folders) -> None:
    base = engine.load(folders.base)
    expected = answer(engine, base)
    streaming = engine.open_session(base).send(
        "neighbour", SamplingParams(max_tokens=60, temperature=0.0, logit_bias={2: -1e9})
    )
    next(iter(streaming))
    few = folders.damaged("too few", arrays(lambda held: held.pop(FIRST)))
    with pytest.raises(EngineError):
        engine.load(folders.base, adapter=few)
    assert len(streaming.tokens(PATIENCE)) == 60
    assert answer(engine, base) == expected


# ---------------------------------------------------------------- from the command line, over HTTP


def test_terminal_chat_uses_the_adapter(
    folders: Folders, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = iter(["Hello", "/quit"])
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    told = ["chat", str(folders.base), "--max-tokens", "2", "--adapter"]
    assert main([*told, str(folders.pirate)]) == 0
    assert capsys.readouterr().out.startswith("base + pirate, ")
    assert main([*told, str(folders.root / "none")]) == 2
    assert "Adapter folder" in capsys.readouterr().err


def test_server_serves_base_and_variants(engine: Engine, folders: Folders) -> None:
    base = engine.load(folders.base)
    with Engine() as other:
        expected = {
            name: other.open_session(other.load(folders.base, adapter)).send("Hi", SOME).text(60)
            for name, adapter in (("base", None), ("base+pirate", folders.pirate))
        }
    server = Server(engine, [base], 0)
    server.offer(str(folders.base), str(folders.pirate))
    with pytest.raises(EngineError, match="does not exist"):
        server.offer(str(folders.base), str(folders.root / "none"))
    with server:
        assert [m["id"] for m in asked(server, "/v1/models")["data"]] == ["base", "base+pirate"]
        for name in ("base+pirate", "base"):
            body = {"model": name, "temperature": 0, "max_tokens": 8}
            body["messages"] = [{"role": "user", "content": "Hi"}]
            answered = asked(server, "/v1/chat/completions", body)
            assert answered["choices"][0]["message"]["content"] == expected[name]
        assert engine.stats()["weights_bytes"] == base.nbytes + size(folders.pirate)
    assert expected["base"] != expected["base+pirate"]


def test_session_stays_with_its_variant(engine: Engine, folders: Folders) -> None:
    """Regression test: the base answered requests without a model, although a variant was in
    use.
    """
    server = Server(engine, [engine.load(folders.base)], 0)
    server.offer(str(folders.base), str(folders.pirate))
    body = {"temperature": 0, "max_tokens": 4, "session_id": "a"}
    body["messages"] = [{"role": "user", "content": "Hi"}]
    with server:
        for more in ({"model": "base+pirate"}, {}):
            answered = asked(server, "/v1/chat/completions", {**body, **more})
            assert answered["model"] == "base + pirate"
        refused = asked(server, "/v1/chat/completions", {**body, "model": "base"})
        assert "uses" in refused["error"]["message"]


SOME = SamplingParams(max_tokens=8, temperature=0.0)


def asked(server: Server, path: str, body: dict[str, Any] | None = None) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    raw = None if body is None else json.dumps(body)
    connection.request("GET" if body is None else "POST", path, raw)
    content = json.loads(connection.getresponse().read())
    connection.close()
    return content


# ---------------------------------------------------------------- during the creation of a variant


def test_base_stays_for_variant_in_creation(
    engine: Engine, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = engine.load(folders.base)
    pirate = engine.load(folders.base, adapter=folders.pirate)
    expected = answer(engine, pirate)
    engine.unload(pirate)
    held = HeldLoads(monkeypatch)
    loading = engine.load_later(folders.base, adapter=folders.pirate)
    assert held.begun.wait(PATIENCE)
    engine.unload(base)
    assert engine.stats()["weights_bytes"] >= base.nbytes + size(folders.pirate)
    held.may_go_on.set()
    assert answer(engine, loading.result(PATIENCE)) == expected
    assert engine.stats()["weights_bytes"] == base.nbytes + size(folders.pirate)


@pytest.mark.parametrize("with_base", [True, False])
def test_abandoned_variant_leaves_nothing(
    engine: Engine, folders: Folders, monkeypatch: pytest.MonkeyPatch, with_base: bool
) -> None:
    base = engine.load(folders.base) if with_base else None
    gc.collect()  # free reference cycles left by earlier tests
    before = figures(engine)
    held = HeldLoads(monkeypatch)
    loading = engine.load_later(folders.base, adapter=folders.pirate)
    assert held.begun.wait(PATIENCE)
    assert loading.cancel()
    held.may_go_on.set()
    other = engine.load(folders.base, adapter=folders.poet)  # loads after that one
    engine.unload(other)
    assert figures(engine) == before
    assert engine.stats()["models"] == ([base] if base is not None else [])

"""GGUF files: layouts and packing per family, tokenizers, damage, and the cached folder."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
import threading
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_flatten
from tokenizers import Tokenizer

from engine import Engine, EngineError, SamplingParams
from engine.hub.gguf import blocks, folder, kept
from engine.hub.gguf.reading import GgufFile
from engine.hub.inventory import InstalledModel, Inventory, ModelSource, facts_of, model_places
from engine.model import folder as model_folder
from engine.model.loader import load_blocking
from engine.sandbox import jobs
from engine.sandbox.protocol import RefusedError, TaskLimits
from tests.engine import gguf_files as files
from tests.engine.gguf_files import BLOCKS, F16, F32, Q8_0, Entry, Written, small
from tests.slices import examples


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STRETTO_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def written(path: Path, content: Written) -> Path:
    out = path / "made"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    folder.write_folder(content.write(path / "some.gguf"), out, "“some.gguf”", {})
    return out


# ---------------------------------------------------------------- families


@pytest.mark.parametrize("family", files.CONFIGS)
def test_each_family_round_trips_exactly(family: str, tmp_path: Path) -> None:
    from mlx_lm.utils import load_model

    tokenizer = files.byte_level("llama-bpe")
    net = files.net_of(family, len(tokenizer["tokenizer.ggml.tokens"]))
    made = written(tmp_path, files.of_net(family, net, tokenizer))
    back, config = load_model(made)
    before = dict(tree_flatten(net.parameters()))
    after = dict(tree_flatten(back.parameters()))
    assert before.keys() == after.keys()
    for name, array in before.items():  # Gemma's norms are shifted by 1 in both directions
        assert mx.allclose(array, after[name], rtol=0, atol=2e-7), name
    tokens = mx.array([[5, 9, 17, 80, 33, 120, 44, 3]])
    assert mx.allclose(net(tokens), back(tokens), rtol=1e-4, atol=1e-4)
    assert config["eos_token_id"] == [2, 0]


@pytest.mark.parametrize("family", ["llama", "gemma2", "phi3"])
def test_packed_model_computes_nearly_the_same(family: str, tmp_path: Path) -> None:
    from mlx_lm.utils import load_model

    tokenizer = files.byte_level("llama-bpe")
    net = files.net_of(family, len(tokenizer["tokenizer.ggml.tokens"]))
    made = written(tmp_path, files.of_net(family, net, tokenizer, Q8_0))
    back, config = load_model(made)
    back.set_dtype(mx.float32)
    assert config["quantization"] == {"group_size": 32, "bits": 8}
    assert config["torch_dtype"] == ("bfloat16" if family == "gemma2" else "float16")
    tokens = mx.array([[5, 9, 17, 80, 33, 120, 44, 3]])
    one, two = (np.array(mx.softmax(m(tokens), axis=-1)) for m in (net, back))
    assert np.abs(one - two).max() < 0.05 * one.max()


def test_unusually_packed_layers_are_listed_in_config(tmp_path: Path) -> None:
    """The config has the common bit width, and overrides by name for layers with other widths or
    none.
    """
    content = small(kind=Q8_0)
    output = next(a for a in content.arrays if a.name == "output.weight")
    output.type, output.data = F16, bytes(2 * np.prod(output.shape))
    other = next(a for a in content.arrays if a.name == "blk.1.ffn_up.weight")
    count = int(np.prod(other.shape)) // 32
    other.type, other.data = files.Q5_0, some_blocks(files.Q5_0, count)
    config = json.loads((written(tmp_path, content) / "config.json").read_text())
    assert config["quantization"] == {
        "group_size": 32,
        "bits": 8,
        "lm_head": False,
        "model.layers.1.mlp.up_proj": {"group_size": 32, "bits": 5},
    }
    net = load_blocking(tmp_path / "made", wide=False).net
    assert net.model.layers[1].mlp.up_proj.bits == 5
    assert net.lm_head.weight.dtype == mx.float16


def test_llama_3_rope_scaling_is_recovered(tmp_path: Path) -> None:
    """A GGUF file only holds the result of Llama 3.1's rule. Recover its parameters or refuse the
    file.
    """
    content = small()
    turn = 2 * np.pi * 10000.0 ** (np.arange(0, 16, 2) / 16)
    smooth = (8192 / turn - 1) / 3
    ruled = np.where(
        turn < 2048, 1.0, np.where(turn > 8192, 32.0, 1 / ((1 - smooth) / 32 + smooth))
    )
    content.add("rope_freqs.weight", ruled.astype(np.float32))
    config = json.loads((written(tmp_path, content) / "config.json").read_text())
    assert config["rope_scaling"]["rope_type"] == "llama3"
    assert config["rope_scaling"]["factor"] == pytest.approx(32.0)
    content.arrays[-1].data = (ruled * np.arange(1, 9)).astype("<f4").tobytes()
    with pytest.raises(RefusedError, match="unsupported way"):
        written(tmp_path, content)


def test_gemma_3_has_a_full_attention_layer(tmp_path: Path) -> None:
    content = small("gemma3")
    content.metadata["gemma3.attention.sliding_window_pattern"] = 3
    with pytest.raises(RefusedError, match="2 layers, and one in 3"):
        written(tmp_path, content)


def test_phi_3s_long_positions_come_along(tmp_path: Path) -> None:
    content = small("phi3")
    content.metadata["phi3.rope.scaling.original_context_length"] = 128
    for number, name in enumerate(("long", "short")):
        content.add(f"rope_factors_{name}.weight", np.arange(1.0 + number, 5.0 + number))
    config = json.loads((written(tmp_path, content) / "config.json").read_text())
    assert config["rope_scaling"]["long_factor"] == [1.0, 2.0, 3.0, 4.0]
    assert config["original_max_position_embeddings"] == 128
    load_blocking(tmp_path / "made", wide=True)


def test_recommended_sampling_is_kept(tmp_path: Path) -> None:
    content = small()
    content.metadata["general.sampling.temp"] = 0.6
    content.metadata["general.sampling.top_k"] = 20
    content.metadata["general.sampling.top_p"] = float("nan")
    made = written(tmp_path, content)
    assert model_folder.sampling_defaults(made) == {"temperature": 0.6, "top_k": 20}
    assert not (written(tmp_path, small()) / "generation_config.json").exists()


# ---------------------------------------------------------------- packed layouts


def unpacked(kind: int, block: bytes) -> list[float]:
    def half(at: int) -> float:
        return float(struct.unpack_from("<e", block, at)[0])

    def nibbles(at: int, number: int) -> int:
        byte = block[at + number % 16]
        return byte & 15 if number < 16 else byte >> 4

    if kind == files.Q4_0:
        return [half(0) * (nibbles(2, n) - 8) for n in range(32)]
    if kind == files.Q4_1:
        return [half(0) * nibbles(4, n) + half(2) for n in range(32)]
    if kind in (files.Q5_0, files.Q5_1):
        at = 2 if kind == files.Q5_0 else 4
        (high,) = struct.unpack_from("<I", block, at)
        found = [nibbles(at + 4, n) | (high >> n & 1) << 4 for n in range(32)]
        if kind == files.Q5_0:
            return [half(0) * (n - 16) for n in found]
        return [half(0) * n + half(2) for n in found]
    if kind == Q8_0:
        return [half(0) * n for n in struct.unpack_from("<32b", block, 2)]
    if kind == files.Q6_K:
        scales = struct.unpack_from("<16b", block, 192)
        found = []
        for n in range(256):
            part, inner = divmod(n, 128)
            run, place = divmod(inner, 32)
            low = block[64 * part + place + 32 * (run & 1)] >> (4 * (run >> 1)) & 15
            high = block[128 + 32 * part + place] >> (2 * run) & 3
            found.append(half(208) * scales[n // 16] * ((low | high << 4) - 32))
        return found
    sixes = block[4:16]
    found = []
    for n in range(256):
        group, place = divmod(n, 32)
        if group < 4:
            scale, least = sixes[group] & 63, sixes[group + 4] & 63
        else:
            scale = sixes[group + 4] & 15 | sixes[group - 4] >> 6 << 4
            least = sixes[group + 4] >> 4 | sixes[group] >> 6 << 4
        at = 16 if kind == files.Q4_K else 48
        number = block[at + 32 * (group // 2) + place] >> (4 * (group & 1)) & 15
        if kind == files.Q5_K:
            number |= (block[16 + place] >> group & 1) << 4
        found.append(half(0) * scale * number - half(2) * least)
    return found


def some_blocks(kind: int, count: int) -> bytes:
    rng = np.random.default_rng(kind)
    _, nbytes = BLOCKS[kind]
    raw = rng.integers(0, 256, (count, nbytes), dtype=np.uint8)
    halves = {files.Q6_K: [208], files.Q4_0: [0], files.Q5_0: [0], Q8_0: [0]}.get(kind, [0, 2])
    for at in halves:
        found = (rng.standard_normal(count) * 0.01).astype("<f2")
        raw[:, at : at + 2] = found.view(np.uint8).reshape(count, 2)
    return raw.tobytes()


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("type_", [blocks.FLOAT16, blocks.BFLOAT16], ids=lambda t: t.name)
def test_packing_is_as_exact_as_documented(kind: int, type_: blocks.FloatType) -> None:
    """Compare MLX's numbers with ggml's own loops.

    In float16 the only differences allowed are one rounding of a K type's scales and half a step of
    Q6_K's.
    """
    _, nbytes = BLOCKS[kind]
    raw = some_blocks(kind, 24)
    wanted = np.array(
        [unpacked(kind, raw[at : at + nbytes]) for at in range(0, len(raw), nbytes)]
    ).reshape(4, -1)
    rows = np.frombuffer(raw, np.uint8).reshape(4, -1)
    type_of = blocks.TYPES[kind]
    assert type_of.groups is not None
    groups = type_of.groups(rows, type_)
    weight = np.frombuffer(blocks.pack_numbers(groups.numbers, type_of.bits), np.uint32)
    scales, biases = mx.array(groups.scales), mx.array(groups.biases)
    found = np.array(
        mx.dequantize(mx.array(weight.reshape(4, -1)), scales, biases, 32, type_of.bits)
    )
    spans = np.repeat(groups.scales, 32, -1)
    error = np.abs(found - wanted)
    top = (2**type_of.bits - 1) * np.abs(spans) + np.abs(np.repeat(groups.biases, 32, -1))
    if kind == files.Q6_K:
        assert (error <= 0.502 * spans + 1e-7).all()
        return
    rounding = type_.precision * top * 1.01
    if type_ is blocks.FLOAT16 and kind not in (files.Q4_K, files.Q5_K):
        rounding = np.zeros_like(top)
    assert (error <= rounding + 1e-9).all()


def test_half_precision_rounds_like_mlx() -> None:
    rng = np.random.default_rng(1)
    numbers = (rng.standard_normal(4096) * 10.0 ** rng.integers(-6, 4, 4096)).astype(np.float32)
    for type_, dtype in ((blocks.FLOAT16, mx.float16), (blocks.BFLOAT16, mx.bfloat16)):
        rounded = mx.array(numbers).astype(dtype)
        assert (np.array(rounded.astype(mx.float32)) == type_.round(numbers)).all()
        assert type_.encode(numbers) == np.array(rounded.view(mx.uint16)).tobytes()


@pytest.mark.parametrize(("kind", "dtype"), [(F16, "float16"), (F32, "float32"), (30, "bfloat16")])
def test_unpacked_tensors_keep_their_type(kind: int, dtype: str, tmp_path: Path) -> None:
    made = written(tmp_path, small(kind=kind))
    config = json.loads((made / "config.json").read_text())
    assert config["torch_dtype"] == dtype
    assert "quantization" not in config
    arrays = mx.load(str(made / "model.safetensors"))
    assert {str(a.dtype) for a in arrays.values()} == {f"mlx.core.{dtype}"}


# ---------------------------------------------------------------- tokenizers


def test_scored_words_merge_like_sentencepiece(tmp_path: Path) -> None:
    """The best pair merges first, and the leftmost among equals, as in llama.cpp."""
    content = small()
    content.metadata.update(files.sentence_piece())
    content.arrays = files.of_net("llama", files.net_of("llama", 282), {}).arrays
    tokenizer = Tokenizer.from_file(str(written(tmp_path, content) / "tokenizer.json"))
    ids = {word: n for n, word in enumerate(files.sentence_piece()["tokenizer.ggml.tokens"])}

    def merged(words: str) -> list[int]:
        parts = list("▁" + words.replace(" ", "▁"))
        while True:
            pairs = [
                (files.PIECES["".join(pair)], -at)
                for at, pair in enumerate(pairwise(parts))
                if "".join(pair) in files.PIECES
            ]
            if not pairs:
                break
            at = -max(pairs)[1]
            parts[at : at + 2] = ["".join(parts[at : at + 2])]
        found: list[int] = []
        for part in parts:
            found += [ids[part]] if part in ids else [ids[f"<0x{b:02X}>"] for b in part.encode()]
        return found

    rng = np.random.default_rng(5)
    random = [" ".join("".join(rng.choice([*"helowrdé "], 12)).split()) for _ in range(60)]
    for words in ["hello world", "é", *filter(None, random)]:
        found = tokenizer.encode(words, add_special_tokens=False).ids
        assert found == merged(words), words
        assert tokenizer.decode(found) == words
    assert tokenizer.encode("hello").ids[0] == ids["<s>"]
    assert tokenizer.encode("a  b", add_special_tokens=False).ids.count(ids["  "]) == 1


def test_words_of_gpt_2s_kind_keep_every_byte(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_file(str(written(tmp_path, small(pre="smollm")) / "tokenizer.json"))
    for words in ("hell freezes", "12 345\n\n  é 日本 🦊", "a\tb  c"):
        assert tokenizer.decode(tokenizer.encode(words).ids) == words
    assert tokenizer.encode("hell").ids == [261]
    assert tokenizer.encode("<|im_start|>").ids == [1]


@pytest.mark.parametrize(
    ("pre", "text", "count"),
    [("llama-bpe", "1234", 2), ("qwen2", "1234", 4), ("smollm", "1234", 4), ("tekken", "1234", 4)],
)
def test_digits_are_split_by_each_rule(pre: str, text: str, count: int, tmp_path: Path) -> None:
    made = written(tmp_path, small(pre=pre)) / "tokenizer.json"
    cut = Tokenizer.from_file(str(made)).pre_tokenizer
    assert cut is not None
    assert len(cut.pre_tokenize_str(text)) == count


# ---------------------------------------------------------------- through the engine


def test_the_engine_loads_a_gguf_file_and_answers(
    engine: Engine, tmp_path: Path, root: Path
) -> None:
    file = small("gemma3", Q8_0).write(tmp_path / "Some model.Q8_0.gguf")
    before = file.read_bytes()
    model = engine.load(file)
    assert model.name == "Some model.Q8_0"
    reply = engine.open_session(model).send("Hello", SamplingParams(max_tokens=5, temperature=0.0))
    for _ in reply:
        pass
    assert 0 < len(reply.tokens()) <= 5
    assert Path(model.path).parent == root
    assert file.read_bytes() == before, "the file is left alone"
    assert engine.load(file).id == model.id
    assert engine.estimate(file).weights > 0


def test_gguf_without_template_or_extension_loads(
    engine: Engine, tmp_path: Path, root: Path
) -> None:
    content = small()
    del content.metadata["tokenizer.chat_template"]
    assert engine.load(content.write(tmp_path / "plain")).id


# ---------------------------------------------------------------- stored state


class Counted:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, do: str, *given: Any, **more: Any) -> dict[str, Any]:
        self.asked.append(do)
        return jobs.run_gguf_task(do, *given, **more)


def test_renamed_file_is_converted_once(tmp_path: Path, root: Path) -> None:
    work = Counted()
    file = small().write(tmp_path / "one.gguf")
    made = kept.convert_if_needed(file, convert=work)
    assert work.asked == ["gguf_digest", "gguf"]
    assert kept.convert_if_needed(file, convert=work) == made
    assert len(work.asked) == 2, "an unchanged file is not even read"
    copy = tmp_path / "two.gguf"
    shutil.copyfile(file, copy)
    assert kept.convert_if_needed(copy, convert=work) == made
    assert work.asked[2:] == ["gguf_digest"], "a copy is read, and nothing is made"
    file.unlink()
    assert kept.convert_if_needed(file, convert=work) == made, "the folder outlives its file"
    other = small("qwen2").write(tmp_path / "two.gguf")
    assert kept.convert_if_needed(other, convert=work) != made, "another file of the same name"
    (made / "model.safetensors").unlink()
    small().write(file)
    assert kept.convert_if_needed(file, convert=work) == made
    assert (made / "model.safetensors").is_file(), "what was damaged is made again"
    assert sorted(p.name for p in root.iterdir() if not p.name.startswith(".")) == sorted(
        {made.name, kept.convert_if_needed(other).name}
    )


def test_file_changed_meanwhile_is_converted_again(tmp_path: Path, root: Path) -> None:
    file = small().write(tmp_path / "one.gguf")
    made = kept.convert_if_needed(file)
    small("qwen2").write(file)
    os.utime(file, ns=(1, 1))
    assert kept.convert_if_needed(file) != made


def test_existing_folder_is_found_without_write_access(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = kept.convert_if_needed(small().write(tmp_path / "one.gguf"))

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refused)
    monkeypatch.setattr(Path, "write_text", refused)
    copy = shutil.copyfile(tmp_path / "one.gguf", tmp_path / "two.gguf")
    assert kept.convert_if_needed(Path(copy)) == made


def test_concurrent_conversions_make_one_folder(tmp_path: Path, root: Path) -> None:
    file = small().write(tmp_path / "one.gguf")
    works, found = [Counted(), Counted()], []
    threads = [
        threading.Thread(
            target=lambda w=work: found.append(kept.convert_if_needed(file, convert=w))
        )  # type: ignore[misc]
        for work in works
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert sum(work.asked.count("gguf") for work in works) == 1


def test_killed_conversion_is_cleaned_up(tmp_path: Path, root: Path) -> None:
    left = root / ".gguf-abc.part"
    left.mkdir(parents=True)
    (left / "model.safetensors").write_bytes(bytes(100))
    kept.convert_if_needed(small().write(tmp_path / "one.gguf"))
    assert not left.exists()


def test_full_disk_is_reported_and_leaves_nothing(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "SPARE", 2**62)
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(RefusedError, match="Free some space"):
        folder.write_folder(small().write(tmp_path / "one.gguf"), out, "“one.gguf”", {})
    assert not list(out.iterdir())


def test_child_output_is_limited(tmp_path: Path, root: Path) -> None:
    """The kernel kills a child whose file grows too large. Report it and clean up."""
    work = partial(jobs.run_gguf_task, limits=lambda size: TaskLimits(60.0, 2**31, 2**20, 4096))
    with pytest.raises(EngineError, match="cannot be converted"):
        kept.convert_if_needed(small().write(tmp_path / "one.gguf"), convert=work)
    assert not [p for p in root.iterdir() if p.is_dir()]


def test_slow_child_is_killed(tmp_path: Path, root: Path) -> None:
    work = partial(jobs.run_gguf_task, limits=lambda size: TaskLimits(0.0, 2**31, 2**20, 2**30))
    with pytest.raises(EngineError, match="took longer than"):
        kept.convert_if_needed(small().write(tmp_path / "one.gguf"), convert=work)


# ---------------------------------------------------------------- damage

Change = Callable[[Written], None]


def meta(**changed: Any) -> Change:
    return lambda made: made.metadata.update(
        {name.replace("__", "."): content for name, content in changed.items()}
    )


def without(name: str) -> Change:
    def change(made: Written) -> None:
        made.metadata.pop(name, None)
        made.arrays = [a for a in made.arrays if a.name != name]

    return change


def array(name: str, **changed: Any) -> Change:
    def change(made: Written) -> None:
        for one in made.arrays:
            if one.name == name:
                for attribute, content in changed.items():
                    setattr(one, attribute, content)

    return change


def more(*entries: Entry) -> Change:
    return lambda made: made.arrays.extend(entries)


def told(**counts: int) -> Change:
    def change(made: Written) -> None:
        for name, count in counts.items():
            setattr(made, name, count)

    return change


HUGE = 2**60
Q, TOKENS = "blk.0.attn_q.weight", "tokenizer.ggml.tokens"
HOSTILE: dict[str, tuple[Change, str]] = {
    "2^60 entries": (told(entries=HUGE), "more than fit into the rest"),
    "2^60 arrays": (told(tensors=HUGE), "more than fit into the rest"),
    "more arrays than there are": (told(tensors=24), "damaged|incomplete"),
    "version 1": (told(version=1), "version 1"),
    "the other order of bytes": (told(version=3 << 24), "big-endian"),
    "a giant text": (
        meta(general__name=struct.pack("<IQ", 8, HUGE)),
        "a string in 'general.name' claims",
    ),
    "a list of 2^60": (
        meta(general__tags=struct.pack("<IIQ", 9, 8, HUGE)),
        "more than fit into the rest",
    ),
    "a list of lists": (meta(general__tags=struct.pack("<IIQ", 9, 9, 1)), "unknown type 9"),
    "a value of no type": (meta(general__tags=struct.pack("<I", 77)), "unknown type 77"),
    "lengths of 2^60": (array(Q, shape=(HUGE, 64)), "impossible size"),
    "lengths whose product is 2^60": (array(Q, shape=(2**30, 2**30)), "impossible size"),
    "lengths of 0": (array(Q, shape=(0, 64)), "impossible size"),
    "five lengths": (array(Q, shape=(1, 1, 1, 64, 64)), "5 dimensions"),
    "no lengths": (array(Q, shape=()), "0 dimensions"),
    "an unknown type": (array(Q, type=999), "unsupported type 999"),
    "rows that are no blocks": (array(Q, type=8, shape=(64, 63)), "multiple of the block size"),
    "an offset of 2^60": (array(Q, offset=HUGE), "bytes are missing"),
    "an odd offset": (array(Q, offset=33), "not aligned"),
    "arrays over each other": (array(Q, offset=0), "overlaps another one"),
    "the same array twice": (
        more(Entry(Q, (64, 64), F32, bytes(16384))),
        "occurs? twice",
    ),
    "a name with ..": (
        more(Entry("../../../etc/passwd", (32,), F32, bytes(128))),
        "it has arrays that llama has not",
    ),
    "a name with .. in a layer": (
        more(Entry("blk.0.../../x", (32,), F32, bytes(128))),
        "it has arrays that llama has not",
    ),
    "a giant name": (more(Entry("x" * 5000, (32,), F32, bytes(128))), "has 5,000 bytes"),
    "experts": (
        more(Entry("blk.0.ffn_gate_exps.weight", (4, 32), F32, bytes(512))),
        "Mixture-of-experts models are not supported",
    ),
    "a missing array": (without(Q), "'blk.0.attn_q.weight' is missing"),
    "a missing setting": (without("llama.block_count"), "llama.block_count is missing"),
    "another shape": (array(Q, shape=(32, 128)), "has the shape"),
    "numbers that are none": (
        array(Q, data=np.full((64, 64), np.nan, "<f4").tobytes()),
        "are not numbers",
    ),
    "another architecture": (meta(general__architecture="mamba"), "architecture 'mamba'"),
    "no architecture": (without("general.architecture"), "architecture None"),
    "an architecture that is a number": (meta(general__architecture=5), "architecture 5"),
    "a part for images": (meta(general__architecture="clip"), "no model"),
    "one of three parts": (meta(split__count=3), "one of 3 parts"),
    "a billion layers": (meta(llama__block_count=10**9), "llama.block_count is 1000000000"),
    "more layers than arrays": (meta(llama__block_count=900), "is missing"),
    "no heads": (meta(llama__attention__head_count=0), "head_count is 0"),
    "heads that do not fit": (meta(llama__attention__head_count_kv=3), "not a multiple"),
    "a width that is a text": (meta(llama__embedding_length="wide"), "is 'wide'"),
    "an epsilon that is no number": (
        meta(llama__attention__layer_norm_rms_epsilon=float("nan")),
        "epsilon is nan",
    ),
    "an odd alignment": (meta(general__alignment=48), "alignment"),
    "an alignment of 2^31": (meta(general__alignment=2**31), "alignment"),
    "no words": (without(TOKENS), "no tokens"),
    "words that are numbers": (meta(tokenizer__ggml__tokens=[1, 2, 3]), "no tokens"),
    "more words than rows": (meta(tokenizer__ggml__tokens=[str(n) for n in range(9999)]), "rows"),
    "words twice": (meta(tokenizer__ggml__tokens=["a"] * 262), "occurs? twice"),
    "kinds for other words": (meta(tokenizer__ggml__token_type=[1]), "per token"),
    "merges of nothing": (meta(tokenizer__ggml__merges=["zzzz yyyy"]), "unknown tokens"),
    "another tokenizer": (meta(tokenizer__ggml__model="rwkv"), "unsupported type 'rwkv'"),
    "another rule": (meta(tokenizer__ggml__pre="of-its-own"), "unknown rule"),
    "stretched otherwise": (
        meta(llama__rope__scaling__type="longrope", llama__rope__scaling__factor=4.0),
        "scaled by 'longrope'",
    ),
    "a giant template": (meta(tokenizer__chat_template="x" * (2**20 + 1)), "chat template has"),
}


@pytest.fixture(scope="module")
def whole() -> Written:
    return small()


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_file_is_refused_with_a_message(what: str, whole: Written, tmp_path: Path) -> None:
    """Refuse each false field with a message that helps, and only touch the folder itself."""
    change, words = HOSTILE[what]
    content = Written(dict(whole.metadata), [Entry(**vars(a)) for a in whole.arrays])
    change(content)
    with pytest.raises(RefusedError, match=words) as refusal:
        written(tmp_path, content)
    sentence = str(refusal.value)
    assert sentence.startswith("“some.gguf” ")
    assert sentence.endswith((".", "Model."))
    assert len(sentence) < 400
    assert sorted(p.name for p in tmp_path.iterdir()) == ["made", "some.gguf"]


def test_file_truncated_anywhere_is_refused(whole: Written, tmp_path: Path) -> None:
    data = whole.bytes()
    begin = len(data) - sum(-(-len(a.data) // 32) * 32 for a in whole.arrays)
    rng = np.random.default_rng(0)
    file = tmp_path / "some.gguf"
    for length in [0, 3, 4, 8, 23, 24, *rng.integers(25, begin, 60), begin, len(data) - 65]:
        file.write_bytes(data[:length])
        with pytest.raises(RefusedError, match=r"incomplete|damaged|not a GGUF file"):
            GgufFile(file, "“some.gguf”").close()


def test_random_damage_is_refused_or_read(whole: Written, tmp_path: Path) -> None:
    """Flip a few header bits. The file converts or is refused, and no other exception escapes."""
    data = whole.bytes()
    begin = len(data) - sum(-(-len(a.data) // 32) * 32 for a in whole.arrays)
    rng = np.random.default_rng(7)
    refused = 0
    for _ in range(examples(300)):
        broken = bytearray(data)
        for _ in range(rng.integers(1, 6)):
            broken[rng.integers(0, begin)] = rng.integers(0, 256)
        (tmp_path / "some.gguf").write_bytes(broken)
        out = tmp_path / "out"
        out.mkdir()
        try:
            folder.write_folder(tmp_path / "some.gguf", out, "“some.gguf”", {})
        except RefusedError:
            refused += 1
        finally:
            shutil.rmtree(out)
    assert refused > 6


def test_huge_sparse_file_costs_nothing(tmp_path: Path, root: Path) -> None:
    """A sparse file of zeros is refused before the output folder is created."""
    data = small().bytes()
    file = tmp_path / "sparse.gguf"
    with file.open("wb") as stream:
        stream.write(data[:-65])
        stream.truncate(2**40)
    patient = partial(jobs.run_gguf_task, limits=lambda size: TaskLimits(20.0, 2**31, 2**20, 2**30))
    with pytest.raises(EngineError, match="mostly empty"):
        kept.convert_if_needed(file, convert=patient)


def test_non_file_is_refused(tmp_path: Path, root: Path, engine: Engine) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    (tmp_path / "text.gguf").write_text("Hello")
    (tmp_path / "link.gguf").symlink_to("/nowhere.gguf")
    for name, words in (
        ("pipe.gguf", "not a regular file"),
        ("text.gguf", "not a GGUF file"),
        ("link.gguf", "cannot be read"),
        ("none.gguf", "cannot be read"),
    ):
        with pytest.raises(EngineError, match=words) as failure:
            engine.load(tmp_path / name)
        assert failure.value.code == "model_load_failed"


@pytest.fixture
def notes(root: Path) -> Path:
    root.mkdir()
    return root / ".gguf.json"


def test_damaged_notes_are_rewritten(notes: Path, tmp_path: Path) -> None:
    file = small().write(tmp_path / "one.gguf")
    made = kept.convert_if_needed(file)
    outside = json.dumps({str(file): {"folder": "../.."}})
    for text in ("", "[]", '{"a": 5}', "\x00", outside):
        notes.write_text(text)
        assert kept.convert_if_needed(file) == made
        assert json.loads(notes.read_text())[str(file)]["folder"] == made.name


def test_numbers_and_types(tmp_path: Path) -> None:
    every: dict[str, tuple[bytes, object]] = {
        "u8": (struct.pack("<IB", 0, 200), 200),
        "i8": (struct.pack("<Ib", 1, -3), -3),
        "u16": (struct.pack("<IH", 2, 60000), 60000),
        "i16": (struct.pack("<Ih", 3, -60), -60),
        "u32": (struct.pack("<II", 4, 2**31), 2**31),
        "i32": (struct.pack("<Ii", 5, -1), -1),
        "f32": (struct.pack("<If", 6, 0.5), 0.5),
        "bool": (struct.pack("<I?", 7, True), True),
        "u64": (struct.pack("<IQ", 10, 2**63), 2**63),
        "i64": (struct.pack("<Iq", 11, -(2**40)), -(2**40)),
        "f64": (struct.pack("<Id", 12, 1e300), 1e300),
    }
    made = Written({name: data for name, (data, _) in every.items()})
    file = GgufFile(made.write(tmp_path / "x.gguf"), "x")
    assert file.metadata == {name: content for name, (_, content) in every.items()}
    file.close()


def test_folder_with_one_gguf_file_is_a_model(tmp_path: Path, root: Path, engine: Engine) -> None:
    """LM Studio stores models as OWNER/NAME/FILE.gguf, next to a projector file for images."""
    place = tmp_path / "owner" / "name"
    place.mkdir(parents=True)
    small().write(place / "name-Q8_0.gguf")
    (place / "mmproj-name.gguf").write_bytes(b"GGUF")
    assert facts_of(place).problem == ""
    model = engine.load(place)
    assert model.name == "name-Q8_0"
    small("qwen2").write(place / "name-F32.gguf")
    assert "holds 2 GGUF files" in facts_of(place).problem
    with pytest.raises(EngineError, match=r"holds 2 GGUF files .*Open GGUF File"):
        engine.load(place)


def test_gguf_file_is_listed_before_and_after_conversion(tmp_path: Path, root: Path) -> None:
    file = small().write(tmp_path / "one.gguf")

    def listed() -> list[InstalledModel]:
        found = Inventory().walk(
            model_places(home=tmp_path / "nobody", environment={}), [str(file)]
        )
        return [one for one in found if one.facts.architecture in ("GGUF", "llama")]

    (before,) = listed()
    assert (before.source, before.facts.problem) == (ModelSource.ADDED, "")
    assert before.facts.nbytes == file.stat().st_size
    made = kept.convert_if_needed(file)
    (after,) = listed()
    assert (after.source, after.folder, after.name) == (ModelSource.OWN, made, "one")
    assert after.facts.licence == "Apache 2.0"
    file.unlink()
    assert [one.folder for one in listed()] == [made]


def test_converted_folder_is_found_by_digest(tmp_path: Path, root: Path) -> None:
    file = small().write(tmp_path / "one.gguf")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert kept.find_by_digest(digest) is None
    made = kept.convert_if_needed(file)
    assert kept.find_by_digest(digest) == made

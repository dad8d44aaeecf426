"""Caches on disk: reuse, size limits and damaged files."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from engine import Engine, SamplingParams, TextDelta
from engine.cache.cache_file import DamagedError, read_contents, read_record
from engine.cache.offload import MIN_TOKENS
from tests.engine.families import FAMILIES

Folder = Callable[[str], Path]
NO_END = {2: -1e9, 3: -1e9, 4: -1e9}
SOME = SamplingParams(max_tokens=12, temperature=0.8, seed=3, logit_bias=NO_END)
ENDLESS = SamplingParams(max_tokens=3000, seed=3, logit_bias=NO_END)
ROOT = Path(__file__).resolve().parents[3]


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


FIRST = [user("hello there " * 30)]


def talk(engine: Engine, folder: Path, chat_id: str, **options: Any) -> tuple[Any, list[Any]]:
    chat = engine.open_session(engine.load(folder), chat_id, **options)
    answer = chat.send(FIRST, SOME).text(60)
    return chat, [*FIRST, assistant(answer), user("and then?")]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.turns(6)
def test_a_chat_goes_on_after_a_restart(model_folder: Folder, tmp_path: Path, family: str) -> None:
    folder = model_folder(family)
    with Engine() as engine:
        chat, messages = talk(engine, folder, "mine")
        plain = chat.send(messages, SOME)
        expected = plain.tokens(60)
    with Engine(cache_dir=tmp_path) as engine:
        _, again = talk(engine, folder, "mine")
        assert again == messages
    assert len(list(tmp_path.glob("*.safetensors"))) == 1
    with Engine(cache_dir=tmp_path) as engine:
        chat = engine.open_session(engine.load(folder), "mine")
        reply = chat.send(messages, SOME)
        assert reply.tokens(60) == expected
        assert reply.stats.reused_tokens == plain.stats.reused_tokens
        assert not reply.stats.rebuilt


@pytest.mark.parametrize("family", ["hybrid recurrent", "sliding window"])
def test_untrimmable_cache_returns_to_boundary(
    model_folder: Folder, tmp_path: Path, family: str
) -> None:
    """After an edit of the reply, only the copy from the turn boundary can be reused."""
    folder = model_folder(family)
    with Engine(cache_dir=tmp_path) as engine:
        talk(engine, folder, "mine")
    edited = [*FIRST, assistant("something else"), user("go on")]
    with Engine(cache_dir=tmp_path) as engine:
        model = engine.load(folder)
        reply = engine.open_session(model, "mine").send(edited, SOME)
        tokens = reply.tokens(60)
        assert reply.stats.reused_tokens > 300
        assert tokens == engine.open_session(model, "other").send(edited, SOME).tokens(60)


def test_closed_and_opened_again_in_one_run(model_folder: Folder, tmp_path: Path) -> None:
    with Engine(cache_dir=tmp_path) as engine:
        chat, messages = talk(engine, model_folder("plain"), "mine")
        chat.close()
        again = engine.open_session(chat.model, "mine")
        next(e for e in again.send(messages, ENDLESS) if isinstance(e, TextDelta))
        again.close()  # during a reply, which keeps the file with the earlier turns
        reply = engine.open_session(chat.model, "mine").send(messages, SOME)
        reply.tokens(60)
        assert reply.stats.prompt_tokens - reply.stats.reused_tokens < 40


def test_evicted_cache_is_restored(model_folder: Folder, tmp_path: Path) -> None:
    folder = model_folder("plain")
    with Engine() as probe:
        weights = probe.load(folder).nbytes
    long = [user("word " * 300)]
    with Engine(memory_budget=weights + 1_400_000, cache_dir=tmp_path) as engine:
        model = engine.load(folder)
        old, new = engine.open_session(model), engine.open_session(model)
        answer = old.send(long, SOME).text(60)
        new.send([user("other " * 280)], SOME).text(60)
        assert engine.stats()["sessions"][old.id]["kv_bytes"] == 0
        reply = old.send([*long, assistant(answer), user("go on")], SOME)
        reply.text(60)
        assert reply.stats.prompt_tokens - reply.stats.reused_tokens < 40
        assert not reply.stats.rebuilt
        old.close()  # unnamed chats aren't written to disk
        new.close()
        engine.stats()
        assert not list(tmp_path.glob("*"))


def deep(head: dict[str, Any]) -> None:
    head["__metadata__"]["shape"] = "[" * 100_000 + "]" * 100_000


def told(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(head: dict[str, Any]) -> None:
        meta = head["__metadata__"]
        meta[name] = json.dumps(value(json.loads(meta[name])))

    return change


def arrays(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], None]:
    def go(head: dict[str, Any]) -> None:
        for name, entry in head.items():
            if name != "__metadata__":
                change(entry)

    return go


def offsets(shape: Any, value: Any) -> Any:
    if isinstance(shape, list):
        return [offsets(part, value) for part in shape]
    if not isinstance(shape, dict):
        return shape
    made = {name: offsets(part, value) for name, part in shape.items()}
    return {**made, "offset": {"value": value}} if "offset" in made else made


def overlap(head: dict[str, Any]) -> None:
    entries = [entry for name, entry in head.items() if name != "__metadata__"]
    for entry in entries:
        entry["data_offsets"] = entries[-1]["data_offsets"]


LIES = {
    "deep": deep,
    "tokens that are texts": told("tokens", lambda t: ["x"] * len(t)),
    "tokens below zero": told("tokens", lambda t: [-1] * len(t)),
    "tokens beyond all": told("tokens", lambda t: [10**30] * len(t)),
    "no tokens": told("tokens", lambda t: None),
    "cuts beyond": told("cuts", lambda t: [10**12]),
    "a boundary beyond": told("boundary", lambda t: 10**9),
    "a boundary in words": told("boundary", lambda t: "x"),
    "a ledger's number": told("ledger", lambda t: [5, t[1], t[2]]),
    "a ledger of texts": told("ledger", lambda t: [t[0], ["x"] * len(t[1]), t[2]]),
    "a ledger of strangers": told("ledger", lambda t: [t[0], [10**6] * len(t[1]), t[2]]),
    "a ledger that ends late": told("ledger", lambda t: [t[0], t[1], [[len(t[0]), 10**9]]]),
    "a ledger that ends early": told("ledger", lambda t: [t[0], t[1], [[-5, -9]]]),
    "a ledger of halves": told("ledger", lambda t: [t[0], t[1], [[1.5, 2.5]]]),
    "overlapping": overlap,
    "before the beginning": arrays(lambda e: e.update(data_offsets=[-8, e["data_offsets"][1]])),
    "flat": arrays(lambda e: e.update(shape=[math.prod(e["shape"])])),
    "turned round": arrays(lambda e: e.update(shape=e["shape"][::-1])),
    "huge": arrays(lambda e: e.update(shape=[10**18])),
    "another type": arrays(lambda e: e.update(dtype="F16", shape=[*e["shape"], 2])),
    "an unknown type": arrays(lambda e: e.update(dtype="F64")),
    "held huge": told("shape", lambda s: offsets(s, 10**9)),
    "held below zero": told("shape", lambda s: offsets(s, -7)),
    "held a text": told("shape", lambda s: offsets(s, "x")),
    "held beyond all": told("shape", lambda s: offsets(s, 10**30)),
    "no method": told(
        "shape",
        lambda s: {
            **s,
            "caches": {
                "list": [{"object": {"update_and_fetch": {"value": 1}}}] * len(s["caches"]["list"])
            },
        },
    ),
}
"""Forged headers in files whose checksums are valid."""


def test_forged_file_costs_only_its_reading(model_folder: Folder, tmp_path: Path) -> None:
    folder = model_folder("sliding window")  # one layer doesn't have a window
    with Engine(cache_dir=tmp_path) as engine:
        _, messages = talk(engine, folder, "mine")
    (file,) = tmp_path.glob("*.safetensors")
    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    with Engine(cache_dir=tmp_path) as engine:
        model = engine.load(folder)
        # Baselines: the text as it is, and exactly as it was sampled. The tokens of the previous
        # reply can differ from an encoding of its text.
        plain = engine.open_session(model, "mine")
        good = [plain.send(messages, SOME).tokens(60)]
        good.append(engine.open_session(model).send(messages, SOME).tokens(60))
        for name, lie in LIES.items():
            plain.close()
            engine.stats()
            head = json.loads(data[8 : 8 + length])
            lie(head)
            text = json.dumps(head).encode()
            begun, body = len(text).to_bytes(8, "little") + text, data[8 + length : -8]
            sums = [crc32(begun).to_bytes(4, "little"), crc32(body).to_bytes(4, "little")]
            file.write_bytes(begun + body + b"".join(sums))
            plain = engine.open_session(model, "mine")
            assert plain.send(messages, SOME).tokens(60) in good, name
            assert plain.send(messages, SOME).tokens(60) in good, name


@pytest.mark.parametrize(
    "damage", ["cut", "header", "length", "empty", "noise", "flipped", "flipped below", "old"]
)
def test_damaged_file_costs_only_its_reading(
    model_folder: Folder, tmp_path: Path, damage: str
) -> None:
    folder = model_folder("plain")
    with Engine(cache_dir=tmp_path) as engine:
        _, messages = talk(engine, folder, "mine")
    (file,) = tmp_path.glob("*.safetensors")
    data = file.read_bytes()
    file.write_bytes(
        {
            "cut": data[:-100],
            "header": data[:8] + b"[" + data[9:],
            "length": b"\xff" * 8 + data[8:],
            "empty": b"",
            "noise": random.Random(0).randbytes(5000),
            "flipped": data[:500] + bytes([data[500] ^ 1]) + data[501:],
            "flipped below": data[:-5000] + bytes([data[-5000] ^ 1]) + data[-4999:],
            "old": data[:-8],  # as written before checksums were added
        }[damage]
    )
    with pytest.raises(DamagedError):
        read_contents(file, read_record(file))
    with Engine(cache_dir=tmp_path) as engine:
        model = engine.load(folder)
        reply = engine.open_session(model, "mine").send(messages, SOME)
        tokens = reply.tokens(60)
        assert reply.stats.reused_tokens == 0
        if damage != "flipped below":  # its prompt has the previous reply's own tokens
            assert tokens == engine.open_session(model).send(messages, SOME).tokens(60)
        assert not file.exists()


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_non_file_is_not_read(model_folder: Folder, tmp_path: Path, kind: str) -> None:
    folder, place = model_folder("plain"), tmp_path / "caches"
    with Engine(cache_dir=place) as engine:
        _, messages = talk(engine, folder, "mine")
    (file,) = place.glob("*.safetensors")
    if kind == "link":
        file.rename(tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
    else:
        file.unlink()
        os.mkfifo(file) if kind == "pipe" else file.mkdir()
    before = sorted(path.name for path in tmp_path.iterdir())
    with Engine(cache_dir=place) as engine:
        reply = engine.open_session(engine.load(folder), "mine").send(messages, SOME)
        assert reply.tokens(60)
        assert reply.stats.reused_tokens == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_file_of_another_chat_reveals_nothing(model_folder: Folder, tmp_path: Path) -> None:
    """Put the file of another chat with the same model under this chat's name."""
    folder = model_folder("plain")
    with Engine(cache_dir=tmp_path) as engine:
        talk(engine, folder, "mine")
    (mine,) = tmp_path.glob("*.safetensors")
    other = [user("something else entirely " * 30)]
    with Engine(cache_dir=tmp_path) as engine:
        chat = engine.open_session(engine.load(folder), "other")
        chat.send(other, SOME).text(60)
    (theirs,) = set(tmp_path.glob("*.safetensors")) - {mine}
    mine.replace(theirs)
    with Engine(cache_dir=tmp_path) as engine:
        model = engine.load(folder)
        reply = engine.open_session(model, "other").send([*other, assistant("a"), user("b")], SOME)
        tokens = reply.tokens(60)
        assert reply.stats.reused_tokens < 20  # only the beginning of the template
        fresh = engine.open_session(model).send([*other, assistant("a"), user("b")], SOME)
        assert tokens == fresh.tokens(60)


def test_cache_is_not_used_by_another_model(model_folder: Folder, tmp_path: Path) -> None:
    with Engine(cache_dir=tmp_path) as engine:
        _, messages = talk(engine, model_folder("plain"), "mine")
    with Engine(cache_dir=tmp_path) as engine:
        other = engine.load(model_folder("MoE"))
        reply = engine.open_session(other, "mine").send(messages, SOME)
        assert reply.tokens(60)
        assert reply.stats.reused_tokens == 0


def test_the_folder_is_bounded_and_private(model_folder: Folder, tmp_path: Path) -> None:
    folder, place = model_folder("plain"), tmp_path / "caches"
    with Engine(cache_dir=place) as engine:
        talk(engine, folder, "first")
    (file,) = place.glob("*")
    size = file.stat().st_size
    assert place.stat().st_mode & 0o777 == 0o700
    assert file.stat().st_mode & 0o777 == 0o600
    with Engine(cache_dir=place, cache_bytes=int(size * 2.5)) as engine:
        for name in ("second", "third", "fourth"):
            chat, _ = talk(engine, folder, name)
            chat.close()
            engine.stats()
    held = list(place.glob("*"))
    assert len(held) == 2
    assert not file.exists()  # the oldest file was evicted
    assert sum(f.stat().st_size for f in held) <= size * 2.5


def test_forgotten_cache_is_deleted(model_folder: Folder, tmp_path: Path) -> None:
    folder = model_folder("plain")
    with Engine(cache_dir=tmp_path) as engine:
        talk(engine, folder, "one")
        talk(engine, folder, "two")
    assert len(list(tmp_path.glob("*"))) == 2
    with Engine(cache_dir=tmp_path) as engine:
        engine.forget("one")
        engine.open_session(engine.load(folder), "two").close(forget=True)
        engine.stats()
        assert not list(tmp_path.glob("*"))


def test_short_chats_and_one_off_questions_are_not_stored(
    model_folder: Folder, tmp_path: Path
) -> None:
    few = SamplingParams(max_tokens=2, seed=1)
    with Engine(cache_dir=tmp_path) as engine:
        model = engine.load(model_folder("plain"))
        engine.open_session(model, "short").send("hi", few).text(60)
        assert engine.stats()["sessions"]["short"]["kv_tokens"] < MIN_TOKENS
        engine.ask(model, "hello there " * 30, few).text(60)
        engine.open_session(model).send("hello there " * 30, few).text(60)
    assert not list(tmp_path.glob("*"))


def test_unwritable_cache_folder_is_harmless(model_folder: Folder, tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("not a folder")
    with Engine(cache_dir=place / "below") as engine:
        chat, messages = talk(engine, model_folder("plain"), "mine")
        chat.close()
        again = engine.open_session(chat.model, "mine")
        assert again.send(messages, SOME).tokens(60)


def test_kill_while_writing_leaves_only_whole_files(model_folder: Folder, tmp_path: Path) -> None:
    script = """
        import os, signal, sys, threading
        from engine import Engine, SamplingParams
        from engine.cache.cache_file import CacheImage
        whole = CacheImage.write
        def half(self, stream):
            stream.write(self.header)
            stream.write(self.parts[0][0].tobytes())
            stream.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        with Engine(cache_dir=sys.argv[2]) as engine:
            model = engine.load(sys.argv[1])
            few = SamplingParams(max_tokens=3, seed=1)
            for name in ("one", "two"):
                engine.open_session(model, name).send("hello there " * 30, few).text(60)
            first = engine.open_session(model, "one")  # writes the first one's cache
            engine.stats()
            while not any(f.endswith(".safetensors") for f in os.listdir(sys.argv[2])):
                engine.stats()
            CacheImage.write = half
        """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(model_folder("plain")), str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == -9, done.stderr
    whole = list(tmp_path.glob("*.safetensors"))
    assert len(whole) == 1
    assert read_record(whole[0]).tokens
    assert list(tmp_path.glob("*.part"))
    with Engine(cache_dir=tmp_path) as engine:
        talk(engine, model_folder("plain"), "two")
    assert not list(tmp_path.glob("*.part"))


def test_few_bits_come_back_too(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    from engine.bench.random_models import write_model

    config = {**FAMILIES["plain"], "hidden_size": 128, "head_dim": 32}
    folder = write_model(tmp_path_factory.mktemp("wide") / "wide", config, scale=2.0)
    with Engine() as engine:
        chat, messages = talk(engine, folder, "mine", kv_bits=8)
        expected = chat.send(messages, SOME).tokens(60)
    with Engine(cache_dir=tmp_path) as engine:
        talk(engine, folder, "mine", kv_bits=8)
    with Engine(cache_dir=tmp_path) as engine:
        model = engine.load(folder)
        reply = engine.open_session(model, "mine", kv_bits=8).send(messages, SOME)
        assert reply.tokens(60) == expected
        assert reply.stats.reused_tokens > 300
        full = engine.open_session(model, "mine").send(messages, SOME)
        full.tokens(60)
        assert full.stats.reused_tokens == 0

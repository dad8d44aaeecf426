"""Images in chats: correct, encoded once, and private to their chat."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.models.cache import KVCache, RotatingKVCache

from engine import Engine, EngineError, Image, SamplingParams, TextDelta
from engine.bench.seeing import FAMILIES, QWEN, write_seeing
from engine.errors import CANNOT_HEAR
from engine.hub.models import has_vision
from engine.messages import Audio, Message
from engine.model import loader, ragged, runner, towers, vision, vlm
from engine.model.vision import ImageTokens, InputSpan, grid_positions, image_ids
from engine.sandbox import jobs
from engine.sandbox.images import DecodedImage
from tests.engine.model.seeing import heard, image, shown, tone

FEW = SamplingParams(max_tokens=16, temperature=0.0)
WIDE, TALL = image(64, 32, 1), image(24, 48, 2)
PAIR = WIDE, image(64, 32, 7)  # equal sizes


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_seeing(tmp_path_factory.mktemp("qwen") / "qwen")


@pytest.fixture(scope="module")
def hearing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_seeing(tmp_path_factory.mktemp("gemma4") / "gemma4", "gemma4")


def test_image_positions_match_the_model() -> None:
    mx.random.seed(1)
    net = vlm.build(QWEN)
    grids = [(4, 8), (6, 3)]
    sights = [
        ImageTokens(str(n), image_ids(str(n), h * w), (h, w)) for n, (h, w) in enumerate(grids)
    ]
    tokens = [5, 6, 261, *sights[0].ids, 263, 7, 261, *sights[1].ids, 263, 8, 9]
    ids = mx.array([[262 if t >= vision.FIRST_IMAGE_ID else t for t in tokens]])
    thw = mx.array([[1, 2 * h, 2 * w] for h, w in grids])
    wanted, _ = net.language_model.get_rope_index(ids, thw)
    placed = vision.place_images(tokens, sights)
    whole = grid_positions(placed, 0, len(tokens))
    assert np.array_equal(whole, np.array(wanted)[:, 0])
    for start in range(len(tokens)):  # all possible chunk boundaries
        for count in range(1, len(tokens) - start):
            part = grid_positions(placed, start, count)
            assert np.array_equal(part, whole[:, start : start + count])


@pytest.fixture(scope="module", params=FAMILIES)
def family(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    name: str = request.param
    return write_seeing(tmp_path_factory.mktemp("seeing") / name, name)


def _its_own(net: Any, ids: mx.array, token: int, pixels: Mapping[str, Any]) -> mx.array:
    model: Any = type(net).__mro__[2]
    given = {k: v if k == "image_sizes" else mx.array(v) for k, v in pixels.items()}
    found = model.get_input_embeddings(net, ids, **given).to_dict()
    named = {name: value for name, value in found.items() if value is not None}
    named["mm_token_type_ids"] = (ids == token).astype(mx.int32)
    logits: mx.array = net.language_model(ids, cache=net.make_cache(), **named).logits
    return logits


@pytest.mark.turns(4)
def test_image_logits_match_mlx_vlm(family: Path) -> None:
    net, config = loader.load_net(family)
    tokenizer = loader.load_tokenizer(family, None)
    look = towers.load_preprocessor(family, config, tokenizer)
    sight = look.preprocess(image(64, 44, 3))
    assert sight.pixels is not None
    seen = vision.VisionModel(net, look.kind, look.placeholder)
    for _ in seen.encode(sight, sight.pixels):
        pass
    tokens = [*range(5, 30), *tokenizer.encode(FAMILIES[family.name].written), 7, 8, 9]
    at = tokens.index(look.placeholder)
    tokens[at : at + 1] = sight.ids
    ids = mx.array([seen.replace_image_tokens(tokens)])
    wanted = _its_own(net, ids, look.placeholder, sight.pixels)
    placed, caches = [(at, sight)], net.make_cache()
    logits = []
    for start, end in ((0, 10), (10, len(tokens) - 2), (len(tokens) - 2, len(tokens))):
        part = ids[:, start:end]
        given = seen.model_arguments(part, [InputSpan(placed, start, end - start)])
        logits.append(net(part, cache=caches, **given))
    assert mx.abs(mx.concatenate(logits, axis=1) - wanted).max().item() < 1e-3


@pytest.mark.turns(6)
def test_a_chat_with_an_image_answers_alike_alone_and_among_others(
    engine: Engine, family: Path
) -> None:
    model = engine.load(family)
    assert model.sees
    assert model.step == "shared"
    asked = [shown("What is it?", WIDE), shown("And this?", TALL, WIDE), "Hello, you there."]
    alone = [engine.open_session(model).send(one, FEW).tokens(60) for one in asked]
    assert len({tuple(tokens) for tokens in alone}) == 3
    first = engine.open_session(model).send(asked[0], FEW)
    next(
        event for event in first if isinstance(event, TextDelta)
    )  # the others are sent while it streams
    replies = [first, *(engine.open_session(model).send(one, FEW) for one in asked[1:])]
    assert [reply.tokens(60) for reply in replies] == alone
    assert engine.stats()["images"][model.id]["encoded"] == 2


@pytest.mark.turns(11)
@pytest.mark.parametrize("hidden", [False, True])
def test_words_for_images_are_text_where_a_person_types_them(
    engine: Engine, family: Path, tmp_path: Path, hidden: bool
) -> None:
    known = FAMILIES[family.name]
    words = [word for word in known.words if word in known.written or not hidden]
    model = engine.load(_hiding(words, family, tmp_path / family.name) if hidden else family)

    def count(*messages: Message) -> int:
        return engine.count_later(model, list(messages), None).result(60)

    plain, with_image = count({"role": "user", "content": "ab"}), count(*shown("ab", WIDE))
    for word in words:
        text = f"a{word}b"
        assert count({"role": "user", "content": text}) - plain == len(word)
        assert count(*shown(text, WIDE)) - with_image == len(word)
        begun: Message = {"role": "assistant", "content": f"\ufdd1{'0' * 64}\ufdd1{word}"}
        messages = [{"role": "system", "content": word}, *shown(text, WIDE), begun]
        assert engine.open_session(model).send(messages, FEW).tokens(60)


def _hiding(words: list[str], family: Path, folder: Path) -> Path:
    shutil.copytree(family, folder)
    settings, tokenizer = (folder / f"tokenizer{name}.json" for name in ("_config", ""))
    told = json.loads(settings.read_text())
    for word in words:
        halves = f"{{{{ '{word[:2]}' ~ '{word[2:]}' }}}}"
        told["chat_template"] = told["chat_template"].replace(word, halves)
    settings.write_text(json.dumps(told))
    kept = json.loads(tokenizer.read_text())
    for token in kept["added_tokens"]:
        token["special"] = token["special"] and token["content"] not in words
    tokenizer.write_text(json.dumps(kept))
    return folder


def test_image_is_encoded_once_for_all_chats(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, reads = jobs.read_image, list[bytes]()

    def read_image(data: bytes, stop: threading.Event | None = None) -> DecodedImage:
        reads.append(data)
        return real(data, stop=stop)

    monkeypatch.setattr(jobs, "read_image", read_image)
    model = engine.load(folder)
    before = engine.stats()["images"][model.id]["encoded"]
    fresh = image(56, 40, 5)
    chats = [engine.open_session(model) for _ in range(8)]
    replies = [c.send(shown(f"Question {n}", fresh), FEW) for n, c in enumerate(chats)]
    for reply in replies:
        reply.tokens(60)
    assert len(reads) == 1
    assert engine.stats()["images"][model.id]["encoded"] == before + 1
    twin = chats[0].fork()
    again = twin.send("What else?", FEW)
    again.tokens(60)
    assert again.stats.reused_tokens > 35  # including the image tokens
    assert engine.stats()["images"][model.id]["encoded"] == before + 1


@pytest.fixture
def slow_images(
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[threading.Event, threading.Event]]:
    real, entered, release = jobs.read_image, threading.Event(), threading.Event()

    def read_image(data: bytes, stop: threading.Event | None = None) -> DecodedImage:
        entered.set()
        while not release.wait(0.01):
            if stop is not None and stop.is_set():
                raise EngineError("engine_stopped", "The image is not read any more.")
        return real(data, stop=stop)

    monkeypatch.setattr(jobs, "read_image", read_image)
    yield entered, release
    release.set()


def test_slow_images_do_not_stop_other_chats(
    engine: Engine, folder: Path, slow_images: tuple[threading.Event, threading.Event]
) -> None:
    entered, release = slow_images
    model = engine.load(folder)
    seen = [image(40, 32, 100 + n) for n in range(12)]
    asking = [
        engine.open_session(model, domain="a").send(shown("x", one), FEW).tokens for one in seen
    ]
    assert entered.wait(60)
    assert engine.open_session(model, domain="b").send("hello", FEW).tokens(60)
    release.set()
    assert all(tokens(60) for tokens in asking)


def test_canceled_reply_stops_reading_its_images(
    engine: Engine, folder: Path, slow_images: tuple[threading.Event, threading.Event]
) -> None:
    entered, _ = slow_images
    model = engine.load(folder)
    chats = [engine.open_session(model, domain="a") for _ in range(4)]
    replies = [c.send(shown("x", image(40, 32, 200 + n)), FEW) for n, c in enumerate(chats)]
    assert entered.wait(60)
    for reply in replies:
        reply.cancel()
        assert reply.text(60) == ""
    # All worker threads are free again, so the client's next image is read.
    entered.clear()
    chats[0].send(shown("y", image(40, 32, 300)), FEW)
    assert entered.wait(60)


def test_image_file_is_decoded_once(engine: Engine, folder: Path) -> None:
    fresh, reads = image(40, 32, 21), list[bytes]()

    def read() -> bytes:
        reads.append(fresh.data)
        return fresh.data

    model, kept = engine.load(folder), Image(read, fresh.digest)
    for text in ("What is it?", "And now?"):
        assert engine.open_session(model).send(shown(text, kept), FEW).tokens(60)
    assert len(reads) == 1


def test_prompt_identity_includes_the_image(engine: Engine, folder: Path) -> None:
    model = engine.load(folder)
    wanted = [engine.open_session(model).send(shown("What?", i), FEW).tokens(60) for i in PAIR]
    assert wanted[0] != wanted[1]
    chat = engine.open_session(model)
    assert [chat.send(shown("What?", one), FEW).tokens(60) for one in (*PAIR, PAIR[0])] == [
        *wanted,
        wanted[0],
    ]


def test_conversation_continues_from_its_image(engine: Engine, folder: Path) -> None:
    model = engine.load(folder)
    chat = engine.open_session(model)
    first = shown("What is it?", WIDE)
    chat.send(first, FEW).tokens(60)
    more = chat.send("And the colour?", FEW)
    more.tokens(60)
    assert more.stats.reused_tokens > 40
    told = engine.open_session(model)
    messages = [*first, {"role": "assistant", "content": "a"}, *shown("And?", TALL)]
    for settings in (FEW, SamplingParams(max_tokens=10, temperature=0.0, repetition_penalty=1.3)):
        assert told.send(messages, settings).tokens(60)


def test_evicted_image_is_encoded_again(engine: Engine, folder: Path) -> None:
    model = engine.load(folder)
    chat = engine.open_session(model)
    messages = shown("What is it?", image(48, 48, 9))
    said = chat.send(messages, FEW).tokens(60)
    encoded = engine.stats()["images"][model.id]["encoded"]
    engine.relieve_later().result(60)
    assert engine.stats()["images"][model.id]["held"] == 0
    assert chat.send(messages, FEW).tokens(60) == said
    assert engine.stats()["images"][model.id]["encoded"] == encoded + 1


@pytest.mark.parametrize("window", [None, 16])
def test_image_chunk_keeps_its_mask_in_mixed_pass(window: int | None) -> None:
    rows, reading = [KVCache(), KVCache()], RotatingKVCache(16) if window else KVCache()
    for place, cache in enumerate(rows):
        cache.update_and_fetch(*[mx.zeros((1, 1, 5 + place, 8))] * 2)
    offsets = ragged.Offsets()
    mixed = ragged.MixedKV(ragged.RaggedKV(rows, offsets), [reading], [6], offsets)
    masks = ragged.open_mask(mixed, 1, window, [(), (), [(1, 4)]])
    assert masks is not None
    (chunk,) = masks.chunks
    assert chunk[1, 3].item()
    assert not chunk[0, 1].item()


@pytest.mark.parametrize("name", ["gemma4", "qwen3_vl"])
def test_chunks_may_split_causal_images_only(
    name: str, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = engine.load(write_seeing(tmp_path / name, name))
    prefill, read = runner.prefill, list[tuple[int, int]]()

    def watched(model: Any, kv: Any, tokens: list[int], images: Any) -> None:
        read.append((kv.length, kv.length + len(tokens)))
        placed.update(images)
        prefill(model, kv, tokens, images)

    placed: set[tuple[int, ImageTokens]] = set()
    monkeypatch.setattr(runner, "prefill", watched)
    messages = shown("and so on " * 3, image(64, 64, 4), WIDE)
    asked: list[Message] = [{"role": "system", "content": "x" * 40}, *messages]

    def said() -> list[int]:
        # chunks of reproducible chats end at each 64th token
        chat = engine.open_session(model, reproducible=True)
        tokens = chat.send(asked, FEW).tokens(60)
        chat.close()
        return tokens

    def cuts() -> bool:
        ends = {end for _, end in read}
        return any(at < end < at + len(sight.ids) for at, sight in placed for end in ends)

    answer = said()
    assert len(placed) == 2
    assert len(read) > 2
    assert cuts() == (name == "qwen3_vl")
    for _, sight in placed:
        sight.whole = True
    read.clear()
    engine.relieve_later().result(60)  # otherwise the first chat's caches would be reused
    assert said() == answer
    assert read
    assert not cuts()


# Recordings, which work like images.


def test_audio_logits_match_mlx_vlm(hearing: Path) -> None:
    net, config = loader.load_net(hearing)
    tokenizer = loader.load_tokenizer(hearing, None)
    look = towers.load_preprocessor(hearing, config, tokenizer)
    sight = look.preprocess(tone(1.3))
    assert sight.pixels is not None
    assert len(sight.image_indices) == 33  # 1.3 s in tokens of 40 ms
    seen = vision.VisionModel(net, look.kind, look.placeholder)
    for _ in seen.encode(sight, sight.pixels):
        pass
    (heard,) = tokenizer.encode("<|audio|>")
    tokens = [*range(5, 30), *sight.ids, 7, 8, 9]
    ids = mx.array([[heard if t >= vision.FIRST_IMAGE_ID else t for t in tokens]])
    given = {
        "input_features": sight.pixels["features 0"][None],
        "input_features_mask": sight.pixels["known 0"][None],
    }
    wanted = _its_own(net, ids, -1, given)
    caches, logits = net.make_cache(), []
    for start, end in ((0, 40), (40, len(tokens))):  # a recording may be cut at any token
        part = mx.array([seen.replace_image_tokens(tokens[start:end])])
        told = seen.model_arguments(part, [InputSpan([(25, sight)], start, end - start)])
        logits.append(net(part, cache=caches, **told))
    assert mx.abs(mx.concatenate(logits, axis=1) - wanted).max().item() < 1e-3


def test_audio_chat_answers_as_alone(engine: Engine, hearing: Path) -> None:
    model = engine.load(hearing)
    assert (model.sees, model.hears) == (True, True)
    both = [*heard("And this?", tone(0.5)), *shown("This?", WIDE)]
    turns = [both[0], {"role": "assistant", "content": "A tone."}, both[1]]
    asked = [heard("What is it?", tone(1.3)), heard("What is it?", tone(1.3, 330)), turns]
    alone = [engine.open_session(model).send(one, FEW).tokens(60) for one in asked]
    assert len({tuple(tokens) for tokens in alone}) == 3
    replies = [engine.open_session(model).send(one, FEW) for one in asked]
    assert [reply.tokens(60) for reply in replies] == alone
    assert engine.stats()["images"][model.id]["encoded"] == 4  # each image once


def test_long_recording_is_encoded_in_halves_of_a_minute(engine: Engine, hearing: Path) -> None:
    model = engine.load(hearing)
    reply = engine.open_session(model).send(heard("What?", tone(70)), FEW)
    reply.tokens(60)
    assert reply.stats.prompt_tokens > 70_000 / 40


def test_invalid_audio_ends_only_its_own_reply(engine: Engine, hearing: Path) -> None:
    chat = engine.open_session(engine.load(hearing))
    for data, words in (
        (b"", "is empty"),
        (b"RIFF\x24\0\0\0WAVEfmt ", "is damaged or incomplete"),
        (b"\0\0\0\x20ftypM4A ", "Save it as WAV or MP3"),
        (tone(0).data, "contains no sound"),
        (tone(601, rate=100).data, "longer than 10 minutes"),
    ):
        with pytest.raises(EngineError, match=words):
            chat.send(heard("What?", Audio(data)), FEW).tokens(60)
        assert chat.send("Hello", FEW).tokens(60)


def test_model_without_audio_refuses_recordings(engine: Engine, folder: Path) -> None:
    model = engine.load(folder)
    with pytest.raises(EngineError, match="does not support audio") as refused:
        engine.open_session(model).send(heard("What?", tone(0.1)), FEW).tokens(60)
    assert refused.value.reason == CANNOT_HEAR


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n" + b"no image", b"<svg/>"])
def test_invalid_image_ends_only_its_own_reply(engine: Engine, folder: Path, data: bytes) -> None:
    model = engine.load(folder)
    neighbour = engine.open_session(model).send("Hello", FEW)
    chat = engine.open_session(model)
    with pytest.raises(EngineError, match="The image"):
        chat.send(shown("What?", Image(data)), FEW).tokens(60)
    assert neighbour.tokens(60)
    assert chat.send("Hello", FEW).tokens(60)


def test_images_come_back_from_disk(folder: Path, tmp_path: Path) -> None:
    messages = shown("What is it?", WIDE)
    after = [*messages, {"role": "assistant", "content": "A"}, {"role": "user", "content": "More"}]
    with Engine(cache_dir=tmp_path, cache_bytes=1 << 30) as engine:
        chat = engine.open_session(engine.load(folder), "chat")
        first = chat.send(messages, FEW)
        first.tokens(60)
        said = chat.send(after, FEW).tokens(60)
        chat.close()
    with Engine(cache_dir=tmp_path, cache_bytes=1 << 30) as engine:
        model = engine.load(folder)
        chat = engine.open_session(model, "chat")
        reply = chat.send(after, FEW)
        assert reply.tokens(60) == said
        assert reply.stats.reused_tokens > 32
        assert engine.stats()["images"][model.id]["encoded"] == 0
        other = [*shown("What is it?", TALL), *after[1:]]
        assert chat.send(other, FEW).tokens(60) != said


def test_model_without_tower_loads_for_text(engine: Engine, tmp_path: Path) -> None:
    place = write_seeing(tmp_path / "text")
    assert has_vision(place)
    weights = mx.load(str(place / "model.safetensors"))
    assert isinstance(weights, dict)
    kept = {name: array for name, array in weights.items() if "vision" not in name}
    mx.save_safetensors(str(place / "model.safetensors"), kept, {"format": "mlx"})
    assert has_vision(place) is False
    assert has_vision(tmp_path) is None
    model = engine.load(place)
    assert not model.sees
    with pytest.raises(EngineError, match="does not support images"):
        engine.open_session(model).send(shown("What?", WIDE), FEW).tokens(60)
    assert engine.open_session(model).send("Hello", FEW).tokens(60)


def test_canceled_image_does_not_block_others(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = engine.load(folder)
    one, encode = image(60, 60, 11), vision.VisionModel.encode
    begun, free = threading.Event(), threading.Event()

    def slow(self: Any, sight: Any, pixels: Any) -> Any:
        begun.set()
        while not free.is_set():
            yield
        yield from encode(self, sight, pixels)

    monkeypatch.setattr(vision.VisionModel, "encode", slow)
    ended = engine.open_session(model).send(shown("What?", one), FEW)
    assert begun.wait(60)
    assert engine.open_session(model).send("Hello", FEW).tokens(60)  # streams during that time
    ended.cancel()
    waiting = engine.open_session(model).send(shown("What else?", one), FEW)
    free.set()
    assert waiting.tokens(60)


def test_tower_fault_ends_only_waiting_replies(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = engine.load(folder)
    one = image(36, 60, 12)
    with monkeypatch.context() as patched:
        patched.setattr(towers.Qwen3VL, "embeddings", lambda *_: 1 / 0)
        chats = [engine.open_session(model) for _ in range(2)]
        neighbour = engine.open_session(model).send("Hello", FEW)
        for reply in [chat.send(shown("What?", one), FEW) for chat in chats]:
            with pytest.raises(EngineError, match="division"):
                reply.tokens(60)
        assert neighbour.tokens(60)
    assert chats[0].send(shown("What?", one), FEW).tokens(60)


@pytest.mark.parametrize("size", [(1, 1), (900, 3), (3, 500)])
def test_unusual_shapes_work_or_are_refused(
    engine: Engine, folder: Path, size: tuple[int, int]
) -> None:
    chat = engine.open_session(engine.load(folder))
    messages = shown("What?", image(*size))
    if max(size) / min(size) > 200:
        with pytest.raises(EngineError, match="does not support images of"):
            chat.send(messages, FEW).tokens(60)
    else:
        assert chat.send(messages, FEW).tokens(60)

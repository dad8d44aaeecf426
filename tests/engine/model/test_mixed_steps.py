"""Prefilling in the same pass as decode steps doesn't change any reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine import Engine, Reply, SamplingParams, TextDelta
from engine.cache.cache_objects import clone
from engine.model import backend, probe, ragged, runner
from engine.model.loader import load_net
from engine.model.runner import PrefillChunk
from engine.model.sliced_pass import run_to_end

pytestmark = pytest.mark.usefixtures("all_cores")

PROMPT = "Listen to this story, all of you, and say how it goes on. " * 8
NAMES = "abc"


def params(seed: int, tokens: int) -> SamplingParams:
    calm = {3: -1e9, 4: -1e9, 2: -1e9}  # keep the random model from ending or thinking
    return SamplingParams(max_tokens=tokens, temperature=0.9, seed=seed, logit_bias=calm)


@pytest.fixture
def mixes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    seen: list[tuple[int, int]] = []
    decode = runner.decode

    def watched(model: Any, rows: Any, shared: bool, readings: Sequence[PrefillChunk] = ()) -> Any:
        answering = len(rows) - sum(reading.ends for reading in readings)
        if readings and answering:
            seen.append((answering, sum(len(reading.tokens) for reading in readings)))
        return decode(model, rows, shared, readings)

    monkeypatch.setattr(runner, "decode", watched)
    return seen


def streaming(
    engine: Engine, model: Any, mixes: list[tuple[int, int]], **options: Any
) -> list[Reply]:
    replies = [
        engine.open_session(model, **options).send(f"I am {name}", params(seed, 6000))
        for seed, name in enumerate(NAMES)
    ]
    for reply in replies:
        texts = (event for event in reply if isinstance(event, TextDelta))
        next(texts), next(texts)
    mixes.clear()  # later prompts may have been mixed with the first reply
    return replies


def said_as_alone(folder: Path, replies: list[Reply]) -> None:
    for reply in replies:
        reply.cancel()
    for seed, reply in enumerate(replies):
        tokens = reply.tokens(60)
        assert len(tokens) > 3
        assert tokens == alone(folder, f"I am {NAMES[seed]}", seed, len(tokens))


@cache
def alone(folder: Path, text: str, seed: int, tokens: int) -> list[int]:
    with Engine() as engine:
        chat = engine.open_session(engine.load(folder))
        return chat.send(text, params(seed, tokens)).tokens(60)


@pytest.mark.parametrize(
    "family",
    ["plain", "MoE", "sliding window", "attention sinks", "MLA", "hybrid recurrent"],
)
@pytest.mark.turns(6)
def test_mixed_steps_reply_as_alone(
    engine: Engine,
    model_folder: Callable[[str], Path],
    mixes: list[tuple[int, int]],
    family: str,
) -> None:
    folder = model_folder(family)
    model = engine.load(folder)
    replies = streaming(engine, model, mixes)
    late = engine.open_session(model).send(PROMPT, params(7, 20))
    said = late.tokens(60)
    said_as_alone(folder, replies)
    assert said == alone(folder, PROMPT, 7, 20)
    assert len(mixes) > 3
    assert all(n == 3 for n, _ in mixes)
    # Mixed passes read most of the prompt.
    assert sum(count for _, count in mixes) > 0.7 * late.stats.prompt_tokens


def test_lone_reply_takes_a_prompt_along(
    engine: Engine, model_folder: Callable[[str], Path], mixes: list[tuple[int, int]]
) -> None:
    folder = model_folder("plain")
    model = engine.load(folder)
    first = engine.open_session(model).send("hello", params(1, 6000))
    texts = (event for event in first if isinstance(event, TextDelta))
    next(texts), next(texts)
    late = engine.open_session(model).send(PROMPT, params(7, 20))
    said = late.tokens(60)
    first.cancel()
    answer = first.tokens(60)
    assert said == alone(folder, PROMPT, 7, 20)
    assert answer == alone(folder, "hello", 1, len(answer))
    assert {n for n, _ in mixes} == {1}


def test_fault_in_mixed_pass_is_contained(
    engine: Engine,
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    mixes: list[tuple[int, int]],
) -> None:
    folder = model_folder("plain")
    model = engine.load(folder)
    replies = streaming(engine, model, mixes)
    forward, failed = runner.forward_mixed, []

    def failing(
        model: Any, feeds: Any, caches: Any, readings: Sequence[PrefillChunk], fed: Any
    ) -> Any:
        logits = forward(model, feeds, caches, readings, fed)
        if not failed and readings[0].kv.length > 50:
            failed.append(readings)
            raise RuntimeError("a fault in the middle")
        return logits

    monkeypatch.setattr(runner, "forward_mixed", failing)
    late = engine.open_session(model).send(PROMPT, params(7, 20))
    said = late.tokens(60)
    said_as_alone(folder, replies)
    assert said == alone(folder, PROMPT, 7, 20)
    assert all(reply.stats.rebuilt for reply in replies)
    assert failed
    assert mixes


def test_cancelled_mixed_prefill_can_be_repeated(
    engine: Engine, model_folder: Callable[[str], Path], mixes: list[tuple[int, int]]
) -> None:
    folder = model_folder("plain")
    model = engine.load(folder)
    replies = streaming(engine, model, mixes)
    chat = engine.open_session(model)
    late = chat.send(PROMPT, params(7, 20))
    for _ in late:  # first event: a chunk has been read
        break
    late.cancel()
    late.tokens(60)
    again = chat.send([{"role": "user", "content": PROMPT}], params(7, 20))
    said = again.tokens(60)
    said_as_alone(folder, replies)
    assert said == alone(folder, PROMPT, 7, 20)
    assert mixes


@pytest.mark.parametrize("who", ["all", "the one that reads"])
def test_reproducible_chats_have_separate_passes(
    engine: Engine, model_folder: Callable[[str], Path], mixes: list[tuple[int, int]], who: str
) -> None:
    model = engine.load(model_folder("plain"))
    replies = streaming(engine, model, mixes, reproducible=who == "all")
    engine.open_session(model, reproducible=True).send(PROMPT, params(7, 20)).tokens(60)
    for reply in replies:
        reply.cancel()
    assert not mixes


def test_saved_capabilities_prepare_recurrent_states(
    model_folder: Callable[[str], Path],
) -> None:
    """Saved capabilities aren't measured again, but modules are still prepared for them."""
    backend.start()
    net, _ = load_net(model_folder("hybrid recurrent"))
    known = probe.SharingModes(probe.SHARED, slots=True, shares_prefix=True, mixes=True)
    make = run_to_end(probe.measure(net, 200, known)).make_cache
    sessions, chunk = [make(), make()], [3, 1, 4]
    for caches, prompt in zip(sessions, ([7, 8, 9, 10], [11, 12]), strict=True):
        net(mx.array([prompt]), cache=caches)
    own = [clone(caches) for caches in sessions]
    stepped, read = net(mx.array([[5]]), cache=own[0]), net(mx.array([chunk]), cache=own[1])
    shared = ragged.combine_caches(sessions[:1], None, [(sessions[1], len(chunk))])
    together = net(mx.array([5, *chunk])[:, None], cache=shared)
    assert mx.allclose(together[:1], stepped, rtol=1e-3, atol=1e-3)
    assert mx.allclose(together[1:].swapaxes(0, 1), read, rtol=1e-3, atol=1e-3)

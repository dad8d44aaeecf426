"""A prompt that is read in one pass with the steps of those who answer: nobody notices."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, Reply, SamplingParams, TextDelta
from engine.model import runner
from engine.model.runner import Reading

PROMPT = "Listen to this story, all of you, and say how it goes on. " * 8
NAMES = "abc"


def params(seed: int, tokens: int) -> SamplingParams:
    calm = {3: -1e9, 4: -1e9, 2: -1e9}  # a random model must not happen to end, or think
    return SamplingParams(max_tokens=tokens, temperature=0.9, seed=seed, logit_bias=calm)


@pytest.fixture
def mixes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """How many sessions and tokens each mixed pass had."""
    seen: list[tuple[int, int]] = []
    decode = runner.decode

    def watched(model: Any, rows: Any, shared: bool, reading: Reading | None = None) -> Any:
        if reading is not None:
            seen.append((len(rows), len(reading.tokens)))
        return decode(model, rows, shared, reading)

    monkeypatch.setattr(runner, "decode", watched)
    return seen


def streaming(engine: Engine, model: Any, **options: Any) -> list[Reply]:
    """Three chats in the middle of their answers."""
    replies = [
        engine.open_session(model, **options).send(f"I am {name}", params(seed, 150))
        for seed, name in enumerate(NAMES)
    ]
    for reply in replies:
        texts = (event for event in reply if isinstance(event, TextDelta))
        next(texts), next(texts)
    return replies


def alone(folder: Path, text: str, seed: int, tokens: int) -> list[int]:
    with Engine() as engine:
        chat = engine.open_session(engine.load(folder))
        return chat.send(text, params(seed, tokens)).tokens(60)


@pytest.mark.parametrize("family", ["plain", "MoE"])
def test_all_say_what_they_say_alone(
    engine: Engine,
    model_folder: Callable[[str], Path],
    mixes: list[tuple[int, int]],
    family: str,
) -> None:
    folder = model_folder(family)
    model = engine.load(folder)
    replies = streaming(engine, model)
    late = engine.open_session(model).send(PROMPT, params(7, 20))
    assert late.tokens(60) == alone(folder, PROMPT, 7, 20)
    for seed, reply in enumerate(replies):
        assert reply.tokens(60) == alone(folder, f"I am {NAMES[seed]}", seed, 150)
    assert len(mixes) > 3
    assert all(n == 3 for n, _ in mixes)
    # Nearly all of the prompt was read so.
    assert sum(count for _, count in mixes) > 0.7 * late.stats.prompt_tokens


def test_one_that_answers_alone_takes_a_prompt_along(
    engine: Engine, model_folder: Callable[[str], Path], mixes: list[tuple[int, int]]
) -> None:
    folder = model_folder("plain")
    model = engine.load(folder)
    first = engine.open_session(model).send("hello", params(1, 150))
    texts = (event for event in first if isinstance(event, TextDelta))
    next(texts), next(texts)
    late = engine.open_session(model).send(PROMPT, params(7, 20))
    assert late.tokens(60) == alone(folder, PROMPT, 7, 20)
    assert first.tokens(60) == alone(folder, "hello", 1, 150)
    assert {n for n, _ in mixes} == {1}


def test_a_fault_in_such_a_pass_is_kept_from_everyone(
    engine: Engine,
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    mixes: list[tuple[int, int]],
) -> None:
    folder = model_folder("plain")
    model = engine.load(folder)
    replies = streaming(engine, model)
    forward, failed = runner._forward_mixed, []

    def failing(model: Any, feeds: Any, caches: Any, reading: Reading) -> Any:
        logits = forward(model, feeds, caches, reading)
        if not failed and reading.kv.length > 50:
            failed.append(reading)
            raise RuntimeError("a fault in the middle")
        return logits

    monkeypatch.setattr(runner, "_forward_mixed", failing)
    late = engine.open_session(model).send(PROMPT, params(7, 20))
    assert late.tokens(60) == alone(folder, PROMPT, 7, 20)
    for seed, reply in enumerate(replies):
        assert reply.tokens(60) == alone(folder, f"I am {NAMES[seed]}", seed, 150)
        assert reply.stats.rebuilt
    assert failed
    assert mixes


def test_cancelled_while_it_is_read_beside_others_and_asked_again(
    engine: Engine, model_folder: Callable[[str], Path], mixes: list[tuple[int, int]]
) -> None:
    folder = model_folder("plain")
    model = engine.load(folder)
    replies = streaming(engine, model)
    chat = engine.open_session(model)
    late = chat.send(PROMPT, params(7, 20))
    for _ in late:  # its first sign of life: a chunk has been read
        break
    late.cancel()
    late.tokens(60)
    again = chat.send([{"role": "user", "content": PROMPT}], params(7, 20))
    assert again.tokens(60) == alone(folder, PROMPT, 7, 20)
    for seed, reply in enumerate(replies):
        assert reply.tokens(60) == alone(folder, f"I am {NAMES[seed]}", seed, 150)
    assert mixes


@pytest.mark.parametrize("who", ["all", "the one that reads"])
def test_who_must_be_reproducible_has_passes_of_their_own(
    engine: Engine, model_folder: Callable[[str], Path], mixes: list[tuple[int, int]], who: str
) -> None:
    model = engine.load(model_folder("plain"))
    replies = streaming(engine, model, reproducible=who == "all")
    engine.open_session(model, reproducible=True).send(PROMPT, params(7, 20)).tokens(60)
    for reply in replies:
        reply.cancel()
    assert not mixes

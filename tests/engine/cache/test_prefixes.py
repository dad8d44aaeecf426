"""Prompts with a common beginning share its cache without changing replies."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import Engine
from engine.cache.prefix_index import PrefixIndex
from engine.model import sampling
from tests.engine.cache.prompts import params, read
from tests.engine.families import FAMILIES
from tests.engine.faults import raise_next

pytestmark = pytest.mark.stepped

EVERY_FAMILY = pytest.mark.parametrize("family", FAMILIES)
SYSTEM = "You are one of many voices, and every one of them was told the same at length. " * 4
PROMPT = "Listen to this story, all of you, and say how it goes on. " * 5


@cache
def alone(folder: Path, prompt: str, seed: int, **options: Any) -> list[int]:
    with Engine() as engine:
        chat = engine.open_session(engine.load(folder), **options)
        return chat.send(prompt, params(seed)).tokens(60)


@EVERY_FAMILY
@pytest.mark.turns(6)
def test_one_prompt_to_many_chats_is_read_once(
    engine: Engine,
    model_folder: Callable[[str], Path],
    family: str,
) -> None:
    folder = model_folder(family)
    model = engine.load(folder)
    replies = [engine.open_session(model).send(PROMPT, params(seed)) for seed in range(6)]
    costs = sorted(read(reply) for reply in replies)
    assert costs[-1] == replies[0].stats.prompt_tokens > 250
    assert costs[:-1] == [1] * 5  # only the last token, for its logits
    for seed in (0, 3, 5):
        assert replies[seed].tokens() == alone(folder, PROMPT, seed)
    assert len({tuple(reply.tokens()) for reply in replies}) > 3


@EVERY_FAMILY
@pytest.mark.turns(6)
def test_system_prompt_is_reused_after_its_chat_closes(
    engine: Engine, model_folder: Callable[[str], Path], family: str
) -> None:
    folder = model_folder(family)
    model = engine.load(folder)
    first = engine.open_session(model, system=SYSTEM)
    whole = read(first.send("hello", params(1)))
    first.close()
    assert engine.stats()["prefix_bytes"] > 0
    for seed, words in ((2, "what now?"), (3, "hello again")):
        chat = engine.open_session(model, system=SYSTEM)
        reply = chat.send(words, params(seed))
        assert read(reply) < 80 < 300 < whole
        assert reply.tokens() == alone(folder, words, seed, system=SYSTEM)
    engine.unload(model)
    assert engine.stats()["prefix_bytes"] == 0


def test_prefix_that_cannot_be_kept_costs_no_reply(
    engine: Engine, model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = raise_next(monkeypatch, PrefixIndex, "cache_prefix", MemoryError("no room for a copy"))
    chat = engine.open_session(engine.load(model_folder("plain")), system=SYSTEM)
    assert chat.send("hello", params(1)).tokens(60)
    assert not left


@EVERY_FAMILY
@pytest.mark.turns(6)
def test_shared_prefix_is_independent_of_its_donor(
    engine: Engine, model_folder: Callable[[str], Path], family: str
) -> None:
    folder = model_folder(family)
    model = engine.load(folder)
    giver, receiver = (engine.open_session(model) for _ in range(2))
    giving = giver.send(PROMPT, params(1, 240))  # still running when the second request starts
    next(iter(giving))
    receiving = receiver.send(PROMPT, params(2, 60))
    assert read(receiving) < 30  # at most the reply's opening
    giving.cancel()
    assert giving.tokens(60)[:12] == alone(folder, PROMPT, 1)[:12]
    assert receiving.tokens(60)[:12] == alone(folder, PROMPT, 2)[:12]
    again = [chat.send("and then?", params(9)) for chat in (giver, receiver)]
    assert all(read(reply) < 60 for reply in again)


@EVERY_FAMILY
@pytest.mark.turns(6)
def test_reproducible_chats_take_only_what_is_the_same_bits(
    engine: Engine,
    model_folder: Callable[[str], Path],
    family: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[list[Any]] = []
    draw = sampling.draw

    def spy(samplers: list[Any], logits: Any, indices: list[int]) -> Any:
        if samplers[0].params.seed == 41:
            seen[-1].append(np.array(logits))
        return draw(samplers, logits, indices)

    monkeypatch.setattr(sampling, "draw", spy)
    folder = model_folder(family)

    def ask(engine: Engine) -> int:
        seen.append([])
        chat = engine.open_session(engine.load(folder), reproducible=True)
        return read(chat.send(PROMPT, params(41, 8)))

    assert ask(engine) > 250
    # An ordinary chat caches the same words in other chunks, which must not be reused.
    engine.open_session(engine.load(folder)).send(PROMPT, params(1)).tokens(60)
    assert ask(engine) < 30  # at most the reply's opening
    with Engine() as fresh:
        assert ask(fresh) > 250
    assert len(seen[0]) == len(seen[1]) == len(seen[2]) > 1
    for logits in zip(*seen, strict=True):
        assert all(np.array_equal(logits[0], other) for other in logits[1:])


def test_reproducible_chat_adopts_nothing_from_others(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    model = engine.load(model_folder("plain"))
    engine.open_session(model).send(PROMPT, params(1)).tokens(60)
    reply = engine.open_session(model, reproducible=True).send(PROMPT, params(1))
    assert read(reply) == reply.stats.prompt_tokens


def test_forks_with_the_same_question_prefill_it_once(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model)
    chat.send(PROMPT, params(1)).tokens(60)
    twins = [chat.fork() for _ in range(4)]
    replies = [twin.send("and then?", params(seed)) for seed, twin in enumerate(twins)]
    costs = sorted(read(reply) for reply in replies)
    assert costs[:-1] == [1, 1, 1]
    assert 1 < costs[-1] < 60


def test_kept_prefixes_are_evicted_before_chats(
    model_folder: Callable[[str], Path],
) -> None:
    room = 1_080_000  # bytes; more would allow longer prompts, whose caches grow in larger steps
    with Engine() as probe:
        weights = probe.load(model_folder("plain")).nbytes
    with Engine(memory_budget=weights + room) as engine:
        model = engine.load(model_folder("plain"))
        idle = engine.open_session(model)
        idle.send("hello", params(1)).tokens(60)
        first = engine.open_session(model, system="Be brief. " * 10)
        first.send("hello", params(1)).tokens(60)
        first.close()
        assert engine.stats()["prefix_bytes"] > 0
        # Room for this chat and the idle chat, but not for the prefix entry as well.
        needed = engine.stats()["sessions"][idle.id]["kv_bytes"]
        tokens = (room - needed) // 512 - 256
        engine.open_session(model).send("x" * (tokens - 60), params(1, 8)).tokens(60)
        stats = engine.stats()
        assert stats["prefix_bytes"] == 0
        assert stats["sessions"][idle.id]["kv_bytes"] == needed

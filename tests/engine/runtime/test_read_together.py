"""Prompts prefilled together give the same replies as alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, EngineError, Reply, SamplingParams, Session, TextDelta
from engine.cache import shared_prefix
from engine.model import runner
from engine.model.runner import PrefillChunk
from engine.runtime.pacing import PrefillPacer

pytestmark = [pytest.mark.stepped, pytest.mark.usefixtures("all_cores")]

PROMPTS = ("do", "Name a fish, and say why.", "sol la si ut", "A word for the sea?")
STORY = "Listen to this story, all of you, and say how it goes on. "


def params(seed: int, tokens: int = 12) -> SamplingParams:
    calm = {3: -1e9, 4: -1e9, 2: -1e9}  # keep the random model from ending or thinking
    return SamplingParams(max_tokens=tokens, temperature=0.9, seed=seed, logit_bias=calm)


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    seen: list[list[int]] = []
    together, decode = runner.prefill_together, runner.decode

    def watched(model: Any, readings: Sequence[PrefillChunk]) -> None:
        seen.append([len(r.tokens) for r in readings])
        together(model, readings)

    def stepping(model: Any, rows: Any, shared: bool, readings: Sequence[PrefillChunk] = ()) -> Any:
        if len(readings) > 1:
            seen.append([len(r.tokens) for r in readings])
        return decode(model, rows, shared, readings)

    monkeypatch.setattr(runner, "prefill_together", watched)
    monkeypatch.setattr(runner, "decode", stepping)
    return seen


@cache
def alone(folder: Path, turns: tuple[str, ...], seed: int, tokens: int = 12) -> list[int]:
    said: list[int] = []
    with Engine() as engine:
        chat = engine.open_session(engine.load(folder))
        for text in turns:
            said = chat.send(text, params(seed, tokens)).tokens(60)
    return said


def asked(chats: Sequence[Session], prompts: Sequence[str] = PROMPTS) -> list[Reply]:
    return [c.send(p, params(n)) for n, (c, p) in enumerate(zip(chats, prompts, strict=True))]


@pytest.mark.parametrize("family", ["plain", "MoE"])
def test_prompts_read_together_reply_as_alone(
    engine: Engine,
    model_folder: Callable[[str], Path],
    passes: list[list[int]],
    family: str,
) -> None:
    folder = model_folder(family)
    model = engine.load(folder)
    chats = [engine.open_session(model) for _ in PROMPTS]
    for turn in (1, 2):  # the second prompt includes the first turn
        replies = asked(chats)
        for seed, (reply, text) in enumerate(zip(replies, PROMPTS, strict=True)):
            assert reply.tokens(60) == alone(folder, (text,) * turn, seed)
        read = [r.stats.prompt_tokens - r.stats.reused_tokens for r in replies]
        assert [sorted(counts) for counts in passes[turn - 1 :]] == [sorted(read)]
        assert all(r.stats.reused_tokens for r in replies) == (turn == 2)


def test_forks_continue_from_their_shared_prefix(
    engine: Engine,
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    passes: list[list[int]],
) -> None:
    monkeypatch.setattr(shared_prefix, "MIN_TOKENS", 48)
    folder = model_folder("plain")
    first = engine.open_session(engine.load(folder))
    first.send(STORY, params(9)).tokens(60)
    chats = [first, *(first.fork() for _ in PROMPTS[1:])]
    for seed, (reply, text) in enumerate(zip(asked(chats), PROMPTS, strict=True)):
        said = reply.tokens(60)
        assert reply.stats.reused_tokens > 48
        with Engine() as other:
            chat = other.open_session(other.load(folder))
            chat.send(STORY, params(9)).tokens(60)
            assert chat.send(text, params(seed)).tokens(60) == said
    assert [len(counts) for counts in passes] == [len(chats)]


def test_common_beginning_is_prefilled_once(
    engine: Engine,
    model_folder: Callable[[str], Path],
    passes: list[list[int]],
) -> None:
    folder = model_folder("plain")
    model = engine.load(folder)
    prompts = [STORY + text for text in PROMPTS]
    replies = asked([engine.open_session(model) for _ in prompts], prompts)
    for seed, (reply, text) in enumerate(zip(replies, prompts, strict=True)):
        assert reply.tokens(60) == alone(folder, (text,), seed)
    reused = sorted(r.stats.reused_tokens for r in replies)
    assert reused[0] == 0
    assert all(count >= len(STORY) for count in reused[1:])
    assert [len(counts) for counts in passes] == [len(prompts) - 1]


def test_new_prompts_are_read_in_running_steps(
    engine: Engine,
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    passes: list[list[int]],
) -> None:
    # Otherwise, a pass on a busy machine would only have room for a few tokens.
    monkeypatch.setattr(PrefillPacer, "mixed_chunk", lambda *_: 256)
    folder = model_folder("plain")
    model = engine.load(folder)
    first = engine.open_session(model).send(STORY, params(7, 6000))
    texts = (event for event in first if isinstance(event, TextDelta))
    next(texts), next(texts)
    chats = [engine.open_session(model) for _ in PROMPTS]
    replies = asked(chats)
    for seed, (reply, text) in enumerate(zip(replies, PROMPTS, strict=True)):
        assert reply.tokens(60) == alone(folder, (text,), seed)
    first.cancel()
    said = first.tokens(60)
    assert said[:40] == alone(folder, (STORY,), 7, 40)[: len(said)]
    assert passes


@pytest.mark.parametrize("guilty", [False, True])
def test_fault_affects_only_guilty_prompts(
    engine: Engine,
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    guilty: bool,
) -> None:
    """Either one prompt makes the pass fail, or none does."""
    folder = model_folder("plain")
    model = engine.load(folder)
    expected = [alone(folder, (text,), seed) for seed, text in enumerate(PROMPTS)]
    forward, prefill = runner.forward_mixed, runner.prefill
    tried: list[int] = []
    at_fault = max(PROMPTS, key=len) if guilty else ""

    def failing(
        model: Any, feeds: Any, caches: Any, readings: Sequence[PrefillChunk], fed: Any
    ) -> Any:
        tried.extend(len(r.tokens) for r in readings)
        forward(model, feeds, caches, readings, fed)
        raise RuntimeError("one of these prompts")

    def failing_alone(model: Any, kv: Any, tokens: list[int], images: Any) -> None:
        prefill(model, kv, tokens, images)
        if at_fault and kv.length == max(tried) - 1:
            raise RuntimeError("this prompt")

    monkeypatch.setattr(runner, "forward_mixed", failing)
    monkeypatch.setattr(runner, "prefill", failing_alone)
    replies = asked([engine.open_session(model) for _ in PROMPTS])
    for reply, text, said in zip(replies, PROMPTS, expected, strict=True):
        if text == at_fault:
            with pytest.raises(EngineError, match="this prompt"):
                reply.tokens(60)
        else:
            assert reply.tokens(60) == said
            assert reply.stats.rebuilt
    assert len(tried) == len(PROMPTS)  # no retries


def test_prompt_canceled_earlier_is_not_read(
    engine: Engine,
    model_folder: Callable[[str], Path],
    passes: list[list[int]],
) -> None:
    folder = model_folder("plain")
    model = engine.load(folder)
    replies = asked([engine.open_session(model) for _ in PROMPTS[1:]], PROMPTS[1:])
    replies[0].cancel()
    replies[0].tokens(60)
    replies[0] = engine.open_session(model).send(PROMPTS[0], params(0))
    for seed, (reply, text) in enumerate(zip(replies, [PROMPTS[0], *PROMPTS[2:]], strict=True)):
        assert reply.tokens(60) == alone(folder, (text,), seed)
    assert [len(counts) for counts in passes] == [len(PROMPTS) - 1]


def test_reproducible_chat_reuses_no_mixed_prefill(
    engine: Engine,
    model_folder: Callable[[str], Path],
    passes: list[list[int]],
) -> None:
    """Products with a different number of rows may round differently."""
    model = engine.load(model_folder("plain"))
    text = "ut re mi fa sol la ti"
    for reply in asked([engine.open_session(model) for _ in "ab"], [text, PROMPTS[0]]):
        reply.tokens(60)
    assert len(passes) == 1
    chat = engine.open_session(model, reproducible=True)
    reply = chat.send(text, params(0))
    reply.tokens(60)
    assert 32 < reply.stats.prompt_tokens < 64  # a single chunk when read alone
    assert reply.stats.reused_tokens == 0

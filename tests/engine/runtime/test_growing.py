"""Replies without a limit grow while memory lasts, and report why they ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from engine import Engine, FinishReason, SamplingParams
from engine.cache.ledger import CacheKey
from engine.messages import Finished, ReplyStats
from engine.runtime import request as reply_state
from engine.runtime.executor import Executor, PlanResult
from engine.runtime.memory import Memory
from engine.runtime.plan import StepPlan
from engine.serve.routes.base import Choice
from engine.serve.routes.chat import reason as openai_reason

NEVER_ENDS = {2: -1e9, 3: -1e9, 4: -1e9}


@pytest.mark.parametrize(("most", "reason"), [(None, FinishReason.MEMORY), (100, "length")])
def test_out_of_memory_end_is_not_length(
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    most: int | None,
    reason: str,
) -> None:
    """Regression test: the finish reason was the same as for a reply that reached its length
    limit.
    """
    monkeypatch.setattr(reply_state, "EXTENSION_TOKENS", 64)
    with Engine() as probe:
        weights = probe.load(model_folder("plain")).nbytes
    with Engine(memory_budget=weights + 200_000) as engine:
        model = engine.load(model_folder("plain"))
        params = SamplingParams(max_tokens=most, logit_bias=NEVER_ENDS, seed=1)
        chat = engine.open_session(model)
        reply = chat.send("hello", params)
        tokens = reply.tokens(60)
        last = list(reply)[-1]
        assert last.reason == reason
        assert 64 < len(tokens) < model.context_length - 100
        # The partial reply is kept, and the chat continues once memory is available.
        assert last.message["content"]
        assert engine.stats()["sessions"][chat.id]["kv_tokens"] > len(tokens)


def test_programs_are_told_length_for_it() -> None:
    """OpenAI's API has no other finish reason for a truncated reply."""
    reasons = FinishReason.STOP, FinishReason.LENGTH, FinishReason.MEMORY
    ended = [Choice(0, last=Finished("", "", reason, ReplyStats())) for reason in reasons]
    assert [openai_reason(choice) for choice in ended] == ["stop", "length", "length"]


def test_every_eviction_is_in_a_plan(
    model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reply_state, "EXTENSION_TOKENS", 64)
    planned, evicted = list[CacheKey](), list[CacheKey]()
    run, evict = Executor.run, Memory.evict

    def running(executor: Executor, plan: StepPlan) -> PlanResult:
        planned.extend(plan.evict)
        return run(executor, plan)

    def evicting(held: Memory, keys: Iterable[CacheKey], skip_saving: bool = False) -> None:
        evicted.extend(keys := list(keys))
        evict(held, keys, skip_saving)

    monkeypatch.setattr(Executor, "run", running)
    monkeypatch.setattr(Memory, "evict", evicting)
    with Engine() as probe:
        weights = probe.load(model_folder("plain")).nbytes
    with Engine(memory_budget=weights + 200_000) as engine:
        model = engine.load(model_folder("plain"))
        few = SamplingParams(max_tokens=2, logit_bias=NEVER_ENDS, seed=1)
        idle = [engine.open_session(model, f"chat {n}") for n in range(4)]
        for chat in idle:
            chat.send("x" * 60, few).tokens(60)
        endless = SamplingParams(max_tokens=None, logit_bias=NEVER_ENDS, seed=1)
        engine.open_session(model).send("hello", endless).tokens(60)
    assert evicted
    assert evicted == planned

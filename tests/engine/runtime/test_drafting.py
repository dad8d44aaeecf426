"""Drafting with a small model doesn't change replies."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine import Engine, EngineError, Model, Reply, SamplingParams, TextDelta
from engine.model import drafting as model_drafting
from engine.model import sampling
from engine.model.info import LOOKUP
from engine.model.prompt_lookup import MIN_MATCH, MatchSearch
from engine.runtime import draft_policy
from engine.runtime.draft_policy import (
    FIRST_DRAFT,
    FIRST_REST,
    MAX_DRAFT,
    MAX_LOOKUP,
    MIN_PASSES,
    PLAIN_STEPS,
    TRIAL_PASSES,
    DraftStatistics,
)
from engine.runtime.plan import Row, Status, StepPlan, Timing, View
from engine.runtime.request import Request
from engine.runtime.scheduler import Scheduler
from tests.torture.small_copies import perturb

PROMPT = "do re mi fa " * 6


@dataclass
class Pair:
    large: Path
    small: Path


@pytest.fixture(scope="module")
def pair(model_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Pair:
    large = model_folder("plain")
    return Pair(large, perturb(large, tmp_path_factory.mktemp("small") / "small", 0.15))


@pytest.fixture(scope="module")
def running(pair: Pair) -> Iterator[Engine]:
    with Engine() as engine:
        engine.load(pair.large)
        engine.load(pair.small)
        yield engine


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_policy, "MAX_RELATIVE_TIME", math.inf)
    monkeypatch.setattr(draft_policy, "MIN_EXPECTED", 0.0)


def plain_model(engine: Engine, pair: Pair) -> Model:
    return engine.load(pair.large, draft="")


def drafts(engine: Engine, model: Model) -> dict[str, Any]:
    figures: dict[str, Any] = engine.stats()["drafts"][model.id]
    return figures


# ---------------------------------------------------------------- the same text

SCHEMA = {"type": "object", "properties": {"a": {"enum": ["do", "re", "mi"]}}, "required": ["a"]}

ASKED: dict[str, dict[str, Any]] = {
    "greedy": {"temperature": 0.0},
    "top-p and min-p": {"temperature": 0.9, "top_p": 0.9, "min_p": 0.02},
    "penalties": {
        "temperature": 0.7,
        "repetition_penalty": 1.3,
        "frequency_penalty": 0.4,
        "penalty_window": 8,
    },
    "bias": {"temperature": 0.8, "top_k": 40, "logit_bias": {299: 5.0, 17: -100.0}},
    "few words": {"temperature": 1.0, "logit_bias": {70: 100.0, 71: 100.0, 72: 100.0}},
    "form": {"temperature": 0.7, "json_schema": json.dumps(SCHEMA)},
}


def test_drafts_do_not_change_seeded_text(running: Engine, pair: Pair) -> None:
    model = plain_model(running, pair)

    def answers() -> dict[str, list[int]]:
        said = {}
        for number, (name, more) in enumerate(ASKED.items()):
            chat = running.open_session(model)
            params = SamplingParams(max_tokens=20, seed=number, **more)
            first = chat.send(PROMPT, params).tokens(60)
            again = chat.send("and more", SamplingParams(max_tokens=8, seed=3))
            said[name] = [*first, -1, *again.tokens(60)]
            chat.close()
        return said

    plain = answers()
    assert running.load(pair.large, draft=pair.small).id == model.id
    assert answers() == plain
    figures = drafts(running, model)
    assert 0 < figures["accepted_tokens"] < figures["drafted_tokens"]  # some were rejected


def test_drafts_do_not_change_logprobs(running: Engine, pair: Pair) -> None:
    params = SamplingParams(max_tokens=30, temperature=0.8, seed=5, logprobs=2)

    def odds(model: Model) -> list[tuple[int, float]]:
        chat = running.open_session(model)
        reply = chat.send(PROMPT, params)
        told = [odd for event in reply for odd in getattr(event, "odds", ())]
        chat.close()
        return [(odd.id, odd.logprob) for odd in told]

    plain = odds(plain_model(running, pair))
    with_drafts = odds(running.load(pair.large, draft=pair.small))
    assert [i for i, _ in with_drafts] == [i for i, _ in plain]
    assert [p for _, p in with_drafts] == pytest.approx([p for _, p in plain], abs=1e-3)


def test_failing_reply_keeps_the_draft_of_another(
    running: Engine, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = running.load(pair.large, draft=pair.small)
    chats = [running.open_session(model) for _ in range(2)]
    chats[0].send(PROMPT, SamplingParams(max_tokens=20, temperature=0.0)).tokens(60)
    held = drafts(running, model)["kv_bytes"]
    assert held

    def fails(request: Request, token: int) -> None:
        raise RuntimeError("injected")

    with monkeypatch.context() as patch:
        patch.setattr(Request, "accept", fails)
        with pytest.raises(EngineError, match="injected"):
            chats[1].send("hello", SamplingParams(max_tokens=8)).tokens(60)
    assert drafts(running, model)["kv_bytes"] == held
    for chat in chats:
        chat.close()


def test_stop_string_within_a_draft_leaves_nothing(running: Engine, pair: Pair) -> None:
    model = plain_model(running, pair)
    warm = SamplingParams(max_tokens=40, temperature=0.9, seed=2)
    probe = running.open_session(model)
    text = probe.send(PROMPT, warm).text(60)
    probe.close()
    stop = text[len(text) // 2 :][:2]
    params = SamplingParams(max_tokens=40, temperature=0.9, seed=2, stop=[stop])

    def turns() -> list[object]:
        chat = running.open_session(model)
        first = chat.send(PROMPT, params)
        said = [first.text(60), first.tokens(60)]
        held = running.stats()["sessions"][chat.id]["kv_tokens"]
        second = chat.send("go on", warm)
        out = [*said, held, second.tokens(60), second.stats.reused_tokens]
        chat.close()
        return out

    plain = turns()
    running.load(pair.large, draft=pair.small)
    found = turns()
    # MLX feeds a token beyond the stop if it isn't known yet, but never with drafts.
    assert found[:2] + found[3:] == plain[:2] + plain[3:]
    assert sampling._cpu_kernels() is None or found == plain
    assert drafts(running, model)["drafted_tokens"] > 0


def test_cancel_and_fork_keep_caches_of_written_text(running: Engine, pair: Pair) -> None:
    model = running.load(pair.large, draft=pair.small)
    params = SamplingParams(max_tokens=200, temperature=0.9, seed=8)
    chat = running.open_session(model)
    reply = chat.send(PROMPT, params)
    come, twin = 0, None
    for event in reply:
        come += bool(getattr(event, "text", ""))
        if come == 20 and twin is None:
            twin = chat.fork()
        if come == 40:
            break
    reply.cancel()
    tokens = reply.tokens(60)
    assert twin is not None
    follow_up = SamplingParams(max_tokens=20, temperature=0.9, seed=1)
    after = chat.send("what then?", follow_up)
    said = [after.tokens(60), twin.send("what then?", follow_up).tokens(60)]
    figures = drafts(running, model)
    assert figures["drafted_tokens"] > 0

    # The same without drafting and with caches computed from scratch.
    model = plain_model(running, pair)
    other = running.open_session(model)
    stopped = other.send(PROMPT, SamplingParams(max_tokens=len(tokens), temperature=0.9, seed=8))
    assert stopped.tokens(60) == tokens
    fresh = running.open_session(model)
    assert said == [
        other.send("what then?", follow_up).tokens(60),
        fresh.send("what then?", follow_up).tokens(60),
    ]


# ---------------------------------------------------------------- untrimmable caches


# Windows alone, windows mixed with full caches, and states, each with one kind of drafting. The
# rest is covered by `python -m tests.torture drafts`.
@pytest.mark.parametrize(
    ("family", "lookup", "is_lazy"),
    [
        ("sliding window", True, False),
        ("attention sinks", False, True),
        ("hybrid recurrent", False, False),
    ],
)
@pytest.mark.turns(3)
def test_windows_and_states_roll_back_rejected_drafts(
    engine: Engine,
    model_folder: Callable[[str], Path],
    tmp_path: Path,
    family: str,
    lookup: bool,
    is_lazy: bool,
    lazy_tokens: Callable[[], None],
) -> None:
    """Prompts exceed the windows, and another chat starts while a draft may be undone."""
    if is_lazy:
        lazy_tokens()
    large = model_folder(family)
    draft = LOOKUP if lookup else perturb(large, tmp_path / "small", 0.05)

    def answers(model: Model) -> list[list[int]]:
        said = []
        for number, name in enumerate(("penalties", "few words", "form")):
            chat, other = engine.open_session(model), engine.open_session(model)
            params = SamplingParams(max_tokens=60, seed=number, **ASKED[name])
            beside, come = None, 0
            reply = chat.send(PROMPT, params)
            for event in reply:
                come += isinstance(event, TextDelta)
                if come == 40 and beside is None:
                    beside = other.send("la la", SamplingParams(max_tokens=6, seed=1))
            again = chat.send("and more", SamplingParams(max_tokens=8, seed=3))
            said += [reply.tokens(60), again.tokens(60), beside.tokens(60) if beside else []]
            chat.close()
            other.close()
        return said

    plain = answers(engine.load(large, draft=""))
    model = engine.load(large, draft=draft)
    assert answers(model) == plain
    figures = drafts(engine, model)
    assert 0 < figures["accepted_tokens"] < figures["drafted_tokens"]


# ---------------------------------------------------------------- lookup


def looked_up(tokens: list[int], count: int = 4) -> list[int]:
    return MatchSearch(tokens).draft(count)


def test_continuation_of_longest_match_is_drafted() -> None:
    context = [1, 2, 3, 4, 5, 6, 7, 9, 2, 3, 4, 8, 8]
    assert looked_up([*context, 2, 3, 4]) == [8, 8, 2, 3]  # the later of two equal matches
    assert looked_up([*context, 1, 2, 3, 4], 2) == [5, 6]  # the longer match
    assert looked_up([*context, 2, 3, 4, 8, 8], 9) == [2, 3, 4, 8, 8]  # to the end
    assert looked_up([*context, 2, 3, 4, 5]) == [6, 7, 9, 2]  # another earlier occurrence
    assert looked_up([*context, 3, 4]) == []  # too short
    assert looked_up([1, 2, 3]) == []
    assert looked_up([1]) == []


def test_match_is_followed_while_the_answer_grows() -> None:
    context = list(range(100, 140))
    tokens = [*context, 7]
    places = MatchSearch(tokens)
    for at, token in enumerate(context[:30], 1):
        tokens.append(token)
        assert places.find() == (at if at >= MIN_MATCH else 0)
    tokens += [5, *context[:3]]
    assert places.find() == MIN_MATCH


def test_each_token_shows_if_the_match_continues() -> None:
    context = list(range(100, 160))
    tokens = [*context, 7, *context[:20]]
    places = MatchSearch(tokens)
    assert places.find()
    fresh = places.acceptance_chances(99)
    assert len(fresh) == 60 + 1 + 20 - 20  # to the end of the known tokens
    assert fresh == sorted(fresh, reverse=True)
    assert places.acceptance_chances(3) == fresh[:3]
    for token in context[20:40]:  # the prediction holds
        tokens.append(token)
        places.find()
    assert places.acceptance_chances(8) > fresh[:8]
    for at in range(0, 50, 10):  # the prediction fails repeatedly
        tokens += [8, *context[at : at + 7]]
        assert places.find()
    assert places.acceptance_chances(1) < fresh[:1]


def looking(
    policy: DraftStatistics, cost: float, chance: float = 0.9, turns: int = 160
) -> list[int]:
    """Return the number of tokens looked up per pass, for a chat whose rows cost `cost` steps.

    The text repeats earlier text throughout, and each drafted token is right with `chance`.
    """
    found, told, before = [], 0, 0
    while told < turns:
        chances = [chance**n for n in range(1, MAX_LOOKUP + 1)]
        count = policy.lookup_length("m", chances)
        assert policy.lookup_length("m", chances) == count  # no token came in between
        held = round(sum(chance**n for n in range(1, count + 1)))
        if count and not before:
            policy.record_wait()  # the plain step before the draft
        took = 1.0 + cost * count
        policy.observe("m", took if count else float(not before), 1 + held, count, held, True)
        told, before = told + 1 + held, count
        found += [count] if count else []
    return found


def test_lookup_draft_length_follows_row_cost() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draft_policy, "MAX_RELATIVE_TIME", 0.97)
        patch.setattr(draft_policy, "MIN_EXPECTED", 1.5)
        for cost, most in ((0.02, MAX_LOOKUP), (0.4, 8), (1.0, 0)):
            policy = DraftStatistics()
            counts = looking(policy, cost)
            assert counts[0] == FIRST_DRAFT  # a small trial
            if most:
                assert min(most, *counts[1:]) > 1
                assert max(counts) <= most
                assert len(counts) > 10
            else:  # retried after 64 and 128 tokens: at most three of 160 steps
                assert counts == [FIRST_DRAFT] * len(counts)
                assert len(counts) <= 3
            policy.forget("m")  # loading a draft model keeps the measured row costs
            again = looking(policy, cost)
            assert again[0] > FIRST_DRAFT if most else len(again) < len(counts)
        assert looking(DraftStatistics(), 0.02, chance=0.5) == []  # drafts rarely hold


def test_occasional_drafts_are_judged_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The step after each draft isn't awaited, so its time isn't counted."""
    monkeypatch.setattr(draft_policy, "MAX_RELATIVE_TIME", 0.97)
    for cost, holds, rests in ((1.5, 0, True), (1.5, 2, False)):
        policy = DraftStatistics()
        for _ in range(PLAIN_STEPS + 1):
            policy.observe("m", 1.0, 1)
        for _ in range(TRIAL_PASSES):
            policy.record_wait()
            policy.observe("m", cost, 1 + holds, FIRST_DRAFT, holds)
            policy.observe("m", 0.0, 1)
            policy.observe("m", 1.0, 1)
        assert (policy.draft_length("m") == 0) is rests


# ---------------------------------------------------------------- when it is off


def test_no_drafts_for_reproducible_or_shared_passes(running: Engine, pair: Pair) -> None:
    model = running.load(pair.large, draft=pair.small)
    chat = running.open_session(model, reproducible=True)
    chat.send(PROMPT, SamplingParams(max_tokens=30)).tokens(60)
    chat.close()
    assert drafts(running, model)["drafted_tokens"] == 0


def row(name: str, status: Status = Status.DECODING, **more: Any) -> Row:
    return Row(name, "m", status, **{"drafts": 100, "begun": True, **more})


def turn(scheduler: Scheduler, rows: list[Row], behind: int = 1) -> StepPlan:
    seen = [replace(row, behind=behind) for row in rows]
    view = View(0.0, seen, mixing=frozenset({"m"}))
    plan = scheduler.plan(view)
    drafted = plan.passes[0].draft if plan.passes else 0
    told = drafted + len(plan.passes[0].feed) if drafted else 0
    scheduler.observe(
        view, plan, Timing(0.0, 1.0, generated=told, drafted=drafted, accepted=drafted)
    )
    return plan


def ready() -> Scheduler:
    scheduler = Scheduler()
    for _ in range(PLAIN_STEPS + 1):
        assert turn(scheduler, [row("a")]).passes[0].draft == 0
    return scheduler


def test_only_lone_chats_use_a_draft_model() -> None:
    scheduler = ready()
    assert turn(scheduler, [row("a")]).passes[0].draft == FIRST_DRAFT
    for status in (Status.QUEUED, Status.RESTORING, Status.DECODING):
        for step in turn(scheduler, [row("a"), row("b", status)]).passes:
            assert not step.draft
            assert not step.behind
    reads = row("b", Status.PREFILLING, remaining=9)
    assert turn(scheduler, [row("a"), reads]).passes[0].draft == 0
    beside = [row("b", is_suspended=True), row("c", Status.PREPARING)]
    assert turn(scheduler, [row("a"), *beside]).passes[0].draft == FIRST_DRAFT + 1
    assert turn(scheduler, [row("a", drafts=2)]).passes[0].draft == 2
    assert turn(scheduler, [row("a", drafts=0)]).passes[0].draft == 0


def test_late_draft_model_catches_up_in_parts() -> None:
    scheduler = ready()
    step = turn(scheduler, [row("a")], behind=1000).passes[0]
    assert (step.draft, step.behind) == (0, draft_policy.CATCH_UP_CHUNK)
    step = turn(scheduler, [row("a")], behind=draft_policy.MAX_CATCH_UP + 2).passes[0]
    assert (step.draft, step.behind) == (0, draft_policy.MAX_CATCH_UP + 1)
    step = turn(scheduler, [row("a")], behind=-1).passes[0]  # out of memory
    assert (step.draft, step.behind) == (0, 0)


def test_losing_drafts_are_retried_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_policy, "MAX_RELATIVE_TIME", 0.97)
    policy = DraftStatistics()

    def steps_until_a_draft() -> int:
        steps = 0
        while not policy.draft_length("m"):
            policy.observe("m", 1.0, 1)
            steps += 1
        return steps

    assert steps_until_a_draft() == PLAIN_STEPS + 1  # the first step isn't timed
    waited = []
    for takes, passes in ((1.1, TRIAL_PASSES), (5.0, MIN_PASSES), (1.1, TRIAL_PASSES)):
        for _ in range(passes):
            assert policy.draft_length("m")
            policy.observe("m", takes, 1, FIRST_DRAFT, 0)
        waited.append(steps_until_a_draft())
    assert waited == [FIRST_REST, 2 * FIRST_REST, 4 * FIRST_REST]


def test_winning_drafts_grow_and_plain_steps_are_retimed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(draft_policy, "MAX_RELATIVE_TIME", 0.97)
    policy = DraftStatistics()
    for _ in range(PLAIN_STEPS + 1):
        policy.observe("m", 1.0, 1)
    counts, tokens = [], 0
    while count := policy.draft_length("m"):
        policy.observe("m", 2.0, count + 1, count, count)
        counts.append(count)
        tokens += count + 1
    assert counts[:6] == [3, 4, 5, 6, 7, 7]
    assert max(counts) == MAX_DRAFT
    assert draft_policy.RETIME_TOKENS <= tokens < draft_policy.RETIME_TOKENS + MAX_DRAFT + 1
    policy.observe("m", 2.0, 1)
    assert policy.draft_length("m") == 0  # not measured yet


# ---------------------------------------------------------------- loading


def test_unusable_draft_model_is_refused(
    engine: Engine, pair: Pair, model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    def refused(path: Path, draft: Path | str) -> str:
        with pytest.raises(EngineError) as caught:
            engine.load(path, draft=draft)
        assert caught.value.code == "unsupported_session"
        return caught.value.message

    assert "draft for itself" in refused(pair.large, pair.large)
    assert "cannot be trimmed" in refused(pair.large, model_folder("chunked mask"))
    assert "cannot be trimmed" in refused(model_folder("chunked mask"), LOOKUP)
    other = perturb(pair.large, tmp_path / "other", 0.1)
    words = json.loads((other / "tokenizer.json").read_text())
    vocab = words["model"]["vocab"]
    vocab["a"], vocab["b"] = vocab["b"], vocab["a"]
    (other / "tokenizer.json").write_text(json.dumps(words))
    assert "tokenizers differ" in refused(pair.large, other)
    assert engine.stats()["models"] == []  # unused models are gone


def test_both_models_are_counted_and_unloaded_together(engine: Engine, pair: Pair) -> None:
    alone = engine.load(pair.large)
    weights = engine.stats()["weights_bytes"]
    model = engine.load(pair.large, draft=pair.small)
    assert model.id == alone.id
    assert model.draft == str(pair.small.resolve())
    stats = engine.stats()
    assert stats["weights_bytes"] == 2 * weights
    assert [m.id for m in stats["models"]] == [model.id]  # the draft model isn't listed for chats
    small = engine.load(pair.small)  # now it is listed, too
    engine.unload(model)
    assert engine.stats()["weights_bytes"] == weights
    model = engine.load(pair.large, draft=pair.small)
    engine.unload(small)
    assert engine.stats()["drafts"][model.id]["model"] == small.id
    for draft in (LOOKUP, str(pair.small.resolve()), LOOKUP, ""):  # each replaces the one before
        assert engine.load(pair.large, draft=draft).draft == draft
    assert engine.stats()["drafts"] == {}
    assert engine.stats()["weights_bytes"] == weights


def test_drafting_needs_free_memory(running: Engine, pair: Pair) -> None:
    params = SamplingParams(max_tokens=60, seed=1)
    model = running.load(pair.large, draft=pair.small)
    chat = running.open_session(model)
    chat.send("ut " + PROMPT, params).tokens(60)  # no other chat has these tokens
    stats = running.stats()
    budget = stats["weights_bytes"] + int(1.5 * stats["sessions"][chat.id]["kv_bytes"])
    chat.close()
    with Engine(memory_budget=budget) as engine:
        model = engine.load(pair.large, draft=pair.small)
        assert (
            len(engine.open_session(model).send("ut " + PROMPT, params).tokens(60))
            > PLAIN_STEPS + 2
        )
        assert drafts(engine, model)["drafted_tokens"] == 0


def test_failing_draft_does_not_affect_the_answer(
    running: Engine, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    params = SamplingParams(max_tokens=60, temperature=0.9, seed=4)
    model = plain_model(running, pair)
    plain = running.open_session(model).send(PROMPT, params).tokens(60)
    running.load(pair.large, draft=pair.small)
    drafted, raised = model_drafting.Drafter.draft, threading.Event()

    def once(self: Any, *arguments: Any) -> Any:
        lazy = drafted(self, *arguments)
        if self.drafted > 10 and not raised.is_set():
            raised.set()
            raise RuntimeError("no more")
        return lazy

    monkeypatch.setattr(model_drafting.Drafter, "draft", once)
    reply: Reply = running.open_session(model).send(PROMPT, params)
    assert reply.tokens(60) == plain
    assert raised.is_set()

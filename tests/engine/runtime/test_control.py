"""Pausing, memory admission, priorities, one-off questions and engine thread failures."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import get_args, get_type_hints

import mlx.core as mx
import pytest

from engine import (
    Engine,
    EngineError,
    Model,
    PromptProgress,
    Reply,
    SamplingParams,
    Session,
    TextDelta,
)
from engine.cluster.link import CALLBACK_FIELDS
from engine.messages import Command, Stop
from engine.model import backend
from engine.model.runner import PendingLogits
from engine.runtime.executor import StepFailure, TokenOutcome, is_step
from engine.stepping import SteppedEngine
from tests.engine.faults import first_text

NO_END = {2: -1e9, 3: -1e9, 4: -1e9}
SHORT = SamplingParams(max_tokens=60, temperature=0.8, seed=5, logit_bias=NO_END)
ENDLESS = SamplingParams(max_tokens=100_000, temperature=0.8, seed=5, logit_bias=NO_END)
Folder = Callable[[str], Path]

pytestmark = pytest.mark.stepped


def count(reply: Reply) -> int:
    return len(reply._tokens)


def test_paused_reply_resumes_with_same_text(engine: Engine, model_folder: Folder) -> None:
    model = engine.load(model_folder("plain"))
    expected = engine.open_session(model).send("hello", SHORT).tokens(60)
    chat, other = engine.open_session(model), engine.open_session(model)
    reply = chat.send("hello", SHORT)
    first_text(reply)
    reply.pause()
    assert engine.stats()["sessions"][chat.id]["paused"]  # the engine has paused it
    held = count(reply)
    assert held < 60
    other.send("hello", SHORT).tokens(60)
    assert count(reply) == held
    assert not reply.done
    reply.resume()
    assert reply.tokens(60) == expected
    assert not engine.stats()["sessions"][chat.id]["paused"]


def test_an_engine_whose_replies_are_all_paused_sleeps(
    engine: Engine, model_folder: Folder
) -> None:
    model = engine.load(model_folder("plain"))
    reply = engine.open_session(model).send("hello", ENDLESS)
    first_text(reply)
    reply.pause()
    before = count(reply)
    for _ in range(20):  # each wakes the thread
        engine.stats()
    assert count(reply) == before
    reply.cancel()
    reply.text(60)


def test_paused_reply_can_be_stopped_and_chat_continues(
    engine: Engine, model_folder: Folder
) -> None:
    chat = engine.open_session(engine.load(model_folder("sliding window")))
    reply = chat.send("hello", ENDLESS)
    first_text(reply)
    reply.pause()
    reply.cancel()
    held = reply.tokens(60)
    follow = chat.send("again", SHORT)
    assert len(follow.tokens(60)) == 60
    assert follow.stats.reused_tokens >= len(held)


def test_prefill_can_be_paused(engine: SteppedEngine, model_folder: Folder) -> None:
    model = engine.load(model_folder("plain"))
    running = engine.open_session(model).send("hello", ENDLESS)  # so that chunks are small
    first_text(running)
    reply = engine.open_session(model).send("word " * 400, SHORT)
    next(event for event in reply if isinstance(event, PromptProgress) and event.done)
    reply.pause()
    status = engine.stats()["sessions"][reply.session_id]
    assert status["paused"]
    assert status["status"] == "prefilling"
    at = count(running)
    assert engine.run_until(lambda: count(running) >= at + 20)
    now = engine.stats()["sessions"][reply.session_id]
    assert now["kv_tokens"] == status["kv_tokens"]
    reply.resume()
    assert len(reply.tokens(60)) == 60
    running.pause()
    with pytest.raises(TimeoutError):  # would otherwise wait forever
        list(running)
    running.cancel()


def test_each_command_is_handled_and_relayed_to_ranks(engine: SteppedEngine) -> None:
    engine.stats()
    assert engine.loop is not None
    assert {*engine.loop._handlers, Stop} == set(get_args(Command))
    for command in get_args(Command):
        hints = get_type_hints(command).items()
        assert {name for name, hint in hints if "Callable" in str(hint)} <= set(CALLBACK_FIELDS)


def test_only_whole_steps_are_timed() -> None:
    lazy = mx.array([7])
    launched, awaited = TokenOutcome("a", None, lazy), TokenOutcome("a", 7, None)
    for outcomes, timed in (
        ([TokenOutcome("a", 7, lazy), launched], True),
        ([TokenOutcome("a", None, 7)], True),  # computed by the kernels
        ([TokenOutcome("a", None, PendingLogits(lazy))], True),  # for a constraint
        ([launched, awaited], False),
        ([TokenOutcome("a", 7, lazy), StepFailure(("b",), RuntimeError())], False),
    ):
        assert is_step(outcomes) == timed


@cache
def held(folder: Path) -> tuple[int, int]:
    with Engine() as probe:
        model = probe.load(folder)
        chat = probe.open_session(model)
        chat.send("hello", SHORT).tokens(60)
        return model.nbytes, probe.stats()["sessions"][chat.id]["kv_bytes"]


def small_engine(folder: Path, chats: float) -> SteppedEngine:
    weights, each = held(folder)
    return SteppedEngine(memory_budget=weights + int(each * chats))


def paused(engine: Engine, model: Model) -> Reply:
    reply = engine.open_session(model).send("hello", SHORT)
    first_text(reply)
    reply.pause()
    return reply


def queue(engine: SteppedEngine) -> list[str]:
    engine.run_until(lambda: False)
    waiting: list[str] = engine.stats()["queue"]
    return waiting


def test_unfitting_request_waits_and_gets_its_position(model_folder: Folder) -> None:
    folder = model_folder("plain")
    with small_engine(folder, 2.3) as engine:
        model = engine.load(folder)
        running = [paused(engine, model) for _ in range(2)]
        waiting = [engine.open_session(model).send("hello", SHORT) for _ in range(3)]
        assert queue(engine) == [r.session_id for r in waiting]
        for reply in running:
            reply.resume()
        answers = [r.tokens(60) for r in (*running, *waiting)]
        assert all(a == answers[0] for a in answers)
        places = [e for e in waiting[2] if isinstance(e, PromptProgress)]
        assert places[0].queued
        assert max(e.queue_position for e in places) >= 3
        assert [e.queue_position for e in places] == sorted(
            (e.queue_position for e in places), reverse=True
        )
        assert not places[-1].queued
        assert engine.stats()["queue"] == []


def test_waiting_request_can_be_stopped_and_closed(model_folder: Folder) -> None:
    folder = model_folder("plain")
    with small_engine(folder, 1.3) as engine:
        model = engine.load(folder)
        running = paused(engine, model)
        stopped, closed = engine.open_session(model), engine.open_session(model)
        one, two = stopped.send("hello", SHORT), closed.send("hello", SHORT)
        one.cancel()
        assert one.text(60) == ""
        closed.close()
        with pytest.raises(EngineError, match="session_closed"):
            two.text(60)
        running.resume()
        assert stopped.send("hello", SHORT).tokens(60) == running.tokens(60)


def test_the_chat_in_front_is_admitted_first(model_folder: Folder) -> None:
    folder = model_folder("plain")
    order: list[str] = []
    with small_engine(folder, 1.3) as engine:
        model = engine.load(folder)
        running = paused(engine, model)

        def note(name: str) -> Callable[[object], None]:
            return lambda event: (
                order.append(name) if isinstance(event, TextDelta) and name not in order else None
            )

        back, front = engine.open_session(model), engine.open_session(model)
        front.prioritise()
        sent = ((back, "back"), (front, "front"))
        replies = [chat.send("hello", SHORT, note(name)) for chat, name in sent]
        assert queue(engine) == [front.id, back.id]
        running.cancel()
        for reply in replies:
            reply.tokens(60)
    assert order == ["front", "back"]


def test_two_models_reply_as_if_alone(engine: Engine, model_folder: Folder) -> None:
    one, two = engine.load(model_folder("plain")), engine.load(model_folder("hybrid recurrent"))

    def ask(model: object) -> tuple[Session, Reply]:
        chat = engine.open_session(model)  # type: ignore[arg-type]
        return chat, chat.send("hello there", SHORT)

    expected = [ask(one)[1].tokens(60), ask(two)[1].tokens(60)]
    replies = [ask(one)[1], ask(two)[1], ask(one)[1], ask(two)[1]]
    assert [r.tokens(60) for r in replies] == expected * 2


def test_simultaneous_prompts_are_read_before_answers(engine: Engine, model_folder: Folder) -> None:
    model = engine.load(model_folder("plain"))
    log: list[tuple[str, str]] = []

    def listener(name: str) -> Callable[[object], None]:
        return lambda event: log.append((name, type(event).__name__))

    few = SamplingParams(max_tokens=5, seed=1, logit_bias={2: -1e9})
    replies = [
        engine.open_session(model).send(f"{name} " * 40, few, listener(name))
        for name in ("first", "second", "third", "fourth")
    ]
    for reply in replies:
        reply.tokens(60)
    kinds = [kind for _, kind in log]
    begun = kinds.index("TextDelta")
    read = {name for name, kind in log[:begun] if kind == "PromptProgress"}
    assert read == {"first", "second", "third", "fourth"}
    assert "PromptProgress" not in kinds[begun:]


def test_stats_include_process_memory(engine: Engine, model_folder: Folder) -> None:
    model = engine.load(model_folder("plain"))
    engine.open_session(model).send("hello", SamplingParams(max_tokens=4)).tokens(60)
    stats = engine.stats()
    held = stats["memory_in_use"] + stats["buffer_bytes"]
    assert held < stats["process_bytes"]
    if sys.platform == "linux":
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        assert stats["process_bytes"] <= 1.1 * most
    assert stats["children_bytes"] > 5_000_000  # each child is a Python process


def test_mlx_keeps_freed_buffers_within_a_limit(engine: Engine, model_folder: Folder) -> None:
    model = engine.load(model_folder("plain"))
    most = backend.CPU_BUFFER_BYTES
    if engine.stats()["backend"]["device"] != "cpu":
        most = backend.MIN_BUFFER_BYTES
    for text in ("hello", "hello there " * 400):
        engine.open_session(model).send(text, SamplingParams(max_tokens=40)).tokens(60)
        assert engine.stats()["buffer_bytes"] <= 2 * most  # plus the buffer freed last

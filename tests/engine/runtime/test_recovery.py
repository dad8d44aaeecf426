"""Faults in the engine loop itself end only the replies they affect."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine import Engine, EngineError, SamplingParams
from engine.cache.prefix_index import PrefixIndex
from engine.cache.session_kv import SessionKV
from engine.runtime import loop, snapshot
from engine.runtime import request as request_module
from engine.runtime.cache_restorer import CacheRestorer
from engine.runtime.commands import SessionCommands
from engine.runtime.delivery import Delivery
from engine.runtime.embedder import Embedder
from engine.runtime.executor import Executor
from engine.runtime.mailbox import Mailbox
from engine.runtime.model_loader import ModelLoader
from engine.runtime.plan import StepPlan, View
from engine.runtime.request import Request
from engine.runtime.scheduler import Scheduler
from engine.runtime.state import State
from engine.stepping import SteppedEngine
from tests.engine.faults import Panic, first_text, raise_next

pytestmark = pytest.mark.stepped

Folder = Callable[[str], Path]
NO_END = {2: -1e9, 3: -1e9, 4: -1e9}
SOME = SamplingParams(max_tokens=8, temperature=0.8, seed=3, logit_bias=NO_END)
LONG = SamplingParams(max_tokens=120, temperature=0.8, seed=11, logit_bias=NO_END)


@cache
def alone(folder: Path) -> list[int]:
    with Engine() as engine:
        return engine.open_session(engine.load(folder)).send("hello", LONG).tokens(60)


FRAMES = {
    "taking commands": (Mailbox, "take"),
    "looking": (loop, "take_snapshot"),
    "planning": (Scheduler, "plan"),
    "executing": (Executor, "run"),
    "finishing": (Delivery, "deliver"),
    "telling places": (Delivery, "_report_positions"),
    "learning": (Scheduler, "observe"),
    "looking for lost replies": (State, "fail_lost"),
    "background work": (loop.Loop, "_do_background_work"),
    "offering": (PrefixIndex, "find_offer"),
    "refreshing": (PrefixIndex, "refresh"),
}


@pytest.mark.parametrize("kind", [RuntimeError, Panic])
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.turns(7)
def test_a_fault_in_a_turn_costs_no_reply(
    engine: Engine,
    model_folder: Folder,
    monkeypatch: pytest.MonkeyPatch,
    frame: str,
    kind: type[BaseException],
) -> None:
    model = engine.load(model_folder("plain"))
    expected = alone(model_folder("plain"))
    mailbox, chats = engine._mailbox, [engine.open_session(model) for _ in range(2)]
    replies = [chat.send("hello", LONG) for chat in chats]
    first_text(replies[0])
    left = raise_next(monkeypatch, *FRAMES[frame], kind("injected"))
    engine.open_session(model).send("and another", SOME).tokens(60)
    assert not left
    assert [reply.tokens(60) for reply in replies] == [expected, expected]
    assert engine._mailbox is mailbox
    assert [chat.send("again", SOME).tokens(60) for chat in chats]
    assert not engine.stats()["queue"]


@pytest.mark.parametrize("kind", [RuntimeError, Panic])
def test_broken_session_fails_alone(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    model, row = engine.load(model_folder("plain")), snapshot._row
    bad, good = engine.open_session(model, "bad"), engine.open_session(model, "good")

    def breaks(state: State, request: Request) -> Any:
        if request.session.id == "bad":
            raise kind("injected")
        return row(state, request)

    monkeypatch.setattr(snapshot, "_row", breaks)
    reply = good.send("hello", LONG)
    with pytest.raises(EngineError, match="injected"):
        bad.send("hello", LONG).tokens(60)
    assert len(reply.tokens(60)) == 120
    monkeypatch.undo()
    assert bad.send("hello", SOME).tokens(60)


def test_unplannable_reply_ends_and_engine_continues(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = engine.load(model_folder("plain"))
    mailbox, chat = engine._mailbox, engine.open_session(model)
    reply = chat.send("hello", LONG)
    first_text(reply)
    raise_next(monkeypatch, Scheduler, "plan", Panic("injected"), 2)
    with pytest.raises(EngineError, match="injected") as caught:
        reply.tokens(60)
    assert caught.value.code == "internal_error"
    assert chat.send("hello", SOME).tokens(60)
    assert engine._mailbox is mailbox


@pytest.mark.parametrize("work", ["embedding", "relieve"])
def test_unplannable_work_ends_and_engine_continues(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch, work: str
) -> None:
    model, plan = engine.load(model_folder("plain")), Scheduler.plan

    def breaks(scheduler: Scheduler, view: View) -> StepPlan:
        if getattr(view, work):
            raise Panic("injected")
        return plan(scheduler, view)

    monkeypatch.setattr(Scheduler, "plan", breaks)
    mailbox = engine._mailbox
    answer = engine.embed_later(model, ["hello"]) if work == "embedding" else engine.relieve_later()
    with pytest.raises(EngineError, match="injected"):
        answer.result(60)
    assert engine.open_session(model).send("hello", SOME).tokens(60)
    assert engine._mailbox is mailbox


@pytest.mark.parametrize(("where", "name"), [(Embedder, "begin"), (Request, "extend")])
def test_failing_start_ends_only_its_own_work(
    engine: Engine,
    model_folder: Folder,
    monkeypatch: pytest.MonkeyPatch,
    where: type,
    name: str,
) -> None:
    """Regression test: the second such fault ended the engine."""
    monkeypatch.setattr(request_module, "EXTENSION_TOKENS", 20)
    model, mailbox = engine.load(model_folder("plain")), engine._mailbox
    left = raise_next(monkeypatch, where, name, Panic("injected"), 1 if where is Embedder else 2)
    if where is Embedder:
        with pytest.raises(EngineError, match="injected"):
            engine.embed_later(model, ["hello"]).result(60)
    else:
        for _ in range(2):
            with pytest.raises(EngineError, match="injected"):
                engine.open_session(model).send("hello", replace(LONG, max_tokens=None)).tokens(60)
    assert not left
    assert engine.open_session(model).send("hello", SOME).tokens(60)
    assert engine._mailbox is mailbox


def test_cache_that_cannot_be_evicted_ends_its_chat_only(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, mailbox = engine.load(model_folder("plain")), engine._mailbox
    chats = [engine.open_session(model) for _ in range(2)]
    for chat in chats:
        chat.send("hello", SOME).tokens(60)
    raise_next(
        monkeypatch, SessionKV, "drop", Panic("injected"), 2
    )  # the second call, when the chat ends
    engine.relieve_later().result(60)
    with pytest.raises(EngineError, match="injected"):
        chats[0].send("again", SOME).tokens(60)
    assert chats[1].send("again", SOME).tokens(60)
    assert engine._mailbox is mailbox


def test_single_question_that_cannot_be_sent_leaves_nothing(
    model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, close = list[SessionCommands](), SessionCommands.close

    def closes(reception: SessionCommands, command: Any) -> None:
        close(reception, command)
        known.append(reception)

    monkeypatch.setattr(SessionCommands, "close", closes)
    with Engine() as engine:
        model = engine.load(model_folder("plain"))
        engine.unload(model)
        with pytest.raises(EngineError):
            engine.ask(model, 5)  # type: ignore[arg-type]
        engine.stats()  # all commands have been handled
        assert not known[0]._one_shot_errors


def test_no_texts_give_no_embeddings(engine: Engine, model_folder: Folder) -> None:
    """Regression test: an empty list ended the engine."""
    model = engine.load(model_folder("plain"))
    assert not engine.embed_later(model, []).result(60).vectors


def test_recurring_fault_ends_the_engine_and_is_reported(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model)
    reply = chat.send("hello", LONG)
    first_text(reply)
    raise_next(monkeypatch, Delivery, "deliver", Panic("injected"), 2)
    with pytest.raises(EngineError, match="injected") as caught:
        reply.tokens(60)
    assert caught.value.code == "engine_stopped"
    with pytest.raises(EngineError, match="engine_stopped"):
        chat.send("hello").text(60)
    with pytest.raises(EngineError, match="unknown_model"):
        engine.open_session(model).send("hello").text(60)
    again = engine.load(model_folder("plain"))
    assert engine.open_session(again).send("hello", LONG).tokens(60) == alone(model_folder("plain"))


@pytest.mark.parametrize("kind", [RuntimeError, Panic])
def test_failing_load_is_reported(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    model = engine.load(model_folder("plain"))
    reply = engine.open_session(model).send("hello", LONG)
    first_text(reply)
    raise_next(monkeypatch, ModelLoader, "begin", kind("injected"))
    with pytest.raises(EngineError, match="injected"):
        engine.load(model_folder("sliding window"))
    assert len(reply.tokens(60)) == 120
    assert engine.load(model_folder("sliding window"))
    assert engine.stats()["weights_bytes"] == sum(m.nbytes for m in engine.stats()["models"])


@pytest.mark.parametrize("name", ["_continue", "step"])
def test_fault_while_restoring_a_cache_ends_no_reply(
    model_folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    words = "hello there " * 30
    with Engine(cache_dir=tmp_path) as engine:
        model = engine.load(model_folder("plain"))
        answer = engine.open_session(model, "mine").send(words, SOME).text(60)
        engine.open_session(model, "mine").close()
        told = [
            {"role": "user", "content": words},
            {"role": "assistant", "content": answer},
            {"role": "user", "content": "and then?"},
        ]
        left = raise_next(monkeypatch, CacheRestorer, name, Panic("injected"))
        assert engine.open_session(model, "mine").send(told, SOME).tokens(60)
        assert not left


@pytest.mark.parametrize("name", ["_detach_request", "_fail"])
def test_fault_while_ending_leaves_the_chat_usable(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    model = engine.load(model_folder("plain"))
    neighbour = engine.open_session(model).send("hello", LONG)
    chat = engine.open_session(model)
    raise_next(monkeypatch, State, name, Panic("injected"))
    with pytest.raises(EngineError):
        chat.send([{"role": "user", "content": "half \ud800"}], SOME).tokens(60)
    assert chat.send("hello", SOME).tokens(60)
    assert len(neighbour.tokens(60)) == 120


def test_stop_answers_requests_in_workers(model_folder: Folder) -> None:
    """Regression test: callers that waited for a token count or an estimate waited forever."""
    folder, other = model_folder("plain"), model_folder("sliding window")
    with SteppedEngine() as engine:
        model = engine.load(folder)
        waiting: list[Future[Any]] = [
            engine.count_later(model, "hello"),
            engine.embed_later(model, ["hello"]),
            engine.estimate_later(other),
            engine.load_later(other),
            engine.load_later(folder, draft=other),
        ]
        engine.step()  # workers are done, but their results are still in the mailbox
    for answer in waiting:
        with pytest.raises(EngineError, match="engine_stopped"):
            answer.result(0)

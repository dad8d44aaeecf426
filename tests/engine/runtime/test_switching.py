"""Loading and unloading models while chats stream, canceled loads, and idle models."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, EngineError, SamplingParams
from engine.bench.random_models import write_model
from engine.engine import Session
from engine.messages import Load
from engine.model import drafting, loader
from engine.reply import Reply
from engine.runtime import model_loader as loading
from engine.runtime.candidate import Candidate, check_candidate
from engine.runtime.mailbox import CommandFuture, Mailbox
from engine.runtime.model_loader import ModelLoad, ModelLoader
from engine.runtime.plan import LoadAdmission
from engine.runtime.state import State
from engine.runtime.workers import Workers
from engine.sandbox.confined import Sandbox
from engine.stepping import SteppedEngine
from tests.engine.families import FAMILIES
from tests.engine.faults import HeldLoads
from tests.engine.model.test_loading import checked_model
from tests.torture.small_copies import perturb
from tests.waiting import until

Folder = Callable[[str], Path]
PATIENCE = 60.0
SOME = SamplingParams(max_tokens=6, temperature=0.0)
LENGTHY = "A question of some length. " * 30
LONG = SamplingParams(max_tokens=120, temperature=0.0, logit_bias={2: -1e9})


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> HeldLoads:
    return HeldLoads(monkeypatch)


def streaming(session: Session, text: str) -> Reply:
    reply = session.send(text, LONG)
    for event in reply:
        if getattr(event, "text", ""):
            break
    return reply


@pytest.mark.stepped
def test_canceled_load_frees_its_memory(
    engine: SteppedEngine, model_folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = engine.load(model_folder("plain"))
    wanted = engine.open_session(alone).send("Tell me.", LONG).tokens(PATIENCE)
    neighbour = streaming(engine.open_session(alone), "Tell me.")
    before = engine.stats()
    held = HeldLoads(monkeypatch)
    loading = engine.load_later(write_model(tmp_path / "other", FAMILIES["plain"], seed=3))
    assert engine.run_until(held.begun.is_set)
    assert engine.stats()["weights_bytes"] > before["weights_bytes"]
    assert loading.cancel()
    engine.run_until(lambda: False)
    assert engine.stats()["weights_bytes"] == before["weights_bytes"]
    with pytest.raises(CancelledError):
        loading.result(0)
    assert [m.id for m in engine.stats()["models"]] == [alone.id]
    assert neighbour.tokens(PATIENCE) == wanted
    assert engine.stats()["memory_in_use"] <= before["memory_in_use"] + 2**20


@pytest.mark.stepped
def test_remaining_waiters_get_the_model(
    engine: SteppedEngine, model_folder: Folder, held: HeldLoads
) -> None:
    asked = [engine.load_later(model_folder("plain")) for _ in range(3)]
    assert engine.run_until(held.begun.is_set)
    assert asked[0].cancel()
    engine.stats()  # the loop has run once more
    held.may_go_on.set()
    first, second = (a.result(PATIENCE) for a in asked[1:])
    assert first.id == second.id
    assert len(engine.stats()["models"]) == 1


def test_canceled_load_makes_room_for_the_next(
    model_folder: Folder, tmp_path: Path, held: HeldLoads
) -> None:
    folder, other = model_folder("plain"), write_model(tmp_path / "other", FAMILIES["plain"], 5)
    with SteppedEngine(memory_budget=400_000) as engine:
        loading = engine.load_later(folder)
        assert engine.run_until(held.begun.is_set)
        waiting = engine.load_later(other)
        loading.cancel()
        held.may_go_on.set()
        assert waiting.result(PATIENCE).nbytes > 200_000  # both models would not have fit


class Reads:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, held: int = 0) -> None:
        self.count, self.begun = 0, False
        read = loader.read_weights

        def counted(net: Any, *_: Any) -> Iterator[None]:
            self.count += 1
            yield from read(net)
            if self.count == held:
                self.begun = True
            while self.begun:
                yield

        monkeypatch.setattr(loader, "read_weights", counted)


@pytest.mark.stepped
@pytest.mark.parametrize("number", [1, 2])
def test_canceled_load_with_draft_leaves_nothing(
    engine: SteppedEngine,
    model_folder: Folder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
) -> None:
    small = perturb(model_folder("plain"), tmp_path / "small", 0.1)
    reads = Reads(monkeypatch, number)
    loading = engine.load_later(model_folder("plain"), draft=small)
    assert engine.run_until(lambda: reads.begun)
    assert engine.stats()["weights_bytes"] > 0
    assert loading.cancel()
    engine.run_until(lambda: False)
    assert engine.stats()["weights_bytes"] == 0
    assert engine.stats()["models"] == []
    reads.begun = False
    assert engine.load(model_folder("plain"), draft=small).draft


@pytest.mark.stepped
@pytest.mark.parametrize("with_draft", [False, True])
def test_load_canceled_in_its_last_moment_leaves_nothing(
    engine: SteppedEngine,
    model_folder: Folder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    with_draft: bool,
) -> None:
    small = perturb(model_folder("plain"), tmp_path / "small", 0.1) if with_draft else None
    owner, last = (drafting, "common_vocabulary") if with_draft else (ModelLoader, "_finish_load")
    step = getattr(owner, last)

    def cancelled_before(*arguments: Any) -> Any:
        assert coming.cancel()
        return step(*arguments)

    monkeypatch.setattr(owner, last, cancelled_before)
    coming = engine.load_later(model_folder("plain"), draft=small)
    with pytest.raises(CancelledError):
        coming.result(PATIENCE)
    engine.run_until(lambda: False)
    assert engine.stats()["models"] == []
    assert engine.stats()["weights_bytes"] == 0


def test_unload_during_examination_is_not_undone(
    engine: Engine, model_folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = model_folder("plain")
    small = perturb(large, tmp_path / "small", 0.1)
    model = engine.load(large)
    begun, may_go_on = threading.Event(), threading.Event()

    def slow(path: str, *more: Any) -> Candidate:
        if path == str(large):
            begun.set()
            assert may_go_on.wait(PATIENCE)
        return check_candidate(path, *more)

    monkeypatch.setattr(loading, "check_candidate", slow)
    reads = Reads(monkeypatch)
    coming = engine.load_later(large, draft=small)
    assert begun.wait(PATIENCE)
    engine.unload(model)
    assert coming.cancel()
    may_go_on.set()
    until(lambda: engine.stats()["weights_bytes"] == 0)
    other = engine.load(model_folder("MLA"))
    assert [m.id for m in engine.stats()["models"]] == [other.id]
    assert reads.count == 2  # the small model and the other model


def test_loaded_model_cannot_be_canceled(engine: Engine, model_folder: Folder) -> None:
    loading = engine.load_later(model_folder("plain"))
    model = loading.result(PATIENCE)
    assert not loading.cancel()
    assert engine.open_session(model).send("Hello", SOME).tokens(PATIENCE)


@pytest.mark.stepped
def test_abandoned_load_is_not_started(engine: SteppedEngine, model_folder: Folder) -> None:
    for _ in range(3):
        engine.load_later(model_folder("MLA")).cancel()
    model = engine.load(model_folder("plain"))
    engine.run_until(lambda: False)
    assert engine.stats()["weights_bytes"] == model.nbytes
    assert [m.id for m in engine.stats()["models"]] == [model.id]


def test_chat_changes_model_while_three_others_stream(model_folder: Folder, tmp_path: Path) -> None:
    plain = model_folder("plain")
    others = [write_model(tmp_path / f"other{i}", FAMILIES["MLA"], seed=i) for i in range(2)]
    with Engine() as engine:
        model = engine.load(plain)
        texts = ["one", "two two", "three three three"]
        wanted = [engine.open_session(model).send(t, LONG).tokens(PATIENCE) for t in texts]
        streams = [streaming(engine.open_session(model), text) for text in texts]
        history: list[dict[str, Any]] = []
        for folder in others:
            other = engine.load(folder)
            history.append({"role": "user", "content": "And now?"})
            answer = engine.open_session(other).send(history, SOME)
            history.append({"role": "assistant", "content": answer.text(PATIENCE)})
            assert answer.stats.prompt_tokens > 10 * len(history)
            engine.unload(other)
        assert [stream.tokens(PATIENCE) for stream in streams] == wanted
        assert engine.stats()["weights_bytes"] == model.nbytes


def test_reloaded_model_has_its_caches(model_folder: Folder, tmp_path: Path) -> None:
    with Engine(cache_dir=tmp_path / "caches") as engine:
        model = engine.load(model_folder("plain"))
        chat = engine.open_session(model, "mine")
        chat.send(LENGTHY, SOME).tokens(PATIENCE)
        engine.unload(model)
        assert engine.stats()["models"] == []
        with pytest.raises(EngineError, match="unloaded"):
            chat.send("A second one.", SOME).tokens(PATIENCE)
        again = engine.open_session(engine.load(model_folder("plain")), "mine")
        messages = [{"role": "user", "content": LENGTHY}]
        reply = again.send(messages, SOME)
        reply.tokens(PATIENCE)
        assert reply.stats.reused_tokens > 500  # restored from disk


def test_loading_steps_grow_with_slow_decode_steps(
    model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loading gets half of a step's time up to the gap budget, and a quarter of longer steps."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    pieces: list[int] = []

    def load(checked_model: object, *_: Any) -> Iterator[Any]:
        while True:
            now[0] += 0.015
            pieces.append(1)
            yield

    monkeypatch.setattr(loader, "load", load)
    state = State()
    loading = ModelLoader(state, Workers(Mailbox()), Sandbox())
    candidate = Candidate(checked_model(model_folder("plain")), None)  # type: ignore[arg-type]
    command = Load(str(model_folder("plain")), CommandFuture(), None, None)
    loading.queue.append(ModelLoad("key", [command], candidate))
    wanted = loading.pending()
    assert wanted is not None
    loading.begin(LoadAdmission(wanted.key, wanted.min_bytes, False))
    for decoding, count in ((0.0, 1), (0.05, 1), (0.07, 2), (0.2, 3), (0.4, 6), (9.0, 13)):
        pieces.clear()
        loading.step(decoding)
        assert len(pieces) == count

"""Regression tests for engine bugs, each named after its bug."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, EngineError, Failed, Finished, SamplingParams
from engine.bench.random_models import write_model
from engine.cache import offload
from engine.cache.session_kv import SessionKV
from engine.model import loader, runner
from engine.runtime import commands as reception
from engine.runtime import preparing
from engine.runtime.executor import Executor
from engine.runtime.state import State
from engine.stepping import SteppedEngine
from tests.engine.families import FAMILIES
from tests.engine.faults import Panic, first_text, raise_next

Folder = Callable[[str], Path]
NO_END = {2: -1e9, 3: -1e9, 4: -1e9}
SOME = SamplingParams(max_tokens=8, temperature=0.8, seed=3, logit_bias=NO_END)
ENDLESS = SamplingParams(max_tokens=5000, temperature=0.8, seed=11, logit_bias=NO_END)
LONG = "hello there " * 30


def last_events(reply: Any) -> list[Any]:
    return [e for e in reply._events if isinstance(e, (Finished, Failed))]


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    execute, broken, breaking_down = Executor.run, threading.Event(), set[Executor]()

    def breaks(self: Executor, plan: Any) -> Any:
        if broken.is_set():
            broken.clear()
            breaking_down.add(self)
        if self in breaking_down:
            raise SystemError("the floor is gone")
        return execute(self, plan)

    monkeypatch.setattr(Executor, "run", breaks)
    return broken


def test_paused_reply_does_not_block_the_queue(model_folder: Folder) -> None:
    with Engine() as probe:
        model = probe.load(model_folder("plain"))
        chat = probe.open_session(model)
        chat.send("hello", SamplingParams(max_tokens=400, logit_bias=NO_END)).tokens(60)
        held = probe.stats()["sessions"][chat.id]["kv_bytes"]
    long = SamplingParams(max_tokens=900, seed=1, logit_bias=NO_END)
    with Engine(memory_budget=model.nbytes + 6 * held) as engine:
        model = engine.load(model_folder("plain"))
        running = engine.open_session(model).send("hello", long)
        first_text(running)
        waiting = engine.open_session(model).send("hello", long)
        waiting.pause()
        later = engine.open_session(model).send("hello", long)
        running.cancel()
        first_text(later)
        assert not waiting.done
        waiting.cancel()
        assert waiting.tokens(60) == []


def test_folder_requested_three_times_is_read_once(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads, load = [], loader.load

    def counted(checked_model: Any, *more: Any) -> Any:
        reads.append(checked_model)
        return load(checked_model, *more)

    monkeypatch.setattr(loader, "load", counted)
    asked = [engine.load_later(model_folder("plain")) for _ in range(3)]
    assert len({answer.result(60).id for answer in asked}) == 1
    assert len(reads) == 1


def test_idle_caches_make_room_for_a_load(model_folder: Folder, tmp_path: Path) -> None:
    other = write_model(tmp_path / "other", {**FAMILIES["plain"], "intermediate_size": 4096})
    with Engine() as measuring:
        one = measuring.load(model_folder("plain"))
        chat = measuring.open_session(one)
        chat.send("hello there " * 200, SOME).tokens(60)
        held = measuring.stats()["sessions"][chat.id]["kv_bytes"]
        larger = measuring.load(other).nbytes
    assert larger > 2 * held
    with Engine(memory_budget=one.nbytes + larger + held * 3 // 4) as engine:
        chat = engine.open_session(engine.load(model_folder("plain")))
        chat.send("hello there " * 200, SOME).tokens(60)
        assert engine.stats()["sessions"][chat.id]["kv_bytes"] > 0
        assert engine.load(other).nbytes == larger
        assert engine.stats()["sessions"][chat.id]["kv_bytes"] == 0


def test_two_loads_stay_within_the_budget(model_folder: Folder, tmp_path: Path) -> None:
    other = write_model(tmp_path / "other", FAMILIES["plain"], seed=9)
    with Engine() as measuring:
        nbytes = measuring.load(other).nbytes
    with Engine(memory_budget=nbytes * 7 // 4) as engine:
        asked = [engine.load_later(folder) for folder in (model_folder("plain"), other)]
        # The order of the two loads is undefined.
        refused, loaded = sorted(asked, key=lambda loading: loading.exception(60) is None)
        assert loaded.result().nbytes == nbytes
        with pytest.raises(EngineError, match="out_of_memory"):
            refused.result()
        assert engine.stats()["weights_bytes"] == nbytes


@pytest.mark.stepped
def test_reply_with_unsettled_caches_ends_once(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = engine.load(model_folder("plain"))
    neighbour = engine.open_session(model).send("hello", ENDLESS)
    first_text(neighbour)
    for stop in (False, True):  # a fault during a step, then during a command
        chat = engine.open_session(model)
        reply = chat.send("hello", ENDLESS if stop else SOME)
        first_text(reply)
        raise_next(monkeypatch, SessionKV, "finish_reply", RuntimeError("cannot settle"))
        if stop:
            reply.cancel()
        with pytest.raises(EngineError, match="cannot settle"):
            reply.text(60)
        assert len(last_events(reply)) == 1
        again = [chat.send("again", SOME), engine.open_session(model).send("again", SOME)]
        assert again[0].tokens(60) == again[1].tokens(60)  # the failed turn isn't in the history
    assert not neighbour.done
    neighbour.cancel()


def test_reply_lost_while_ending_is_finished(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression test: the session had already dropped the reply when the fault occurred, so it
    never ended.
    """
    from engine.runtime.request import Request

    chat = engine.open_session(engine.load(model_folder("plain")))
    reply = chat.send("hello", ENDLESS)
    first_text(reply)
    raise_next(monkeypatch, Request, "finish", RuntimeError("cannot finish"))
    reply.cancel()
    with pytest.raises(EngineError, match="internal_error"):
        reply.text(60)
    assert len(last_events(reply)) == 1
    assert chat.send("again", SOME).tokens(60)


class SpeechlessError(RuntimeError):
    def __str__(self) -> str:
        raise ValueError("no words")


@pytest.mark.parametrize("error", [SpeechlessError(), Panic("native")])
def test_any_exception_ends_one_reply(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")))
    raise_next(monkeypatch, runner, "forward", error)
    with pytest.raises(EngineError, match=type(error).__name__) as caught:
        chat.send("hello", SOME).text(60)
    assert caught.value.code == "internal_error"
    assert chat.send("hello", SOME).tokens(60)


def test_slow_prompt_preparation_blocks_no_other_chat(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, prepare = threading.Event(), preparing.prepare

    def slow(request: Any) -> Any:
        if request.asked == "slow":
            assert go_on.wait(60)
        return prepare(request)

    monkeypatch.setattr(reception, "prepare", slow)
    model = engine.load(model_folder("plain"))
    slow_one = engine.open_session(model).send("slow", SOME)
    assert engine.open_session(model).send("hello", SOME).tokens(60)
    assert not slow_one.done
    go_on.set()
    assert slow_one.tokens(60)


def test_model_loads_next_to_streaming_chat(engine: Engine, model_folder: Folder) -> None:
    """Regression test: models and caches only loaded while no chat was decoding."""
    neighbour = engine.open_session(engine.load(model_folder("plain"))).send("hello", ENDLESS)
    first_text(neighbour)
    assert engine.load(model_folder("sliding window")).name
    assert not neighbour.done
    neighbour.cancel()


def test_cache_is_restored_next_to_streaming_chat(model_folder: Folder, tmp_path: Path) -> None:
    with Engine(cache_dir=tmp_path) as engine:
        model = engine.load(model_folder("plain"))
        answer = engine.open_session(model, "mine").send(LONG, SOME).text(60)
        engine.open_session(model, "mine").close()
        neighbour = engine.open_session(model).send("hello", ENDLESS)
        first_text(neighbour)
        told = [
            {"role": "user", "content": LONG},
            {"role": "assistant", "content": answer},
            {"role": "user", "content": "and then?"},
        ]
        reply = engine.open_session(model, "mine").send(told, SOME)
        assert reply.tokens(60)
        assert reply.stats.reused_tokens > 100
        assert not neighbour.done
        neighbour.cancel()


def files(folder: Path) -> list[Path]:
    return list(folder.glob("*"))


@pytest.mark.parametrize("end", ["stop", "unload", "breakdown"])
def test_unnamed_chat_leaves_no_file(
    model_folder: Folder, tmp_path: Path, breaking: threading.Event, end: str
) -> None:
    with Engine() as probe:
        weights = probe.load(model_folder("plain")).nbytes
    with Engine(memory_budget=weights + 1_400_000, cache_dir=tmp_path) as engine:
        model = engine.load(model_folder("plain"))
        old, new = engine.open_session(model), engine.open_session(model)
        old.send("word " * 300, SOME).text(60)
        new.send("other " * 280, SOME).text(60)
        assert engine.stats()["sessions"][old.id]["kv_bytes"] == 0  # it's on disk
        if end == "unload":
            engine.unload(model)
        elif end == "breakdown":
            breaking.set()
            with pytest.raises(EngineError, match="the floor is gone"):
                old.send("hello", SOME).text(60)
    assert not files(tmp_path)


@pytest.mark.parametrize("before", ["close", "unload", "nothing"])
def test_forgetting_works_after_the_session_ended(
    model_folder: Folder, tmp_path: Path, before: str
) -> None:
    with Engine(cache_dir=tmp_path) as engine:
        model = engine.load(model_folder("plain"))
        chat = engine.open_session(model, "mine")
        chat.send(LONG, SOME).text(60)
        if before == "close":
            chat.close()
        elif before == "unload":
            engine.unload(model)
        chat.close(forget=True)
    assert not files(tmp_path)


def test_start_during_breakdown_does_not_hang(
    model_folder: Folder, breaking: threading.Event
) -> None:
    """Final callbacks need the lock that `start` held while joining the thread."""
    with Engine() as engine:
        model = engine.load(model_folder("plain"))
        ending, said = threading.Event(), []

        def listener(event: object) -> None:
            if isinstance(event, Failed):
                ending.set()
                starting.join(0.5)  # long enough for `start` to wait for this thread
                try:
                    engine.load_later(model_folder("plain"))
                except EngineError as error:
                    said.append(error.code)

        def start() -> None:
            assert ending.wait(60)
            while not engine._mailbox.closed and engine.is_running:
                ending.wait(0.001)
            engine.start()

        starting = threading.Thread(target=start, daemon=True)
        reply = engine.open_session(model).send("hello", ENDLESS, listener)
        first_text(reply)
        starting.start()
        breaking.set()
        with pytest.raises(EngineError, match="the floor is gone"):
            reply.text(60)
        starting.join(60)
        assert not starting.is_alive()
        assert engine.load(model_folder("plain"))


@pytest.mark.parametrize(
    "words",
    [
        "[METAL] Command buffer execution failed: Insufficient Memory "
        "(00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)",
        "cudaMallocAsync(&ptr, size, stream) failed: out of memory",
        "[malloc] Unable to allocate 34359738368 bytes.",
        "CUDA error: cudaErrorMemoryAllocation",
    ],
)
def test_device_without_memory_is_called_so(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")))
    raise_next(monkeypatch, runner, "forward", RuntimeError(words))
    with pytest.raises(EngineError) as caught:
        chat.send("hello", SOME).text(60)
    assert caught.value.code == "out_of_memory"


def test_wired_limit_of_mlx_stays_untouched(
    model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wired limit causes kernel panics on Macs, and `mlx_lm` sets it in its own loops."""
    import mlx.core as mx

    called: list[int] = []
    monkeypatch.setattr(mx, "set_wired_limit", called.append)
    with Engine() as engine:
        chat = engine.open_session(engine.load(model_folder("plain")))
        assert chat.send("hello", SOME).tokens(60)
    assert called == []


def test_panicking_writer_blocks_nothing(
    model_folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine(cache_dir=tmp_path) as engine:
        model = engine.load(model_folder("plain"))
        for error in (Panic("writing"), MemoryError()):
            chat = engine.open_session(model, "mine")
            chat.send(LONG, SOME).text(60)
            raise_next(monkeypatch, offload.Offload, "_write_one", error)
            chat.close()
            chat = engine.open_session(model, "mine")  # waits for the write
            assert chat.send(LONG, SOME).tokens(60)
            chat.close(forget=True)


def test_failed_thread_start_is_reported(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.runtime.workers import Workers

    chat = engine.open_session(engine.load(model_folder("plain")))
    raise_next(monkeypatch, Workers, "_queue", RuntimeError("can't start new thread"))
    reply = chat.send("hello", SOME)
    with pytest.raises(EngineError, match="can't start new thread"):
        reply.text(60)
    assert chat.send("hello", SOME).tokens(60)
    assert len(last_events(reply)) == 1


def test_callbacks_may_call_exit(engine: Engine, model_folder: Folder) -> None:
    held, hold = threading.Event(), threading.Event()

    def block(_: object) -> None:
        held.set()
        hold.wait(60)

    model = engine.load(model_folder("plain"))
    engine.open_session(model).send("hello", SOME, block)
    assert held.wait(60)
    figures, again = engine.stats_later(), engine.load_later(model_folder("plain"))
    called: list[str] = []
    for answer in (figures, again):
        answer.add_done_callback(lambda _: sys.exit("one"))
        answer.add_done_callback(lambda _: called.append("two"))
    hold.set()
    assert again.result(60)
    assert figures.result(60)
    exits = engine.open_session(model).send("hi", SOME, lambda _: sys.exit("listener"))
    assert exits.tokens(60)
    assert called == ["two", "two"]


def test_listener_is_never_called_within_send(model_folder: Folder) -> None:
    with Engine() as engine:
        chat = engine.open_session(engine.load(model_folder("plain")))
    lock, told = threading.Lock(), threading.Event()

    def listener(event: object) -> None:
        with lock:
            told.set()

    with lock:  # the listener acquires it, too
        reply = chat.send("hello", SOME, listener)
    assert told.wait(60)
    with pytest.raises(EngineError, match="engine_stopped"):
        reply.text(60)


def state_of(engine: SteppedEngine) -> State:
    assert engine.loop is not None
    return engine.loop._state


@pytest.mark.stepped
def test_questions_without_model_leave_nothing(engine: SteppedEngine, tmp_path: Path) -> None:
    model = engine.load(write_model(tmp_path / "gone", FAMILIES["plain"], seed=9))
    running = engine.ask(model, "hello", ENDLESS)
    first_text(running)
    engine.unload(model)
    for _ in range(5):
        with pytest.raises(EngineError, match="unknown_model"):
            engine.ask(model, "hello").text(60)
    assert not state_of(engine).session_errors


def test_session_cannot_fork_to_its_own_name(engine: Engine, model_folder: Folder) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")), "mine")
    chat.prioritise(2)
    with pytest.raises(ValueError, match="own"):
        chat.fork("mine")
    twin = chat.fork("other")
    assert engine.stats()["sessions"][twin.id]["priority"] == 2


def test_malformed_question_leaves_no_session(engine: Engine, model_folder: Folder) -> None:
    model = engine.load(model_folder("plain"))
    with pytest.raises(EngineError, match="invalid_request"):
        engine.ask(model, 5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        engine.ask(model, "hello", {})  # type: ignore[arg-type]
    assert engine.stats()["sessions"] == {}

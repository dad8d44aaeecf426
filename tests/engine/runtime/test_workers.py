"""Worker threads next to the engine thread."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, EngineError, SamplingParams
from engine.bench.random_models import CHATML, SHAPES, write_model
from engine.messages import Command, WorkDone
from engine.runtime import workers
from engine.runtime.mailbox import CommandFuture, Mailbox
from engine.runtime.workers import MAX_LANE_THREADS, MAX_THREADS, Task, Work, Workers
from engine.sandbox import confined
from engine.sandbox.confined import Sandbox
from engine.sandbox.protocol import TaskLimits
from tests.engine.hostile import ENDLESS

SOON = 60.0  # seconds; anything longer counts as blocked


class Staff:
    def __init__(self) -> None:
        self.mailbox = Mailbox()
        self.workers = Workers(self.mailbox)
        self.outcomes: list[Any] = []

    def run(self, lane: str, work: Callable[[], Any]) -> None:
        def task() -> Task:
            self.outcomes.append((yield Work(lane, work)))

        self.workers.start(task(), self.outcomes.append)

    def wait(self, count: int) -> list[Any]:
        while len(self.outcomes) < count:
            inbox: deque[Command] = deque()
            self.mailbox.take(inbox, block=True, timeout=SOON)
            assert inbox, self.outcomes
            for message in inbox:
                assert isinstance(message, WorkDone)
                self.workers.done(message)
        return self.outcomes


@pytest.fixture
def staff() -> Iterator[Staff]:
    made = Staff()
    yield made
    made.workers.close()


def test_endless_lane_does_not_delay_others(staff: Staff) -> None:
    go_on = threading.Event()
    for _ in range(2 * MAX_THREADS):
        staff.run("slow", lambda: go_on.wait(SOON))
    for number in range(3):
        staff.run("quick", lambda number=number: number)
    assert staff.wait(3) == [0, 1, 2]
    go_on.set()
    assert len(staff.wait(2 * MAX_THREADS + 3)) == 2 * MAX_THREADS + 3


def test_lane_has_a_thread_limit(staff: Staff) -> None:
    inside, most, lock, full = 0, 0, threading.Lock(), threading.Event()

    def work() -> None:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
            if inside == MAX_LANE_THREADS:
                full.set()
        assert full.wait(SOON)
        with lock:
            inside -= 1

    for _ in range(3 * MAX_LANE_THREADS):
        staff.run("one", work)
    assert staff.wait(3 * MAX_LANE_THREADS) == [None] * 3 * MAX_LANE_THREADS
    assert most == MAX_LANE_THREADS


def test_free_thread_serves_the_lane_with_fewest(
    staff: Staff, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "MAX_THREADS", 1)
    go_on, begun = threading.Event(), threading.Event()

    def first() -> str:
        begun.set()
        go_on.wait(SOON)
        return "many"

    staff.run("many", first)
    assert begun.wait(SOON)
    for _ in range(3):
        staff.run("many", lambda: "many")
    staff.run("one", lambda: "one")
    go_on.set()
    assert staff.wait(5).index("one") <= 2


def test_task_goes_on_with_results_of_work_and_futures(staff: Staff) -> None:
    answer: CommandFuture[int] = CommandFuture()

    def task() -> Task:
        first = yield Work("lane", lambda: 1)
        staff.outcomes.append(first)
        second = yield answer
        staff.outcomes.append(first + second)
        try:
            yield Work("lane", lambda: 1 // 0)
        except ZeroDivisionError:
            staff.outcomes.append("caught")
        raise ValueError("last")

    staff.workers.start(task(), lambda error: staff.outcomes.append(str(error)))
    assert staff.wait(1) == [1]
    answer.resolve(2)
    assert staff.wait(4) == [1, 3, "caught", "last"]


def test_failing_work_is_reported_and_frees_its_slot(staff: Staff) -> None:
    def fails() -> None:
        raise SystemExit("no Exception")

    for _ in range(2 * MAX_LANE_THREADS):
        staff.run("one", fails)
    assert {str(e) for e in staff.wait(2 * MAX_LANE_THREADS)} == {"no Exception"}
    staff.run("one", lambda: "done")
    assert staff.wait(2 * MAX_LANE_THREADS + 1)[-1] == "done"


def test_hostile_model_does_not_delay_other_chats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    children = Sandbox(template=TaskLimits(300.0, 1024 * 2**20, 2**20))
    monkeypatch.setattr(confined, "shared", lambda: children)
    few = SamplingParams(max_tokens=4, seed=1, logit_bias={2: -1e9})
    with Engine() as engine:
        engine.stats()  # chooses the BLAS before the models are written
        sound = engine.load(write_model(tmp_path / "sound", SHAPES["tiny"]))
        path = write_model(tmp_path / "bad", SHAPES["tiny"], template=ENDLESS + CHATML, seed=5)
        bad = engine.load(path)
        stuck = [engine.open_session(bad).send("hello", few) for _ in range(40)]
        assert len(engine.open_session(sound).send("hello", few).tokens(SOON)) == 4
        assert not any(reply.done for reply in stuck)
        stuck[0].cancel()
        assert stuck[0].tokens(SOON) == []
        children.close()
        for reply in stuck[1:]:
            with pytest.raises(EngineError, match="stopped"):
                reply.tokens(SOON)


def test_engine_thread_releases_waiting_work(staff: Staff, monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression test: a session that had ended was freed on a worker, with its arrays."""
    freed: list[threading.Thread] = []
    leave, delivered = Workers._leave, threading.Event()

    class Session:
        def __del__(self) -> None:
            freed.append(threading.current_thread())

    def late(self: Workers, lane: str) -> None:
        assert delivered.wait(SOON)  # the worker is still in its function
        leave(self, lane)

    monkeypatch.setattr(Workers, "_leave", late)
    for fails in (False, True):
        delivered.clear()
        session = Session()

        def work(fails: bool = fails) -> int:
            if fails:
                raise ValueError("injected")
            return 3

        def task(session: Session, work: Work) -> Task:
            staff.outcomes.append((yield work))
            assert session

        staff.workers.start(
            task(session, Work("lane", work)), lambda error: staff.outcomes.append(str(error))
        )
        del session
        staff.wait(1)
        assert freed == [threading.current_thread()]
        staff.outcomes.clear()
        freed.clear()
        delivered.set()
        assert not staff.workers._running


def test_session_in_preparation_ends_with_workers(staff: Staff) -> None:
    """Closing discards queued work, so it doesn't keep its objects alive."""
    going = threading.Event()
    staff.run("lane", lambda: going.wait(SOON))
    staff.workers.close()
    error = EngineError("engine_stopped", "")
    staff.workers.cancel(error)
    assert staff.outcomes == [error]
    going.set()

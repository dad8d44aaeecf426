"""Ways that are measured while nobody is answering: taken, kept, given up, and never in doubt."""

from __future__ import annotations

import gc
import json
import os
import threading
import weakref
from collections.abc import Callable, Generator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import mlx.core as mx
import platformdirs
import pytest

from engine import Engine, Model, SamplingParams
from engine.bench.random_models import SHAPES, write_model
from engine.cli import serve
from engine.cli.main import main
from engine.model import backend, loader, slices, trials
from engine.model.choices import (
    CHUNK,
    MIXED,
    PREFIX,
    SLOTS,
    WAYS,
    Cell,
    Choices,
    Guess,
    choose,
)
from engine.model.kernel.attention import Noting
from engine.model.loaded import LoadedModel
from engine.runtime import calibrating
from engine.runtime.calibrating import WaysFile

GREEDY = SamplingParams(max_tokens=12, temperature=0.0)
SMALL = (Cell(SLOTS, 4, 256), Cell(PREFIX, 4, 256), Cell(MIXED, 4, 32), Cell(CHUNK, 1, 64))
Times = dict[str, float]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("ways") / "model", SHAPES["tiny"])


@pytest.fixture(scope="module")
def model(folder: Path) -> LoadedModel:
    backend.start()
    return loader.load_at_once(folder, True)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibrating, "QUIET_S", 0.0)


def second_wins(_: LoadedModel, cell: Cell, rounds: int = 2) -> Generator[None, None, Times]:
    """Instead of `trials.measure`: what it would say where the second way is twice as fast."""
    yield
    return {way: 1.0 / place for place, way in enumerate(WAYS[cell.part], 1)}


class Taken:
    """Waits for the choices that models take."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.choices: list[Choices] = []
        self.some = threading.Event()
        take = LoadedModel.take

        def noted(model: LoadedModel, choices: Choices) -> None:
            take(model, choices)
            self.choices.append(choices)
            self.some.set()

        monkeypatch.setattr(LoadedModel, "take", noted)

    def wait(self) -> Choices:
        assert self.some.wait(60)
        self.some.clear()
        return self.choices[-1]


@pytest.mark.parametrize("cell", SMALL, ids=lambda c: c.part)
def test_a_trial_times_each_way_and_leaves_nothing(
    model: LoadedModel, cell: Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "_STEADY", 1e9)
    assert trials.possible(model, cell, 1 << 40)
    assert not trials.possible(model, cell, 1000)
    assert model.slots is not None
    policy = model.slots.policy
    times = slices.at_once(trials.measure(model, cell, 2))
    assert set(times) == set(WAYS[cell.part])
    assert all(0 < seconds < 60 for seconds in times.values())
    assert model.slots.policy is policy
    assert not model.slots.buffers
    half = trials.measure(model, cell, 2)
    for _ in range(5):
        next(half)
    mx.synchronize()
    assert mx.get_active_memory() > model.info.nbytes
    half.close()
    del half
    assert mx.get_active_memory() < model.info.nbytes + 2**20


def test_an_unsteady_machine_says_nothing(
    model: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "_STEADY", 0.0)
    with pytest.raises(trials.UnsteadyError):
        slices.at_once(trials.measure(model, SMALL[0], 2))


def tables(folder: Path) -> list[Path]:
    """Those of times; beside them lies which ways a model can take."""
    return [file for file in folder.iterdir() if "shape" in json.loads(file.read_text())["of"]]


def test_what_was_found_is_taken_where_the_time_ends_within_a_comparison(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: None
) -> None:
    begun: list[Cell] = []

    def late(model: LoadedModel, cell: Cell, rounds: int = 2) -> Generator[None, None, Times]:
        begun.append(cell)
        while len(begun) > 1:  # all but the first take whatever time there is
            calibrating.time.sleep(calibrating.BUDGET_S / 4)
            yield
        return (yield from second_wins(model, cell, rounds))

    monkeypatch.setattr(trials, "measure", late)
    taken, ways = Taken(monkeypatch), tmp_path / "ways"
    with Engine(ways_dir=ways) as engine:
        engine.load(folder)
        assert taken.wait().below == {4: 1024}
    assert len(begun) == 2
    assert len(tables(ways)) == 1


def test_measured_after_a_load_kept_and_taken_by_the_next(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: None
) -> None:
    monkeypatch.setattr(trials, "measure", second_wins)
    taken, ways = Taken(monkeypatch), tmp_path / "ways"
    with Engine(ways_dir=ways) as engine:
        assert engine.stats()["ways"] == {}
        model = engine.load(folder)
        made = taken.wait()
        assert engine.stats()["ways"] == {model.id: asdict(made)}
    assert made.below == {4: 0, 8: 0, 2: 0}
    assert made.mixed_most == {1: 0, 4: 0, 8: 0}
    (file,) = tables(ways)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.stat().st_size < 32 * 2**10
    monkeypatch.setattr(trials, "measure", None)
    with Engine(ways_dir=ways) as engine:
        engine.load(folder)
        assert taken.wait() == made
    taken.choices.clear()
    with Engine() as engine:  # as it is where nobody asks for it
        engine.open_session(engine.load(folder)).send("hello", GREEDY).tokens()
    assert not taken.choices


def test_an_unloaded_model_is_freed_without_the_collector(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: None
) -> None:
    """The window's collector freezes what there is: a cycle would keep the weights for good."""
    known: list[weakref.ref[LoadedModel]] = []
    take = LoadedModel.take

    def noted(model: LoadedModel, choices: Choices) -> None:
        known.append(weakref.ref(model))
        take(model, choices)

    monkeypatch.setattr(trials, "measure", second_wins)
    monkeypatch.setattr(LoadedModel, "take", noted)
    taken = Taken(monkeypatch)
    with Engine(ways_dir=tmp_path / "ways") as engine:
        model = engine.load(folder)
        assert taken.wait()
        gc.collect()
        gc.disable()
        try:
            engine.open_session(model).send("hello", GREEDY).tokens()
            engine.unload(model)
            engine.stats()
            engine.stats()  # by the turn after, all that had to do with it has been dropped
            assert known[0]() is None
        finally:
            gc.enable()


def test_kernels_that_are_found_right_later_are_measured_then(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: None
) -> None:
    models: list[LoadedModel] = []

    def measure(model: LoadedModel, cell: Cell, rounds: int = 2) -> Generator[None, None, Times]:
        models.append(model)
        return (yield from second_wins(model, cell, rounds))

    monkeypatch.setattr(trials, "measure", measure)
    taken = Taken(monkeypatch)
    with Engine(ways_dir=tmp_path / "ways") as engine:
        engine.load(folder)
        assert taken.wait().kernels == {}
        models[0].kernels = Noting()
        engine.stats()  # a turn of the loop, as where a child has reported
        assert taken.wait().kernels == {2: False, 4: False, 8: False}
        assert models[0].kernels_for(3) is None


def test_a_chat_that_starts_ends_the_comparison_under_way(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: None
) -> None:
    begun, given_up = threading.Event(), threading.Event()

    def endless(*_: object) -> Generator[None, None, Times]:
        try:
            while True:
                begun.set()
                yield
        finally:
            given_up.set()

    monkeypatch.setattr(trials, "measure", endless)
    monkeypatch.setattr(calibrating, "BUDGET_S", 1e9)
    with Engine(ways_dir=tmp_path / "ways") as engine:
        model = engine.load(folder)
        assert begun.wait(60)
        seen: list[bool] = []
        chat = engine.open_session(model)
        chat.send("hello", GREEDY, on_event=lambda _: seen.append(given_up.is_set())).tokens()
        assert seen
        assert all(seen)
        begun.clear()
        assert begun.wait(60)  # and goes on after it
    assert not tables(tmp_path / "ways")


def test_faults_of_a_trial_are_its_own(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: None
) -> None:
    tried: list[Cell] = []

    def faulty(_: LoadedModel, cell: Cell, rounds: int = 2) -> Generator[None, None, Times]:
        tried.append(cell)
        yield
        raise MemoryError("no room")

    monkeypatch.setattr(trials, "measure", faulty)
    with Engine(ways_dir=tmp_path / "ways") as engine:
        model = engine.load(folder)
        while len(tried) < 3:
            assert engine.stats()
        assert engine.open_session(model).send("hello", GREEDY).tokens()
    assert len(set(tried)) == len(tried) == 3
    assert not tables(tmp_path / "ways")


def truncated(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data)[:-9])


def of_another(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data | {"of": {**data["of"], "mlx": "0.1"}}))


def forged(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data | {"results": [[SLOTS, 4, 7, {"slots": 1.0}]]}))


def huge(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data) + " " * 2**20)


def deep(path: Path, data: dict[str, Any]) -> None:
    path.write_text("[" * 20_000)


def pipe(path: Path, data: dict[str, Any]) -> None:
    path.unlink()
    os.mkfifo(path)


def no_text(path: Path, data: dict[str, Any]) -> None:
    path.write_bytes(b"\xff\xfe\x00")


@pytest.mark.parametrize("damage", [truncated, of_another, forged, huge, deep, pipe, no_text])
def test_a_table_that_cannot_be_trusted_is_made_anew(
    model: LoadedModel, tmp_path: Path, damage: Callable[[Path, dict[str, Any]], None]
) -> None:
    results = {cell: dict.fromkeys(WAYS[cell.part], 0.5) for cell in SMALL}
    file = WaysFile(tmp_path / "ways", backend.start(), model)
    assert file.read() == {}
    file.write(results)
    assert file.read() == results
    damage(file.path, json.loads(file.path.read_text()))
    assert file.read() == {}
    file.write(results)
    assert file.read() == results
    assert [f.name for f in file.path.parent.iterdir()] == [file.path.name]


def test_tables_take_no_more_than_their_room(model: LoadedModel, tmp_path: Path) -> None:
    for number in range(80):
        (tmp_path / f"{number}.json").write_text("{}")
        (tmp_path / f"{number}.part").write_text("{}")
    file = WaysFile(tmp_path, backend.start(), model)
    file.write({})
    assert len(list(tmp_path.iterdir())) == 64
    assert file.path.exists()


def test_a_folder_that_cannot_be_written_costs_nothing(model: LoadedModel, tmp_path: Path) -> None:
    (tmp_path / "ways").write_text("a file")
    file = WaysFile(tmp_path / "ways", backend.start(), model)
    file.write({})
    assert file.read() == {}


def extreme(second: bool) -> Choices:
    """What follows where one way wins everywhere."""
    cells = [
        *(Cell(SLOTS, n, length) for n in (2, 4, 8) for length in (256, 1024, 2048, 4096)),
        *(Cell(MIXED, n, rows) for n in (1, 4, 8) for rows in (32, 128)),
        *(Cell(PREFIX, 4, length) for length in (256, 1024, 4096)),
    ]
    times = {
        c: dict(zip(WAYS[c.part], (2.0, 1.0) if second else (1.0, 2.0), strict=True)) for c in cells
    }
    for size in (256, 512):
        times[Cell(CHUNK, 1, size)] = {"chunk": size * (size if second else 1.0)}
    return choose(times, Guess(1024, 1024))


def test_whatever_is_chosen_answers_stay_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, at_once: None
) -> None:
    """Three chats, one of them reproducible, with a beginning that could be shared, and a fork."""
    long = "one two three four " * 90

    def answers(choices: Choices | None) -> list[list[int]]:
        def chosen(self: WaysFile) -> dict[Cell, Times]:
            return {SMALL[0]: dict.fromkeys(WAYS[SLOTS], 1.0)}

        monkeypatch.setattr(WaysFile, "read", chosen)
        monkeypatch.setattr(calibrating, "choose", lambda *_: choices)
        monkeypatch.setattr(calibrating, "BUDGET_S", 0.0)
        with Engine(ways_dir=None if choices is None else tmp_path / "none") as engine:
            model = engine.load(folder)
            chats = [engine.open_session(model, reproducible=n == 2) for n in range(3)]
            first = [chat.send(long, GREEDY) for chat in chats]
            said = [reply.tokens() for reply in first]
            twins = [chats[0].fork(), chats[0].fork(), chats[2].fork()]
            said += [reply.tokens() for reply in [c.send("and more", GREEDY) for c in twins]]
            return said

    usual = answers(None)
    assert all(len(tokens) == 12 for tokens in usual)
    first, second = extreme(second=False), extreme(second=True)
    assert (first.shared_from[4], second.chunk_most, second.below[4]) == (256, 256, 0)
    assert answers(first) == usual
    assert answers(second) == usual


def test_beginnings_are_shared_by_how_many_chats_go_on_from_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, at_once: None
) -> None:
    made = Choices(shared_from={2: 8192, 3: 256})
    monkeypatch.setattr(
        WaysFile, "read", lambda _: {SMALL[0]: dict.fromkeys(WAYS[SMALL[0].part], 1.0)}
    )
    monkeypatch.setattr(calibrating, "choose", lambda *_: made)
    monkeypatch.setattr(calibrating, "BUDGET_S", 0.0)
    taken = Taken(monkeypatch)

    def sharers(engine: Engine, model: Model, count: int, words: str) -> list[int]:
        chats = [engine.open_session(model) for _ in range(count)]
        for reply in [chat.send(words * 90, GREEDY) for chat in chats]:
            reply.tokens()
        told = engine.stats()["sessions"]
        shared = [told[chat.id]["kv_sharers"] for chat in chats]
        for chat in chats:
            chat.close()
        return shared

    with Engine(ways_dir=tmp_path / "none") as engine:
        model = engine.load(folder)
        assert taken.wait() is made
        assert sharers(engine, model, 2, "one two three four ") == [1, 1]
        assert min(sharers(engine, model, 3, "five six seven eight ")) == 3


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder of the commands, with nothing said against measuring."""
    monkeypatch.delenv("STRETTO_NO_WAYS")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: tmp_path / "cache")
    return tmp_path / "cache"


def test_a_batch_takes_what_was_measured_before(
    folder: Path,
    model: LoadedModel,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    file = WaysFile(cache / "ways", backend.start(), model)
    file.write({SMALL[0]: {"slots": 2.0, "own caches": 1.0}})
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({"prompt": "hello", "max_tokens": 3}) + "\n")
    taken = Taken(monkeypatch)

    def run(*more: str) -> None:
        out = str(tmp_path / f"{len(more)}.jsonl")
        assert main(["batch", str(source), out, "--model", str(folder), *more]) == 0

    run()
    assert [made.below for made in taken.choices[:1]] == [{4: 0}]
    taken.choices.clear()
    run("--no-calibration")
    monkeypatch.setenv("STRETTO_NO_WAYS", "1")
    run("--no-calibration", "--restart")
    run()
    assert not taken.choices


def test_a_server_measures_unless_it_is_told_not_to(
    cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given: list[Any] = []

    class Noted(Engine):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            given.append(options["ways_dir"])

    monkeypatch.setattr(serve, "Engine", Noted)
    nothing = str(tmp_path / "none")
    assert main(["serve", nothing, "--port", "0"]) == 2
    assert main(["serve", nothing, "--port", "0", "--no-calibration"]) == 2
    assert given == [cache / "ways", None]

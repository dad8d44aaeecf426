"""Models load in small steps, between which streaming chats get their tokens."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import pytest

from engine import Engine, EngineError
from engine.model import backend, loader, vocabulary
from engine.model import folder as folder_module
from engine.model import sliced_pass as slices_module
from engine.model.loaded_model import CheckedModel, LoadedModel
from engine.model.sliced_pass import evaluate_in_slices
from engine.runtime import model_loader as leaving
from tests.engine.families import FAMILIES

Folder = Callable[[str], Path]


def checked_model(folder: Path, largest_id: int | None = None) -> CheckedModel:
    backend.start()
    config = folder_module.check_folder(folder, "Tiny")
    return loader.check_model(folder, "Tiny", config, 1_000_000, [2], largest_id)


def passes_by_piece(
    folder: Path, monkeypatch: pytest.MonkeyPatch, largest_id: int | None = None
) -> tuple[list[int], LoadedModel]:
    from mlx_lm.utils import _get_classes

    known = checked_model(folder, largest_id)
    kind = _get_classes(dict(known.config))[0]
    usual, passes = kind.__call__, [0]

    def counted(self: Any, *args: Any, **options: Any) -> Any:
        passes[-1] += 1
        return usual(self, *args, **options)

    monkeypatch.setattr(kind, "__call__", counted)
    pieces = loader.load(known, wide=False)
    while True:
        try:
            next(pieces)
        except StopIteration as done:
            return passes, done.value
        passes.append(0)


@pytest.mark.parametrize("family", ["plain", "sliding window", "hybrid recurrent"])
def test_loading_step_makes_at_most_one_pass(
    model_folder: Folder, monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    passes, model = passes_by_piece(model_folder(family), monkeypatch)
    assert sum(passes) > 10
    assert max(passes) == 1
    assert model.info.step in ("shared", "rows")


def test_weights_are_read_a_few_at_a_time(
    model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluated: list[int] = []
    usual = mx.eval

    def watched(*arrays: Any) -> None:
        if sys._getframe(1).f_code.co_name == "read_weights":
            evaluated.append(len(arrays[0]))
        usual(*arrays)

    monkeypatch.setattr(mx, "eval", watched)
    monkeypatch.setattr(loader, "SLICE_S", 0.0)
    reading = loader.load(checked_model(model_folder("plain")), wide=False)
    next(reading)  # creates the model without its weights
    assert not evaluated
    shares = []
    for count in range(1, 5):
        shares.append(next(reading))
        assert evaluated == [1] * count
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] < 1


def test_load_progress_is_reported_despite_errors(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader, "SLICE_S", 0.0)
    heard: list[float] = []

    def told(share: float) -> None:
        heard.append(share)
        raise SystemExit  # must not end the engine thread

    model = engine.load_later(model_folder("plain"), told).result(timeout=60)
    assert model.nbytes > 0
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
    assert engine.load_later(model_folder("plain")).result(timeout=60) == model


def test_fitting_vocabulary_is_not_listed_again(
    model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Listing 150,000 words holds the GIL for 0.1 s, and a child process has already done it."""
    asked: list[int] = []
    monkeypatch.setattr(vocabulary, "check_tokenizer", lambda rows, *_: asked.append(rows))
    rows = int(FAMILIES["plain"]["vocab_size"])
    passes_by_piece(model_folder("plain"), monkeypatch, largest_id=rows - 1)
    assert not asked
    passes_by_piece(model_folder("plain"), monkeypatch, largest_id=rows)
    assert asked == [rows]


def test_model_module_is_imported_early(
    model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = model_folder("plain")
    name = f"mlx_lm.models.{FAMILIES['plain']['model_type']}"
    monkeypatch.delattr(name)  # importing it again replaces both
    monkeypatch.delitem(sys.modules, name)
    checked_model(folder)
    assert name in sys.modules


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, cost: Callable[[list[Any]], float]) -> None:
        self.now = 0.0
        self.evaluated: list[int] = []  # arrays per evaluation
        usual = mx.eval

        def watched(arrays: list[Any]) -> None:
            self.evaluated.append(len(arrays))
            self.now += cost(arrays)
            usual(arrays)

        monkeypatch.setattr(mx, "eval", watched)
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)


@pytest.mark.parametrize(
    ("layer", "slices"),
    [
        (0.04, [[1]] * 13),  # each takes longer than a slice
        (0.009, [[1, 2], [3], [3], [3], [1]]),
        (0.001, [[1, 2, 4, 6]]),
    ],
)
def test_pass_is_computed_in_time_slices(
    monkeypatch: pytest.MonkeyPatch, layer: float, slices: list[list[int]]
) -> None:
    """Evaluate twelve layers and the final result."""
    backend.start()
    monkeypatch.setattr(slices_module, "SLICE", 0.03)
    clock = Clock(monkeypatch, lambda arrays: layer * len(arrays))
    layers = [mx.zeros(1) + i for i in range(12)]
    found = []
    running = evaluate_in_slices(layers, mx.zeros(1))
    while True:
        clock.evaluated.clear()
        over = next(running, True)
        found.append(list(clock.evaluated))
        if over:
            break
    assert found == slices


def test_omitted_arrays_are_not_computed_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A layer's cache doesn't depend on later layers."""
    backend.start()
    monkeypatch.setattr(slices_module, "SLICE", 0.0)
    hidden, layers = mx.ones((1, 2**20)), []
    for _ in range(6):
        hidden = hidden + 1
        layers.append([hidden])
    begun = mx.get_active_memory()
    sizes = []
    for _ in evaluate_in_slices(layers, hidden.sum()):
        sizes.append((mx.get_active_memory() - begun) // 2**22)
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2] < sizes[5]
    assert hidden[0, 0].item() == 7.0


@pytest.mark.parametrize("family", ["plain", "sliding window", "hybrid recurrent", "MLA"])
def test_slicing_does_not_change_probe_results(
    model_folder: Folder, monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    monkeypatch.setattr(slices_module, "SLICE", 1e9)
    whole, at_once = passes_by_piece(model_folder(family), monkeypatch)
    monkeypatch.undo()
    monkeypatch.setattr(slices_module, "SLICE", 0.0)
    sliced, in_pieces = passes_by_piece(model_folder(family), monkeypatch)
    assert len(sliced) > len(whole) + 20
    assert max(sliced) == 1
    assert in_pieces.info == at_once.info
    assert in_pieces.abilities.estimate == at_once.abilities.estimate
    assert in_pieces.abilities.modes == at_once.abilities.modes
    for name in ("token_by_token", "rows"):
        assert getattr(in_pieces.abilities, name) == getattr(at_once.abilities, name)


def test_weights_are_read_in_time_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    backend.start()
    clock = Clock(monkeypatch, lambda arrays: sum(a.nbytes for a in arrays) / 400_000)
    net: Any = nn.Module()
    for name, size in zip("abcdefg", (500, 500, 500, 5000, 500, 500, 500), strict=True):
        net[name] = mx.zeros(size) + 1
    turns = []
    for _ in loader.read_weights(net):
        turns.append(list(clock.evaluated))
        clock.evaluated.clear()
    # 5 ms for each small array, 50 ms for the large array, and 20 ms per turn.
    assert turns == [[1, 1, 1, 1], [1, 1, 1]]


def test_unloaded_model_is_freed_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Free arrays for a limited time per step, with a turn of the loop between the steps."""
    now, freed = [0.0], []
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(leaving, "FREED_BYTES", 4000)

    def give_back() -> None:
        freed.append(len(arrays))
        assert mx.get_active_memory() < held
        now[0] += 0.012

    monkeypatch.setattr(backend, "release_memory", give_back)
    arrays = [mx.zeros(1000) + 1 for _ in range(5)]
    mx.eval(arrays)
    held, told = mx.get_active_memory(), []
    going = leaving.DeferredFree()
    going.add(arrays, lambda: told.append(len(freed)))
    going.step()
    assert freed == [4, 3]
    assert going.queue
    going.step()
    assert not told
    going.step()
    assert told == [5]
    assert not going.queue


def test_stopping_engine_notifies_waiters_for_unloading() -> None:
    told: list[str] = []
    going = leaving.DeferredFree()
    going.add([mx.zeros(1)], lambda: told.append("gone"))
    going.abandon()
    assert told == ["gone"]
    assert not going.queue


@pytest.mark.parametrize("draft", [False, True])
def test_waiting_load_always_ends(
    model_folder: Folder, monkeypatch: pytest.MonkeyPatch, draft: bool
) -> None:
    """Regression test: waiting loads were lost when later cleanup raised."""
    raised: list[bool] = []
    give_up = leaving.DeferredFree.abandon

    def faulty(self: leaving.DeferredFree) -> None:
        raised.append(True)
        if len(raised) == 1:
            raise BaseException("injected")  # as when a native library panics
        give_up(self)

    monkeypatch.setattr(leaving.DeferredFree, "abandon", faulty)
    monkeypatch.setattr(loader, "SLICE_S", 0.0)  # or else a fast machine loads it in one step
    engine = Engine()
    waits = engine.load_later(
        model_folder("plain"),
        lambda _: engine.stop(),  # on the engine thread while weights are being read
        draft=model_folder("sliding window") if draft else None,
    )
    with pytest.raises(EngineError, match="stopped"):
        waits.result(20)
    engine.stop()
    assert len(raised) == 2


def test_waiting_unload_always_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str] = []

    def first() -> None:
        told.append("first")
        if len(told) == 1:
            raise RuntimeError("injected")

    going = leaving.DeferredFree()
    going.add([], first)
    going.add([], lambda: told.append("second"))
    going.abandon()
    assert told == ["first", "first", "second"]

    def failing() -> None:
        raise RuntimeError("injected")

    monkeypatch.setattr(backend, "release_memory", failing)
    going.add([], lambda: told.append("third"))
    with pytest.raises(RuntimeError):
        going.step()
    assert told[-1] == "third"

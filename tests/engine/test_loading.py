"""A model is loaded in small pieces: between two of them the chats that stream get their tokens."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine import Engine
from engine.model import backend, loader, vocabulary
from tests.engine.families import FAMILIES

Folder = Callable[[str], Path]


def examined(folder: Path, largest_id: int | None = None) -> loader.Examined:
    """A folder that has been looked at."""
    backend.start()
    config = loader.folder.check(folder, "Tiny")
    return loader.examine(folder, "Tiny", config, 1_000_000, [2], largest_id)


def passes_by_piece(
    folder: Path, monkeypatch: pytest.MonkeyPatch, largest_id: int | None = None
) -> tuple[list[int], loader.LoadedModel]:
    """How many forward passes of the whole model each piece of loading makes."""
    from mlx_lm.utils import _get_classes

    known = examined(folder, largest_id)
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
def test_no_piece_makes_more_than_one_pass(
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
    monkeypatch.setattr(loader, "PIECE", 1)
    monkeypatch.setattr(loader, "PAUSE", 0.0)
    reading = loader.load(examined(model_folder("plain")), wide=False)
    next(reading)  # the model without its weights
    assert not evaluated
    shares = []
    for count in range(1, 5):
        shares.append(next(reading))
        assert evaluated == [1] * count
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] < 1


def test_who_loads_hears_how_far_it_is_whatever_that_does(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader, "PIECE", 1)
    monkeypatch.setattr(loader, "PAUSE", 0.0)
    heard: list[float] = []

    def told(share: float) -> None:
        heard.append(share)
        raise SystemExit  # must not end the engine's thread

    model = engine.load_later(model_folder("plain"), told).result(timeout=60)
    assert model.nbytes > 0
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
    assert engine.load_later(model_folder("plain")).result(timeout=60) == model


def test_a_vocabulary_that_fits_is_not_looked_through_again(
    model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Listing 150,000 words holds Python's lock for 0.1 s; a child has done it already."""
    asked: list[int] = []
    monkeypatch.setattr(vocabulary, "check_tokenizer", lambda rows, *_: asked.append(rows))
    rows = int(FAMILIES["plain"]["vocab_size"])
    passes_by_piece(model_folder("plain"), monkeypatch, largest_id=rows - 1)
    assert not asked
    passes_by_piece(model_folder("plain"), monkeypatch, largest_id=rows)
    assert asked == [rows]


def test_the_models_module_is_imported_before_the_engine_thread_needs_it(
    model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = model_folder("plain")
    name = f"mlx_lm.models.{FAMILIES['plain']['model_type']}"
    monkeypatch.delitem(sys.modules, name)
    examined(folder)
    assert name in sys.modules

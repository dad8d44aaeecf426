"""The bench of ways: twelve cases by hand beside what calibration takes."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from engine.bench import ways
from engine.bench.random_models import SHAPES, write_model
from engine.model import backend, loader, trials
from engine.model.choices import SLOTS, WAYS, Cell, Guess, choose
from engine.model.loaded import LoadedModel

GUESS = Guess(below=1024, shared_from=1024)


def test_twelve_cases_tell_a_good_choice_from_a_bad_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first_wins(
        _: LoadedModel, cell: Cell, rounds: int = 2, steady: float | None = None
    ) -> Generator[None, None, dict[str, float]]:
        yield
        return {way: 0.01 * place for place, way in enumerate(WAYS[cell.part], 1)}

    backend.start()
    model = loader.load_at_once(write_model(tmp_path / "model", SHAPES["tiny"]), True)
    monkeypatch.setattr(trials, "measure", first_wins)
    said: list[str] = []
    results = ways.measured(model, said.append)
    good = ways.by_hand(model, choose(results, GUESS), 1, said.append)
    assert [case.over_best for case in good] == [1.0] * 12
    bad = {Cell(SLOTS, 4, 256): {"slots": 2.0, "own caches": 1.0}}
    cases = ways.by_hand(model, choose(bad, GUESS), 1, said.append)
    slow = [case for case in cases if case.over_best > ways.TOLERANCE]
    # Beginnings of 512 and 768 tokens are copied unless something was measured.
    assert [case.part for case in slow].count(SLOTS) == 6
    assert sum("slower than it could be" in line for line in said) == len(slow) == 8

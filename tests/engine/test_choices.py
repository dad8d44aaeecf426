"""Which ways are taken, by what was measured. No model, no clock."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from engine.model.choices import (
    CELLS,
    CHUNK,
    EVERY,
    MIXED,
    PREFIX,
    SHARED_ALWAYS,
    SLOTS,
    WAYS,
    Cell,
    Choices,
    Guess,
    choose,
    from_json,
    next_cell,
    to_json,
)

CPU = Guess(below=1024, shared_from=1024)
GPU = Guess(below=None, shared_from=1024)


def times(part: str, first: float, second: float = 1.0) -> dict[str, float]:
    return dict(zip(WAYS[part], (first, second), strict=False))


@pytest.mark.parametrize("guess", [CPU, GPU])
def test_without_results_all_is_as_guessed(guess: Guess) -> None:
    made = choose({}, guess)
    assert made.shared_from == {}  # nothing is told that was not measured
    assert [made.shared_for(n) for n in (1, 4, 9)] == [guess.shared_from] * 3
    assert [made.slots_below(n, guess.below) for n in (1, 2, 9)] == [guess.below] * 3
    assert (made.mixed_for(1), made.chunk_most) == (EVERY, EVERY)


def test_slots_end_where_own_caches_win() -> None:
    results = {Cell(SLOTS, 4, 1024): times(SLOTS, 0.8), Cell(SLOTS, 4, 2048): times(SLOTS, 1.2)}
    assert choose(results, CPU).below == {4: 2048}
    results[Cell(SLOTS, 4, 2048)] = times(SLOTS, 0.8)
    results[Cell(SLOTS, 4, 4096)] = times(SLOTS, 0.8)
    assert choose(results, CPU).below == {4: None}
    assert choose({Cell(SLOTS, 4, 256): times(SLOTS, 1.2)}, GPU).below == {4: 0}


def test_a_tie_leaves_what_is_guessed() -> None:
    for ratio in (0.98, 1.0, 1.02):
        tie = {Cell(SLOTS, 4, 1024): times(SLOTS, ratio)}
        assert choose(tie, CPU).below == {4: 1024}
        assert choose(tie, GPU).below == {4: None}
    # Copies take more memory: they must be worth it.
    assert choose({Cell(PREFIX, 4, 1024): times(PREFIX, 1.08)}, CPU).shared_for(4) == 1024
    assert choose({Cell(PREFIX, 4, 1024): times(PREFIX, 1.2)}, CPU).shared_for(4) == 4096


def test_long_beginnings_are_shared_whatever_is_faster() -> None:
    slow = {Cell(PREFIX, 4, n): times(PREFIX, 9.0) for n in (256, 1024, 4096)}
    made = choose(slow, CPU)
    # What copies win with four chats they win with two, but more chats may share as it is guessed.
    assert [made.shared_for(n) for n in (1, 2, 4, 8)] == [SHARED_ALWAYS] * 3 + [CPU.shared_from]
    few = choose({Cell(PREFIX, 8, 256): times(PREFIX, 0.5)}, CPU)
    assert [few.shared_for(n) for n in (2, 4, 8)] == [CPU.shared_from] * 2 + [256]


def test_beginnings_by_the_number_of_chats() -> None:
    results = {
        Cell(PREFIX, 4, 1024): times(PREFIX, 0.9),
        Cell(PREFIX, 4, 256): times(PREFIX, 1.2),
        Cell(PREFIX, 8, 1024): times(PREFIX, 0.8),
        Cell(PREFIX, 8, 512): times(PREFIX, 0.85),
        Cell(PREFIX, 8, 256): times(PREFIX, 1.1),
        Cell(PREFIX, 2, 1024): times(PREFIX, 1.3),
    }
    made = choose(results, CPU)
    assert made.shared_from == {4: 1024, 8: 512, 2: 4096}
    assert [made.shared_for(n) for n in (1, 2, 3, 4, 7, 8, 30)] == [4096] * 3 + [1024] * 2 + [
        512
    ] * 2
    assert [made.way(Cell(PREFIX, n, 768), None) for n in (4, 8)] == ["copies", "shared"]


def test_fewer_chats_say_that_sharing_wins_and_more_that_it_does_not() -> None:
    def left(results: dict[Cell, dict[str, float]]) -> set[tuple[int, int]]:
        """The cells of beginnings that are still to be measured."""
        waiting, more = set(), dict(results)
        while cell := next_cell(more, CPU, lambda c: c.part == PREFIX and c not in waiting):
            waiting.add(cell)
        return {(c.chats, c.tokens) for c in waiting}

    assert left({Cell(PREFIX, 4, 256): times(PREFIX, 0.5)}) == {(2, 1024), (2, 4096)}
    assert left({Cell(PREFIX, 8, 1024): times(PREFIX, 2.0)}) == {(4, 4096), (2, 4096)}
    said = {Cell(PREFIX, 4, 1024): times(PREFIX, 0.5), Cell(PREFIX, 8, 1024): times(PREFIX, 2.0)}
    made = choose(said, CPU)
    assert [made.shared_for(n) for n in (4, 8)] == [1024, 4096]  # as many chats know better


def test_a_table_without_the_cells_that_came_later_is_read() -> None:
    old = [[PREFIX, 4, n, times(PREFIX, 1.2)] for n in (256, 1024)]
    assert choose(from_json(old), CPU).shared_for(4) == 4096


def test_mixed_passes_by_chats_and_size() -> None:
    results = {
        Cell(MIXED, 1, 32): times(MIXED, 2.0),
        Cell(MIXED, 4, 32): times(MIXED, 0.5),
        Cell(MIXED, 4, 128): times(MIXED, 2.0),
    }
    made = choose(results, CPU)
    assert [made.mixed_for(n) for n in (1, 3, 4, 20)] == [0, 0, 64, 64]


def test_the_largest_chunk_that_is_about_as_good_as_the_best() -> None:
    def chunks(*each: float) -> int:
        sizes = (256, 512, 1024, 2048)
        found = {Cell(CHUNK, 1, n): {"chunk": n * s} for n, s in zip(sizes, each, strict=False)}
        return choose(found, CPU).chunk_most

    assert chunks(3.0, 2.0, 1.0) == EVERY  # longer ones were not tried
    assert chunks(1.0, 1.02, 1.5) == 512
    assert chunks(1.0, 1.1, 1.2, 1.3) == 256


def test_the_nearest_number_of_chats_counts() -> None:
    made = Choices(below={4: 1024, 8: None})
    assert [made.slots_below(n, 7) for n in (2, 4, 7, 8, 30)] == [1024, 1024, 1024, None, None]


@pytest.mark.parametrize("seed", range(20))
def test_measuring_ends_and_only_known_choices_follow(seed: int) -> None:
    rng = random.Random(seed)
    guess = rng.choice([CPU, GPU])
    results: dict[Cell, dict[str, float]] = {}
    while (cell := next_cell(results, guess, lambda c: c.tokens < 4096)) is not None:
        assert cell not in results
        results[cell] = {way: rng.uniform(0.01, 1) for way in WAYS[cell.part]}
        made = choose(results, guess)
        assert set(made.below.values()) <= {0, 1024, 2048, 4096, None}
        assert set(made.shared_from.values()) <= {256, 512, 1024, 4096, SHARED_ALWAYS}
        assert set(made.mixed_most.values()) <= {0, 64, EVERY}
        assert made.chunk_most in {256, 512, 1024, 2048}
    assert from_json(json.loads(json.dumps(to_json(results)))) == results
    assert results.keys() <= set(CELLS)


def test_what_follows_from_others_is_not_measured() -> None:
    results: dict[Cell, dict[str, float]] = {}
    slots = []
    while (cell := next_cell(results, CPU, lambda c: c.part == SLOTS and c.chats == 4)) is not None:
        slots.append(cell.tokens)
        results[cell] = times(SLOTS, 2.0 if cell.tokens >= 1024 else 0.5)
    assert slots == [1024, 256]  # who wins at 1,024 wins at 2,048


GOOD = [SLOTS, 4, 1024, {"slots": 0.5, "own caches": 0.25}]


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        [GOOD, GOOD],
        [GOOD[:3]],
        [["elsewhere", 4, 1024, GOOD[3]]],
        [[SLOTS, 5, 1024, GOOD[3]]],
        [[SLOTS, True, 1024, GOOD[3]]],
        [[SLOTS, 4, 10**30, GOOD[3]]],
        [[[SLOTS], 4, 1024, GOOD[3]]],
        [[*GOOD[:3], {"slots": 0.5}]],
        [[*GOOD[:3], {"slots": 0.5, "own caches": 0.5, "more": 0.5}]],
        [[*GOOD[:3], {"slots": 0.5, "own caches": "0.5"}]],
        [[*GOOD[:3], {"slots": 0.5, "own caches": -0.5}]],
        [[*GOOD[:3], {"slots": 0.5, "own caches": float("nan")}]],
        [[*GOOD[:3], {"slots": 0.5, "own caches": float("inf")}]],
        [GOOD] * 1000,
    ],
)
def test_forged_results_are_refused(data: Any) -> None:
    assert from_json([GOOD])
    with pytest.raises(ValueError, match=r"it is|an entry"):
        from_json(data)

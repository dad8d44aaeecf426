"""The policy, without a model and without a clock."""

from __future__ import annotations

from engine.scheduling.pacing import FIXED_CHUNK, MIN_CHUNK, TILE, Pacing, Waiting
from engine.scheduling.turns import Turns


def names(order: list[Waiting]) -> list[str]:
    return [w.key for w in order]


def test_the_shortest_prompt_goes_first() -> None:
    waiting = [Waiting("long", 3000, 0.0), Waiting("short", 30, 1.0)]
    assert names(Pacing().order(waiting, 1.0)) == ["short", "long"]


def test_a_long_prompt_is_never_starved() -> None:
    scheduler = Pacing(ageing=50.0)
    for second in range(0, 200, 5):
        waiting = [Waiting("long", 3000, 0.0), Waiting("short", 200, float(second))]
        if names(scheduler.order(waiting, float(second)))[0] == "long":
            assert 40 <= second <= 80
            return
    raise AssertionError("short prompts went first for ever")


def test_chunks_settle_at_the_gap_budget() -> None:
    scheduler = Pacing(gap_budget=0.04)
    step = 0.02

    def cost(tokens: int) -> float:  # weights read once, then so much a token
        return 0.01 + tokens * 0.001

    sizes = []
    for _ in range(30):
        size = scheduler.chunk("m", 100_000, step)
        scheduler.observe("m", size, cost(size), step)
        sizes.append(size)
    assert cost(sizes[-1]) <= 0.04 + step < cost(sizes[-1] + 2 * TILE)


def test_one_slow_moment_does_not_decide() -> None:
    scheduler = Pacing()
    before = scheduler.chunk("m", 10_000, 0.02)
    scheduler.observe("m", before, 10.0, 0.02)
    assert scheduler.chunk("m", 10_000, 0.02) >= max(MIN_CHUNK, before * 0.5)


def test_a_small_pass_says_nothing_against_larger_ones() -> None:
    scheduler = Pacing()
    for _ in range(20):
        scheduler.observe("m", 1024, 0.1, None)
    size = scheduler.chunk("m", 10_000, None)
    assert size > 1024
    scheduler.observe("m", 20, 0.01, None)
    assert scheduler.chunk("m", 10_000, None) == size
    scheduler.observe("m", 20, 5.0, None)  # one slow moment
    assert 0.5 * size < scheduler.chunk("m", 10_000, None) < size


def test_chunks_are_large_when_nothing_decodes() -> None:
    scheduler = Pacing()
    assert scheduler.chunk("m", 10_000, None) > scheduler.chunk("m", 10_000, 0.02)
    assert scheduler.chunk("m", 5, None) == 5


def test_reproducible_boundaries_lie_at_fixed_positions() -> None:
    scheduler = Pacing()
    assert scheduler.fixed_chunk(0, 1000) == FIXED_CHUNK
    assert scheduler.fixed_chunk(10, 1000) == FIXED_CHUNK - 10
    assert scheduler.fixed_chunk(2 * FIXED_CHUNK, 7) == 7


def test_models_share_the_device_by_time() -> None:
    turns, count = Turns(), {"small": 0, "large": 0}
    cost = {"small": 1.0, "large": 30.0}
    for _ in range(620):
        model = turns.next(["small", "large"])
        count[model] += 1
        turns.charge(model, cost[model])
    assert count["small"] > 25 * count["large"]
    assert count["large"] >= 19


def test_a_round_is_over_when_each_active_model_had_a_turn() -> None:
    turns = Turns()
    over = []
    for _ in range(12):
        model = turns.next(["a", "b", "c"])
        over.append(turns.charge(model, {"a": 1.0, "b": 1.0, "c": 4.0}[model]))
    assert over[:3] == [False, False, True]
    assert any(over[3:])
    turns.next(["a"])  # the others have ended
    assert turns.charge("a", 1.0)


def test_a_model_that_comes_later_is_owed_nothing() -> None:
    turns = Turns()
    for _ in range(100):
        turns.charge(turns.next(["a"]), 1.0)
    served = []
    for _ in range(10):
        model = turns.next(["a", "b"])
        served.append(model)
        turns.charge(model, 1.0)
    assert served.count("b") == 5


def test_priority_goes_before_length_but_not_for_ever() -> None:
    scheduler = Pacing(ageing=50, preference=1000)
    front, back = Waiting("front", 900, 0.0, 1), Waiting("back", 10, 0.0)
    assert [w.key for w in scheduler.order([back, front], 0.0)] == ["front", "back"]
    late = Waiting("front", 900, 30.0, 1)
    assert [w.key for w in scheduler.order([late, back], 30.0)] == ["back", "front"]


def test_who_is_read_waits_a_while_for_those_who_came_too() -> None:
    scheduler = Pacing(gathering=1.0)
    scheduler.observe("m", 100, 0.5, None)  # a hundred tokens in half a second
    each = scheduler.seconds("m", 100)
    assert 0.4 < each < 0.6
    assert scheduler.gathers("m", 100, 0.0)
    assert scheduler.gathers("m", 100, 0.9 - each)
    assert not scheduler.gathers("m", 100, 0.7)
    assert not scheduler.gathers("m", 3000, 0.0)


def test_mixed_chunks_fill_whole_tiles_and_settle_at_their_budget() -> None:
    scheduler = Pacing(gap_budget=0.05)
    step = 0.04

    def cost(rows: int) -> float:
        return 0.03 + -(-rows // TILE) * 0.015

    for rows in (1, 3, 15, 40):
        for _ in range(30):
            size = scheduler.mixed_chunk("m", rows, 100_000)
            assert size >= MIN_CHUNK
            assert (rows + size) % TILE == 0
            scheduler.observe_mixed("m", rows + size, cost(rows + size), step)
        assert cost(rows + size) <= 0.05 + 2 * step < cost(rows + size + 3 * TILE)
    assert scheduler.mixed_chunk("m", 3, 2) == 2

"""Chunk sizes, order of prompts and time shares."""

from __future__ import annotations

import pytest

from engine.cache.ledger import FIXED_CHUNK
from engine.runtime.pacing import (
    GAP_BUDGET,
    MAX_LEAD_S,
    MAX_REST_STEPS,
    MIN_CHUNK,
    TILE,
    ModelTimeShares,
    PrefillPacer,
    PrefillPause,
    TimeShares,
    time_fractions,
)
from engine.runtime.plan import Row, Status


def waiting(key: str, remaining: int, since: float, priority: int = 0, model: str = "") -> Row:
    return Row(
        key,
        model,
        Status.PREFILLING,
        remaining=remaining,
        waiting_since=since,
        priority=priority,
    )


def names(order: list[Row]) -> list[str]:
    return [row.id for row in order]


def test_chunks_settle_at_the_gap_budget() -> None:
    pacer = PrefillPacer()
    step = 0.02

    def cost(tokens: int) -> float:  # a fixed cost for the weights plus a cost per token
        return 0.01 + tokens * 0.001

    sizes = []
    for _ in range(30):
        size = pacer.chunk("m", step)
        pacer.observe("m", size, cost(size), step)
        sizes.append(size)
    assert cost(sizes[-1]) <= GAP_BUDGET + step < cost(sizes[-1] + 2 * TILE)


def test_one_slow_moment_does_not_decide() -> None:
    pacer = PrefillPacer()
    before = pacer.chunk("m", 0.02)
    pacer.observe("m", before, 10.0, 0.02)
    assert pacer.chunk("m", 0.02) >= max(MIN_CHUNK, before * 0.5)


def test_small_pass_does_not_limit_larger_ones() -> None:
    pacer = PrefillPacer()
    for _ in range(20):
        pacer.observe("m", 1024, 0.1, None)
    size = pacer.chunk("m", None)
    assert size > 1024
    pacer.observe("m", 20, 0.01, None)
    assert pacer.chunk("m", None) == size
    pacer.observe("m", 20, 5.0, None)  # one slow outlier
    assert 0.5 * size < pacer.chunk("m", None) < size


def test_reproducible_boundaries_are_at_fixed_positions() -> None:
    pacer = PrefillPacer()
    assert pacer.fixed_chunk(0, 1000) == FIXED_CHUNK
    assert pacer.fixed_chunk(10, 1000) == FIXED_CHUNK - 10
    assert pacer.fixed_chunk(2 * FIXED_CHUNK, 7) == 7


def test_round_ends_after_each_model_had_a_turn() -> None:
    turns = ModelTimeShares()
    over = []
    for _ in range(12):
        model = turns.next("abc")
        over.append(turns.completes_round(model, "abc"))
        turns.charge(model, "abc", {"a": 1.0, "b": 1.0, "c": 4.0}[model])
    assert over[:3] == [False, False, True]
    assert any(over[3:])
    assert turns.completes_round("a", "a")  # without other replies, each turn completes a round


def test_late_model_gets_no_backlog() -> None:
    turns = ModelTimeShares()
    for _ in range(100):
        turns.charge("a", "a", 1.0)
    served = []
    for _ in range(10):
        model = turns.next("ab")
        served.append(model)
        turns.charge(model, "ab", 1.0)
    assert served.count("b") == 5


def test_program_quotas_leave_equal_shares_of_the_rest() -> None:
    assert time_fractions({"a": 0.0}) == {"a": 1.0}
    assert time_fractions({"a": 40.0, "b": 0.0, "c": 0.0}) == {"a": 0.4, "b": 0.3, "c": 0.3}
    assert time_fractions({"a": 100.0, "b": 0.0})["b"] == 0.01, "nobody has nothing"


def test_programs_share_time_without_backlog() -> None:
    shares = TimeShares()
    for _ in range(100):
        shares.charge({"a": 1.0}, {"a": 1.0})
    assert shares.used(["a", "b"]) == {"a": 100.0, "b": 100.0}, "b had nothing to do"
    shares.charge({"a": 0.5, "b": 0.5}, {"a": 1.0})
    assert shares.used(["a", "b"]) == {"a": 102.0, "b": 100.0}
    shares.charge({"b": 1.0}, {"b": 0.5})
    assert shares.used(["a"]) == {"a": 102.0}, "it is ahead still when it comes back"
    shares.charge({"a": 0.01, "b": 0.99}, {"a": 50.0})
    assert shares.used(["a"])["a"] == shares.used(["b"])["b"] + MAX_LEAD_S
    for number in range(1000):
        shares.charge({f"p{number}": 0.5, "b": 0.5}, {f"p{number}": 0.1, "b": 0.2})
    assert len(shares._used) < 50, "those of long ago are forgotten"


def test_front_chat_goes_first_unless_it_is_much_later() -> None:
    pacer = PrefillPacer()
    front, back = waiting("front", 900, 0.0, 1), waiting("back", 10, 0.0)
    assert names(pacer.order([back, front], 0.0)) == ["front", "back"]
    late = waiting("front", 900, 100.0, 1)
    assert names(pacer.order([late, back], 100.0)) == ["back", "front"]


def test_prefill_waits_briefly_for_simultaneous_prompts() -> None:
    pacer = PrefillPacer()
    pacer.observe("m", 100, 0.5, None)  # 100 tokens in half a second
    each = pacer.seconds("m", 100)
    assert 0.4 < each < 0.6
    assert pacer.should_gather("m", 100, 0.0)
    assert pacer.should_gather("m", 100, 0.9 - each)
    assert not pacer.should_gather("m", 100, 0.7)
    assert not pacer.should_gather("m", 3000, 0.0)


def test_mixed_chunks_fill_tiles_within_budget() -> None:
    pacer = PrefillPacer()
    step = 0.04

    def cost(rows: int) -> float:
        return 0.03 + -(-rows // TILE) * 0.015

    for rows in (1, 3, 15, 40):
        for _ in range(30):
            size = pacer.mixed_chunk("m", rows)
            assert size >= MIN_CHUNK
            assert (rows + size) % TILE == 0
            pacer.observe_mixed("m", rows + size, cost(rows + size), step)
        assert cost(rows + size) <= 0.05 + 2 * step < cost(rows + size + 3 * TILE)


@pytest.mark.parametrize(("step", "row"), [(0.014, 0.0014), (0.006, 0.0006)])
def test_prompt_of_exact_model_keeps_its_speed_next_to_streams(step: float, row: float) -> None:
    """Use the measured costs of three SmolLM2 streams on two cores, with AVX2 and AVX-512."""
    pacing, rest, streams = PrefillPacer(), PrefillPause(), 3

    def cost(rows: int) -> float:
        return step + (rows - streams) * row

    read, seconds, gaps = 0, 0.0, []
    while read < 2000:
        count = 0 if rest.is_due else min(2000 - read, pacing.mixed_chunk("m", streams, tile=1))
        gaps.append(cost(streams + count))
        if count:
            pacing.observe_mixed("m", streams + count, gaps[-1], step)
            rest.add(gaps[-1] - 2 * step - 0.05)
        else:
            rest.add(-0.05)
        read, seconds = read + count, seconds + gaps[-1]
    assert read / seconds >= 0.7 / row
    assert max(gaps) <= 0.05 + 2 * step


def long_under_short(rate: float, long: int = 100_000, short: int = 300) -> float:
    pacing, now, left, made = PrefillPacer(), 0.0, {"long": long, "short": short}, {"short": 0.0}
    while left["long"]:
        rows = [waiting(n, left[n], made.get(n, 0.0), model="m") for n in left]
        first = pacing.order(rows, now)[0].id
        count = min(left[first], pacing.chunk("m", None))
        seconds = 0.002 + count / rate
        now += seconds
        pacing.observe("m", count, seconds, None)
        left[first] -= count
        if first == "short" and not left["short"]:
            left["short"], made["short"] = short, now
        assert now < 1e5
    return now


@pytest.mark.parametrize("rate", [300.0, 5_000.0, 40_000.0])
def test_long_prompt_waits_in_proportion_to_its_cost(rate: float) -> None:
    """Regression test: a long prompt waited 2,000 seconds even on machines that read it in 20."""
    alone = 100_000 / rate
    assert long_under_short(rate) < 8 * alone
    rows = [waiting("new", 100, 10.0), waiting("old", 400, 0.0)]
    assert names(PrefillPacer().order(rows, 10.0))[0] == "old"  # as nothing was measured yet


def test_small_passes_do_not_set_prefill_speed() -> None:
    pacing = PrefillPacer()
    pacing.observe("m", 2048, 0.1, None)
    for _ in range(100):
        pacing.observe("m", 20, 0.05, None)
        pacing.observe_mixed("m", 24, 0.05, 0.01)
    rows = [waiting("new", 30, 10.0, model="m"), waiting("old", 40_000, 0.0, model="m")]
    assert pacing.order(rows, 10.0)[0].id == "old"  # a quarter of 20,480 tokens per second
    for _ in range(20):  # another program slows the machine down
        pacing.observe("m", 2048, 4.0, None)
    assert pacing.order(rows, 10.0)[0].id == "new"


def test_rest_follows_passes_over_their_budget() -> None:
    rest = PrefillPause()
    rest.add(-0.04)  # a pass within its budget
    assert not rest.is_due
    rest.add(0.1)
    steps = 0
    while rest.is_due:
        rest.add(-0.05)
        steps += 1
    assert steps == 2
    rest.add(60.0)  # the machine was suspended
    steps = 0
    while rest.is_due:
        rest.add(-0.05)
        steps += 1
    assert steps == MAX_REST_STEPS

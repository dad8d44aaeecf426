"""Properties of the scheduler's plans, without a model or a clock."""

from __future__ import annotations

import functools
import pickle
import random
import subprocess
import sys
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from msgspec.structs import replace

from engine.cache.ledger import (
    FIXED_CHUNK,
    MIN_GAIN,
    CacheKey,
    CacheOffer,
    pack_tokens,
    shareable_tokens,
)
from engine.runtime.pacing import GAP_BUDGET, TILE, PrefillPacer
from engine.runtime.plan import (
    Extension,
    Idle,
    LoadAdmission,
    LoadRequest,
    MemoryView,
    PendingEmbedding,
    PrefixCopy,
    Row,
    Status,
    StepPlan,
    Timing,
    View,
)
from engine.runtime.scheduler import (
    MAX_JOINED_PROMPTS,
    SEPARATE_CHUNK_INTERVAL,
    Scheduler,
    common_tokens,
    is_worth_a_copy,
    next_stop,
)

MODELS = ("large", "small")
KB = 1000


def cache_of(session: str) -> CacheKey:
    return CacheKey("session", session)


def made_rows(chance: random.Random, calm: bool) -> list[Row]:
    """Return up to a dozen sessions, in any state that the loop can produce.

    With `calm`, all sessions use one model and decode or prefill, and most can share passes.
    """

    def maybe(share: float = 0.5) -> bool:
        return chance.random() < share

    made, fresh = [], maybe(0.3)
    for number in range(chance.randint(0, 12)):
        states = [Status.PREFILLING, Status.DECODING] if calm else list(Status)[:-1]
        status = chance.choice(states)
        reads, decodes = status == Status.PREFILLING, status == Status.DECODING
        reproducible = maybe(0.02 if calm else 0.3)
        begun = decodes and maybe(0.1 if fresh else 0.9)
        made.append(
            Row(
                f"s{number}",
                MODELS[0] if calm else chance.choice(MODELS),
                status,
                is_suspended=maybe(0.2),
                reproducible=reproducible,
                apart=reproducible or maybe(0.02 if calm else 0.2),
                can_mix_prefill=reads and not reproducible and maybe(0.8),
                can_mix_decode=not reproducible and maybe(0.98),
                one_shot=maybe(0.1),
                priority=chance.randint(0, 2),
                length=chance.randint(0, 5000) if reads else 0,
                remaining=chance.choice((1, 5, 100, 5000)) if reads else 0,
                waiting_since=chance.uniform(0, 100),
                ready_at=chance.uniform(99.8, 100),
                begun=begun,
                awaits_first=begun and maybe(),
                wants_more=maybe(0.8),
                snapshot_at=chance.randint(-1, 6000) if reads else -1,
                max_bytes=chance.randint(0, 200) * KB if status != Status.PREPARING else 0,
            )
        )
    # Not chosen at random, because that would change all later random choices.
    return [
        replace(
            row,
            can_feed_last=row.status == Status.PREFILLING and not row.apart and place % 3 > 0,
            prompt=prompt_of(row, 60, place % 2) if row.status == Status.PREFILLING else b"",
            needs_stops=row.status == Status.PREFILLING and place % 4 == 3,
            system=row.length + 100,
            program=("", "a", "b")[place % 3],
            share=(0.0, 10.0, 0.0)[place % 3],
        )
        for place, row in enumerate(made)
    ]


def prompt_of(row: Row, common: int, begins_with: int) -> bytes:
    alike = [begins_with] * min(common, row.end)
    return pack_tokens([*alike, *[zlib.crc32(row.id.encode())] * (row.end + 1 - len(alike))])


def made_view(seed: int) -> View:
    """Generate a view from a seed, because drawing each number with hypothesis takes seconds."""
    chance = random.Random(seed)
    calm = chance.random() < 0.6
    offered = {f"s{n}": chance.randint(0, 3000) for n in range(12) if chance.random() < 0.05}

    def with_offer(row: Row) -> Row:
        if row.id not in offered or not row.reads:
            return row
        length = min(row.length + offered[row.id], row.end)
        return replace(row, offer=CacheOffer(cache_of("d"), length))

    idle = [
        Idle(cache_of(f"i{n}"), chance.randint(0, 300) * KB, chance.uniform(0, 100))
        for n in range(chance.randint(0, 5))
    ]
    load = (
        LoadRequest("m", "Model", 300 * KB, 600 * KB)
        if not calm and chance.random() < 0.2
        else None
    )
    return View(
        now=chance.uniform(100, 101),
        rows=[with_offer(row) for row in made_rows(chance, calm)],
        mixing=frozenset(m for m in MODELS if chance.random() < 0.6),
        faulty=frozenset(m for m in MODELS if chance.random() < 0.2),
        memory=MemoryView(
            chance.choice((0, 100, 500, 1000, 3000)) * KB,
            chance.randint(0, 500) * KB,
            idle=idle,
            idle_bytes=sum(i.nbytes for i in idle),
        ),
        load=load,
        joining=frozenset(m for m in MODELS if chance.random() < 0.8),
    )


def learned() -> Scheduler:
    scheduler = Scheduler()
    scheduler.step_seconds = dict.fromkeys(("m", *MODELS), 0.02)
    return scheduler


@functools.cache
def planned() -> list[tuple[int, View, StepPlan]]:
    """Return 500 views, each with its seed and plan.

    The seeds are fixed except under `pytest --hypothesis-profile=searching`.
    """
    chance = random.Random(1 if settings().derandomize else None)
    # The first has a paused one-off question among the waiting requests.
    seeds = [4222, *(chance.randrange(2**32) for _ in range(499))]
    views = [(seed, made_view(seed)) for seed in seeds]
    return [(seed, view, learned().plan(view)) for seed, view in views]


def for_all_views(rule: Callable[[View, StepPlan], None]) -> Callable[[], None]:
    def test() -> None:
        for seed, view, plan in planned():
            try:
                rule(view, plan)
            except AssertionError as error:
                error.add_note(f"made_view({seed})")
                raise

    test.__doc__ = rule.__doc__
    return test


def rows_of(view: View) -> dict[str, Row]:
    return {row.id: row for row in view.rows}


@for_all_views
def test_same_view_gives_the_same_plan(view: View, plan: StepPlan) -> None:
    scheduler = learned()
    assert scheduler.plan(view) == scheduler.plan(view) == plan


@for_all_views
def test_plan_arranges_or_computes(view: View, plan: StepPlan) -> None:
    arranges = sum(map(bool, (plan.refuse or plan.admit, plan.load, plan.adopt)))
    assert arranges <= 1
    assert not (arranges and (plan.passes or plan.chunk))


@for_all_views
def test_decoding_rows_get_one_token_per_turn(view: View, plan: StepPlan) -> None:
    if plan.refuse or plan.admit or plan.load or plan.adopt or plan.gathering:
        return
    known = rows_of(view)
    served = [i for step in plan.passes for i in step.rows]
    assert len(served) == len(set(served))
    ending = {c.session for c in plan.chunks if c.ends}
    decoding = {r.id for r in view.rows if r.decodes and r.model == plan.model}
    assert set(served) == decoding | ending
    for step in plan.passes:
        assert set(step.feed) <= set(step.rows)
        assert all(known[i].wants_more for i in step.feed if known[i].decodes)
        if len(step.rows) > 1:
            assert not any(known[i].apart for i in step.rows)
        if step.shared:
            assert plan.model not in view.faulty


@for_all_views
def test_chunk_is_part_of_the_remaining_prompt(view: View, plan: StepPlan) -> None:
    if plan.chunk is None:
        return
    row = rows_of(view)[plan.chunk.session]
    assert row.reads
    assert plan.chunk.start == row.length
    assert 1 <= plan.chunk.count <= row.remaining
    end = row.length + plan.chunk.count
    for stop in (row.snapshot_at, next_stop(row, [r for r in view.rows if r.reads])):
        assert stop <= row.length or end <= stop
    if row.reproducible:
        assert plan.chunk.fixed
        assert end % FIXED_CHUNK == 0 or end in (
            row.length + row.remaining,
            row.snapshot_at,
            row.length + 100,
        )


@for_all_views
def test_mixed_pass_needs_support_of_all_rows(view: View, plan: StepPlan) -> None:
    if plan.chunk is None or not plan.chunk.mixed:
        return
    known = rows_of(view)
    assert len(plan.passes) == 1
    assert plan.passes[0].feed
    assert plan.chunk.model == plan.model
    if plan.starts_replies and not plan.other_chunks:
        return  # a separate pass
    assert plan.model in view.mixing - view.faulty
    assert known[plan.chunk.session].can_mix_prefill
    assert all(known[i].can_mix_decode for i in plan.passes[0].rows if not known[i].reads)
    if plan.chunk.ends:
        return  # this is the remainder
    rows, count, row = len(plan.passes[0].feed), plan.chunk.count, known[plan.chunk.session]
    stops = row.end, row.snapshot_at, next_stop(row, [r for r in view.rows if r.reads])
    assert (rows + count) % TILE == 0 or row.length + count in stops


@for_all_views
def test_last_prompt_token_is_fed_in_same_pass(view: View, plan: StepPlan) -> None:
    known = rows_of(view)
    if plan.chunk is None or not any(c.ends for c in plan.chunks):
        return
    rows = [known[c.session] for c in plan.chunks]
    assert all(c.ends and c.mixed for c in plan.chunks)
    assert {r.id for r in rows} <= set(plan.passes[0].feed)
    for row, chunk in zip(rows, plan.chunks, strict=True):
        assert row.can_feed_last
        assert chunk.start + chunk.count == row.end != row.snapshot_at
        assert next_stop(row, [r for r in view.rows if r.reads]) != row.end
    if plan.starts_replies:  # requests that arrived together start decoding together
        waiting = [r for r in view.rows if r.status < Status.DECODING and not r.is_suspended]
        assert {r.id for r in waiting} == {r.id for r in rows}
        assert not any(r.begun for r in view.rows if r.decodes)
        assert all(r.can_mix_prefill for r in rows) or len(plan.passes[0].rows) == 1


@for_all_views
def test_short_prompts_finish_next_to_a_chunk(view: View, plan: StepPlan) -> None:
    if not plan.other_chunks:
        return
    known = rows_of(view)
    rows = [known[c.session] for c in plan.chunks]
    assert len({r.id for r in rows}) == len(rows) <= MAX_JOINED_PROMPTS
    assert {r.model for r in rows} == {plan.chunks[0].model} <= view.joining - view.faulty
    assert all(c.mixed == plan.chunks[0].mixed for c in plan.other_chunks)
    for row, chunk in zip(rows, plan.chunks, strict=True):
        assert row.reads
        assert row.can_mix_prefill
        assert (chunk.start, chunk.count) == (row.length, row.remaining)
        others = [r for r in rows if r is not row]
        assert not any(is_worth_a_copy(row, common_tokens(row, other)) for other in others)
        assert row.snapshot_at <= row.length or chunk is plan.chunk


def burst(*lengths: int, **more: Any) -> View:
    rows = [
        Row(f"p{n}", "m", Status.PREFILLING, can_mix_prefill=True, remaining=remaining)
        for n, remaining in enumerate(lengths)
    ]
    return replace(View(0.0, rows, joining=frozenset({"m"})), **more)


def read_by(view: View) -> list[str]:
    return [c.session for c in Scheduler().plan(view).chunks]


def test_waiting_prompts_share_one_chunk_size() -> None:
    size = PrefillPacer().chunk("m", None)
    assert read_by(burst(20, 30, 40)) == ["p0", "p1", "p2"]
    assert read_by(burst(20, size - 50, size - 30, 30)) == ["p0", "p3", "p1"]
    assert read_by(burst(size + 1, size + 2)) == ["p0"]
    assert len(read_by(burst(*[1] * 40))) == MAX_JOINED_PROMPTS


@pytest.mark.parametrize(
    "change",
    [{"can_mix_prefill": False}, {"model": "other"}, {"snapshot_at": 10}, {"is_suspended": True}],
)
def test_unmixable_prompt_waits(change: dict[str, Any]) -> None:
    view = burst(20, 30, 40)
    rows = [view.rows[0], replace(view.rows[1], **change), view.rows[2]]
    assert read_by(replace(view, rows=rows)) == ["p0", "p2"]


def test_unmixable_next_prompt_is_read_alone() -> None:
    view = burst(20, 30, 40)
    rows = [replace(view.rows[0], can_mix_prefill=False), *view.rows[1:]]
    assert read_by(replace(view, rows=rows)) == ["p0"]
    assert read_by(replace(view, joining=frozenset())) == ["p0"]
    assert read_by(replace(view, faulty=frozenset({"m"}))) == ["p0"]
    rows = [replace(view.rows[0], needs_stops=True, system=3), *view.rows[1:]]
    assert read_by(replace(view, rows=rows)) == ["p0"]


def offered(view: View, session: str, offer: CacheOffer) -> View:
    rows = [replace(row, offer=offer) if row.id == session else row for row in view.rows]
    return replace(view, rows=rows)


def test_prompt_waits_for_a_cache_to_adopt() -> None:
    p0, p1, p2 = burst(50, 60, 70).rows
    p0, p2 = (replace(row, prompt=prompt_of(row, 40, 1)) for row in (p0, p2))
    view = replace(burst(), rows=[p0, replace(p1, prompt=prompt_of(p1, 8, 1)), p2])
    assert read_by(view) == ["p0", "p1"]
    # A session adopts a cached prefix before it is prefilled.
    adopt = Scheduler().plan(offered(view, "p2", CacheOffer(cache_of("d"), 40))).adopt
    assert adopt is not None
    assert adopt.session == "p2"
    # But it doesn't adopt from a session that is still reading, because that will soon have more.
    assert read_by(offered(view, "p2", CacheOffer(cache_of("p0"), 40))) == ["p0", "p1"]
    # Sessions that have the common part only read their own parts.
    rows = [replace(row, length=40) for row in view.rows]
    assert read_by(replace(view, rows=rows)) == ["p0", "p1", "p2"]


def test_forks_with_one_question_prefill_in_sequence() -> None:
    """Forks adopt a prefix of any length, because that is free for them."""
    rows = [replace(row, prompt=prompt_of(row, 20, 1)) for row in burst(20, 20, 20).rows]
    forks = [replace(row, unwritten=True) for row in rows]
    assert read_by(replace(burst(), rows=forks)) == ["p0"]
    assert read_by(replace(burst(), rows=rows)) == ["p0", "p1", "p2"]
    # If the questions differ, only the opening is common, which isn't worth waiting for.
    others = [replace(row, prompt=prompt_of(row, 4, 1)) for row in forks]
    assert read_by(replace(burst(), rows=others)) == ["p0", "p1", "p2"]


def test_step_takes_prompts_that_fit_its_tiles() -> None:
    view = burst(20, 30, 40, 50, mixing=frozenset({"m"}))
    rows = [*view.rows, Row("a", "m", Status.DECODING, begun=True)]
    scheduler = learned()
    scheduler.pacing.observe_mixed("m", 128, 0.07, 0.02)
    plan = scheduler.plan(replace(view, rows=rows))
    assert [(c.session, c.count) for c in plan.chunks] == [("p0", 20), ("p1", 30), ("p2", 40)]
    assert all(c.mixed for c in plan.chunks)
    assert sum(c.count for c in plan.chunks) <= scheduler.pacing.mixed_chunk("m", 1) < 140


def test_ending_prompts_feed_last_tokens_together() -> None:
    both = burst(20, 30)
    view = replace(both, rows=[replace(row, can_feed_last=True) for row in both.rows])
    plan = Scheduler().plan(view)
    assert plan.starts_replies
    assert [(c.session, c.ends) for c in plan.chunks] == [("p0", True), ("p1", True)]
    assert [(p.rows, p.feed, p.shared) for p in plan.passes] == [(("p0", "p1"), ("p0", "p1"), True)]
    one = replace(view, rows=view.rows[:1])
    assert Scheduler().plan(one).starts_replies
    for others in (
        Row("x", "m", Status.PREPARING),
        Row("x", "other", Status.PREFILLING, remaining=5000),
        Row("x", "m", Status.DECODING),
    ):
        assert not Scheduler().plan(replace(one, rows=[*one.rows, others])).starts_replies
    for there in (
        Row("x", "m", Status.PREFILLING, is_suspended=True, remaining=9),
        Row("x", "other", Status.FINISHED),
    ):
        assert Scheduler().plan(replace(one, rows=[*one.rows, there])).starts_replies
    halted = replace(one.rows[0], needs_stops=True, system=20)
    assert not Scheduler().plan(replace(one, rows=[halted])).starts_replies
    assert (
        not Scheduler()
        .plan(replace(one, rows=[replace(one.rows[0], snapshot_at=20)]))
        .starts_replies
    )
    # Sessions waiting for the last prompt take their first step in the same pass.
    ready = Row("x", "m", Status.DECODING)
    gathered = replace(one, rows=[*one.rows, ready], mixing=frozenset({"m"}))
    plan = Scheduler().plan(gathered)
    assert plan.starts_replies
    assert plan.passes[0].feed == ("x", "p0")
    changes: list[dict[str, Any]] = [{"can_mix_decode": False}, {"model": "other"}]
    for change in changes:
        rows = [*one.rows, replace(ready, **change)]
        assert Scheduler().plan(replace(gathered, rows=rows)).gathering
    # A long prompt joins with its last chunk.
    size = PrefillPacer().chunk("m", None)
    long = replace(one.rows[0], remaining=size + 9)
    assert not Scheduler().plan(replace(one, rows=[long])).starts_replies
    assert (
        Scheduler()
        .plan(replace(one, rows=[replace(long, length=size, remaining=9)]))
        .starts_replies
    )


def test_pass_that_starts_answers_adjusts_chunk_size() -> None:
    ready = burst(240)
    view, scheduler = replace(ready, rows=[replace(ready.rows[0], can_feed_last=True)]), Scheduler()
    plan = scheduler.plan(view)
    assert plan.starts_replies
    scheduler.observe(view, plan, Timing(1.0, 0.1, 0.0, 240, 0))
    assert scheduler.pacing.chunk("m", None) == 352
    assert not scheduler.step_seconds  # not a decode step


def test_shared_prefill_is_timed_by_all_its_tokens() -> None:
    seconds = 0.1
    for lengths in ((120, 120), (240,)):
        view, scheduler = burst(*lengths), Scheduler()
        plan = scheduler.plan(view)
        tokens = sum(c.count for c in plan.chunks)
        assert tokens == 240
        scheduler.observe(view, plan, Timing(1.0, 0.0, seconds, tokens, 0))
        assert scheduler.pacing.chunk("m", None) == 352  # grows by half


@for_all_views
def test_admitted_requests_fit_when_fully_grown(view: View, plan: StepPlan) -> None:
    memory, known = view.memory, rows_of(view)
    running = sum(
        r.max_bytes
        for r in view.rows
        if r.status in (Status.RESTORING, Status.PREFILLING, Status.DECODING)
    )
    left = sum(i.nbytes for i in memory.idle)
    if plan.admit is not None:
        row = known[plan.admit]
        assert row.status == Status.QUEUED
        assert not row.is_suspended
        assert memory.fixed_bytes + running + row.max_bytes + left <= memory.budget
    if isinstance(plan.load, LoadAdmission):
        assert memory.fixed_bytes + running + plan.load.nbytes + left <= memory.budget


@for_all_views
def test_oldest_caches_are_evicted_as_needed(view: View, plan: StepPlan) -> None:
    gone = plan.evict
    if not gone:
        return
    caches = {i.key: i for i in view.memory.idle}
    kept = [c for key, c in caches.items() if key not in gone and c.nbytes]
    assert all(caches[key].used_at <= c.used_at for key in gone for c in kept)


@for_all_views
def test_paused_row_gets_nothing_and_blocks_nothing(view: View, plan: StepPlan) -> None:
    paused = {r.id for r in view.rows if r.is_suspended}
    asked = {i for step in plan.passes for i in step.rows}
    asked |= {c.session for c in (*plan.chunks, plan.adopt) if c is not None}
    assert not asked & paused
    assert plan.admit not in paused
    others = replace(
        view, rows=[r for r in view.rows if r.status != Status.QUEUED or not r.is_suspended]
    )
    assert bool(plan.admit) == bool(learned().plan(others).admit) or plan.refuse


@for_all_views
def test_possible_work_is_never_left_idle(view: View, plan: StepPlan) -> None:
    """A plan is idle only if no session decodes, prefills, loads or can be admitted."""
    if any(r.decodes or r.reads for r in view.rows) or view.load is not None:
        assert not plan.idle


def test_half_a_round_leaves_no_possible_work_idle() -> None:
    """Regression test: after a turn of one of two models, the plan could be empty."""
    both = View(0.0, [Row(m, m, Status.DECODING, begun=True) for m in MODELS])
    for seed, view, _ in planned():
        if any(r.decodes or r.reads for r in view.rows):
            scheduler = learned()
            scheduler.observe(both, scheduler.plan(both), Timing(0.1, 0.02))
            assert not scheduler.plan(view).idle, f"made_view({seed})"


def test_copy_must_be_worth_it() -> None:
    row = Row("a", "m", Status.PREFILLING, length=100, remaining=500)
    for gain, taken in ((MIN_GAIN - 1, False), (MIN_GAIN, True), (400, True)):
        view = View(1.0, [replace(row, offer=CacheOffer(cache_of("d"), row.length + gain))])
        assert bool(Scheduler().plan(view).adopt) == taken
    fork = replace(row, unwritten=True, offer=CacheOffer(cache_of("d"), row.length + 1))
    assert Scheduler().plan(View(1.0, [fork])).adopt


def test_steps_run_between_two_copies() -> None:
    """Eight forks that adopt a chat's prefix may need eight copies."""
    reads = Row("a", "m", Status.PREFILLING, remaining=500, offer=CacheOffer(cache_of("d"), 400))
    streams = Row("b", "m", Status.DECODING, begun=True, wants_more=True)
    view, scheduler, turns = View(1.0, [reads, streams]), Scheduler(), []
    for _ in range(4):
        plan = scheduler.plan(view)
        scheduler.observe(view, plan, Timing(1.0))
        turns.append((bool(plan.adopt), bool(plan.passes), bool(plan.chunk)))
    assert turns == [(True, False, False), (False, True, False)] * 2
    alone = replace(view, rows=[reads])
    assert scheduler.plan(alone).adopt
    scheduler.observe(alone, scheduler.plan(alone), Timing(1.0))
    assert scheduler.plan(alone).adopt  # no other session waits


def simulate(scheduler: Scheduler, prompts: dict[str, int], chats: int, seconds: float) -> Any:
    now, left, read_at = 0.0, dict(prompts), {}
    gaps, kinds = [], []
    while left and now < seconds:
        reading = [
            Row(k, "m", Status.PREFILLING, can_mix_prefill=True, length=prompts[k] - n, remaining=n)
            for k, n in left.items()
        ]
        decoding = [Row(f"c{n}", "m", Status.DECODING, begun=True) for n in range(chats)]
        view = View(now, [*decoding, *reading], mixing=frozenset({"m"}))
        plan = scheduler.plan(view)
        spent, chunk = 0.0, plan.chunk
        decode = sum(0.03 + 0.001 * len(step.rows) for step in plan.passes)
        if chunk is not None and chunk.mixed:
            decode += 0.001 * chunk.count
        elif chunk is not None:
            spent = 0.03 + 0.001 * chunk.count
        now += decode + spent
        if plan.passes:
            gaps.append(decode + spent)
        count = 0
        if chunk is not None:
            kinds.append(chunk.mixed)
            left[chunk.session] -= (count := chunk.count)
            remaining = left[chunk.session]
            if not remaining:
                read_at[chunk.session] = now
                del left[chunk.session]
            scheduler.observe(view, plan, Timing(now, decode, spent, count, remaining))
        else:
            scheduler.observe(view, plan, Timing(now, decode))
    return gaps, read_at, kinds


def test_gap_stays_within_its_budget() -> None:
    scheduler = learned()
    gaps, _, kinds = simulate(scheduler, {"long": 20_000}, 3, 500)
    settled = sorted(gaps[20:])
    step = 0.033
    assert settled[len(settled) // 2] <= 2 * step + GAP_BUDGET
    assert settled[int(len(settled) * 0.95)] <= 2 * step + GAP_BUDGET
    assert sum(kinds) > len(kinds) * 0.9  # nearly all chunks were mixed with a step
    assert kinds.count(False) <= len(kinds) // SEPARATE_CHUNK_INTERVAL + 1


def test_chunks_are_paced_by_steps_of_their_own_model() -> None:
    scheduler = Scheduler()
    slow = View(0.0, [Row("a", "large", Status.DECODING, begun=True)])
    scheduler.observe(slow, scheduler.plan(slow), Timing(0.0, 0.2))
    streams = Row("b", "small", Status.DECODING, begun=True)
    reads = Row("c", "small", Status.PREFILLING, can_mix_prefill=True, remaining=100_000)
    view, kinds = View(0.0, [streams, reads], mixing=frozenset({"small"})), []
    for _ in range(60):
        plan = scheduler.plan(view)
        assert plan.chunk is not None
        kinds.append(plan.chunk.mixed)
        chunk = 0.001 * plan.chunk.count
        times = (0.01 + chunk, 0.0) if plan.chunk.mixed else (0.01, 0.01 + chunk)
        assert sum(times) <= 0.02 + GAP_BUDGET
        scheduler.observe(view, plan, Timing(0.0, *times, plan.chunk.count, 1))
    assert kinds == [False, *[True] * 59]  # the first is separate, to measure a step
    alone = replace(view, rows=[streams])
    scheduler.observe(alone, scheduler.plan(alone), Timing(0.0, 9.0, is_step=False))
    assert scheduler.step_seconds == {"large": 0.2, "small": 0.01}
    both = ("large", "small")
    steps = [
        scheduler._step_seconds(*of) for of in (("large", both), ("large", ("small",)), ("x", both))
    ]
    assert steps == [0.2, 0.01, 0.01]  # without own streams: the fastest step


def test_short_prompts_go_first_without_starvation() -> None:
    _, read_at, _ = simulate(learned(), {"long": 6000, "short": 50, "middle": 600}, 2, 500)
    assert read_at["short"] < read_at["middle"] < read_at["long"]


def test_models_share_the_device_by_time() -> None:
    scheduler, used, now = learned(), dict.fromkeys(MODELS, 0.0), 0.0
    cost = {"large": 0.3, "small": 0.01}
    chats = [Row(f"{m}{n}", m, Status.DECODING, begun=True) for m in MODELS for n in range(2)]
    for _ in range(400):
        view, before = View(now, chats), pickle.dumps(scheduler)
        plan = scheduler.plan(view)
        assert pickle.dumps(scheduler) == before  # only `observe` changes it
        now += cost[plan.model]
        used[plan.model] += cost[plan.model]
        scheduler.observe(view, plan, Timing(now, cost[plan.model]))
    assert abs(used["large"] - used["small"]) <= 0.3


def crowd(share: float = 0.0) -> list[Row]:
    agents = [
        Row(f"a{n}", "m", Status.DECODING, begun=True, program="agents", share=share)
        for n in range(16)
    ]
    return [*agents, Row("p", "m", Status.DECODING, begun=True, program="person")]


def test_prompts_of_a_crowd_follow_other_programs() -> None:
    scheduler, now = learned(), 100.0
    view = View(now, crowd())
    scheduler.observe(view, scheduler.plan(view), Timing(now, 0.1))
    agents = [
        Row(f"a{n}", "m", Status.PREFILLING, remaining=40, waiting_since=0.0, program="agents")
        for n in range(16)
    ]
    person = Row("p", "m", Status.PREFILLING, remaining=400, waiting_since=now, program="person")
    assert scheduler.plan(View(now, [*agents, person])).reading[0] == "p"
    same = replace(person, program="agents")
    assert scheduler.plan(View(now, [*agents, same])).reading[-1] == "p", "it is long, and late"
    front = [replace(row, priority=1) for row in agents]
    assert scheduler.plan(View(now, [*front, person])).reading[-1] == "p", "priority goes first"


def test_programs_prompts_are_read_in_turns() -> None:
    """Another program's long prompt gets half of the time, although one program always has new
    prompts.
    """
    scheduler, read, now = learned(), {"a": 0, "b": 0}, 0.0
    for _ in range(400):
        rows = [
            Row("b", "m", Status.PREFILLING, remaining=9000, program="b"),
            Row("a", "m", Status.PREFILLING, remaining=50, waiting_since=now - 30, program="a"),
        ]
        view = View(now, rows)
        plan = scheduler.plan(view)
        assert plan.chunk is not None
        seconds = 0.01 + 0.001 * plan.chunk.count
        now += seconds
        read[plan.chunk.session] += plan.chunk.count
        scheduler.observe(view, plan, Timing(now, chunk=seconds, read=plan.chunk.count, left=1))
    assert 0.6 < read["a"] / read["b"] < 1.4


@pytest.mark.parametrize("share", [0.0, 25.0, 60.0])
def test_program_share_is_kept_under_load(share: float) -> None:
    scheduler, now = learned(), 0.0
    spent = {"agents": 0.0, "person": 0.0}
    turns = {"a0": 0, "p": 0}
    for _ in range(2000):
        view = View(now, crowd(share))
        plan = scheduler.plan(view)
        (step,) = plan.passes
        agents = sum(i.startswith("a") for i in step.rows)
        assert agents in (0, 16), "agents among themselves get the same"
        seconds = 0.03 + 0.004 * len(step.rows)
        spent["agents"] += seconds * agents / len(step.rows)
        spent["person"] += seconds * (len(step.rows) - agents) / len(step.rows)
        turns["a0"] += agents > 0
        turns["p"] += "p" in step.rows
        now += seconds
        scheduler.observe(view, plan, Timing(now, seconds))
    if share:
        assert abs(spent["agents"] / sum(spent.values()) - share / 100) < 0.03
        assert turns["p"] > turns["a0"] > 0
    else:
        assert turns["a0"] == turns["p"] == 2000
    # A program on its own gets everything.
    alone = [row for row in crowd(share) if row.program == "agents"]
    assert all(len(scheduler.plan(View(now, alone)).passes[0].rows) == 16 for _ in range(9))


def test_paused_head_of_the_queue_blocks_nobody() -> None:
    """Regression test: requests behind a paused reply waited forever."""
    rows = [
        Row("paused", "m", Status.QUEUED, is_suspended=True, max_bytes=10, waiting_since=0.0),
        Row("next", "m", Status.QUEUED, max_bytes=10, waiting_since=1.0),
    ]
    plan = Scheduler().plan(View(2.0, rows, memory=MemoryView(100)))
    assert plan.admit is not None
    assert plan.admit == "next"


def test_reply_waits_for_memory_that_becomes_free() -> None:
    """Regression test: a reply was refused for good while texts were embedded."""
    rows = [Row("a", "m", Status.QUEUED, max_bytes=50), Row("b", "m", Status.QUEUED, max_bytes=10)]
    embedding = MemoryView(100, fixed_bytes=60, releasing_bytes=30)
    plan = Scheduler().plan(View(0.0, rows, memory=embedding))
    assert not plan.refuse
    assert plan.admit is None  # later requests don't overtake it
    later = MemoryView(100, fixed_bytes=30)
    assert Scheduler().plan(View(0.0, rows, memory=later)).admit is not None
    full = Scheduler().plan(View(0.0, rows, memory=MemoryView(100, fixed_bytes=60)))
    assert [refusal.key for refusal in full.refuse] == ["a"]


def test_load_counts_promised_memory() -> None:
    """Regression test: two loads, or a load during a reply, exceeded the budget."""
    request = LoadRequest("k", "Model", 60, 60)
    running = [Row("a", "m", Status.DECODING, max_bytes=50, begun=True)]
    plan = Scheduler().plan(View(0.0, running, memory=MemoryView(100), load=request))
    assert plan.load is None
    assert plan.refuse[0].code == "out_of_memory"
    idle = [Idle(cache_of("old"), 50, 1.0)]
    memory = MemoryView(100, idle=idle, idle_bytes=50)
    assert Scheduler().plan(View(0.0, (), memory=memory, load=request)).evict == (cache_of("old"),)
    plan = Scheduler().plan(View(0.0, (), memory=MemoryView(100), load=request))
    assert plan.load is not None
    either = LoadRequest("k", "Model", 30, 60)  # idle caches make room for the faster dtype
    assert Scheduler().plan(View(0.0, (), memory=memory, load=either)).evict == (cache_of("old"),)
    plan = Scheduler().plan(View(0.0, running, memory=MemoryView(100), load=either))
    assert plan.load == LoadAdmission("k", 30, wide=False)


def test_nothing_is_computed_while_ranks_load() -> None:
    """Regression test: the scheduler learned from steps that were not computed."""
    rows = [
        Row("a", "m", Status.DECODING, begun=True),
        Row("b", "m", Status.PREFILLING, remaining=40),
    ]
    view = View(0.0, rows, can_compute=False)
    plan = learned().plan(view)
    assert not plan.passes
    assert not plan.chunk
    assert learned().plan(replace(view, can_compute=True)).passes


def test_plans_need_no_mlx() -> None:
    code = (
        "import sys; sys.modules['mlx'] = None\n"
        "from engine.runtime import plan, scheduler\n"
        "print(scheduler.Scheduler().plan(plan.View(0.0)).idle)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "True"


def test_row_summary_omits_the_prompt() -> None:
    row = Row("chat", "m", Status.PREFILLING, prompt=pack_tokens([7] * 5000))
    assert "prompt=b''" in repr(row)
    assert repr(replace(row, prompt=b"")) == repr(row)
    assert row.prompt


# Only the plan evicts and admits.


def test_load_that_waits_for_disk_blocks_no_admission() -> None:
    gb = 10**9
    memory = MemoryView(budget=10 * gb, fixed_bytes=gb, writing_bytes=6 * gb)
    rows = [
        Row("small", "m", Status.QUEUED, max_bytes=gb // 100),
        Row("question", "m", Status.QUEUED, max_bytes=gb // 100, one_shot=True),
    ]
    alone = Scheduler().plan(View(0.0, rows=rows, memory=memory))
    assert alone.admit is not None
    load = LoadRequest("k", "big", 5 * gb, 5 * gb)
    plan = Scheduler().plan(View(0.0, rows=rows, memory=memory, load=load))
    assert plan.admit == alone.admit
    # The load's bytes are reserved. Otherwise, new replies could keep it from ever starting.
    large = [Row("large", "m", Status.QUEUED, max_bytes=4 * gb)]
    memory = replace(memory, writing_bytes=5 * gb)
    assert Scheduler().plan(View(0.0, rows=large, memory=memory)).admit is not None
    waits = Scheduler().plan(
        View(0.0, rows=large, memory=memory, load=replace(load, min_bytes=6 * gb))
    )
    assert waits.admit is waits.load is None
    assert not waits.evict


def test_reply_grows_until_the_memory_is_used() -> None:
    step, limit = 100, 100
    memory = MemoryView(budget=1000)

    def grown(**change: Any) -> StepPlan:
        row = Row("a", "m", Status.DECODING, max_bytes=limit, growth_bytes=step, begun=True)
        return Scheduler().plan(View(0.0, [row], memory=replace(memory, **change)))

    while (plan := grown()).extend is not None:
        assert plan.extend == Extension("a", whole=True)
        limit += step
    assert limit == 1000
    assert plan.passes
    limit = 500
    idle = [Idle(cache_of("old"), 450, 1.0)]
    assert grown(idle=idle, idle_bytes=450).evict == (cache_of("old"),)
    assert grown(writing_bytes=450).extend is None
    rows = [
        Row(
            "a", "m", Status.DECODING, max_bytes=limit, growth_bytes=step, at_limit=True, begun=True
        )
    ]
    plan = Scheduler().plan(View(0.0, rows, memory=replace(memory, writing_bytes=450)))
    assert plan.extend == Extension("a", whole=False)


def test_texts_to_embed_wait_for_memory_or_are_refused() -> None:
    texts = PendingEmbedding("k", 60)
    running = [Row("a", "m", Status.DECODING, max_bytes=30, begun=True)]

    def planned_for(**memory: Any) -> StepPlan:
        view = View(0.0, running, memory=MemoryView(100, **memory), embedding=texts)
        return Scheduler().plan(view)

    assert planned_for().embed == texts
    idle = [Idle(cache_of("old"), 20, 1.0)]
    assert planned_for(idle=idle, idle_bytes=20).evict == (cache_of("old"),)
    waits = planned_for(writing_bytes=20)
    assert waits.passes  # it computes in the meantime
    (refusal,) = planned_for(fixed_bytes=20).refuse
    assert (refusal.key, refusal.code) == ("k", "capacity_exhausted")


def test_kept_prefixes_obey_limit_and_evict_no_session() -> None:
    row = Row(
        "a", "m", Status.PREFILLING, max_bytes=20, remaining=9, prefix_to_keep=50, prefix_bytes=30
    )
    old = [Idle(CacheKey("prefix", str(n)), 25, float(n)) for n in (1, 0)]

    def kept(**memory: Any) -> StepPlan:
        return Scheduler().plan(View(0.0, [row], memory=MemoryView(200, **memory)))

    assert kept(prefix_limit=79, prefixes=old, idle_bytes=50).evict == (old[1].key,)
    assert kept(prefix_limit=80, prefixes=old[:1], idle_bytes=25).keep == PrefixCopy("a", 50)
    assert kept(prefix_limit=29).chunk is not None
    session = Idle(cache_of("old"), 160, 0.0)
    assert kept(prefix_limit=80, idle=[session], idle_bytes=160).chunk is not None


def test_relief_evicts_every_idle_cache() -> None:
    idle = [Idle(cache_of(f"i{n}"), 1, 1.0) for n in range(3)]
    view = View(0.0, memory=MemoryView(100, idle=idle, idle_bytes=3), relieve=True)
    plan = Scheduler().plan(view)
    assert plan.evict == tuple(cache.key for cache in idle)
    assert not plan.skip_saving


def test_waiting_prompts_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = list[int]()

    def counted(one: bytes, other: bytes) -> int:
        compared.append(1)
        return shareable_tokens(one, other)

    monkeypatch.setattr("engine.runtime.scheduler.shareable_tokens", counted)
    head = list(range(900))
    rows = [
        Row(
            f"s{n}",
            "m",
            Status.PREFILLING,
            can_mix_prefill=True,
            can_mix_decode=True,
            can_feed_last=True,
            needs_stops=True,
            length=0,
            remaining=999,
            prompt=pack_tokens([*head, *range(n * 100, n * 100 + 100)]),
            kind=("m",),
        )
        for n in range(16)
    ]
    view = View(1.0, rows=rows, mixing=frozenset("m"), joining=frozenset("m"))
    policy = Scheduler()
    plan = policy.plan(view)
    assert 0 < len(compared) <= 16 * 16
    compared.clear()
    assert policy.plan(view) == plan
    assert not compared
    policy.plan(replace(view, rows=rows[:1]))  # drops the prompts, as no rows wait
    policy.plan(view)
    assert compared


def test_streams_get_steps_between_passes_over_the_budget() -> None:
    policy, step, tile = Scheduler(), 0.02, 0.25  # seconds; a tile of a prompt takes five budgets
    chat = Row("chat", "m", Status.DECODING, begun=True, can_mix_decode=True)
    left, kinds = 600, ""
    for turn in range(200):
        prompt = Row(
            "prompt",
            "m",
            Status.PREFILLING,
            can_mix_prefill=True,
            can_mix_decode=True,
            length=600 - left,
            remaining=left,
        )
        view = View(turn * 1.0, rows=[chat, prompt], mixing=frozenset("m"))
        plan = policy.plan(view)
        assert plan.passes
        read = 0 if plan.chunk is None else plan.chunk.count
        mixed = plan.chunk is not None and plan.chunk.mixed
        left -= read
        kinds += "r" if read else "-"
        decode = tile if mixed else step
        policy.observe(view, plan, Timing(turn, decode, tile if read and not mixed else 0, read))
        if not left:
            break
    assert not left  # the prompt is read anyway
    assert kinds.count("-") >= 2 * kinds.count("r")
    assert "-" * 6 not in kinds

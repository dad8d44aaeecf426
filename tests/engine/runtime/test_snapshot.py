"""Tests of snapshots, plans and counted bytes over random schedules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from msgspec.structs import replace

from engine.cache.cache_objects import iterate_arrays
from engine.runtime import loop
from engine.runtime.plan import StepPlan, View
from engine.runtime.scheduler import Scheduler
from engine.runtime.snapshot import take_snapshot
from engine.runtime.state import State
from tests.torture import memory as memory_run

BUDGET = 18 * 10**6


def fingerprint(state: State) -> object:
    memory = state.memory
    replies = {
        key: (
            r.status,
            r.limit,
            r.can_adopt,
            r.prefix_to_keep,
            r.queue_position,
            r.kv.length,
            r.kv.tokens[-4:],
        )
        for key, r in state.requests.items()
    }
    kept = {key: prefix.used_at for key, prefix in memory.prefixes.cached.items()}
    sessions = {key: (s.used_at, s.kv.length) for key, s in state.sessions.items()}
    held = (memory.prefixes.version, memory.fixed_bytes, memory.kv_bytes)
    return replies, sessions, kept, held, list(state.models), len(state.unended)


# `python -m tests.torture memory` plays many schedules.
@pytest.mark.parametrize("seed", [3, 4])
def test_snapshots_and_plans_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    compared, wrong = [0], list[str]()
    plan = Scheduler.plan

    def twice(state: State, *more: Any) -> View:
        before = fingerprint(state)
        first, second = take_snapshot(state, *more), take_snapshot(state, *more)
        compared[0] += 1
        if replace(second, now=first.now) != first:
            wrong.append(f"two snapshots differ: {first} {second}")
        if fingerprint(state) != before:
            wrong.append("a snapshot changed the state")
        return first

    def planned(scheduler: Scheduler, seen: View) -> StepPlan:
        first, second = plan(scheduler, seen), plan(scheduler, seen)
        if first != second:
            wrong.append(f"two plans differ: {first} {second}")
        return first

    monkeypatch.setattr(loop, "take_snapshot", twice)
    monkeypatch.setattr(Scheduler, "plan", planned)
    model = memory_run.write_wide(tmp_path / "model")
    memory_run.run(model, seed, BUDGET, tmp_path / "disk", 15)
    assert not wrong, wrong[0]
    assert compared[0] > 50


def unwritten(state: State) -> int:
    """Return the maximum number of bytes that are counted twice.

    A fork shares the tokens after a shared prefix, too, until it writes to them, which copies them.
    Both sessions count them. They are fewer than the minimum length of a prefix.
    """
    after = [s.kv for s in state.sessions.values() if s.kv.shared_prefix is not None]
    return sum(
        kv.cache_bytes.own
        for kv in after
        if kv.length - kv.shared_prefix_length < memory_run.PREFIX
    )


@pytest.mark.parametrize("seed", [3, 5])
def test_counted_bytes_match_mlx(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    model = memory_run.write_wide(tmp_path / "model")
    # shares of MLX's bytes, without and with those counted twice
    found = list[tuple[float, float]]()
    finish = loop.Loop._finish

    def finished(turn: loop.Loop, *given: Any) -> None:
        finish(turn, *given)
        state = turn._state
        if not state.sessions:
            return
        mx.synchronize()
        # Lazy arrays refer to more memory than they will use.
        mx.eval([request.pending for request in state.requests.values()])
        mx.eval([list(iterate_arrays(session.kv.layers)) for session in state.sessions.values()])
        held = mx.get_active_memory() - base
        counted = memory_run.counted(state)
        found.append(((counted - unwritten(state)) / held, counted / held))

    base = mx.get_active_memory()
    monkeypatch.setattr(loop.Loop, "_finish", finished)
    memory_run.run(model, seed, BUDGET, tmp_path / "disk", 15)
    assert len(found) > 50
    wrong = [both for both in found if both[0] > 1.05 or both[1] < 0.95]
    assert not wrong, wrong

"""Random schedules of sixteen chats give the same replies as alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine import Engine
from engine.bench import alone
from engine.bench.alone import Outcome, compare
from engine.bench.limits import short_context, tight_budget
from engine.bench.schedules import Schedule
from engine.cache import shared_prefix
from engine.model import ragged, runner
from engine.model.plain_decoder import PlainDecoder
from tests.engine.families import FAMILIES as CONFIGS
from tests.engine.model.few_bits import write_few_bits
from tests.torture.schedules import play, uses_decoder

FAMILIES = ["plain", "sliding window", "hybrid recurrent", "MLA", "sparse MLA", "chunked mask"]


def outcome(engine: Engine, folder: Path, steps: int, seed: int = 5) -> Outcome:
    schedule = Schedule(engine, folder, seed)
    schedule.run(steps)
    with Engine() as judge:
        return compare(judge, folder, schedule.done, schedule.logits)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.turns(6)
def test_random_schedule_replies_as_alone(
    engine: Engine,
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    family: str,
) -> None:
    # Forks and similar prompts reuse shared prefixes.
    monkeypatch.setattr(shared_prefix, "MIN_TOKENS", 48)
    found = outcome(engine, model_folder(family), 50)
    assert found.faults == []
    assert found.ties <= 1
    # Ensure that enough was compared and that the replies differ. How many replies fit into the
    # schedule depends on the machine.
    assert found.replies >= 10
    assert found.different > found.replies / 3


# `python -m engine soak` covers all families.
@pytest.mark.turns(2)
@pytest.mark.parametrize(("family", "on_disk"), [("plain", False), ("sliding window", True)])
def test_random_schedule_with_little_memory_replies_as_alone(
    engine: Engine,
    model_folder: Callable[[str], Path],
    tmp_path: Path,
    family: str,
    on_disk: bool,
) -> None:
    """Replies wait or pause, while idle caches are evicted and later restored or recomputed."""
    folder = model_folder(family)
    with short_context(240):
        budget = tight_budget(engine, folder, 4, 240)
        with Engine(budget, tmp_path if on_disk else None) as small:
            schedule = Schedule(small, folder, 7, tight=True)  # pauses often
            for _ in range(9):  # which replies overlap depends on the machine
                schedule.run(60)
                found = compare(engine, folder, schedule.done, schedule.logits)
                is_rebuilt = found.rebuilt > 0 or on_disk
                does_overflow = found.refused + found.slid > 0
                if is_rebuilt and does_overflow and schedule.actions["pause"]:
                    break
    assert found.faults == []
    assert found.ties <= 1
    assert found.replies >= 10
    assert is_rebuilt
    assert does_overflow
    assert schedule.actions["pause"] > 0


@pytest.mark.turns(2)
@pytest.mark.parametrize("seed", [2, 3])  # 2: enough memory; 3: little memory and a disk
def test_logits_are_the_same_bits_in_any_company(tmp_path: Path, seed: int) -> None:
    folder = write_few_bits(tmp_path, CONFIGS["plain"])
    if not uses_decoder(folder):
        pytest.skip("the CPU kernels are off")
    found = play(folder, seed, 25, chats=6)
    assert found.faults == []
    assert found.unequal == []
    assert found.tokens >= 50


@pytest.mark.usefixtures("untried")
def test_logits_of_one_rounding_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verify that the comparison detects a tiny rounding difference."""
    logits_of = PlainDecoder.logits

    def rounding(self: PlainDecoder, fed: Any, wanted: Any) -> Any:
        logits = logits_of(self, fed, wanted)
        return logits if logits is None or len(fed) == 1 else logits * np.float32(1 + 1e-6)

    folder = write_few_bits(tmp_path, CONFIGS["plain"])
    if not uses_decoder(folder):
        pytest.skip("the CPU kernels are off")
    monkeypatch.setattr(PlainDecoder, "logits", rounding)
    assert play(folder, 2, 25, chats=6).unequal


def test_judge_finds_sessions_swapped_in_one_step(
    engine: Engine, model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    share, steps = ragged.combine_caches, iter(range(1 << 30))

    def exchanging(caches: Any, slots: Any = None, reading: Any = ()) -> Any:
        if caches and next(steps) % 40 == 39:  # only in passes that decode
            if slots is None or not slots.occupants:
                return share([*caches[1:], caches[0]], None, reading)
            for buffer in slots.buffers:
                heads = buffer.split_slots(buffer.layers[0][0]).shape[1]
                for arrays in buffer.layers:
                    arrays[0] = mx.roll(arrays[0], heads, 0)
        return share(caches, slots, reading)

    folder = model_folder("plain")
    engine.load(folder)  # probed without the swap
    monkeypatch.setattr(ragged, "combine_caches", exchanging)
    found: list[Any] = []
    for seed in range(5, 15):  # on a busy machine several seeds may run chats one after another
        found += outcome(engine, folder, 40, seed).faults
        if found:
            break
    assert found


@pytest.mark.usefixtures("untried")
def test_margin_decides_ties(
    engine: Engine, model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    forward = runner.forward

    def noisy(model: Any, feeds: Any, caches: Any, alone: bool, fed: Any) -> mx.array:
        logits = forward(model, feeds, caches, alone, fed)
        if len(feeds) == 1:
            return logits
        return logits + 0.05 * mx.random.normal(logits.shape, key=mx.random.key(len(feeds)))

    monkeypatch.setattr(runner, "forward", noisy)
    schedule = Schedule(engine, model_folder("plain"), 7)
    played = schedule.run(25), schedule.logits
    with Engine() as judge:
        strict = compare(judge, model_folder("plain"), *played)
        monkeypatch.setattr(alone, "TIE", 0.2)  # more than the injected noise
        lenient = compare(judge, model_folder("plain"), *played)
    assert strict.faults
    assert lenient.faults == []  # sampled replies differ where their logits aren't nearly equal
    assert lenient.ties > strict.ties

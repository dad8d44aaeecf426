"""Random schedules of conflicting clients.

Several clients use the same sessions, which are forked, deleted, evicted and expired while they
wait, reply or fork. Models are loaded and unloaded, keys are revoked, the engine fails, and the
server stops. The steps of a failing schedule are printed with their seed.
"""

from __future__ import annotations

import argparse
import logging
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from engine import Engine
from engine.bench.random_models import write_model
from tests.engine.families import FAMILIES
from tests.torture.serve_race import Broken, Race
from tests.torture.serve_schedule import schedule


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture races", description=__doc__)
    parser.add_argument("--schedules", type=int, default=200)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1, help="of the first one")
    parser.add_argument("--seconds", type=float, default=1e9, help="then no more are begun")
    chosen = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    began, failed, played = time.monotonic(), 0, 0
    expected: dict[tuple[int, int, bool], str] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder, plain = Path(scratch), FAMILIES["plain"]
        models = [
            write_model(folder / "plain", plain, scale=3.0),
            write_model(folder / "other", plain, seed=5, scale=3.0),
        ]
        for seed in range(chosen.seed, chosen.seed + chosen.schedules):
            if time.monotonic() - began > chosen.seconds:
                break
            steps, settings = schedule(seed, chosen.steps), _settings(seed)
            with Broken() as broken, Engine() as engine:
                keys = folder / f"keys-{seed}.json"
                problems = Race(engine, models, keys, broken, expected, **settings).play(steps)
            played += 1
            if problems:
                failed += 1
                print(f"seed {seed}, {settings}:", *problems, *steps, sep="\n    ", flush=True)
            elif played % 20 == 0:
                print(f"{played} schedules, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{played} schedules, {failed} failed")
    return min(failed, 1)


def _settings(seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    return {
        "policy": rng.choice(["evict", "evict", "refuse"]),
        "session_ttl": rng.choice([3600.0, 0.05]),
        "unload_after": rng.choice([0.0, 0.0, 0.2]),
        "at_once": rng.choice([2, 3, 8]),
        "queue": rng.choice([2, 12]),
    }

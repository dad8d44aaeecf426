"""Random schedules of conflicting clients: `python -m tests.torture races`.

Several clients use the same sessions, which are forked, deleted, evicted and expired while they
wait, reply or fork. Models are loaded and unloaded, keys are revoked, the engine fails, and the
server stops. The shortest failing part of a schedule is printed.
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
from tests.torture.serve_schedule import Step, schedule, shrunk

AGAIN = 3
"""Number of runs without a fault after which a part counts as harmless, because races are
random.
"""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture races", description=__doc__)
    parser.add_argument("--schedules", type=int, default=200)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1, help="of the first one")
    parser.add_argument("--seconds", type=float, default=1e9, help="then no more are begun")
    parser.add_argument("--no-shrink", action="store_true", help="print whole schedules")
    chosen = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    began, failed, played = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        plays = Plays(Path(folder))
        for seed in range(chosen.seed, chosen.seed + chosen.schedules):
            if time.monotonic() - began > chosen.seconds:
                break
            steps, settings = schedule(seed, chosen.steps), _settings(seed)
            problems = plays.play(steps, settings)
            played += 1
            if problems:
                failed += 1
                print(f"seed {seed}, {settings}:", *problems, sep="\n    ", flush=True)
                if not chosen.no_shrink:
                    steps = shrunk(steps, lambda part, s=settings: plays.fails(part, s))  # type: ignore[misc]
                print("   ", *steps, sep="\n    ", flush=True)
            elif played % 20 == 0:
                print(f"{played} schedules, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{played} schedules, {failed} failed")
    return min(failed, 1)


def _settings(seed: int) -> dict[str, Any]:
    """Return the options of a server, different for each seed."""
    rng = random.Random(seed)
    return {
        "policy": rng.choice(["evict", "evict", "refuse"]),
        "session_ttl": rng.choice([3600.0, 0.05]),
        "unload_after": rng.choice([0.0, 0.0, 0.2]),
        "at_once": rng.choice([2, 3, 8]),
        "queue": rng.choice([2, 12]),
    }


class Plays:
    """Plays schedules, each on a new engine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        plain = FAMILIES["plain"]
        self._models = [
            write_model(folder / "plain", plain, scale=3.0),
            write_model(folder / "other", plain, seed=5, scale=3.0),
        ]
        self._expected: dict[tuple[int, int, bool], str] = {}
        self._count = 0

    def play(self, steps: list[Step], settings: dict[str, Any]) -> list[str]:
        """Play a schedule and return the faults."""
        self._count += 1
        keys = self._folder / f"keys-{self._count}.json"
        with Broken() as broken, Engine() as engine:
            race = Race(engine, self._models, keys, broken, self._expected, **settings)
            return race.play(steps)

    def fails(self, steps: list[Step], settings: dict[str, Any]) -> bool:
        """Return True if any run has a fault."""
        return any(self.play(steps, settings) for _ in range(AGAIN))

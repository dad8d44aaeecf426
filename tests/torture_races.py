"""Random schedules of clients that get in each other's way: `python -m tests.torture races`.

Sessions are asked by several at once, forked, deleted, evicted and expired while they wait, answer
or are forked by another; models are loaded and unloaded meanwhile, keys revoked, the engine breaks
down, the server ends. Of a schedule that fails, the shortest part that still does is printed.
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
from tests.engine.serve_race import Broken, Race
from tests.engine.serve_schedule import Step, schedule, shrunk

AGAIN = 3
"""How often a part of a schedule is played before it counts as harmless: it is a race."""


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
    """What a server is like, by turns."""
    rng = random.Random(seed)
    return {
        "policy": rng.choice(["evict", "evict", "refuse"]),
        "session_ttl": rng.choice([3600.0, 0.05]),
        "unload_after": rng.choice([0.0, 0.0, 0.2]),
        "at_once": rng.choice([2, 3, 8]),
        "queue": rng.choice([2, 12]),
    }


class Plays:
    """Plays schedules, each on an engine of its own."""

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
        """What goes wrong."""
        self._count += 1
        keys = self._folder / f"keys-{self._count}.json"
        with Broken() as broken, Engine() as engine:
            race = Race(engine, self._models, keys, broken, self._expected, **settings)
            return race.play(steps)

    def fails(self, steps: list[Step], settings: dict[str, Any]) -> bool:
        """Whether anything goes wrong."""
        return any(self.play(steps, settings) for _ in range(AGAIN))

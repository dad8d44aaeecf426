"""Random schedules with little memory, checked by the engine's count and by MLX's.

Chats fork, continue, stop and close. Caches are evicted, written to a slow disk and restored.
Passes run out of memory. In each turn, the engine may use at most its budget plus what a pass
writes, and MLX may add at most what a pass needs for itself.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
from collections import Counter
from pathlib import Path

BUDGET = 18 * 10**6
ROOMY = (1, 2, 3)
"""Number of schedules without a limit, to measure what passes need for themselves."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture memory", description=__doc__)
    parser.add_argument("--minutes", type=float, default=4.0, help="how long (4)")
    parser.add_argument("--seed", type=int, default=0, help="of the first schedule (0)")
    parser.add_argument("--steps", type=int, default=40, help="actions of each (40)")
    parser.add_argument("--budget", type=float, default=BUDGET / 1e6, help="in MB (18)")
    chosen = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)  # a hundred faults are injected, each of which logs an error
    from tests.torture import memory_run as run

    budget, ends = int(chosen.budget * 1e6), time.monotonic() + 60 * chosen.minutes
    said, failed, worst, peak, count = Counter[str](), list[int](), 0, 0, 0
    turns = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = run.write_wide(Path(scratch) / "model")
        roomy = [run.run(folder, seed, None, None, chosen.steps) for seed in ROOMY]
        beside = int(1.5 * max(turns.beside for turns in roomy))
        print(
            f"without a limit up to {max(turns.counted for turns in roomy) / 1e6:.1f} MB; budget "
            f"{budget / 1e6:.1f}, a pass writes up to {run.SLACK / 1e6:.1f} and may take "
            f"{beside / 1e6:.1f} beside",
            flush=True,
        )
        while time.monotonic() < ends:
            seed, count = chosen.seed + count, count + 1
            disk = Path(scratch) / f"disk {seed}"
            seen = run.run(folder, seed, budget, disk, chosen.steps, slow_disk=0.01)
            held = seen.counted <= budget + run.SLACK
            if not held or seen.peak > budget + run.SLACK + beside:
                failed.append(seed)
            worst, peak, turns = max(worst, seen.counted), max(peak, seen.peak), turns + seen.turns
            said.update(seen.said)
            print(
                f"{seed:>5}: counted {seen.counted / 1e6:5.1f} MB, MLX at its peak "
                f"{seen.peak / 1e6:5.1f}, {seen.turns} turns{'  TOO MUCH' * (seed in failed)}",
                flush=True,
            )
    told = ", ".join(f"{number} {what.replace('_', ' ')}" for what, number in said.most_common())
    print(
        f"{count} schedules, {turns} turns, {told}\nat most {worst / 1e6:.1f} MB counted "
        f"({worst / budget:.2f} of the budget), {peak / 1e6:.1f} MB at MLX's peak; too much: "
        f"{failed or 'never'}"
    )
    return 1 if failed else 0

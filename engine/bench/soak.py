"""`python -m engine soak`: run random schedules on all model families for a given time.

Two runs with the same seed are similar but not identical, because the number of tokens in a
cancelled reply depends on the speed of the machine.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from engine.bench.alone import Outcome, compare
from engine.bench.limits import short_context, short_prefixes, tight_budget
from engine.bench.schedules import Schedule
from engine.bench.small_configs import NotBuildableError, architectures
from engine.engine import Engine

CONTEXT = 400  # context length in tokens; short, so that conversations exceed it
PREFIX = 48  # minimum length of a shared prefix in tokens
FEW = 5  # number of chats that fit in a tight budget


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--minutes", type=float, default=30.0, help="duration in minutes (default: 30)"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the schedules (default: 0)")
    parser.add_argument(
        "--steps", type=int, default=120, help="actions per model and round (default: 120)"
    )
    parser.add_argument(
        "--chats", type=int, default=16, help="maximum number of concurrent chats (default: 16)"
    )
    parser.add_argument(
        "--families", nargs="+", metavar="NAME", help="architectures (default: all)"
    )


def main(options: argparse.Namespace) -> int:
    warnings.simplefilter("ignore")
    end = time.monotonic() + 60 * options.minutes
    with (
        tempfile.TemporaryDirectory() as scratch,
        short_context(CONTEXT),
        Engine() as engine,
        Engine() as judge,
        short_prefixes(PREFIX),  # must be last, because an engine has to import MLX first
    ):
        blas = engine.stats()["backend"]["blas"]  # waits until the engine has imported MLX
        folders = _folders(options.families, Path(scratch))
        print(f"{len(folders)} families, {options.chats} chats each, {blas} BLAS", flush=True)
        total, actions, resident = Outcome(), Counter[str](), []
        replies = dict.fromkeys(folders, 0)
        runs = rounds = 0
        while time.monotonic() < end:
            for name, folder in folders.items():
                if time.monotonic() >= end:
                    break
                tight = rounds % 2 == 1
                schedule = _run(engine, folder, options, options.seed + runs, tight)
                outcome = compare(judge, folder, schedule.done, schedule.logits)
                runs += 1
                actions.update(schedule.actions)
                _add(total, outcome)
                replies[name] += outcome.replies
                in_use = engine.stats()["memory_in_use"]
                print(
                    f"{name:<24} {outcome.replies:>5} replies {outcome.tokens:>6} tokens "
                    f"{outcome.rebuilt:>3} rebuilt {outcome.ties:>3} ties "
                    f"{len(outcome.faults):>3} faults  "
                    f"MLX {in_use / 1e6:6.1f} MB  resident {_resident() / 1e6:7.1f} MB",
                    flush=True,
                )
                for fault in outcome.faults:
                    print(f"    {fault}", flush=True)
            resident.append(_resident())
            rounds += 1
    print(
        f"\n{runs} runs, {total.replies} replies compared ({total.cancelled} cut short), ", end=""
    )
    print(
        f"{total.tokens} tokens, {total.rebuilt} on rebuilt caches, {total.slid} of shortened "
        f"conversations, {total.refused} refused: "
        f"{total.ties} ties, {len(total.faults)} faults"
    )
    print(f"actions: {', '.join(f'{n} {a}' for a, n in actions.most_common())}")
    rarest = min(replies, key=lambda name: replies[name])
    print(f"fewest replies compared of one family: {replies[rarest]} ({rarest})")
    sizes = " ".join(f"{size / 1e6:.0f}" for size in resident)
    print(f"resident memory in MB after each round over the families: {sizes}")
    return 1 if total.faults else 0


def _run(
    engine: Engine, folder: Path, options: argparse.Namespace, seed: int, tight: bool
) -> Schedule:
    if not tight:
        schedule = Schedule(engine, folder, seed, options.chats)
        schedule.run(options.steps)
        return schedule
    budget = tight_budget(engine, folder, FEW, CONTEXT)
    with tempfile.TemporaryDirectory() as disk, Engine(budget, disk) as small:
        schedule = Schedule(small, folder, seed, options.chats, tight=True)
        schedule.run(options.steps)
        return schedule


def _folders(names: list[str] | None, root: Path) -> dict[str, Path]:
    """Write a tiny model for each family. Families that can't be built are skipped.

    Raises:
        NotBuildableError: if `names` are given, and one of them can't be built.
    """
    from engine.bench.families import write_family

    folders = {}
    for name in names or architectures():
        try:
            folders[name] = write_family(root / name, name)
        except NotBuildableError as error:
            print(f"{name:<24} left out: {error}", flush=True)
            if names:
                raise
    return folders


def _add(total: Outcome, outcome: Outcome) -> None:
    total.replies += outcome.replies
    total.tokens += outcome.tokens
    total.cancelled += outcome.cancelled
    total.ties += outcome.ties
    total.rebuilt += outcome.rebuilt
    total.slid += outcome.slid
    total.refused += outcome.refused
    total.faults += outcome.faults


def _resident() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return pages * os.sysconf("SC_PAGE_SIZE")

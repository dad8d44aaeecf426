"""Random schedules of quantized models, where each token and logit must be the same as alone.

    python -m tests.torture schedules [--schedules 200] [--families llama qwen3 …]

Chats join, leave, fork, are edited, evicted and restored, and prompts are read in chunks of random
sizes. Then each chat runs alone. If a model uses the CPU kernels' decoder, each row of logits must
match bit for bit. Otherwise they may differ by rounding (`engine.bench.alone`).
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import mlx.core as mx
import pytest

from engine.bench.alone import Outcome, compare
from engine.bench.families import quantize_folder, write_family
from engine.bench.limits import short_context, short_prefixes, tight_budget
from engine.bench.schedules import Schedule
from engine.engine import Engine
from engine.model import loader, plain_decoder
from engine.runtime.pacing import PrefillPacer

FAMILIES = (
    *("llama", "qwen2", "qwen3", "smollm3", "gemma2", "phi3", "glm4", "internlm3", "seed_oss"),
    *("mistral3", "gemma3_text", "qwen3_moe", "qwen3_next", "nanbeige"),
)
CONTEXT, PREFIX = 400, 48  # tokens
FEW = 4  # chats that fit into a small budget


@contextmanager
def random_chunks(seed: int) -> Iterator[None]:
    chosen = random.Random(seed)

    def size(*_: object, **__: object) -> int:
        return chosen.choice((1, 3, 16, 17, 40, 64, 200, 256))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PrefillPacer, "chunk", size)
        patch.setattr(PrefillPacer, "mixed_chunk", size)
        yield


def play(folder: Path, seed: int, steps: int, chats: int = 8) -> Outcome:
    """Play the schedule of a seed, then run its chats alone.

    Every second schedule only has memory for a few of the chats, and every fourth also has a disk.
    """
    is_tight, has_disk = seed % 2 == 1, seed % 4 == 3
    with short_context(CONTEXT), Engine() as judge, tempfile.TemporaryDirectory() as disk:
        judge.stats()
        with short_prefixes(PREFIX):
            budget = tight_budget(judge, folder, FEW, CONTEXT) if is_tight else None
            with random_chunks(seed), Engine(budget, disk if has_disk else None) as engine:
                schedule = Schedule(engine, folder, seed, chats, tight=is_tight)
                done = schedule.run(steps)
        return compare(judge, folder, done, schedule.logits)


def uses_decoder(folder: Path) -> bool:
    """Return True if the model in `folder` computes by the CPU kernels' decoder."""
    net, _ = loader.load_net(folder, lazy=True)
    net.set_dtype(mx.float32)
    for _ in loader.pack_weights(net, folder):
        pass
    return plain_decoder.is_installed(net)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture schedules", description=__doc__)
    add = parser.add_argument
    add("--families", nargs="+", default=FAMILIES, metavar="NAME")
    add("--schedules", type=int, default=200, help="per family (200)")
    add("--steps", type=int, default=40, help="actions of a schedule (40)")
    add("--seed", type=int, default=0, help="the first schedule's (0)")
    add("--minutes", type=float, default=1e9, help="at most, for all families")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    began, share, failed = time.monotonic(), 60 * options.minutes / len(options.families), 0
    for number, name in enumerate(options.families, 1):
        with tempfile.TemporaryDirectory() as scratch:
            folder = write_family(Path(scratch) / name, name)
            quantize_folder(folder, 32)
            is_exact = uses_decoder(folder)
            played = replies = ties = unequal = 0
            apart = 0.0
            faults: list[str] = []
            for seed in range(options.seed, options.seed + options.schedules):
                if time.monotonic() - began >= number * share:
                    break
                found = play(folder, seed, options.steps)
                played, replies, ties = played + 1, replies + found.replies, ties + found.ties
                unequal, apart = unequal + len(found.unequal), max(apart, found.apart)
                faults += [f"seed {seed}: {fault}" for fault in found.faults]
                if is_exact:
                    faults += [f"seed {seed}: {place}, other bits" for place in found.unequal[:3]]
            print(
                f"{name:<16} {'decoder' if is_exact else 'layers':<8} {played} schedules, "
                f"{replies} replies, {unequal} with other logits, {ties} ties, "
                f"{apart:.2g} apart, {len(faults)} faults",
                flush=True,
            )
            for fault in faults[:20]:
                print(f"    {fault}", flush=True)
            failed += bool(faults)
    return 1 if failed else 0

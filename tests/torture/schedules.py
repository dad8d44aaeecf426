"""Random schedules of quantized models, where each token and logit must be the same as alone.

    python -m tests.torture schedules [--schedules 200] [--families llama qwen3 …]

Chats join, leave, fork, are edited, evicted and restored, and prompts are read in chunks of random
sizes. Then each chat runs alone. If a model uses the CPU kernels' decoder, each row of logits must
match bit for bit. Otherwise tokens may differ if two logits are nearly equal.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from msgspec import Struct

from engine.bench.alone import Outcome, compare
from engine.bench.families import quantise, write_family
from engine.bench.limits import short_context, short_prefixes, tight_budget
from engine.bench.schedules import Schedule
from engine.engine import Engine
from engine.model import loader, plain_decoder, runner, sampling
from engine.runtime.pacing import PrefillPacer

FAMILIES = (
    *("llama", "qwen2", "qwen3", "smollm3", "gemma2", "phi3", "glm4", "internlm3", "seed_oss"),
    *("mistral3", "gemma3_text", "qwen3_moe", "qwen3_next", "nanbeige"),
)
CONTEXT, PREFIX = 400, 48  # tokens
FEW = 4  # chats that fit into a small budget

Logits = dict[tuple[int, int], set[bytes]]
"""Digests of logit rows by the seed of a reply and the index of its token."""


class Played(Struct):
    """A schedule's replies, the same chats' replies alone, and its rows of logits."""

    outcome: Outcome
    rows: int  # number of rows computed both in a batch and alone
    unequal: list[str]  # descriptions of rows that differ


@contextmanager
def recorded_logits() -> Iterator[Logits]:
    """Record the logits from which tokens are chosen in this block."""
    found: Logits = {}
    sample = sampling.sample_rows

    def record(logits: Any, samplers: Any, indices: Any, *rest: Any) -> Any:
        rows = sampling.evaluated(logits)
        for row, sampler, index in zip(rows, samplers, indices, strict=True):
            digest = blake2b(row, digest_size=16).digest()
            found.setdefault((sampler.seed, index), set()).add(digest)
        return sample(logits, samplers, indices, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "sample_rows", record)
        yield found


@contextmanager
def random_chunks(seed: int) -> Iterator[None]:
    """Read prompts in chunks of random sizes in this block."""
    chosen = random.Random(seed)

    def size(remaining: int) -> int:
        return min(remaining, chosen.choice((1, 3, 16, 17, 40, 64, 200, 256)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PrefillPacer, "chunk", lambda *known: size(known[2]))
        patch.setattr(PrefillPacer, "mixed_chunk", lambda *known: size(known[3]))
        yield


def play(folder: Path, seed: int, steps: int, chats: int = 8) -> Played:
    """Play the schedule of a seed, then run its chats alone.

    Every second schedule only has memory for a few of the chats, and every fourth also has a disk.
    """
    is_tight, has_disk = seed % 2 == 1, seed % 4 == 3
    with short_context(CONTEXT), Engine() as judge, tempfile.TemporaryDirectory() as disk:
        judge.stats()
        with short_prefixes(PREFIX), recorded_logits() as company:
            budget = tight_budget(judge, folder, FEW, CONTEXT) if is_tight else None
            company.clear()
            with random_chunks(seed), Engine(budget, disk if has_disk else None) as engine:
                schedule = Schedule(engine, folder, seed, chats, tight=is_tight)
                done = schedule.run(steps)
        with recorded_logits() as alone:
            outcome = compare(judge, folder, done)
    # MLX's own kernels handle quantized keys.
    plain = {t.params.seed for c in done if not c.options.get("kv_bits") for t in c.turns}
    both = [place for place in company if place in alone and place[0] in plain]
    unequal = [
        f"seed {seed}, reply {reply}, token {token}"
        for reply, token in both
        if len(company[reply, token] | alone[reply, token]) > 1
    ]
    return Played(outcome, len(both), unequal)


def uses_decoder(folder: Path) -> bool:
    """Return True if the model in `folder` computes by the CPU kernels' decoder."""
    net, _ = loader.load_net(folder, lazy=True)
    net.set_dtype(mx.float32)
    for _ in loader.pack_weights(net, folder):
        pass
    return plain_decoder.is_installed(net)


def main(arguments: list[str]) -> int:
    """Play schedules of each family and return 1 if one of them found a fault."""
    parser = argparse.ArgumentParser(prog="tests.torture schedules", description=__doc__)
    parser.add_argument("--families", nargs="+", default=FAMILIES, metavar="NAME")
    parser.add_argument("--schedules", type=int, default=200, help="per family (200)")
    parser.add_argument("--steps", type=int, default=40, help="actions of a schedule (40)")
    parser.add_argument("--seed", type=int, default=0, help="the first schedule's (0)")
    parser.add_argument("--minutes", type=float, default=1e9, help="at most, for all families")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    began, share, failed = time.monotonic(), 60 * options.minutes / len(options.families), 0
    for number, name in enumerate(options.families, 1):
        with tempfile.TemporaryDirectory() as scratch:
            folder = write_family(Path(scratch) / name, name)
            quantise(folder, 32)
            is_exact = uses_decoder(folder)
            played = rows = replies = ties = unequal = 0
            faults: list[str] = []
            for seed in range(options.seed, options.seed + options.schedules):
                if time.monotonic() - began >= number * share:
                    break
                found = play(folder, seed, options.steps)
                played, rows = played + 1, rows + found.rows
                replies, ties = replies + found.outcome.replies, ties + found.outcome.ties
                unequal += len(found.unequal)
                faults += [f"seed {seed}: {fault}" for fault in found.outcome.faults]
                faults += found.unequal[:3] if is_exact else []
            print(
                f"{name:<16} {'decoder' if is_exact else 'layers':<8} {played} schedules, "
                f"{replies} replies, {rows} rows of logits, {unequal} of them unequal, "
                f"{ties} ties, {len(faults)} faults",
                flush=True,
            )
            for fault in faults[:20]:
                print(f"    {fault}", flush=True)
            failed += bool(faults)
    return 1 if failed else 0

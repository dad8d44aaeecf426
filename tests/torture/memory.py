"""Random schedules with little memory, checked by the engine's count and by MLX's.

Chats fork, continue, stop and close. Caches are evicted, written to a slow disk and restored.
Passes run out of memory. In each turn, the engine may use at most its budget plus what a pass
writes, and MLX may add at most what a pass needs for itself.
"""

from __future__ import annotations

import argparse
import logging
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine import Engine, Session
from engine.bench.limits import short_prefixes
from engine.bench.random_models import write_model
from engine.cache.cache_file import CacheImage
from engine.errors import CAPACITY_EXHAUSTED, OUT_OF_MEMORY, SESSION_CLOSED
from engine.messages import Failed, Finished, FinishReason
from engine.model import runner
from engine.params import SamplingParams
from engine.runtime import pacing
from engine.runtime.loop import Loop
from engine.runtime.state import State
from tests.engine.families import FAMILIES

PREFIX = 64
"""Shortest shared prefix in these schedules, in tokens."""

STORY = "Listen to this story, all of you, and say how it goes on. " * 12
WORDS = ("do", "re", "mi", "fa", "sol", "la", "si", "ut")
CHATS = 10
BUDGET = 18 * 10**6
ROOMY = (1, 2, 3)
"""Seeds of schedules without a limit, to measure what passes need for themselves."""

SLACK = 2 * 256 * 8192
"""Bytes by which two caches of this model can grow together, which a pass writes itself."""

CHUNK = 256
"""Upper limit for prefill chunks, which keeps the working memory of a pass small."""


def write_wide(path: Path) -> Path:
    """Write a tiny model with large caches relative to its weights: 8 kB per token."""
    wide = {"num_hidden_layers": 8, "num_key_value_heads": 4, "head_dim": 32}
    return write_model(path, {**FAMILIES["plain"], **wide}, scale=3.0)


@dataclass
class MemoryAtTurns:
    """Memory at the ends of the engine's turns, in bytes.

    Attributes:
        counted: maximum of the engine's count: weights, caches and pending writes.
        promised: maximum reserved for running replies, including the weights.
        peak: maximum in use by MLX at any time.
        beside: maximum in use by MLX on top of the counted bytes.
        faults: number of upcoming passes that should fail.
    """

    base: int = 0
    counted: int = 0
    promised: int = 0
    peak: int = 0
    beside: int = 0
    faults: int = 0
    turns: int = 0
    said: Counter[str] = field(default_factory=Counter)


def counted(state: State) -> int:
    memory = state.memory
    caches = memory.kv_bytes + memory.prefixes.nbytes
    return memory.fixed_bytes + caches + memory.writing_bytes


@contextmanager
def watched(slow_disk: float = 0.0) -> Iterator[MemoryAtTurns]:
    """Measure each engine turn in this block, and fail passes on request.

    Args:
        slow_disk: extra seconds for each file that is written.
    """
    seen = MemoryAtTurns(base=mx.get_active_memory())
    turn, decode, write = Loop.step, runner.decode, CacheImage.write

    def looked_at(loop: Loop) -> bool:
        mx.reset_peak_memory()
        before = counted(loop._state)
        try:
            return turn(loop)
        finally:
            after = counted(loop._state)
            peak = mx.get_peak_memory() - seen.base
            if loop._state.sessions:  # without sessions, a model is still being loaded and probed
                seen.counted = max(seen.counted, after)
                memory = loop._state.memory
                promised = memory.fixed_bytes + memory.promised_bytes()
                seen.promised = max(seen.promised, promised)
                seen.peak = max(seen.peak, peak)
                seen.beside = max(seen.beside, peak - max(before, after))
                seen.turns += 1

    def faulty(*given: Any, **named: Any) -> Any:
        if seen.faults:
            seen.faults -= 1
            raise RuntimeError("[injected] out of memory")
        return decode(*given, **named)

    def slow(image: CacheImage, stream: Any) -> None:
        time.sleep(slow_disk)
        write(image, stream)

    most = pacing.MAX_CHUNK
    pacing.MAX_CHUNK = CHUNK
    Loop.step, runner.decode, CacheImage.write = looked_at, faulty, slow  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        pacing.MAX_CHUNK = most
        Loop.step, runner.decode, CacheImage.write = turn, decode, write  # type: ignore[method-assign]


def run(
    folder: Path, seed: int, budget: int | None, disk: Path | None, steps: int, slow_disk: float = 0
) -> MemoryAtTurns:
    """Run a schedule on a new engine.

    Args:
        budget: memory budget of the engine; None for no limit.
    """
    pick = random.Random(seed)
    with short_prefixes(PREFIX), watched(slow_disk) as seen, Engine(budget, disk) as engine:
        model = engine.load(folder)
        chats: list[Session] = []
        replies: dict[str, Any] = {}

        def send(chat: Session, text: str) -> None:
            count = pick.choice((4, 16, 60))
            params = SamplingParams(max_tokens=count, seed=pick.randrange(99), temperature=0.8)
            replies[chat.id] = chat.send(text, params)

        def settle(chat: Session) -> None:
            reply = replies.pop(chat.id, None)
            if reply is not None:
                *_, last = reply
                _note(seen, last)

        for step in range(steps):
            idle = [c for c in chats if c.id not in replies or replies[c.id].done]
            busy = [c for c in chats if c not in idle]
            kind = pick.random()
            if not chats or (kind < 0.2 and len(chats) < CHATS):
                chats.append(engine.open_session(model, f"chat {step}"))
                send(chats[-1], STORY * pick.choice((0, 1, 1, 2)) + pick.choice(WORDS))
            elif kind < 0.45 and len(chats) < CHATS:
                chats.append(pick.choice(chats).fork(f"chat {step}"))
            elif kind < 0.75 and idle:
                chat = pick.choice(idle)
                settle(chat)
                send(chat, " ".join(pick.choices(WORDS, k=pick.choice((1, 8, 60)))))
            elif kind < 0.8 and busy:
                settle(pick.choice(busy))
            elif kind < 0.85 and busy:
                replies[pick.choice(busy).id].cancel()
            elif kind < 0.92:
                seen.faults = 1
                seen.said["faults"] += 1
            elif kind < 0.94:
                engine.relieve_later().result()
            else:
                chat = pick.choice(chats)
                chat.close()
                settle(chat)
                chats.remove(chat)
        seen.faults = 0
        for chat in chats:
            settle(chat)
        engine.stats()
    return seen


def _note(seen: MemoryAtTurns, last: Any) -> None:
    if isinstance(last, Finished):
        seen.said["cancelled" if last.reason == FinishReason.CANCELLED else "finished"] += 1
        return
    assert isinstance(last, Failed)
    assert last.code in (OUT_OF_MEMORY, SESSION_CLOSED, CAPACITY_EXHAUSTED), last.message
    seen.said[last.code] += 1


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture memory", description=__doc__)
    parser.add_argument("--minutes", type=float, default=4.0, help="how long (4)")
    parser.add_argument("--seed", type=int, default=0, help="of the first schedule (0)")
    parser.add_argument("--steps", type=int, default=40, help="actions of each (40)")
    parser.add_argument("--budget", type=float, default=BUDGET / 1e6, help="in MB (18)")
    chosen = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)  # a hundred faults are injected, each of which logs an error
    budget, ends = int(chosen.budget * 1e6), time.monotonic() + 60 * chosen.minutes
    said, failed, worst, peak, count = Counter[str](), list[int](), 0, 0, 0
    turns = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = write_wide(Path(scratch) / "model")
        roomy = [run(folder, seed, None, None, chosen.steps) for seed in ROOMY]
        beside = int(1.5 * max(turns.beside for turns in roomy))
        print(
            f"without a limit up to {max(turns.counted for turns in roomy) / 1e6:.1f} MB; budget "
            f"{budget / 1e6:.1f}, a pass writes up to {SLACK / 1e6:.1f} and may take "
            f"{beside / 1e6:.1f} beside",
            flush=True,
        )
        while time.monotonic() < ends:
            seed, count = chosen.seed + count, count + 1
            disk = Path(scratch) / f"disk {seed}"
            seen = run(folder, seed, budget, disk, chosen.steps, slow_disk=0.01)
            held = seen.counted <= budget + SLACK
            if not held or seen.peak > budget + SLACK + beside:
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

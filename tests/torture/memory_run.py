"""Random schedules of chats that share, fork, evict and fail, with memory measured after each turn.

After each turn of the engine thread, the engine's own count is compared with MLX's.
"""

from __future__ import annotations

import random
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
from engine.runtime import pacing, scheduler
from engine.runtime.loop import Loop
from engine.runtime.state import State
from tests.engine.families import FAMILIES

PREFIX = 64
"""Shortest shared prefix in these schedules, in tokens."""

STORY = "Listen to this story, all of you, and say how it goes on. " * 12
WORDS = ("do", "re", "mi", "fa", "sol", "la", "si", "ut")
CHATS = 10

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
    return memory.fixed + caches + memory.writing_bytes


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
                promised = memory.fixed + memory.promised()
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
    scheduler.MAX_CHUNK = pacing.MAX_CHUNK = CHUNK  # type: ignore[attr-defined]
    Loop.step, runner.decode, CacheImage.write = looked_at, faulty, slow  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        scheduler.MAX_CHUNK = pacing.MAX_CHUNK = most  # type: ignore[attr-defined]
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

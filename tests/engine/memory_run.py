"""Random schedules of chats that share, fork, make room and meet faults; what is held meanwhile.

After every turn of the engine's thread what it counts is looked at, and what MLX has in use.
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
"""Tokens from which on chats share a beginning here."""

STORY = "Listen to this story, all of you, and say how it goes on. " * 12
WORDS = ("do", "re", "mi", "fa", "sol", "la", "si", "ut")
CHATS = 10

SLACK = 2 * 256 * 8192
"""Bytes by which two caches of such a model grow at once: what a pass writes itself."""

CHUNK = 256
"""Tokens of a prompt that a pass reads at most, so that a pass needs little beside the caches."""


def write_wide(path: Path) -> Path:
    """A tiny model whose caches are large beside its weights: 8 kB a token."""
    wide = {"num_hidden_layers": 8, "num_key_value_heads": 4, "head_dim": 32}
    return write_model(path, {**FAMILIES["plain"], **wide}, scale=3.0)


@dataclass
class Turns:
    """What was held at the ends of an engine's turns, in bytes.

    Attributes:
        counted: the most that the engine counted: weights, caches and what is being written.
        promised: the most that running replies were promised, the weights among it.
        peak: the most that MLX had in use at any time.
        beside: the most that it had beside what was counted.
        faults: how many passes are to fail from now on.
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
    """All bytes that an engine knows to be held."""
    memory = state.memory
    caches = memory.kv_bytes + memory.prefixes.nbytes
    return memory.fixed + caches + memory.room().leaving


@contextmanager
def watched(slow_disk: float = 0.0) -> Iterator[Turns]:
    """In this block each turn of an engine is looked at, passes fail when told to.

    Args:
        slow_disk: seconds that each file takes longer to write.
    """
    seen = Turns(base=mx.get_active_memory())
    turn, decode, write = Loop.step, runner.decode, CacheImage.write

    def looked_at(loop: Loop) -> bool:
        mx.reset_peak_memory()
        before = counted(loop._state)
        try:
            return turn(loop)
        finally:
            after = counted(loop._state)
            peak = mx.get_peak_memory() - seen.base
            if loop._state.sessions:  # before that a model is read, and tried out
                seen.counted = max(seen.counted, after)
                memory = loop._state.memory
                promised = memory.fixed + memory.promised().nbytes
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

    most = pacing.MOST_CHUNK
    scheduler.MOST_CHUNK = pacing.MOST_CHUNK = CHUNK  # type: ignore[attr-defined]
    Loop.step, runner.decode, CacheImage.write = looked_at, faulty, slow  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        scheduler.MOST_CHUNK = pacing.MOST_CHUNK = most  # type: ignore[attr-defined]
        Loop.step, runner.decode, CacheImage.write = turn, decode, write  # type: ignore[method-assign]


def run(
    folder: Path, seed: int, budget: int | None, disk: Path | None, steps: int, slow_disk: float = 0
) -> Turns:
    """One schedule on an engine of its own.

    Args:
        budget: the engine's; None for as much as there is.
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


def _note(seen: Turns, last: Any) -> None:
    if isinstance(last, Finished):
        seen.said["cancelled" if last.reason == FinishReason.CANCELLED else "finished"] += 1
        return
    assert isinstance(last, Failed)
    assert last.code in (OUT_OF_MEMORY, SESSION_CLOSED, CAPACITY_EXHAUSTED), last.message
    seen.said[last.code] += 1

"""Benchmark of the number of chats that fit in memory, predicted and actual."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from engine.bench.subject import Subject, subject
from engine.engine import Session
from engine.params import SamplingParams


class Length(Struct, frozen=True):
    tokens: int
    nbytes: int
    chats: int


class Trial(Struct, frozen=True):
    """Result of opening two more chats than should fit (`predicted`)."""

    tokens: int
    predicted: int
    kept: int  # number of chats still in memory at the end
    owed: int  # size of these chats in bytes, according to the engine
    in_use: int  # MLX's memory in bytes, excluding the weights


class Capacity(Struct, frozen=True):
    budget: int
    weights: int
    lengths: list[Length]
    trial: Trial


def capacity(path: str, lengths: Sequence[int], chats: int, say: Callable[[str], None]) -> Capacity:
    with subject(path) as running:
        budget = running.engine.stats()["memory_budget"]
        weights = running.model.nbytes
        measurements = []
        for tokens in lengths:
            say(f"a chat of {tokens:,} tokens …")
            chat = _chat(running, tokens, 0)
            size = running.engine.stats()["sessions"][chat.id]["kv_bytes"]
            measurements.append(Length(tokens, size, max(0, budget - weights) // size))
            chat.close()
    first = measurements[0]
    small = weights + first.nbytes * (2 * chats + 1) // 2
    with subject(path, memory_budget=small) as running:
        before = running.engine.stats()["memory_in_use"]
        opened = []
        for number in range(chats + 2):
            say(f"chat {number + 1} where {chats} should fit …")
            opened.append(_chat(running, first.tokens, number))
        stats = running.engine.stats()
        opened_stats = [stats["sessions"][c.id] for c in opened]
        full = [s for s in opened_stats if s["kv_tokens"] > first.tokens // 2]
        trial = Trial(
            first.tokens,
            chats,
            len(full),
            sum(s["kv_bytes"] for s in full),
            stats["memory_in_use"] - before,
        )
    return Capacity(budget, weights, measurements, trial)


def _chat(running: Subject, tokens: int, salt: int) -> Session:
    session = running.engine.open_session(running.model)
    prompt = running.text(tokens - 32, salt)
    session.send(prompt, SamplingParams(max_tokens=4, temperature=0.0)).tokens()
    return session

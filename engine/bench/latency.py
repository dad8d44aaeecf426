"""Latency benchmarks: gaps during a long prefill, follow-ups, forks, and broadcasts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

from msgspec import Struct

from engine.batch.results import percentile
from engine.bench.subject import Subject, gaps, send_timed
from engine.engine import Session
from engine.params import SamplingParams
from engine.runtime.pacing import GAP_BUDGET


class LongPrompt(Struct, frozen=True):
    """Result of sending a long and a short prompt while three chats are streaming, in seconds."""

    prompt_tokens: int
    median_before: float  # median delay between tokens before the prompts were sent
    # Delays between tokens during prefill.
    median: float
    p99: float
    longest: float
    # TTFT of the long and of the short prompt.
    first_long: float
    first_short: float
    first_alone: float  # TTFT of an equally long prompt without other chats

    @property
    def bound(self) -> float:
        return 3 * self.median_before + 0.1

    @property
    def budgeted(self) -> float:
        """Limit for the p99: twice the median during prefill plus the gap budget."""
        return 2 * self.median + GAP_BUDGET

    @property
    def budgeted_before(self) -> float:
        return 2 * self.median_before + GAP_BUDGET


def long_prompt(subject: Subject, length: int) -> LongPrompt:
    engine, model = subject.engine, subject.model
    brief_params = SamplingParams(max_tokens=4, temperature=0.0)
    alone = engine.open_session(model)
    first_alone = send_timed(alone, subject.text(length, 10), brief_params).first
    alone.close()
    endless = SamplingParams(max_tokens=1_000_000, temperature=0.0)
    streams = [
        send_timed(engine.open_session(model), subject.text(64, salt), endless) for salt in range(3)
    ]
    while min(len(s.moments) for s in streams) < 24:
        time.sleep(0.01)
    arrived = time.perf_counter()
    big = send_timed(engine.open_session(model), subject.text(length, 4), brief_params)
    small = send_timed(engine.open_session(model), subject.text(32, 5), brief_params)
    first_long, first_short = big.first, small.first
    ended_at = time.perf_counter()
    for stream in streams:
        assert stream.reply is not None
        stream.reply.cancel()
    before: list[float] = []
    during: list[float] = []
    for stream in streams:
        moments = stream.times()
        before += gaps([m for m in moments if m <= arrived])[2:]
        during += gaps([m for m in moments if arrived - 1 < m <= ended_at])
    assert big.reply is not None
    return LongPrompt(
        big.reply.stats.prompt_tokens,
        statistics.median(before),
        statistics.median(during),
        percentile(during, 99) or 0.0,
        max(during),
        first_long,
        first_short,
        first_alone,
    )


class FollowUp(Struct, frozen=True):
    """Result for the second turn of a chat. Times are TTFT in seconds."""

    history_tokens: int
    new_tokens: int
    first_turn: float
    second_turn: float


def follow_up(subject: Subject, length: int) -> FollowUp:
    session = subject.engine.open_session(subject.model)
    brief_params = SamplingParams(max_tokens=8, temperature=0.0)
    first = send_timed(session, subject.text(length, 6), brief_params)
    seconds = first.first
    second = send_timed(session, "And then?", brief_params)
    again = second.first
    assert second.reply is not None
    stats = second.reply.stats
    session.close()
    return FollowUp(stats.prompt_tokens, stats.prompt_tokens - stats.reused_tokens, seconds, again)


class Many(Struct, frozen=True):
    """Result for several chats that continue the same text, compared to a single chat."""

    what: str
    chats: int
    tokens: int  # length of the text in tokens
    # TTFT in seconds of the single chat, and of the slowest of several chats.
    one: float
    last: float
    # KV cache size in bytes of the single chat, and of all chats together.
    nbytes_one: int
    nbytes: int


def forks(subject: Subject, length: int, chats: int) -> Many:
    origin = subject.engine.open_session(subject.model)
    origin.send(subject.text(length, 7), SamplingParams(max_tokens=1, temperature=0.0)).tokens()

    def several(n: int) -> list[Session]:
        return [origin.fork() for _ in range(n)]

    prompts = ["And then?"] * 2
    return _many(subject, "forks", length, chats, several, prompts, [origin], rounds=5)


def broadcast(subject: Subject, length: int, chats: int) -> Many:
    """Send a prompt of `length` tokens to one new chat, then another to several new chats."""

    def several(n: int) -> list[Session]:
        return [subject.engine.open_session(subject.model) for _ in range(n)]

    prompts = [subject.text(length, 8), subject.text(length, 9)]
    return _many(subject, "broadcast", length, chats, several, prompts, [], rounds=1)


def _many(
    subject: Subject,
    label: str,
    length: int,
    chats: int,
    several: Callable[[int], list[Session]],
    prompts: Sequence[str],
    idle: Sequence[Session],
    rounds: int,
) -> Many:
    brief_params = SamplingParams(max_tokens=8, temperature=0.0)
    figures: tuple[list[tuple[float, int]], ...] = ([], [])
    for n, prompt, results in [*zip((1, chats), prompts, figures, strict=True)] * rounds:
        sessions = several(n)
        subject.engine.stats()  # wait until all sessions have been created
        streams = [send_timed(s, prompt, brief_params) for s in sessions]
        first = max(s.first for s in streams)
        session_stats = subject.engine.stats()["sessions"]
        kv_bytes = sum(session_stats[s.id]["kv_bytes"] for s in [*sessions, *idle])
        results.append((first, kv_bytes))
        for session in sessions:
            session.close()
    for session in idle:
        session.close()
    (single, nbytes_one), (last, nbytes) = (sorted(f)[rounds // 2] for f in figures)
    return Many(label, chats, length, single, last, nbytes_one, nbytes)

"""Whole requests from sending to the last token, under several kinds of traffic.

Here the reading of prompts counts as much as decoding, and so does who has to wait for whom:
chats that come at once with prompts of the same length, with one long prompt among short ones,
and one after another while the others are being answered.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from engine.batch.summary import percentile
from engine.bench.subject import Subject, gaps


@dataclass(frozen=True)
class Arrival:
    """A request: when it is sent (seconds from the beginning) and what it asks."""

    after: float
    prompt: str
    long: bool = False


@dataclass
class Trace:
    """What one request came to; moments are perf_counter seconds."""

    sent: float
    moments: list[float] = field(default_factory=list)
    tokens: int = 0


Contender = Callable[[Sequence[Arrival], int], list[Trace]]
"""Answers all arrivals, each with at most so many tokens."""

Peak = Callable[[Callable[[], None]], int]
"""Runs something; the bytes that were taken for it beside the weights, at most."""


@dataclass(frozen=True)
class Figures:
    """One contender under one kind of traffic. Seconds, tokens per second, bytes.

    Attributes:
        rate: all tokens over the time from the first request to the last token.
        first_p50, first_max: from sending to the first token; where one prompt is long, of the
            others.
        first_long: of the long one.
        gap_p50, gap_p99, gap_max: between two tokens of one answer.
        memory: caches and scratch at their largest.
    """

    contender: str
    traffic: str
    chats: int
    rate: float
    first_p50: float
    first_max: float
    first_long: float | None
    gap_p50: float
    gap_p99: float
    gap_max: float
    memory: int


def kinds(
    subject: Subject, chats: int, short: int, long: int, every: float, salt: int
) -> Iterator[tuple[str, list[Arrival]]]:
    """The kinds of traffic for so many chats; texts differ with `salt`, lest a cache know them."""
    texts = [subject.text(short, salt + i) for i in range(chats)]
    yield "equal", [Arrival(0.0, text) for text in texts]
    if chats > 1:
        first = Arrival(0.0, subject.text(long, salt + chats), long=True)
        yield "one long", [first, *(Arrival(0.0, text) for text in texts[1:])]
        later = [subject.text(short, salt + chats + 1 + i) for i in range(chats)]
        yield "staggered", [Arrival(every * i, text) for i, text in enumerate(later)]


def compare(
    subject: Subject,
    contenders: dict[str, tuple[Contender, Peak]],
    chats: Sequence[int],
    tokens: int,
    rounds: int,
    short: int,
    long: int,
    every: float,
    say: Callable[[str], None],
) -> Iterator[list[Figures]]:
    """Every contender under every kind of traffic, in turns; medians over the rounds.

    Yields the figures of one number of chats after another.
    """
    salt = 100
    for n in chats:
        found: dict[tuple[str, str], list[Figures]] = {}
        for _ in range(rounds):
            for traffic, arrivals in kinds(subject, n, short, long, every, salt):
                for name, (contender, peak) in contenders.items():
                    say(f"{n} chats, {traffic}: {name} …")
                    traces: list[Trace] = []

                    def run(
                        contender: Contender = contender,
                        arrivals: list[Arrival] = arrivals,
                        traces: list[Trace] = traces,
                    ) -> None:
                        traces += contender(arrivals, tokens)

                    memory = peak(run)
                    one = _figures(name, traffic, arrivals, traces, memory)
                    found.setdefault((traffic, name), []).append(one)
            salt += 100
        yield [_median(several) for several in found.values()]


def _figures(
    name: str, traffic: str, arrivals: Sequence[Arrival], traces: Sequence[Trace], memory: int
) -> Figures:
    firsts = [t.moments[0] - t.sent for a, t in zip(arrivals, traces, strict=True) if not a.long]
    of_long = [t.moments[0] - t.sent for a, t in zip(arrivals, traces, strict=True) if a.long]
    between = [gap for t in traces for gap in gaps(t.moments)] or [0.0]
    seconds = max(t.moments[-1] for t in traces) - min(t.sent for t in traces)
    return Figures(
        name,
        traffic,
        len(arrivals),
        sum(t.tokens for t in traces) / seconds,
        statistics.median(firsts),
        max(firsts),
        of_long[0] if of_long else None,
        statistics.median(between),
        percentile(between, 99) or 0.0,
        max(between),
        memory,
    )


def _median(several: list[Figures]) -> Figures:
    """The medians of all figures over rounds of the same measurement."""
    first = several[0]

    def of(name: str) -> float:
        values: list[float] = [getattr(f, name) for f in several]
        return statistics.median(values)

    return Figures(
        first.contender,
        first.traffic,
        first.chats,
        of("rate"),
        of("first_p50"),
        of("first_max"),
        of("first_long") if first.first_long is not None else None,
        of("gap_p50"),
        of("gap_p99"),
        of("gap_max"),
        round(of("memory")),
    )


def wait_until(moment: float) -> None:
    """Sleep until a moment of `perf_counter`, if that is still to come."""
    time.sleep(max(0.0, moment - time.perf_counter()))

"""Whole requests from sending to the last token, under three kinds of traffic.

Reading prompts counts here as well as decoding, and so does the time that one request waits for
another. Requests arrive at once with equal prompts, at once with one long prompt among short ones,
or one after another while earlier ones are being answered.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field

from engine.batch.results import percentile
from engine.bench.subject import Subject, gaps


class Arrival(Struct, frozen=True):
    """A request: when it is sent, in seconds from the beginning, and its prompt."""

    after: float
    prompt: str
    long: bool = False


class Trace(Struct):
    """When a request was sent and its tokens arrived, in seconds of `perf_counter`."""

    sent: float
    moments: list[float] = field(default_factory=list)
    tokens: int = 0


Contender = Callable[[Sequence[Arrival], int], list[Trace]]
"""Answers all arrivals, each with at most the given number of tokens."""

Peak = Callable[[Callable[[], None]], int]
"""Runs a function; the most bytes that it took beside the weights."""


class Figures(Struct, frozen=True):
    """One contender under one kind of traffic. Times are in seconds."""

    contender: str
    traffic: str
    chats: int
    # tokens per second: all tokens over the time from the first request to the last token
    rate: float
    # first_p50, first_max: from sending to the first token, the long prompt's left out
    first_p50: float
    first_max: float
    first_long: float | None  # the same for the long prompt, if there is one
    # gap_p50, gap_p99, gap_max: between two tokens of one answer
    gap_p50: float
    gap_p99: float
    gap_max: float
    memory: int  # the most bytes of caches and scratch memory


def kinds(
    subject: Subject, chats: int, short: int, long: int, every: float, salt: int
) -> Iterator[tuple[str, list[Arrival]]]:
    """The kinds of traffic for this many chats. A new `salt` gives texts that no cache knows."""
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
    """Measure each contender under each kind of traffic, in turns; medians over the rounds.

    Yields one list of figures for each number of chats.
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
    """The median of each figure over the rounds."""
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
    """Sleep until a moment of `perf_counter`; return at once if it is past."""
    time.sleep(max(0.0, moment - time.perf_counter()))

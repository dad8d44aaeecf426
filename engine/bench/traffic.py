"""End-to-end benchmark of whole requests, with three kinds of traffic.

Requests either arrive together with equally long prompts, or together with a much longer prompt
among them, or staggered.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from engine.batch.results import percentile
from engine.bench.subject import Subject, gaps


class Arrival(Struct, frozen=True):
    """Request to send `after` seconds from the start."""

    after: float
    prompt: str
    long: bool = False


class TimedRequest(Struct):
    """Request with measured times (`perf_counter`)."""

    sent: float
    number: int = 0  # index of the request in the client's conversation
    long: bool = False  # True for the request with the long prompt
    moments: list[float] = field(default_factory=list)  # arrival times of chunks
    tokens: int = 0  # number of tokens reported by the server, or else the number of chunks
    # Total and cached prompt tokens, or 0 if the server doesn't report them.
    prompt: int = 0
    cached: int = 0
    error: str = ""


Contender = Callable[[Sequence[Arrival], int], list[TimedRequest]]


class LoadResult(Struct, frozen=True):
    """Results for a server and a kind of traffic. Times are in seconds, or None without data."""

    server: str
    traffic: str
    clients: int
    requests: int
    failed: dict[str, int]  # number of failed requests by error
    rate: float  # tokens/s, from the first request to the last token
    # TTFT of all requests except the long prompt.
    first_p50: float | None
    first_p90: float | None
    first_p99: float | None
    first_max: float | None
    first_long: float | None  # TTFT of the long prompt
    second_p50: float | None  # TTFT of follow-up turns
    # Delays between chunks.
    gap_p50: float | None
    gap_p99: float | None
    gap_max: float | None
    memory: int = 0  # peak of MLX's caches and activations in bytes, in this process


def summarize(server: str, traffic: str, clients: int, turns: Sequence[TimedRequest]) -> LoadResult:
    good = [turn for turn in turns if not turn.error]
    firsts = [t.moments[0] - t.sent for t in good if not t.long and t.number == 0]
    of_long = [t.moments[0] - t.sent for t in good if t.long and t.number == 0]
    later = [t.moments[0] - t.sent for t in good if t.number > 0]
    between = [gap for t in good for gap in gaps(t.moments)]
    rate = 0.0
    if good:
        seconds = max(t.moments[-1] for t in good) - min(t.sent for t in good)
        rate = sum(t.tokens for t in good) / seconds if seconds else 0.0
    return LoadResult(
        server,
        traffic,
        clients,
        len(turns),
        dict(Counter(turn.error for turn in turns if turn.error)),
        rate,
        percentile(firsts, 50),
        percentile(firsts, 90),
        percentile(firsts, 99),
        max(firsts, default=None),
        of_long[0] if of_long else None,
        statistics.median(later) if later else None,
        percentile(between, 50),
        percentile(between, 99),
        max(between, default=None),
    )


def middle(loads: Sequence[LoadResult]) -> LoadResult:
    """Return the round with the median rate, so that all numbers are from the same round."""
    return sorted(loads, key=lambda load: load.rate)[len(loads) // 2]


def kinds(
    subject: Subject, chats: int, short: int, long: int, interval_s: float, salt: int
) -> Iterator[tuple[str, list[Arrival]]]:
    """Yield all kinds of traffic for a number of chats. A new `salt` makes texts miss any cache."""
    texts = [subject.text(short, salt + i) for i in range(chats)]
    yield "equal", [Arrival(0.0, text) for text in texts]
    if chats > 1:
        first = Arrival(0.0, subject.text(long, salt + chats), long=True)
        yield "one long", [first, *(Arrival(0.0, text) for text in texts[1:])]
        later = [subject.text(short, salt + chats + 1 + i) for i in range(chats)]
        yield "staggered", [Arrival(interval_s * i, text) for i, text in enumerate(later)]


def compare(
    subject: Subject,
    contenders: dict[str, Contender],
    chats: Sequence[int],
    tokens: int,
    rounds: int,
    short: int,
    long: int,
    interval_s: float,
) -> Iterator[list[LoadResult]]:
    """Measure all contenders with each kind of traffic, taking turns.

    For each number of chats, yields the median round of each contender.
    """
    salt = 100
    for n in chats:
        results: dict[tuple[str, str], list[LoadResult]] = {}
        for _ in range(rounds):
            for traffic, arrivals in kinds(subject, n, short, long, interval_s, salt):
                for name, contender in contenders.items():
                    turns, memory = _with_peak(partial(contender, arrivals, tokens))
                    row = replace(summarize(name, traffic, n, turns), memory=memory)
                    results.setdefault((traffic, name), []).append(row)
            salt += 100
        yield [middle(several) for several in results.values()]


def _with_peak(run: Callable[[], list[TimedRequest]]) -> tuple[list[TimedRequest], int]:
    """Run a contender. Return its requests and the growth of MLX's peak memory in bytes."""
    import mlx.core as mx

    gc.collect()
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    turns = run()
    # An earlier contender's memory may be freed during `run`, so use the lower baseline.
    return turns, max(0, int(mx.get_peak_memory() - min(before, mx.get_active_memory())))


def wait_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.perf_counter()))

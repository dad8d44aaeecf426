"""Whole requests from sending to the last token, under three kinds of traffic.

Reading prompts counts here as well as decoding, and so does the time that one request waits for
another. Requests arrive at once with equal prompts, at once with one long prompt among short ones,
or one after another while earlier ones are being answered.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from engine.batch.results import percentile
from engine.bench.subject import Subject, gaps


class Arrival(Struct, frozen=True):
    """A request: when it is sent, in seconds from the beginning, and its prompt."""

    after: float
    prompt: str
    long: bool = False


class Turn(Struct):
    """One request: when it was sent, when its pieces came, and its error, if any.

    Times are in seconds of `perf_counter`.
    """

    sent: float
    number: int = 0  # in its client's conversation
    long: bool = False  # its prompt is longer than the others'
    moments: list[float] = field(default_factory=list)
    tokens: int = 0  # as the server counts them; the number of pieces if it does not say
    # prompt, cached: tokens, as the server counts them; 0 if it does not say
    prompt: int = 0
    cached: int = 0
    error: str = ""


Contender = Callable[[Sequence[Arrival], int], list[Turn]]
"""Answers all arrivals, each with at most the given number of tokens."""

Peak = Callable[[Callable[[], None]], int]
"""Runs a function; the most bytes that it took beside the weights."""


class Load(Struct, frozen=True):
    """One server under one kind of traffic. Times are in seconds; None where nothing came."""

    server: str
    traffic: str
    clients: int
    requests: int
    failed: dict[str, int]  # requests that got no whole answer, by what went wrong
    rate: float  # tokens per second: all tokens from the first request to the last token
    # first_p50, first_p90, first_p99, first_max: from a request to its first token, the long
    # prompt's left out
    first_p50: float | None
    first_p90: float | None
    first_p99: float | None
    first_max: float | None
    first_long: float | None  # of the long prompt
    second_p50: float | None  # of the second and later turns
    # gap_p50, gap_p99, gap_max: between two pieces of one answer
    gap_p50: float | None
    gap_p99: float | None
    gap_max: float | None
    memory: int = 0  # most bytes of caches and scratch memory; 0 if it was not measured


def measured(server: str, traffic: str, clients: int, turns: Sequence[Turn]) -> Load:
    """Return the figures of one run."""
    good = [turn for turn in turns if not turn.error]
    firsts = [t.moments[0] - t.sent for t in good if not t.long and t.number == 0]
    of_long = [t.moments[0] - t.sent for t in good if t.long and t.number == 0]
    later = [t.moments[0] - t.sent for t in good if t.number > 0]
    between = [gap for t in good for gap in gaps(t.moments)]
    rate = 0.0
    if good:
        seconds = max(t.moments[-1] for t in good) - min(t.sent for t in good)
        rate = sum(t.tokens for t in good) / seconds if seconds else 0.0
    return Load(
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


def middle(loads: Sequence[Load]) -> Load:
    """Return the round with the median rate, whole, so that its figures belong together."""
    return sorted(loads, key=lambda load: load.rate)[len(loads) // 2]


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
) -> Iterator[list[Load]]:
    """Measure each contender under each kind of traffic, in turns.

    Yields one list for each number of chats, with the middle round of each.
    """
    salt = 100
    for n in chats:
        found: dict[tuple[str, str], list[Load]] = {}
        for _ in range(rounds):
            for traffic, arrivals in kinds(subject, n, short, long, every, salt):
                for name, (contender, peak) in contenders.items():
                    say(f"{n} chats, {traffic}: {name} …")
                    turns: list[Turn] = []

                    def run(
                        contender: Contender = contender,
                        arrivals: list[Arrival] = arrivals,
                        turns: list[Turn] = turns,
                    ) -> None:
                        turns += contender(arrivals, tokens)

                    memory = peak(run)
                    one = replace(measured(name, traffic, n, turns), memory=memory)
                    found.setdefault((traffic, name), []).append(one)
            salt += 100
        yield [middle(several) for several in found.values()]


def wait_until(moment: float) -> None:
    """Sleep until a moment of `perf_counter`; return at once if it is past."""
    time.sleep(max(0.0, moment - time.perf_counter()))

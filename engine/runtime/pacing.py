"""Chunk sizes, and time shares of models and programs, based on measured times."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from engine.cache.ledger import FIXED_CHUNK
from engine.runtime.plan import Row

TILE = 16
"""Rows in a tile of matrix products. Larger chunks are multiples of it, except for exact models,
whose CPU kernels take about the same time for each row."""

MIN_CHUNK = 4
"""Minimum chunk size. Each chunk reads all the weights, so a smaller one would take about as long.
Chunks below a tile only pay off far into a prompt, where attention takes most of the time."""

MAX_CHUNK = 2048
"""Maximum chunk size. Larger chunks need larger buffers and are hardly faster per token."""

# Sizes of a model's first passes in tokens: while chats are streaming, while none are, and mixed.
FIRST_CHUNK, FIRST_IDLE_CHUNK, FIRST_MIXED_PASS = 16.0, 256.0, 2.0 * TILE

GAP_BUDGET = 0.05
"""Maximum seconds that prefill may add between two tokens of another chat, on top of the duration
of a step (two steps for a mixed pass)."""

AGEING = 0.25
"""Fraction of a model's prefill rate that is subtracted from a waiting prompt's length every
second.

After waiting four times as long as its prefill takes, a prompt is ahead of all new prompts.
"""

IDLE_BUDGET_S = 0.5
"""Maximum time of a chunk while no chat decodes. This limits the reaction time for a stop request
or a new chat."""

MIN_AGEING = 50.0
"""Minimum number of tokens subtracted from a prompt's length for each second of waiting, to prevent
starvation. Also used while the model's speed is unknown."""

PRIORITY_TOKENS = 4096  # subtracted from a prompt's length per step of priority

# Maximum delay of a chat's first token in seconds, to wait for prompts that arrived at the same
# time.
GATHERING_S = 1.0

AIM = 0.8  # target share of the budget, because times of equal chunks vary by about 20%

MAX_REST_STEPS = 4  # maximum number of decode steps after a pass over budget


class PrefillPause:
    """Steps without prefill, which make up for passes that exceeded their budget.

    On a slow machine, the smallest chunk may take several times the budget. These steps give
    streaming replies a few tokens in between, and make prefill at most a third slower.
    """

    def __init__(self) -> None:
        self._excess_s = 0.0

    @property
    def is_due(self) -> bool:
        return self._excess_s >= GAP_BUDGET

    def add(self, seconds: float) -> None:
        """Add the seconds by which a pass exceeded its budget. A step without prefill subtracts."""
        self._excess_s = min(max(0.0, self._excess_s + seconds), MAX_REST_STEPS * GAP_BUDGET)


class PrefillPacer:
    """Policy for the sizes and order of prompt chunks, based on the durations of earlier chunks."""

    def __init__(self) -> None:
        # Chunk sizes in tokens, by model.
        self._sizes: dict[str, float] = {}  # while other chats decode
        self._idle_sizes: dict[str, float] = {}  # while no chat decodes
        self._mixed_sizes: dict[str, float] = {}  # of mixed passes, including the decoding rows
        # Tokens per second and tokens in the measured pass, by model.
        self._rates: dict[str, tuple[float, int]] = {}

    def order(self, rows: Sequence[Row], now: float) -> list[Row]:
        """Sort prompts by their remaining tokens, minus a number that grows while they wait.

        The number grows with the model's prefill rate, so that a long prompt waits for a multiple
        of its own prefill time.
        """

        def key(row: Row) -> tuple[float, float, str]:
            rate, _ = self._rates.get(row.model, (0.0, 0))
            waited = max(MIN_AGEING, AGEING * rate) * (now - row.waiting_since)
            length = row.remaining - waited - PRIORITY_TOKENS * row.priority
            return length, row.waiting_since, row.id

        return sorted(rows, key=key)

    def _learn_rate(self, model: str, tokens: int, seconds: float) -> None:
        """Update the prefill rate. Passes much smaller than earlier passes are ignored."""
        rate, largest = self._rates.get(model, (0.0, 0))
        if tokens <= largest // 2:
            return
        measured_rate = tokens / max(seconds, 1e-6)
        rate = measured_rate if tokens > 2 * largest else rate + 0.25 * (measured_rate - rate)
        self._rates[model] = (rate, max(largest, tokens))

    def chunk(self, model: str, decoding: float | None, tile: int = TILE) -> int:
        """Return the maximum number of tokens to read now.

        The chunk may take the gap budget plus the duration of a step, so that prefill also makes
        progress on a slow machine.

        Args:
            decoding: duration of a decode step in seconds; None if nothing decodes.
        """
        if decoding is None:
            size, low, high = self._idle_sizes.get(model, FIRST_IDLE_CHUNK), 64, MAX_CHUNK
        else:
            size, low, high = self._sizes.get(model, FIRST_CHUNK), MIN_CHUNK, min(512, MAX_CHUNK)
        size = max(low, min(size, high))
        if size > tile:
            size = int(size / tile + 0.25) * tile  # round down to full tiles if in doubt
        return int(size)

    def mixed_chunk(self, model: str, rows: int, tile: int = TILE) -> int:
        """Return the maximum number of tokens to read in the same pass as a decode step of `rows`.

        Together with the decoding rows, the chunk fills whole tiles. Smaller chunks halved the
        speed far into a prompt (10,018 tokens took 235 s instead of 115 s) without shortening the
        longest gaps.
        """
        size = min(self._mixed_sizes.get(model, FIRST_MIXED_PASS), 512.0, MAX_CHUNK)
        tiles = max(int(size / tile + 0.25), -(-(rows + MIN_CHUNK) // tile))
        return tiles * tile - rows

    def observe_mixed(self, model: str, rows: int, seconds: float, decoding: float) -> None:
        """Update the chunk size after a mixed pass with `rows` rows in total.

        A mixed pass may take the gap budget plus the duration of two steps, like a step and a
        separate chunk together.
        """
        self._learn_rate(model, rows, seconds)
        budget = GAP_BUDGET + 2 * decoding
        size = self._mixed_sizes.get(model)
        self._mixed_sizes[model] = _next_size(size, FIRST_MIXED_PASS, rows, seconds, budget)

    def seconds(self, model: str, tokens: int) -> float:
        return AIM * IDLE_BUDGET_S * tokens / self._idle_sizes.get(model, FIRST_IDLE_CHUNK)

    def should_gather(self, model: str, shortest: int, waited: float) -> bool:
        """Return True if new chats should wait for another prompt before they start to answer.

        Prompts that arrive together are then read without decode steps in between. Without this
        wait, the last of eight chats with 81 tokens each took 3.8 s to its first token.

        Args:
            shortest: remaining tokens of the next prompt.
            waited: seconds since the first chat became ready.
        """
        return waited + self.seconds(model, shortest) <= GATHERING_S

    def fixed_chunk(self, position: int, remaining: int) -> int:
        return min(remaining, FIXED_CHUNK - position % FIXED_CHUNK)

    def observe(self, model: str, tokens: int, seconds: float, decoding: float | None) -> None:
        """Update the chunk size, so that the next chunk takes about as long as its budget.

        The time isn't proportional to the size: each chunk reads all the weights, and attention
        grows with the context. The size therefore changes by a limited factor.
        """
        self._learn_rate(model, tokens, seconds)
        idle = decoding is None
        sizes, guess = (self._idle_sizes, FIRST_IDLE_CHUNK) if idle else (self._sizes, FIRST_CHUNK)
        budget = IDLE_BUDGET_S if decoding is None else GAP_BUDGET + decoding
        size = _next_size(sizes.get(model), guess, tokens, seconds, budget)
        sizes[model] = max(float(MIN_CHUNK), min(float(MAX_CHUNK), size))


def _next_size(
    size: float | None, guess: float, tokens: int, seconds: float, budget: float
) -> float:
    """Return the next chunk size after a pass with `tokens` tokens.

    A pass that was fast enough never reduces the size, because the last pass of a prompt can have
    fewer than `size` tokens.

    Args:
        guess: size if `size` is None.
        budget: intended duration of a pass in seconds.
    """
    # Going from one tile to two requires a factor greater than 1.5.
    max_factor = max(1.5, 1 + TILE / tokens)
    factor = max(0.6, min(max_factor, AIM * budget / max(seconds, 1e-6)))
    if factor >= 1:
        return max(size or guess, tokens * factor)
    return max(tokens * factor, 0.6 * size if size is not None else 0.0)


MAX_LEAD_S = 5.0  # maximum lead of a program, which limits how long it waits for others

LEEWAY_S = 0.05  # maximum lead with which a program can still take part in passes of others


class TimeShares:
    """Time used by programs (or models), of which the one with the least is next.

    Inactivity gives no advantage. A program keeps its lead while it's inactive.
    """

    def __init__(self) -> None:
        # Seconds divided by share, for programs above their share.
        self._used: dict[str, float] = {}
        self._min_used = 0.0

    def used(self, active: Iterable[str]) -> dict[str, float]:
        """Return the time used by active programs, in seconds divided by their shares."""
        ceiling = self._min_used + MAX_LEAD_S
        return {p: min(max(self._used.get(p, 0.0), self._min_used), ceiling) for p in active}

    def charge(self, weights: Mapping[str, float], seconds: Mapping[str, float]) -> None:
        """Add the time used by active programs. `weights` are their fractions of the total."""
        used = self.used(weights)
        for program in used.keys() & seconds.keys():
            used[program] += seconds[program] / weights[program]
        self._min_used = min(used.values(), default=self._min_used)
        self._used = {p: s for p, s in {**self._used, **used}.items() if s > self._min_used}


class ModelTimeShares:
    """Time sharing between models.

    If models took turns by steps, a small model would be as slow as a large model.
    """

    def __init__(self) -> None:
        self._shares = TimeShares()
        self._served: set[str] = set()

    def next(self, active: Iterable[str]) -> str:
        used = self._shares.used(active)
        return min(used, key=lambda m: used[m])

    def completes_round(self, model: str, active: Collection[str]) -> bool:
        return set(active) <= self._served | {model}

    def charge(self, model: str, active: Collection[str], seconds: float) -> None:
        self._shares.charge(dict.fromkeys(active, 1.0), {model: seconds})
        served = (self._served | {model}) & set(active)
        self._served = set() if self.completes_round(model, active) else served


def time_fractions(shares: Mapping[str, float]) -> dict[str, float]:
    """Return each program's fraction of the total. Programs with a share of 0 divide the rest.

    Args:
        shares: in percent.
    """
    unset_count = sum(not share for share in shares.values())
    default = max(1.0, 100.0 - sum(shares.values())) / max(1, unset_count)
    return {program: (share or default) / 100 for program, share in shares.items()}

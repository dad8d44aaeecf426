"""What the scheduler learns from time: chunks' sizes, and the shares of models and programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from engine.cache.ledger import FIXED_CHUNK

TILE = 16
"""Larger chunks are whole multiples of this: matrix products work on tiles of so many rows. Chunks
of exact models have any size: the CPU kernels take about as long for each row."""

MIN_CHUNK = 4
"""Smaller chunks hardly take less time, since the weights are read for each. Smaller ones than a
tile only pay far into a prompt, where attention takes most of the time."""

MOST_CHUNK = 2048
"""Larger chunks hardly take less time for a token, and a pass's buffers grow with them."""

GAP_BUDGET = 0.05  # seconds

AGEING = 0.25
"""Of the rate at which a model reads: so many tokens shorter a waiting prompt counts with every
second. Whoever has waited for four times as long as reading it takes comes before all new ones."""

AIM = 0.8  # of the budget: what chunks of one size take varies by about so much


MAX_REST_STEPS = 4  # after a pass that took longer than its budget, before the next one reads


class Rest:
    """Steps without reading after passes that took longer than their budget.

    The smallest pass that reads may take several budgets. Streaming replies get some tokens
    between two such passes, and the prompt is read at most a third slower.

    Args:
        budget: seconds that reading may add to a step.
    """

    def __init__(self, budget: float) -> None:
        self._budget = budget
        self._owed = 0.0

    @property
    def is_due(self) -> bool:
        """True if the next step reads nothing."""
        return self._owed >= self._budget

    def add(self, seconds: float) -> None:
        """Count the seconds by which a pass has exceeded its budget."""
        self._owed = min(max(0.0, self._owed + seconds), MAX_REST_STEPS * self._budget)

    def step(self) -> None:
        """Count a step that read nothing."""
        self.add(-self._budget)


class Waiting(Struct, frozen=True):
    """A prompt that is not wholly read yet."""

    key: str
    remaining: int
    since: float  # seconds, any clock, as `now` below
    priority: int = 0
    model: str = ""


class Pacing:
    """How prompts are paced, learned from how long their chunks took."""

    def __init__(
        self,
        gap_budget: float = GAP_BUDGET,
        idle_budget: float = 0.5,
        ageing: float = 50.0,
        preference: float = 4096.0,
        gathering: float = 1.0,
    ) -> None:
        # seconds that reading may add between two tokens of the others
        self.gap_budget = gap_budget
        # seconds that a chunk may take while nothing decodes. It bounds how late a stop or a new
        # chat is noticed.
        self.idle_budget = idle_budget
        # how many tokens shorter a prompt counts for every second that it has waited, as long as
        # nothing is known of how fast its model reads, and at least
        self.ageing = ageing
        self.preference = preference  # how many tokens shorter it counts for each step of priority
        # seconds that a chat's first token may wait for prompts that came with its own
        self.gathering = gathering
        # By model, in tokens. They are learned while others decode, while nothing does, and in
        # passes that also decode (there counted with the rows of the others).
        self._sizes: dict[str, float] = {}
        self._idle_sizes: dict[str, float] = {}
        self._mixed_sizes: dict[str, float] = {}
        # By model: tokens a second, and of how many in a pass that was.
        self._rates: dict[str, tuple[float, int]] = {}

    def order(self, waiting: Iterable[Waiting], now: float) -> list[Waiting]:
        """Shortest remaining prompt first; waiting makes shorter, so none is starved.

        A machine that reads fast brings more short ones in the same time, but the long one is not
        kept waiting for longer than it would take there.
        """

        def length(w: Waiting) -> float:
            return w.remaining - self._ageing(w.model) * (now - w.since) - preferred * w.priority

        preferred = self.preference

        return sorted(waiting, key=lambda w: (length(w), w.since, w.key))

    def _ageing(self, model: str) -> float:
        rate, _ = self._rates.get(model, (0.0, 0))
        return max(self.ageing, AGEING * rate)

    def _learn_rate(self, model: str, tokens: int, seconds: float) -> None:
        """Learn how fast long prompts are read.

        Passes over much fewer tokens than were seen say nothing about that.
        """
        rate, most = self._rates.get(model, (0.0, 0))
        if tokens <= most // 2:
            return
        found = tokens / max(seconds, 1e-6)
        rate = found if tokens > 2 * most else rate + 0.25 * (found - rate)
        self._rates[model] = (rate, max(most, tokens))

    def chunk(self, model: str, remaining: int, decoding: float | None, tile: int = TILE) -> int:
        """How many of the `remaining` tokens to read now.

        `decoding` is what a decode step takes at present in seconds, or None when nothing
        decodes. The gap that the others feel is a step and a chunk; a chunk may take the gap
        budget and as long as a step, so that a slow machine still gets on with its prompts.
        """
        if decoding is None:
            size, low, high = self._idle_sizes.get(model, 256.0), 64, MOST_CHUNK
        else:
            size, low, high = self._sizes.get(model, 16.0), MIN_CHUNK, min(512, MOST_CHUNK)
        size = max(low, min(size, high))
        if size > tile:
            size = int(size / tile + 0.25) * tile  # rather one less
        return min(remaining, int(size))

    def mixed_chunk(self, model: str, rows: int, remaining: int, tile: int = TILE) -> int:
        """Return how many tokens to read in one pass with a decode step of so many `rows`.

        Together they fill whole tiles. Less than one would halve the pace far into a prompt
        (10,018 tokens in 235 s and not in 115), and the longest gaps stay: they are the machine's.
        """
        size = min(self._mixed_sizes.get(model, 2.0 * TILE), 512.0, MOST_CHUNK)
        tiles = max(int(size / tile + 0.25), -(-(rows + MIN_CHUNK) // tile))
        return min(remaining, tiles * tile - rows)

    def observe_mixed(self, model: str, rows: int, seconds: float, decoding: float) -> None:
        """Learn from a pass that read a chunk beside a step; `rows` counts both.

        The others' gap is the pass. It may take as long as a step, and a chunk of its own after
        it, would: two steps of `decoding` seconds and the gap budget.
        """
        self._learn_rate(model, rows, seconds)
        budget = self.gap_budget + 2 * decoding
        factor = self._factor(rows, budget, seconds)
        self._mixed_sizes[model] = _towards(self._mixed_sizes.get(model), rows, factor, 2.0 * TILE)

    def _factor(self, tokens: int, budget: float, seconds: float) -> float:
        """From a size that took so long towards the one that takes the budget."""
        # From a single tile to two is more than half as much again.
        most = max(1.5, 1 + TILE / tokens)
        return max(0.6, min(most, AIM * budget / max(seconds, 1e-6)))

    def seconds(self, model: str, tokens: int) -> float:
        """About how long reading so many tokens takes when nothing decodes."""
        return AIM * self.idle_budget * tokens / self._idle_sizes.get(model, 256.0)

    def gathers(self, model: str, shortest: int, waited: float) -> bool:
        """Whether chats that have not said a word yet should wait for another to be read.

        Prompts that come together are read sooner at a stretch than between the steps of those
        that were read first, and then decode together: eight chats of 81 tokens had their last
        first token after 3.8 s, one by one. `shortest` is what the next prompt has left, `waited`
        for how many seconds the first one has been ready; nobody waits longer than `gathering`.
        """
        return waited + self.seconds(model, shortest) <= self.gathering

    def fixed_chunk(self, position: int, remaining: int) -> int:
        """The chunk of a reproducible session: up to the next fixed boundary."""
        return min(remaining, FIXED_CHUNK - position % FIXED_CHUNK)

    def observe(self, model: str, tokens: int, seconds: float, decoding: float | None) -> None:
        """Learn from a chunk that was read: steer the next one's time towards its budget.

        A chunk's cost is no fixed rate: the weights are read once however small it is, and
        attention grows with the context. So the size follows the measured time, by at most a
        factor per chunk lest one slow moment of the machine decides.
        """
        self._learn_rate(model, tokens, seconds)
        idle = decoding is None
        sizes, guess = (self._idle_sizes, 256.0) if idle else (self._sizes, float(TILE))
        budget = self.idle_budget if decoding is None else self.gap_budget + decoding
        factor = self._factor(tokens, budget, seconds)
        size = _towards(sizes.get(model), tokens, factor, guess)
        sizes[model] = max(float(MIN_CHUNK), min(float(MOST_CHUNK), size))


def _towards(size: float | None, tokens: int, factor: float, guess: float) -> float:
    """The size to go on with, after a pass over so many tokens; `guess` until there is one.

    A pass is smaller than `size` where a prompt had no more left. That it took less than the
    budget then says nothing against the size.
    """
    if factor >= 1:
        return max(size or guess, tokens * factor)
    return max(tokens * factor, 0.6 * size if size is not None else 0.0)


class Turns:
    """Several models share the device by time: the one that has used least of it is next.

    A turn each would slow a small model's chats down to the pace of a large one.
    """

    def __init__(self) -> None:
        self._used: dict[str, float] = {}
        self._served: set[str] = set()

    def next(self, active: Iterable[str]) -> str:
        """Whose turn it is among `active` models; at least one.

        One that was not active before begins with as little time as the others have used, not
        with less: it is owed nothing for the time when it had nothing to do.
        """
        known = {m: self._used[m] for m in active if m in self._used}
        least = min(known.values(), default=0.0)
        self._used = {m: known.get(m, least) for m in active}
        self._served &= self._used.keys()
        return min(self._used, key=lambda m: self._used[m])

    def completes(self, model: str) -> bool:
        """Whether all active models have had a turn once `model` has had this one."""
        return self._served | {model} == self._used.keys()

    def charge(self, model: str, seconds: float) -> bool:
        """Count a turn that `model` has had; True when all active ones have had one since."""
        self._used[model] += seconds
        self._served.add(model)
        if self._served != self._used.keys():
            return False
        self._served = set()
        return True


MOST_OWED = 5.0
"""Seconds of its share that a program can be ahead, so that nobody waits for long for others."""

LEEWAY = 0.05
"""Seconds of its share that a program may be ahead and still take part in the others' passes."""


class Shares:
    """Programs share the device by time: who has used least of its share is next.

    A program that had nothing to do is owed nothing for that time, and one that was ahead is when
    it comes back.
    """

    def __init__(self) -> None:
        self._used: dict[str, float] = {}  # in seconds over shares; of those that are ahead
        self._least = 0.0

    def used(self, active: Iterable[str]) -> dict[str, float]:
        """What active programs have used of their shares, in seconds over shares."""
        most = self._least + MOST_OWED
        return {p: min(max(self._used.get(p, 0.0), self._least), most) for p in active}

    def charge(self, weights: Mapping[str, float], seconds: Mapping[str, float]) -> None:
        """Count what active programs have used; `weights` are their parts of the whole."""
        used = self.used(weights)
        for program in used.keys() & seconds.keys():
            used[program] += seconds[program] / weights[program]
        self._least = min(used.values(), default=self._least)
        self._used = {p: s for p, s in {**self._used, **used}.items() if s > self._least}


def parts(shares: Mapping[str, float]) -> dict[str, float]:
    """The part of the whole that each program has; 0 stands for an equal part of what is left.

    Args:
        shares: in per cent.
    """
    others = sum(not share for share in shares.values())
    left = max(1.0, 100.0 - sum(shares.values())) / max(1, others)
    return {program: (share or left) / 100 for program, share in shares.items()}

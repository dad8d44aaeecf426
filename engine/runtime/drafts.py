"""Drafts for chats: whether they pay, and what comes of them.

A plain step's pass is launched before the token that it feeds is known, and waited for in the next
turn. A draft is made, checked and waited for in one, and the first of several waits for the plain
step before it as well: that is taken off.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

FIRST, MOST = 3, 7
"""Tokens that the first pass drafts, and a later one at most: with the pending one eight rows."""

COPIED = 15
"""Tokens that are looked up at a time at most: a seventeenth row would begin another tile."""

LIKELY = 1.5  # of the first tokens looked up so many must be likely to hold, or nothing is tried

PLAIN = 4  # plain steps that are timed before anything is drafted, and again after `LAST` tokens

TRIAL = 8  # passes with drafts after which they are judged

SOON, CLEARLY = 3, 1.3
"""After so many passes they have lost already where a token takes so many times what it may."""

WORTH = 0.97  # of a plain step's time: drafting goes on while it takes less than this a token

LAST = 512  # tokens for which what a plain step takes is believed: it grows with the text

REST, LONGEST_REST = 64, 4096
"""Tokens of a chat without drafts after these have lost, the first time and at most.

Where looking up would lose, it is tried again that late.
"""

CATCH_UP = 32  # tokens that the small model reads together with the pending one

CHUNK = 128  # tokens that it reads at a time, each after a plain step, where it is further behind

DEAREST = 2.0  # a row is never taken to cost more than so many plain steps of a chat

_FADES = 0.9  # the weight of a pass among later ones, with each that follows


class Rate(Struct):
    """Seconds a token, the latest passes first."""

    passes: int = 0  # how many it has seen
    _seconds: float = 0.0
    _tokens: float = 0.0

    def note(self, seconds: float, tokens: int) -> None:
        """Count a pass."""
        self.passes += 1
        self._seconds = self._seconds * _FADES + seconds
        self._tokens = self._tokens * _FADES + tokens

    def add(self, seconds: float, tokens: int) -> None:
        """Count what belongs to the latest pass."""
        self._seconds += seconds
        self._tokens += tokens

    @property
    def per_token(self) -> float:
        """Seconds; 0 before the first pass."""
        return self._seconds / self._tokens if self._tokens else 0.0


class Costs(Struct):
    """What the rows of looked up tokens cost: so much for a pass, and so much for each of them.

    A line through the passes, the latest first, in the time that a plain step takes for a token.
    """

    # of weights, rows, their squares, costs, and costs with rows
    sums: list[float] = field(default_factory=lambda: [0.0] * 5)
    # quiet, rest: tokens of a chat since the last pass, and after how many one is tried again
    quiet: float = 0.0
    rest: int = 0
    _rows: int = 0

    def note(self, rows: int, cost: float) -> None:
        """Count a pass that has checked so many tokens, and cost so much more than a plain step."""
        self.sums = [_FADES * one for one in self.sums]
        self._rows, self.quiet, self.rest = rows, 0.0, min(LONGEST_REST, 2 * self.rest or REST)
        self.sums[:3] = [a + b for a, b in zip(self.sums, (1, rows, rows * rows), strict=False)]
        self.add(cost)

    def add(self, cost: float) -> None:
        """Count what belongs to the latest pass."""
        self.sums[3:] = self.sums[3] + cost, self.sums[4] + cost * self._rows

    @property
    def line(self) -> tuple[float, float]:
        """What a pass costs, and each row; a pass nothing, as far as can be known from one."""
        weight, rows, squares, cost, product = self.sums
        divisor = (weight + 1.0) * squares - rows * rows
        if not divisor:
            return 0.0, 0.0
        each = max(0.0, ((weight + 1.0) * product - rows * cost) / divisor)
        return max(0.0, (cost - each * rows) / (weight + 1.0)), each

    def worth(self, chances: Sequence[Sequence[float]]) -> list[int]:
        """How many tokens to look up for each chat, by the chances that these hold."""
        (fixed, each), speed = self.line, 1.0
        for _ in range(3):  # what a row costs is as many tokens as come in that time
            counts = [sum(chance * WORTH > each * speed for chance in own) for own in chances]
            gain = sum(sum(own[:n]) for own, n in zip(chances, counts, strict=True))
            cost = fixed + each * sum(counts)
            speed = max(1.0, (len(chances) + gain) / (len(chances) + cost))
        if self.sums[0] and gain * WORTH > cost:
            self.rest = 0
            return counts
        if self.quiet < self.rest or all(sum(own[:FIRST]) <= LIKELY for own in chances):
            return [0] * len(chances)
        return [len(own[:FIRST]) for own in chances]


class _Record(Struct):
    """What is known of one model, and of so many chats."""

    plain: Rate = field(default_factory=Rate)
    since_plain: int = 0  # tokens since a plain step was timed
    count: int = FIRST
    rate: Rate = field(default_factory=Rate)
    resting: float = 0  # tokens of a chat for which there are no drafts
    rest: int = REST  # after the next loss
    looked_up: bool = False  # the last draft


class Drafting:
    """The figures of all models that are drafted for, by how many chats a step is for.

    A small model's drafts are judged by what they bring. Of what is looked up it is known without
    a pass how much of it holds, so only what rows cost has to be found out.
    """

    def __init__(self) -> None:
        self._of: dict[tuple[str, int], _Record] = {}
        self._costs: dict[tuple[str, bool], Costs] = {}  # a model's alone, and in steps of several
        self._last: tuple[tuple[str, int], bool] | None = None

    def count(self, model: str) -> int:
        """How many tokens a small model drafts for a chat's next pass; 0 for a plain step."""
        record = self._of.get((model, 1))
        if record is None or record.plain.passes < PLAIN or record.resting:
            return 0
        return record.count

    def look_up(self, model: str, chances: Sequence[Sequence[float]]) -> list[int]:
        """How many tokens to look up for each chat in a model's next pass; 0 for a plain step.

        Args:
            chances: of each chat, those of the tokens found, one after the other, to hold.
        """
        record = self._of.get((model, len(chances)))
        if record is None or record.plain.passes < PLAIN:
            return [0] * len(chances)
        return self._costs_of(model, len(chances)).worth(chances)

    def forget(self, model: str) -> None:
        """It has another small model now, or none. What its rows cost stays what it was."""
        self._of = {key: record for key, record in self._of.items() if key[0] != model}

    def interrupted(self) -> None:
        """A turn was not a step's alone: the next pass is not timed."""
        self._last = None

    def observe(
        self,
        model: str,
        seconds: float,
        tokens: int,
        drafted: int = 0,
        accepted: int = 0,
        looked_up: bool = False,
        chats: int = 1,
    ) -> None:
        """Learn from a pass of a model's chats.

        Args:
            seconds: it took.
            tokens: they got.
            drafted: of how many tokens the drafts were; 0 for a plain step.
            accepted: how many of those they have said.
            looked_up: by no small model.
        """
        key = model, chats
        record, costs = self._of.setdefault(key, _Record()), self._costs_of(model, chats)
        before, self._last = self._last, (key, drafted > 0)
        if not drafted:
            record.resting = max(0, record.resting - tokens / chats)
            costs.quiet += tokens / chats
            if before == (key, False) and tokens:
                record.plain.note(seconds, tokens)
                record.since_plain = 0
            return
        record.since_plain += tokens
        record.looked_up = looked_up
        if before is not None and before[0] == key and tokens:
            step = record.plain.per_token * chats
            seconds = max(0.0, seconds - (0.0 if before[1] else step))
            if not looked_up:
                record.rate.note(seconds, tokens)
            elif step:
                most = DEAREST * (chats + drafted)  # more is another program's doing
                costs.note(drafted, min(most, seconds / record.plain.per_token) - chats)
        if looked_up:
            record.plain = Rate() if record.since_plain >= LAST else record.plain
            return
        record.count = min(MOST, record.count + 1) if accepted == drafted else max(1, accepted + 1)
        _judge(record)

    def observe_again(self, model: str, seconds: float) -> None:
        """Learn from a step that has read again what its only chat's caches had lost to a draft."""
        record = self._of.get((model, 1))
        if record is None:
            return
        if not record.looked_up:
            record.rate.add(seconds, 1)
        elif record.plain.per_token:
            self._costs_of(model, 1).add(min(DEAREST, seconds / record.plain.per_token) - 1)

    def _costs_of(self, model: str, chats: int) -> Costs:
        """What rows cost; of several chats as of one, until that is known."""
        key = model, chats > 1
        if key not in self._costs:
            alone = self._costs.get((model, False))
            self._costs[key] = Costs(list(alone.sums)) if alone else Costs()
        return self._costs[key]


def _judge(record: _Record) -> None:
    """Go on, rest, or time a plain step again."""
    passes = record.rate.passes
    if passes < SOON:
        return
    bar = WORTH if passes >= TRIAL else WORTH * CLEARLY
    if record.rate.per_token > record.plain.per_token * bar:
        record.resting, record.rest = record.rest, min(LONGEST_REST, 2 * record.rest)
        record.rate, record.count = Rate(), FIRST
    elif passes >= TRIAL:
        record.rest = REST
        if record.since_plain >= LAST:
            record.plain = Rate()

"""Drafts for chats: whether they pay, and what comes of them.

A plain step's pass is launched before the token that it feeds is known, and waited for in the next
turn. A draft is made, checked and waited for in one, and the first of several waits for the plain
step before it as well: that is taken off.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MOST = 8
"""Tokens that are drafted at a time where all of them are accepted."""

COPIED = 16
"""Tokens that are drafted at a time where a text is surely being copied."""

FIRST = 3
"""Tokens that the first pass drafts."""

PLAIN = 4
"""Plain steps that are timed before anything is drafted, and again after `LAST` tokens."""

TRIAL = 8
"""Passes with drafts after which they are judged."""

SOON, CLEARLY = 3, 1.3
"""After so many passes they have lost already where a token takes so many times what it may."""

WORTH = 0.97
"""Of a plain step's time: drafting goes on while it takes less than this a token."""

LAST = 512
"""Tokens for which what a plain step takes is believed: it grows with the text."""

REST, LONGEST_REST = 64, 4096
"""Tokens of a chat without drafts after these have lost, the first time and at most."""

CATCH_UP = 32
"""Tokens that the small model reads together with the pending one."""

CHUNK = 128
"""Tokens that it reads at a time, each after a plain step, where it is further behind."""

_FADES = 0.9  # the weight of a pass among later ones, with each that follows


@dataclass
class Rate:
    """Seconds a token, the latest passes first.

    Attributes:
        passes: how many it has seen.
    """

    passes: int = 0
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


@dataclass
class _Drafts:
    """What came of one kind of a model's drafts."""

    first: int
    count: int = 0
    rate: Rate = field(default_factory=Rate)
    resting: float = 0  # tokens of a chat for which there are none
    rest: int = REST  # after the next loss

    def __post_init__(self) -> None:
        self.count = self.first


@dataclass
class _Record:
    """What is known of one model."""

    plain: Rate = field(default_factory=Rate)
    since_plain: int = 0  # tokens since a plain step was timed
    guessed: _Drafts = field(default_factory=lambda: _Drafts(FIRST))
    copied: _Drafts = field(default_factory=lambda: _Drafts(COPIED))
    latest: _Drafts | None = None  # of which kind the last draft was

    def kind(self, sure: bool) -> _Drafts:
        return self.copied if sure else self.guessed


class Drafting:
    """The figures of all models that are drafted for, by how many chats a step is for.

    What is surely being copied is judged by itself: guesses before and after it, which lose, would
    have it rest as well, and a rest is as long as most copies are.
    """

    def __init__(self) -> None:
        self._of: dict[tuple[str, int], _Record] = {}
        self._last: tuple[tuple[str, int], bool] | None = None

    def count(self, model: str, sure: bool = False, chats: int = 1) -> int:
        """How many tokens to draft for a chat in a model's next pass; 0 for a plain step.

        Args:
            sure: a text is being copied.
            chats: that take part in the pass.
        """
        record = self._of.get((model, chats))
        if record is None or record.plain.passes < PLAIN:
            return 0
        kind = record.kind(sure)
        return 0 if kind.resting else kind.count

    def forget(self, model: str) -> None:
        """It has another small model now, or none."""
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
        sure: bool = False,
        chats: int = 1,
    ) -> None:
        """Learn from a pass of a model's chats.

        Args:
            seconds: it took.
            tokens: they got.
            drafted: of how many tokens the drafts were; 0 for a plain step.
            accepted: how many of those they have said.
            sure, chats: as `count` was asked.
        """
        key = model, chats
        record = self._of.setdefault(key, _Record())
        before, self._last = self._last, (key, drafted > 0)
        if not drafted:
            for kind in (record.guessed, record.copied):
                kind.resting = max(0, kind.resting - tokens / chats)
            if before == (key, False) and tokens:
                record.plain.note(seconds, tokens)
                record.since_plain = 0
            return
        kind = record.latest = record.kind(sure)
        if not sure:
            kind.count = min(MOST, kind.count + 1) if accepted == drafted else max(1, accepted + 1)
        record.since_plain += tokens
        if before is not None and before[0] == key and tokens:
            waited = 0.0 if before[1] else record.plain.per_token * chats
            kind.rate.note(max(0.0, seconds - waited), tokens)
        _judge(record, kind)

    def observe_again(self, model: str, seconds: float) -> None:
        """Learn from a step that has read again what its only chat's caches had lost to a draft."""
        record = self._of.get((model, 1))
        if record is not None and record.latest is not None:
            record.latest.rate.add(seconds, 1)


def _judge(record: _Record, kind: _Drafts) -> None:
    """Go on, rest, or time a plain step again."""
    passes = kind.rate.passes
    if passes < SOON:
        return
    bar = WORTH if passes >= TRIAL else WORTH * CLEARLY
    if kind.rate.per_token > record.plain.per_token * bar:
        kind.resting, kind.rest = kind.rest, min(LONGEST_REST, 2 * kind.rest)
        kind.rate, kind.count = Rate(), kind.first
    elif passes >= TRIAL:
        kind.rest = REST
        if record.since_plain >= LAST:
            record.plain = Rate()

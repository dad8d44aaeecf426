"""Drafts for the chat that runs alone: whether they pay, and what comes of them.

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
"""Tokens without drafts after these have lost, the first time and at most."""

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
class _Record:
    """What is known of one model."""

    plain: Rate = field(default_factory=Rate)
    drafted: Rate = field(default_factory=Rate)
    count: int = FIRST
    since_plain: int = 0  # tokens since a plain step was timed
    resting: int = 0  # tokens for which nothing is drafted
    rest: int = REST  # after the next loss
    tried: int = 0  # tokens drafted since the last loss
    held: int = 0  # of them accepted
    dear: bool = False  # drafts have lost although most of them held: rows cost too much


class Drafting:
    """The figures of all models that are drafted for."""

    def __init__(self) -> None:
        self._of: dict[str, _Record] = {}
        self._last: tuple[str, bool] | None = None

    def count(self, model: str, sure: bool = False) -> int:
        """How many tokens to draft for the next pass of a model's only chat; 0 for a plain step.

        Args:
            sure: a text is being copied. That ends a rest which followed on drafts that did not
                hold, and not on such that held and cost too much.
        """
        record = self._of.get(model)
        if record is None or record.plain.passes < PLAIN:
            return 0
        if record.resting > 0 and (record.dear or not sure):
            return 0
        return COPIED if sure else record.count

    def forget(self, model: str) -> None:
        """It has another small model now, or none."""
        self._of.pop(model, None)

    def interrupted(self) -> None:
        """A turn was not one chat's alone: the next pass is not timed."""
        self._last = None

    def observe(
        self, model: str, seconds: float, tokens: int, drafted: int = 0, accepted: int = 0
    ) -> None:
        """Learn from a pass of a model's only chat.

        Args:
            seconds: it took.
            tokens: the chat got.
            drafted: of how many tokens the draft was; 0 for a plain step.
            accepted: how many of those the chat has said.
        """
        record = self._of.setdefault(model, _Record())
        before, self._last = self._last, (model, drafted > 0)
        if not drafted:
            record.resting = max(0, record.resting - tokens)
            if before == (model, False) and tokens:
                record.plain.note(seconds, tokens)
                record.since_plain = 0
            return
        record.count = min(MOST, record.count + 1) if accepted == drafted else max(1, accepted + 1)
        record.since_plain += tokens
        record.tried, record.held = record.tried + drafted, record.held + accepted
        if before is not None and before[0] == model and tokens:
            waited = 0.0 if before[1] else record.plain.per_token
            record.drafted.note(max(0.0, seconds - waited), tokens)
        self._judge(record)

    def observe_again(self, model: str, seconds: float) -> None:
        """Learn from a step that has read again what the caches had lost to a draft."""
        self._of.setdefault(model, _Record()).drafted.add(seconds, 1)

    def _judge(self, record: _Record) -> None:
        """Go on, rest, or time a plain step again."""
        passes = record.drafted.passes
        if passes < SOON:
            return
        bar = WORTH if passes >= TRIAL else WORTH * CLEARLY
        if record.drafted.per_token > record.plain.per_token * bar:
            record.resting, record.rest = record.rest, min(LONGEST_REST, 2 * record.rest)
            record.dear = 2 * record.held > record.tried
            record.drafted, record.count, record.tried, record.held = Rate(), FIRST, 0, 0
        elif passes >= TRIAL:
            record.resting, record.rest = 0, REST
            if record.since_plain >= LAST:
                record.plain = Rate()

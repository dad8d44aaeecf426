"""Who is served next and how much at a time. Pure: numbers in, decisions out, no model, no clock.

Every decoding session gets one token per turn of the loop. Prompts are read in chunks between
these turns: one chunk of one prompt a turn, sized so that the decoding sessions wait no longer
than the gap budget.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

FIXED_CHUNK = 64
"""Chunk borders of reproducible sessions lie at multiples of this, whatever the load: where a
prompt is cut changes how its keys are rounded."""


@dataclass(frozen=True)
class Waiting:
    """A prompt that is not wholly read yet."""

    key: str
    remaining: int
    since: float  # seconds, any clock, as `now` below


class Scheduler:
    """The policy of one engine.

    Attributes:
        gap_budget: seconds that reading may add between two tokens of the others.
        idle_budget: seconds a chunk may take when nothing decodes; bounds how late a stop or a
            new chat is noticed.
        ageing: how many tokens shorter a prompt counts for every second it has waited.
    """

    def __init__(
        self, gap_budget: float = 0.06, idle_budget: float = 0.5, ageing: float = 50.0
    ) -> None:
        self.gap_budget = gap_budget
        self.idle_budget = idle_budget
        self.ageing = ageing
        self._rates: dict[str, float] = {}

    def order(self, waiting: Iterable[Waiting], now: float) -> list[Waiting]:
        """Shortest remaining prompt first; waiting makes shorter, so none is starved."""
        return sorted(
            waiting, key=lambda w: (w.remaining - self.ageing * (now - w.since), w.since, w.key)
        )

    def chunk(self, model: str, position: int, remaining: int, decoding: float | None) -> int:
        """How many of the `remaining` tokens to read now.

        `decoding` is what a decode step takes at present in seconds, or None when nothing
        decodes. A chunk may take as long as the gap budget or, on machines so slow that a step
        takes longer than that, as long as a step.
        """
        budget = self.idle_budget if decoding is None else max(self.gap_budget, decoding)
        size = int(self._rates.get(model, 256.0) * budget)
        low, high = (32, 2048) if decoding is None else (4, 512)
        return min(remaining, max(low, min(size, high)))

    def fixed_chunk(self, position: int, remaining: int) -> int:
        """The chunk of a reproducible session: up to the next fixed border."""
        return min(remaining, FIXED_CHUNK - position % FIXED_CHUNK)

    def observe(self, model: str, tokens: int, seconds: float) -> None:
        """Learn from a chunk that was read.

        Small chunks are slower per token and later ones see more context, so the latest
        measurement counts most; falling is believed at once, rising in steps.
        """
        rate = tokens / max(seconds, 1e-6)
        known = self._rates.get(model)
        self._rates[model] = rate if known is None or rate < known else (known + rate) / 2

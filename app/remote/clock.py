"""What is known from here of an answer's time."""

from __future__ import annotations

import time

from app.remote.reading import Reading
from engine import ReplyStats

_AT_ONCE_S = 0.05
"""What comes within less was held back on its way: it tells nothing of the speed."""


class Clock:
    """When an answer began, and when its first and its last piece came."""

    def __init__(self) -> None:
        self._begun = time.perf_counter()
        self._first = self._last = 0.0

    def tick(self) -> None:
        self._last = time.perf_counter()
        self._first = self._first or self._last

    def stats(self, reading: Reading) -> ReplyStats:
        """The figures as far as they are known from here."""
        usage, took = reading.usage, self._last - self._first
        told = took >= _AT_ONCE_S and usage.generated > 1
        rate = (usage.generated - 1) / took if told else 0.0
        return ReplyStats(
            prompt_tokens=usage.prompt,
            reused_tokens=min(usage.reused, usage.prompt),
            generated_tokens=usage.generated,
            ttft_s=self._first - self._begun if self._first else 0.0,
            decode_s=took,
            tokens_per_s=rate,
            reasoning_tokens=min(usage.reasoning, usage.generated),
        )

"""The figures of a run: counts, rates, and how long single answers took."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

from engine.batch.run import Answer


class Summary:
    """Counts what this run has done.

    Args:
        lines: how many lines the input has.
        before: how many of them earlier runs have answered or failed to.
        failed_before: how many of those have failed.
    """

    def __init__(self, lines: int, before: int, failed_before: int) -> None:
        self.lines = lines
        self.before = before
        self.answered = 0
        self.failed = 0
        self._failed_before = failed_before
        self._began = time.perf_counter()
        self._prompt_tokens = self._reused_tokens = self._generated_tokens = 0
        self._latencies: list[float] = []
        self._firsts: list[float] = []

    def add(self, answer: Answer) -> None:
        """Count an answer, or the failure to give one."""
        if answer.failed:
            self.failed += 1
            return
        self.answered += 1
        stats = answer.stats
        self._prompt_tokens += stats.prompt_tokens
        self._reused_tokens += stats.reused_tokens
        self._generated_tokens += stats.generated_tokens
        self._latencies.append(answer.latency_s)
        if stats.generated_tokens:
            self._firsts.append(stats.ttft_s)

    def add_bad_line(self) -> None:
        """Count a line that is no valid request."""
        self.failed += 1

    @property
    def done(self) -> int:
        """Lines that have a record."""
        return self.before + self.answered + self.failed

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    @property
    def all_failed(self) -> int:
        """Lines without an answer, those of earlier runs among them."""
        return self.failed + self._failed_before

    def figures(self) -> dict[str, Any]:
        """Everything, times in seconds, rates per second; percentiles are None without answers."""
        seconds = self.seconds
        return {
            "lines": self.lines,
            "done_before": self.before,
            "answered": self.answered,
            "failed": self.failed,
            "failed_before": self._failed_before,
            "missing": self.lines - self.done,
            "seconds": seconds,
            "requests_per_s": self.answered / seconds,
            "tokens_per_s": self._generated_tokens / seconds,
            "prompt_tokens": self._prompt_tokens,
            "reused_tokens": self._reused_tokens,
            "generated_tokens": self._generated_tokens,
            "latency_p50_s": percentile(self._latencies, 50),
            "latency_p95_s": percentile(self._latencies, 95),
            "first_token_p50_s": percentile(self._firsts, 50),
            "first_token_p95_s": percentile(self._firsts, 95),
        }

    def text(self) -> str:
        """The same for people, in a few lines."""
        f = self.figures()
        earlier = f", {self.before:,} before" if self.before else ""
        missing = f", {f['missing']:,} not done" if f["missing"] else ""
        lines = [
            f"{self.answered:,} answered, {self.failed:,} failed{earlier}{missing}; "
            f"{duration(f['seconds'])}"
        ]
        if self.answered:
            reused = f", {f['reused_tokens']:,} of them reused" if f["reused_tokens"] else ""
            lines += [
                f"{f['requests_per_s']:.2f} requests/s, {f['tokens_per_s']:.1f} tokens/s generated "
                f"({f['generated_tokens']:,} in all; {f['prompt_tokens']:,} of prompts{reused})",
                f"latency     p50 {f['latency_p50_s']:.2f} s, p95 {f['latency_p95_s']:.2f} s",
            ]
        if self._firsts:
            lines.append(
                f"first token p50 {f['first_token_p50_s']:.2f} s, p95 "
                f"{f['first_token_p95_s']:.2f} s"
            )
        return "\n".join(lines)


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that `share` per cent of them do not exceed; None of nothing."""
    if not values:
        return None
    return sorted(values)[max(0, math.ceil(len(values) * share / 100) - 1)]


def duration(seconds: float) -> str:
    """1.2 s, 3:05, 2:03:05."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

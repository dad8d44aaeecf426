"""The progress of a batch as one line for a terminal."""

from __future__ import annotations

from engine.batch.summary import Summary, duration
from engine.cli.terminal import bar


def line(summary: Summary, tokens: int) -> str:
    """`tokens`: how many the engine has given so far."""
    done, of = summary.done, summary.lines
    seconds = max(summary.seconds, 1e-6)
    now = summary.answered + summary.failed
    left = f"{duration(seconds / now * (of - done))} left" if now else "…"
    failed = f", {summary.failed:,} failed" if summary.failed else ""
    return (
        f"{bar(done, of)} {done:,} of {of:,}{failed}  {now / seconds:.2f}/s  "
        f"{tokens / seconds:.0f} tokens/s  {left}"
    )

"""One line at the bottom of a terminal that says how far a run is."""

from __future__ import annotations

import shutil
from typing import TextIO

from engine.batch.summary import Summary, duration

_BAR = 24


class Progress:
    """Draws over its own line; draws nothing where nobody looks (a file, a pipe)."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.shown = stream.isatty()

    def draw(self, summary: Summary, tokens: int) -> None:
        """Show how far the run is; `tokens` have come so far."""
        if self.shown:
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(f"\r\x1b[K{_line(summary, tokens)[:width]}")
            self._stream.flush()

    def clear(self) -> None:
        """Make room for other words."""
        if self.shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def _line(summary: Summary, tokens: int) -> str:
    done, of = summary.done, summary.lines
    filled = round(_BAR * done / of) if of else _BAR
    bar = "█" * filled + "░" * (_BAR - filled)
    seconds = max(summary.seconds, 1e-6)
    now = summary.answered + summary.failed
    left = f"{duration(seconds / now * (of - done))} left" if now else "…"
    failed = f", {summary.failed:,} failed" if summary.failed else ""
    return (
        f"{bar} {done:,} of {of:,}{failed}  {now / seconds:.2f}/s  "
        f"{tokens / seconds:.0f} tokens/s  {left}"
    )

"""A line at the bottom of a terminal that shows a progress."""

from __future__ import annotations

import shutil
from typing import TextIO

_BAR = 24


class Line:
    """One line that is redrawn in place. It draws nothing into a file or a pipe.

    Attributes:
        shown: whether the stream is a terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.shown = stream.isatty()

    def draw(self, text: str) -> None:
        """Show this text, cut to the terminal's width, in place of the last one."""
        if self.shown:
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(f"\r\x1b[K{text[:width]}")
            self._stream.flush()

    def clear(self) -> None:
        """Empty the line."""
        self.draw("")


def bar(done: int, of: int) -> str:
    """A bar of characters, full if `done` equals `of` (or `of` is 0)."""
    filled = round(_BAR * done / of) if of else _BAR
    return "█" * filled + "░" * (_BAR - filled)

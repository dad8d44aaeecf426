"""One line at the bottom of a terminal that says how far something is."""

from __future__ import annotations

import shutil
from typing import TextIO

_BAR = 24


class Line:
    """Draws over itself; draws nothing where nobody looks (a file, a pipe).

    Attributes:
        shown: whether somebody looks.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.shown = stream.isatty()

    def draw(self, text: str) -> None:
        """Show this, as much as fits, in place of what was there."""
        if self.shown:
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(f"\r\x1b[K{text[:width]}")
            self._stream.flush()

    def clear(self) -> None:
        """Make room for other words."""
        self.draw("")


def bar(done: int, of: int) -> str:
    """A bar that is full when all is done, or nothing is to be done."""
    filled = round(_BAR * done / of) if of else _BAR
    return "█" * filled + "░" * (_BAR - filled)

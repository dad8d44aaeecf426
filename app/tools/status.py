"""How a connection to a server is, and what the server has written."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from enum import Enum

from app.tools.tool import clean

_LOG_LINES, _LOG_WIDTH = 500, 1000


class State(Enum):
    """How a connection is."""

    OFF = "off"
    CONNECTING = "connecting"
    READY = "ready"
    ENDED = "ended"


@dataclass(frozen=True)
class Status:
    """What there is to say of a connection. ``words``: why it ended, a sentence."""

    state: State
    words: str = ""


class ServerLog:
    """The last lines of what a server wrote to its standard error, and of what became of it."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=_LOG_LINES)

    def note(self, line: str) -> None:
        """On any thread."""
        shown = clean(line, lines=False, most=_LOG_WIDTH)
        if shown:
            self._lines.append(f"{time.strftime('%H:%M:%S')}  {shown}")

    @property
    def text(self) -> str:
        return "\n".join(tuple(self._lines))

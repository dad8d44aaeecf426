"""Where the messages of a transcript are, and how high they seem to be."""

from __future__ import annotations

from dataclasses import dataclass

from app.store import Message
from app.ui.style import tokens as t
from app.ui.style.theme import scaled
from app.ui.transcript.message_row import MessageRow


@dataclass
class Place:
    """One message of the path: how high it is, and its widget while it is near the viewport.

    Attributes:
        width: the width that ``height`` holds for; 0 while it is only estimated.
        wrapped: the code blocks whose long lines are broken, while there is no widget to ask.
    """

    message_id: str
    height: int = 0
    width: int = 0
    top: int = 0
    row: MessageRow | None = None
    wrapped: frozenset[tuple[int, int]] = frozenset()


def column_in(width: int) -> tuple[int, int]:
    """Left edge and width of the text column in a pane ``width`` pixels wide."""
    edge = 12 if width < t.NARROW else 24
    column = min(scaled(t.COLUMN), width - 2 * edge)
    return (width - column) // 2, column


def estimated_height(message: Message, width: int) -> int:
    """About how high a message is that was never laid out, in pixels."""
    if message.role == "tool" and message.status != "streaming":
        return 28
    lines = len(message.content) * 7.4 / max(width, 100) + message.content.count("\n") + 1
    return round(lines * 22) + 60

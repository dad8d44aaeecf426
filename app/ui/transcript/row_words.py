"""What a screen reader says of a message."""

from __future__ import annotations

from PySide6.QtGui import QAccessible

from app.language import mark, tr
from app.store import Message
from app.store.plain import shown_text
from app.ui.style.figures import figures_line

_BEGINNING = 500
"""Characters of a message that are its name; all of it is in its text."""
_STATES = {
    "streaming": mark("answering"),
    "cancelled": mark("stopped"),
    "interrupted": mark("interrupted"),
    "error": mark("no answer"),
}


def who(message: Message) -> str:
    """Who said it."""
    return tr("You") if message.role == "user" else message.model or tr("The model")


def state(message: Message) -> str:
    """How an answer stands, in a word or two; "" for one that is complete."""
    if message.status == "complete" and message.stats.get("reason") == "length":
        return tr("cut off at its length limit")
    if message.status == "complete" and message.stats.get("reason") == "memory":
        return tr("cut off: the memory was full")
    return tr(_STATES[message.status]) if message.status in _STATES else ""


def name(message: Message) -> str:
    """Who spoke, how it stands and how it begins: "Guide, stopped: A river is"."""
    head = ", ".join(filter(None, (who(message), state(message))))
    if message.status == "streaming":
        return head
    text = message.content[:_BEGINNING]
    if QAccessible.isActive():  # it takes a while, and rows are made while one scrolls
        text = shown_text(text, message.role)
    words = "\n".join(filter(None, (text.strip(), message.error)))
    return f"{head}: {words}" if words else head


def description(message: Message, version: tuple[int, int], note: str = "") -> str:
    """What is painted beside its text: its files, which version it is, its figures, a note."""
    parts = [tr("with {name}", name=each.name) for each in message.attachments]
    number, count = version
    if count > 1:
        parts.append(tr("version {number} of {count}", number=number, count=count))
    figures = figures_line(message.stats).replace(" · ", ", ")
    return ", ".join([*parts, *filter(None, (note, figures))])

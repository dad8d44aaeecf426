"""What is said of a call of a tool, in a few words. No widgets."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.store import Message
from app.tools.consent import Decision
from app.tools.tool import BUILT_IN, visible
from app.ui.style.figures import seconds

MOST_SHOWN = 20_000
"""Characters of a result that are laid out; all of it is copied, searched and sent."""

KEYS = {
    Qt.Key.Key_Return: Decision.ONCE,
    Qt.Key.Key_Enter: Decision.ONCE,
    Qt.Key.Key_T: Decision.TOOL,
    Qt.Key.Key_S: Decision.SERVER,
    Qt.Key.Key_D: Decision.DENY,
}
CHOICES = (
    (Decision.ONCE, "Allow Once", "Run it this one time  Enter"),
    (Decision.TOOL, "Always This Tool", "Run it in this chat without asking again  T"),
    (Decision.SERVER, "Always This Server in This Chat", "Run all of its tools without asking  S"),
    (Decision.DENY, "Deny", "Do not run it; the model is told so  D"),
)


def tool_of(message: Message) -> str:
    """The tool's name and its server's: "search · web"."""
    stats = message.stats
    name = visible(str(stats.get("tool") or stats.get("name") or "tool"))[:80]
    server = visible(str(stats.get("server") or ""))[:60]
    return name if server in ("", BUILT_IN) else f"{name} · {server}"


def size_words(characters: int) -> str:
    return "1 character" if characters == 1 else f"{characters:,} characters"


def over_line(message: Message) -> str:
    """The one line that is left of a call which is over."""
    stats, tool = message.stats, tool_of(message)
    if stats.get("decision") == "deny":
        return f"{tool} · Not allowed"
    if message.status == "cancelled":
        return f"{tool} · Stopped"
    if message.status == "interrupted":
        return f"{tool} · Interrupted when Stretto was closed"
    parts = [tool]
    if message.status == "error":
        parts.append("Failed")
    took = stats.get("seconds")
    if isinstance(took, int | float) and not isinstance(took, bool):
        parts.append(f"{took * 1000:.0f} ms" if took < 0.1 else seconds(float(took)))
    size = stats.get("size")
    if isinstance(size, int) and message.status != "error":
        kept = len(message.content)
        cut = f" of {size:,}" if size > kept else ""
        parts.append(f"{kept:,}{cut} characters" if cut else size_words(size))
    return " · ".join(parts)


def beginning(text: str) -> str:
    """As much of a result as is laid out."""
    more = len(text) - MOST_SHOWN
    return text if more <= 0 else f"{text[:MOST_SHOWN]}\n… {size_words(more)} more"


def visible_lines(text: str) -> str:
    """The text with its lines, and with what cannot be seen in them as escapes."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "\n".join(visible(line.replace("\t", "    ")) for line in text.split("\n"))

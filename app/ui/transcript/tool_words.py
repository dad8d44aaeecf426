"""What is said of a call of a tool, in a few words. No widgets."""

from __future__ import annotations

from app.store import Message
from app.tools.tool import BUILT_IN, visible
from app.ui.style.figures import seconds


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

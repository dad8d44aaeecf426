"""What is said of a call of a tool, in a few words. No widgets."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.chats.tool_call import CallState
from app.language import counted, mark, number, tr
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
    (Decision.ONCE, mark("Allow Once"), mark("Run it this one time  Enter")),
    (Decision.TOOL, mark("Always This Tool"), mark("Run it in this chat without asking again  T")),
    (
        Decision.SERVER,
        mark("Always This Server in This Chat"),
        mark("Run all of its tools without asking  S"),
    ),
    (Decision.DENY, mark("Deny"), mark("Do not run it; the model is told so  D")),
)

_SAID = {
    "accept": mark("The server asked: {question}\nYou answered it."),
    "decline": mark("The server asked: {question}\nYou declined."),
    "cancel": mark("The server asked: {question}\nYou left it unanswered."),
}


def tool_of(message: Message) -> str:
    """The tool's name and its server's: "search · web"."""
    stats = message.stats
    name = visible(str(stats.get("tool") or stats.get("name") or tr("tool")))[:80]
    server = visible(str(stats.get("server") or ""))[:60]
    return name if server in ("", BUILT_IN) else f"{name} · {server}"


def headline(message: Message, state: CallState) -> str:
    """What stands above a call that is not over: the question, or what goes on."""
    tool = tool_of(message)
    if state is CallState.RUNNING:
        return tr("Running {tool}…", tool=tool)
    if state is CallState.TOO_LONG:
        return tr("The result of {tool} is too long", tool=tool)
    return tr("Run {tool}?", tool=tool)


def size_words(characters: int) -> str:
    return counted("{count} character", "{count} characters", characters, count=number(characters))


def over_line(message: Message) -> str:
    """The one line that is left of a call which is over."""
    stats, tool = message.stats, tool_of(message)
    if stats.get("decision") == "deny":
        return tr("{tool} · Not allowed", tool=tool)
    if message.status == "cancelled":
        return tr("{tool} · Stopped", tool=tool)
    if message.status == "interrupted":
        return tr("{tool} · Interrupted when Stretto was closed", tool=tool)
    parts = [tool]
    if message.status == "error":
        parts.append(tr("Failed"))
    took = stats.get("seconds")
    if isinstance(took, int | float) and not isinstance(took, bool):
        short = tr("{number} ms", number=number(took * 1000))
        parts.append(short if took < 0.1 else seconds(float(took)))
    size = stats.get("size")
    if isinstance(size, int) and message.status != "error":
        parts.append(_kept_words(len(message.content), size))
    return " · ".join(parts)


def _kept_words(kept: int, size: int) -> str:
    """How long a result is, and how much of it the model gets where that is less."""
    if size <= kept:
        return size_words(size)
    return counted(
        "{kept} of {size} characters",
        "{kept} of {size} characters",
        size,
        kept=number(kept),
        size=number(size),
    )


def folded_text(message: Message, arguments: str) -> str:
    """What the line unfolds to: the arguments, what the server asked meanwhile, the result."""
    parts = [arguments] if arguments not in ("", "{}") else []
    asked = message.stats.get("asked")
    for pair in asked if isinstance(asked, list) else []:
        if isinstance(pair, list) and len(pair) == 2 and pair[1] in _SAID:
            parts.append(tr(_SAID[pair[1]], question=str(pair[0])))
    return "\n\n".join([*parts, beginning(message.content)])


MOST_LAID_OUT = 1_000_000
"""Characters of a message, as many as one may write. The rest is there, copied and exported: files
of chats hold messages that would keep the window still for minutes."""


def beginning(text: str, most: int = MOST_SHOWN, before: str = "\n") -> str:
    """As much of a result, or of another text, as is laid out, and how much more there is."""
    more = len(text) - most
    if more <= 0:
        return text
    rest = counted(
        "… {count} character more", "… {count} characters more", more, count=number(more)
    )
    return f"{text[:most]}{before}{rest}"


def visible_lines(text: str) -> str:
    """The text with its lines, and with what cannot be seen in them as escapes."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "\n".join(visible(line.replace("\t", "    ")) for line in text.split("\n"))

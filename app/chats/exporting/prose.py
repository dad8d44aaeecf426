"""A chat as Markdown and as plain text: the branch that is shown, who said what and when."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence

from app.chats.attached.words import attached
from app.language import mark, tr
from app.markdown.plainly import plainly
from app.store import Chat, Message
from app.tools.tool import clean

WHO = {"user": mark("You"), "system": mark("System")}
_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})", re.MULTILINE)


def speaker(message: Message) -> str:
    """Who said it; of a tool's result, which tool."""
    if message.role == "tool":
        names = (
            message.stats.get("tool") or message.stats.get("name"),
            message.stats.get("server"),
        )
        return " · ".join([tr("Tool"), *(clean(str(name), lines=False) for name in names if name)])
    if message.role in WHO:
        return tr(WHO[message.role])
    return message.model or tr("Assistant")


def moment(seconds: float) -> str:
    """ "2026-11-22 10:31" as clocks show it here; "" for what is no time."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
    except (ValueError, OverflowError, OSError):
        return ""


def markdown(chat: Chat, said: Sequence[Message], *, thoughts: bool = False) -> Iterator[str]:
    """The messages as they were written, each under a heading with its speaker."""
    yield f"# {_one_line(chat.shown_title)}\n"
    if chat.system:
        yield "\n## " + tr("System prompt") + f"\n\n{_closed(chat.system)}\n"
    for message in said:
        when = moment(message.created_at)
        yield f"\n## {_one_line(speaker(message))}{' · ' + when if when else ''}\n"
        if thoughts and message.reasoning:
            quoted = "\n".join(f"> {line}".rstrip() for line in message.reasoning.splitlines())
            yield "\n> **" + tr("Thoughts") + f"**\n>\n{quoted}\n"
        for file in message.attachments:
            yield "\n*" + tr("Attached: {file}", file=_one_line(attached(file))) + "*\n"
        if message.role == "tool":
            yield from _fenced(str(message.stats.get("arguments") or ""))
            yield from _fenced(message.content)
        elif message.content:
            yield f"\n{_closed(message.content)}\n"
        if message.error:
            yield f"\n*{_one_line(message.error)}*\n"


def plain(chat: Chat, said: Sequence[Message], *, thoughts: bool = False) -> Iterator[str]:
    """The messages as they read on screen, without marks."""
    title = " ".join(chat.shown_title.split())
    yield f"{title}\n{'=' * min(len(title), 76)}\n"
    if chat.system:
        yield "\n" + tr("System prompt") + f"\n\n{chat.system.strip()}\n"
    for message in said:
        when = moment(message.created_at)
        yield f"\n{speaker(message)}{', ' + when if when else ''}\n\n"
        if thoughts and message.reasoning:
            yield "[" + tr("Thoughts") + f"]\n{plainly(message.reasoning).strip()}\n"
            yield "[" + tr("End of thoughts") + "]\n\n"
        for file in message.attachments:
            yield "[" + tr("Attached: {file}", file=attached(file)) + "]\n"
        if message.content:
            shown = plainly(message.content) if message.role == "assistant" else message.content
            yield f"{shown.strip()}\n"
        if message.error:
            yield f"({' '.join(message.error.split())})\n"


def _fenced(text: str) -> Iterator[str]:
    """As code: what a tool returns is data, and no Markdown."""
    if text.strip():
        longest = max((len(run) for run in re.findall("`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        yield f"\n{fence}\n{text.strip(chr(10))}\n{fence}\n"


def _one_line(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", " ".join(text.split()))


def _closed(text: str) -> str:
    """The text with its last code block closed, so that what follows is not a part of it."""
    text, fence = text.strip("\n"), ""
    for match in _FENCE.finditer(text):
        line = text[match.start() : text.find("\n", match.end())].strip()
        if not fence:
            fence = match[1]
        elif line.startswith(fence) and not line.strip(fence[0]):
            fence = ""
    return f"{text}\n{fence}" if fence else text

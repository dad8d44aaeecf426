"""What a chat's tools do at the moment, in a few words."""

from __future__ import annotations

from app.chats.tool_call import Doing
from app.language import counted, number, tr
from app.tools.tool import visible
from app.ui.style.figures import seconds

_LONGEST = 40  # characters of a tool's name


def doing_line(doing: Doing, *, short: bool = False, timed: bool = False) -> str:
    """ "Running search · step 2 · 4,200 tokens"; ``timed``: with how long it takes so far."""
    if doing.waiting:
        return tr("Asks you") if short else tr("Waiting for your answer")
    if len(doing.running) == 1:
        words = tr("Running {tool}", tool=visible(doing.running[0])[:_LONGEST])
    else:
        words = counted("Running %n tool", "Running %n tools", len(doing.running))
    parts = [words]
    if timed and doing.seconds >= 1:
        parts.append(seconds(doing.seconds))
    if doing.step > 1 and not short:
        parts.append(tr("step {step}", step=number(doing.step)))
        if doing.tokens and not timed:
            count = number(doing.tokens)
            parts.append(counted("{count} token", "{count} tokens", doing.tokens, count=count))
    return " · ".join(parts)

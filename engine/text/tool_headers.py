"""Bound calls of the dialects whose answers are parts with headers (gpt-oss, Muse Spark).

The part before a call says that there is one, and for gpt-oss which tool it calls. Required calls
are therefore bound from the answer's first token, and the thoughts before them are free within it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from engine.text.tool_grammars import json_of, text

Spell = Callable[[str], str]

THOUGHT = r"THOUGHT: /(?s:.*)/ & ~/(?s:.*)<\|(?s:.*)/"
"""What a model thinks: anything but what looks like one of its markers."""

_NEXT = "<|start|>assistant"


def thoughts(dialect: str, spell: Spell) -> str:
    """The rule `thought`: a part that is for the model itself, and the next part's beginning."""
    if dialect == "harmony":
        opened, closed = "<|channel|>analysis<|message|>", "<|end|>"
    else:
        opened, closed = " to=self<|message|>", "<|eom|>"
    return f"thought: {spell(opened)} THOUGHT {spell(closed + _NEXT)}"


def to_tools(spell: Spell) -> str:
    """The header of Muse Spark's calls, which then stand between markers."""
    return spell(" to=tools<|message|>")


def harmony(tools: Sequence[tuple[str, str]], required: bool, spell: Spell) -> list[str]:
    """The rules of gpt-oss's one call, from `start` on.

    Without `required` the model has written the header, of which the splitter keeps the name.

    Args:
        tools: names, and the schemas of their arguments as JSON.
    """
    calls = []
    for name, schema in tools:
        given = json_of(json.loads(schema))
        if required:
            said = f'(" json" | {spell(" <|constrain|>json")})? {spell("<|message|>")}'
            named, channel = f" to=functions.{name}", "<|channel|>commentary"
            head = f"({spell(channel + named)} | {spell(named + channel)}) {said}"
        else:
            head = f'"functions."? {text(name + " ")}'
        calls.append(f"{head} {given}")
    lines = [f"tool{number}: {call}" for number, call in enumerate(calls)]
    lines.append("call: " + " | ".join(f"tool{number}" for number in range(len(calls))))
    if not required:
        return ["start: call", *lines]
    return ["start: thought* call", thoughts("harmony", spell), *lines, THOUGHT]

"""Calls of tools and their results in a chat's history, as the engine takes them. Pure: no Qt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.language import mark, tr
from app.store import Message

NO_RESULT = "There is no result: the chat went on without it."


@dataclass(frozen=True)
class Made:
    """A call as the model made it. ``fault``: why it could not be read, "" if it could."""

    id: str
    name: str
    arguments: str
    fault: str = ""


def turn_with_calls(message: Message) -> dict[str, Any] | None:
    """An answer that called tools, exactly as the engine keeps it; None for any other.

    What came from a file and is no such turn counts as none.
    """
    turn = message.stats.get("turn")
    if message.role != "assistant" or not isinstance(turn, dict) or not calls_of(turn):
        return None
    return turn


def calls_of(turn: Mapping[str, Any]) -> dict[str, str]:
    """The calls of a turn: the name of the tool by the id of the call."""
    listed = turn.get("tool_calls")
    if turn.get("role") != "assistant" or not isinstance(listed, list):
        return {}
    found: dict[str, str] = {}
    for call in listed:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(call.get("id"), str):
            return {}
        name, arguments = function.get("name"), function.get("arguments")
        if not isinstance(name, str) or not isinstance(arguments, dict | str):
            return {}
        found[call["id"]] = name
    return found


class OpenCalls:
    """Gives each call its result, in the order of the calls, whatever became of it."""

    def __init__(self, turns: list[dict[str, Any]]) -> None:
        """Results are put at the end of ``turns``."""
        self._turns = turns
        self._open: dict[str, str] = {}

    def begin(self, turn: Mapping[str, Any]) -> None:
        """An answer has called these tools."""
        self._open = calls_of(turn)

    def take(self, message: Message, left_out: bool) -> None:
        """A result. One that belongs to no call of the turn before it is left out."""
        key = message.stats.get("call")
        if isinstance(key, str) and key in self._open:
            text = NO_RESULT if left_out or not message.content else message.content
            self._turns.append(_result(key, self._open.pop(key), text))

    def end(self) -> None:
        """Something else follows: calls without a result get one that says so."""
        for key, name in self._open.items():
            self._turns.append(_result(key, name, NO_RESULT))
        self._open = {}


def _result(key: str, name: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": key, "name": name, "content": text}


def fault_in(arguments: str) -> str | None:
    """Why a text is no object of arguments; None if it is one."""
    try:
        value = json.loads(arguments or "{}")
    except json.JSONDecodeError as error:
        words = mark("The arguments are no JSON: {why} in line {line}.")
        return tr(words, why=error.msg, line=error.lineno)
    except (ValueError, RecursionError):
        return tr("The arguments are no JSON.")
    if isinstance(value, dict):
        return None
    return tr("The arguments are no JSON object: { … }.")

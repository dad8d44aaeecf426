"""Tool calls of replies, running and stored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from enum import Enum
from time import monotonic
from typing import Any

from msgspec import Struct, field

from app.chats.lanes import HelperRun
from app.settings.language import counted, mark, tr
from app.store import Message
from app.tools.builtin import Obstacle, title_of
from app.tools.consent import Decision
from app.tools.granted_folders import Difference
from app.tools.questions import Question, Response, Value
from app.tools.tool import BUILT_IN, OutcomeKind, Tool, ToolResult

NO_RESULT = "There is no result: the chat went on without it."


class ParsedToolCall(Struct, frozen=True):
    """Tool call parsed from a reply. ``fault`` is the parse error, or ""."""

    id: str
    name: str
    arguments: str
    fault: str = ""


def turn_with_calls(message: Message) -> dict[str, Any] | None:
    """Return the engine's turn of an answer with tool calls, or None.

    Malformed turns, e.g. from imported chats, are ignored.
    """
    turn = message.stats.get("turn")
    if message.role != "assistant" or not isinstance(turn, dict) or not calls_of(turn):
        return None
    return turn


def calls_of(turn: Mapping[str, Any]) -> dict[str, str]:
    """Return the tool names of a turn by call ID."""
    listed = turn.get("tool_calls")
    if turn.get("role") != "assistant" or not isinstance(listed, list):
        return {}
    names: dict[str, str] = {}
    for call in listed:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(call.get("id"), str):
            return {}
        name, arguments = function.get("name"), function.get("arguments")
        if not isinstance(name, str) or not isinstance(arguments, dict | str):
            return {}
        names[call["id"]] = name
    return names


class OpenCalls:
    """Matches results to calls, so that every call gets exactly one result, in call order."""

    def __init__(self, turns: list[dict[str, Any]]) -> None:
        self._turns = turns
        self._open: dict[str, str] = {}

    def begin(self, turn: Mapping[str, Any]) -> None:
        self._open = calls_of(turn)

    def add_result(self, message: Message, left_out: bool) -> None:
        key = message.stats.get("call")
        if isinstance(key, str) and key in self._open:
            text = NO_RESULT if left_out or not message.content else message.content
            self._turns.append(_result(key, self._open.pop(key), text))

    def end(self) -> None:
        """Add placeholders for calls without a result, as the next turn requires."""
        for key, name in self._open.items():
            self._turns.append(_result(key, name, NO_RESULT))
        self._open = {}


def _result(key: str, name: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": key, "name": name, "content": text}


def find_argument_error(arguments: str) -> str | None:
    """Explain why a text isn't a valid arguments object, or return None."""
    try:
        value = json.loads(arguments or "{}")
    except json.JSONDecodeError as error:
        words = mark("The arguments aren’t valid JSON: {why}, line {line}.")
        return tr(words, why=error.msg, line=error.lineno)
    except (ValueError, RecursionError):
        return tr("The arguments aren’t valid JSON.")
    if isinstance(value, dict):
        return None
    return tr("The arguments must be a JSON object, such as { … }.")


DENIED = "The person did not allow this call."
STOPPED = "The call was stopped before it ended."
_LEFT_OUT = "The result was too long for this chat and was left out."  # by older versions


_FOR_MODELS = {
    DENIED: "",
    STOPPED: "",
    NO_RESULT: "",
    _LEFT_OUT: mark("The result was too long for this chat and was left out."),
}
_OUTCOMES = {
    OutcomeKind.NO_FOLDERS.value: mark("This chat has no folders."),
    OutcomeKind.NOTHING_FOUND.value: mark("Nothing found."),
    OutcomeKind.EMPTY_FOLDER.value: mark("This folder is empty."),
    OutcomeKind.NOTHING_PRINTED.value: mark("The code printed nothing."),
}


def result_of(message: Message) -> str:
    """Return the text of a result for the user, without notes to the model."""
    if message.error:
        return message.error
    if message.stats.get("server") == BUILT_IN:
        outcome = message.stats.get("outcome")
        outcome = outcome if isinstance(outcome, dict) else {}
        kind, size, path = (outcome.get(key) for key in ("kind", "size", "path"))
        if isinstance(kind, str) and kind in _OUTCOMES:
            return tr(_OUTCOMES[kind])
        if kind == OutcomeKind.WRITTEN.value and type(size) is int and isinstance(path, str):
            return counted(
                "%n byte written to {path}", "%n bytes written to {path}", size, path=path
            )
    replacement = _FOR_MODELS.get(message.content)
    return message.content if replacement is None else tr(replacement) if replacement else ""


class CallState(Enum):
    ASKING = "asking"
    RUNNING = "running"
    OVER = "over"


class OpenQuestion(Struct):
    question: Question
    # canceled if the server withdraws the question
    future: Future[Response]
    # values entered so far, by field name
    given: dict[str, Value | None] = field(default_factory=dict)


class Call(Struct):
    message_id: str  # message that gets the result
    parsed: ParsedToolCall
    tool: Tool | None  # None if the model called an unknown tool
    arguments: str  # JSON text with which the call runs
    edited_arguments: str | None = None  # text in the editor, None if it's closed
    state: CallState = CallState.ASKING
    decision: Decision | None = None
    future: Future[ToolResult] | None = None
    channel: int | None = None  # receives the result and questions of a running call
    since: float = field(default_factory=monotonic)
    # Effect of the call, or why it can't run. None if unknown.
    preview: Difference | Obstacle | None = None
    preview_future: Future[Difference | Obstacle | None] | None = None  # latest request
    previewed_arguments: str | None = None  # arguments of the latest request
    needs_preview: bool = False  # the user must see the diff before the call may run
    # from the tool server; the first one is displayed
    questions: list[OpenQuestion] = field(default_factory=list)
    # with the user's action (`QuestionAction`)
    answered_questions: list[tuple[str, str]] = field(default_factory=list)
    lanes: list[HelperRun] = field(default_factory=list)

    @property
    def displayed_arguments(self) -> str:
        """Return the arguments as displayed. The call runs with these if the user allows it."""
        return self.arguments if self.edited_arguments is None else self.edited_arguments

    @property
    def is_obstructed(self) -> bool:
        """Return True if the call can't run as it is, even if the user allows it."""
        return isinstance(self.preview, Obstacle) and self.edited_arguments is None

    @property
    def is_waiting(self) -> bool:
        return self.state is CallState.ASKING or bool(self.questions)


class ToolActivity(Struct, frozen=True):
    running: tuple[str, ...]  # names of running tools
    waiting: int  # calls that wait for the user
    seconds: float  # since the first of these calls started to run or wait
    # steps and tokens of the turn, see `ToolCallRunner`
    step: int
    tokens: int
    paused: bool = False  # the model won't continue after the tools finish
    words: str = ""  # description of the running call, if the tool's name isn't enough


def activity_of(
    calls: Iterable[Call], step: int, tokens: int, *, paused: bool = False
) -> ToolActivity | None:
    alive = [call for call in calls if call.state is not CallState.OVER]
    if not alive:
        return None
    running = [c for c in alive if c.state is CallState.RUNNING and not c.questions]
    names = tuple(title_of(c.tool) if c.tool is not None else c.parsed.name for c in running)
    waiting = sum(call.is_waiting for call in alive)
    seconds = monotonic() - min(call.since for call in running or alive)
    words = describe_helper_call(running[0]) if len(running) == 1 else ""
    return ToolActivity(names, waiting, seconds, step, tokens, paused, words)


def describe_helper_call(call: Call) -> str:
    count = len(call.lanes)
    return counted("Asking %n helper", "Asking %n helpers", count) if count else ""


def figures(call: Call) -> dict[str, Any]:
    """Return the stats to store in a call's message."""
    stats: dict[str, Any] = {"call": call.parsed.id, "name": call.parsed.name}
    stats["arguments"] = call.arguments
    if call.tool is not None:
        stats |= {"server": call.tool.server, "tool": call.tool.name}
        if call.tool.title:
            stats["title"] = call.tool.title
    if call.decision is not None:
        stats["decision"] = call.decision.value
    if call.answered_questions:
        stats["asked"] = [list(pair) for pair in call.answered_questions]
    if call.lanes:
        stats["lanes"] = [lane.to_json() for lane in call.lanes]
    if not equal_json(call.arguments, call.parsed.arguments):
        stats["changed"] = True
    return stats


def equal_json(first: str, second: str) -> bool:
    """Return True if two JSON texts have equal values, even if they are formatted differently."""
    try:
        return bool(json.loads(first or "{}") == json.loads(second or "{}"))
    except (ValueError, RecursionError):
        return first == second

"""Calls of tools as plain values: one that a chat works on, and those in its history. No Qt."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from enum import Enum
from time import monotonic
from typing import Any

from msgspec import Struct, field

from app.chats.lanes import Lane
from app.settings.language import counted, mark, tr
from app.store import Message
from app.tools.builtin import Obstacle, title_of
from app.tools.consent import Decision
from app.tools.granted_folders import Difference
from app.tools.questions import Question, Response, Value
from app.tools.tool import BUILT_IN, OutcomeKind, Tool, ToolResult

NO_RESULT = "There is no result: the chat went on without it."


class Made(Struct, frozen=True):
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
        words = mark("The arguments are not valid JSON: {why}, line {line}.")
        return tr(words, why=error.msg, line=error.lineno)
    except (ValueError, RecursionError):
        return tr("The arguments are not valid JSON.")
    if isinstance(value, dict):
        return None
    return tr("The arguments must be a JSON object, such as { … }.")


DENIED = "The person did not allow this call."
STOPPED = "The call was stopped before it ended."
LEFT_OUT = "The result was too long for this chat and was left out."


_FOR_MODELS = {
    DENIED: "",
    STOPPED: "",
    NO_RESULT: "",
    LEFT_OUT: mark("The result was too long for this chat and was left out."),
}
_OUTCOMES = {
    OutcomeKind.NO_FOLDERS.value: mark("This chat has no folders."),
    OutcomeKind.NOTHING_FOUND.value: mark("Nothing found."),
    OutcomeKind.EMPTY_FOLDER.value: mark("This folder is empty."),
    OutcomeKind.NOTHING_PRINTED.value: mark("The code printed nothing."),
}


def result_of(message: Message) -> str:
    """What a person reads of the result of a call: nothing that is written for the model."""
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
    known = _FOR_MODELS.get(message.content)
    return message.content if known is None else tr(known) if known else ""


class CallState(Enum):
    """Where a call is. `Waiting` for the person are the first two."""

    ASKING = "asking"
    TOO_LONG = "too_long"
    RUNNING = "running"
    OVER = "over"


class OpenQuestion(Struct):
    """One question that waits for the person."""

    question: Question
    # takes the answer; cancelled when the server does not wait for it any more
    future: Future[Response]
    # what stands in the fields so far, by their names
    given: dict[str, Value | None] = field(default_factory=dict)


class Call(Struct):
    """One call of the running step."""

    message_id: str  # of the message that will hold its result
    made: Made
    tool: Tool | None  # None where the model called what was not offered
    arguments: str  # JSON text, as the model wrote it or as the person has changed it
    state: CallState = CallState.ASKING
    decision: Decision | None = None
    future: Future[ToolResult] | None = None
    since: float = field(default_factory=monotonic)
    # what came of it, while the person decides how much of it is kept
    result: ToolResult | None = None
    room: int = 0  # how many characters of it would fit
    # what the person is shown before it runs, where the arguments do not tell it all, or why it
    # cannot work
    preview: Difference | Obstacle | None = None
    previewed: str | None = None  # the arguments that it was asked for with
    # brings the preview; an earlier one's is of other arguments, or other folders
    looking: Future[Difference | Obstacle | None] | None = None
    shown_first: bool = False  # it may run only once its difference is shown
    # the arguments as the person is changing them; None where they are as they were
    written: str | None = None
    # what its server asks while it runs; the first is shown
    questions: list[OpenQuestion] = field(default_factory=list)
    # what it has asked so far, with what was said to it (`Action`)
    asked: list[tuple[str, str]] = field(default_factory=list)
    lanes: list[Lane] = field(default_factory=list)  # the helpers that it asks

    @property
    def stands(self) -> str:
        """The arguments as the person sees them now: these run if they allow it."""
        return self.arguments if self.written is None else self.written

    @property
    def obstructed(self) -> bool:
        """Whether nothing that is allowed could run: something stands in its way as it is."""
        return isinstance(self.preview, Obstacle) and self.written is None

    @property
    def waits(self) -> bool:
        """Whether the person is to say something."""
        return self.state in {CallState.ASKING, CallState.TOO_LONG} or bool(self.questions)


class Doing(Struct, frozen=True):
    """What the tools of a chat do at the moment."""

    running: tuple[str, ...]  # names of those that run
    waiting: int  # how many calls wait for the person
    seconds: float  # how long the first of them has been running, or waiting
    # step, tokens: of this turn so far, see `ToolWork`
    step: int
    tokens: int
    paused: bool = False  # the model is not asked again when they have ended
    words: str = ""  # what the one that runs does, where its name does not say it


def doing(calls: Iterable[Call], step: int, tokens: int, *, paused: bool = False) -> Doing | None:
    """The same of these calls; None where all are over."""
    alive = [call for call in calls if call.state is not CallState.OVER]
    if not alive:
        return None
    running = [c for c in alive if c.state is CallState.RUNNING and not c.questions]
    names = tuple(title_of(c.tool) if c.tool is not None else c.made.name for c in running)
    waiting = sum(call.waits for call in alive)
    seconds = monotonic() - min(call.since for call in running or alive)
    words = asking_helpers(running[0]) if len(running) == 1 else ""
    return Doing(names, waiting, seconds, step, tokens, paused, words)


def asking_helpers(call: Call) -> str:
    """What a call that runs does, if it asks helpers; "" for any other."""
    count = len(call.lanes)
    return counted("Asking %n helper", "Asking %n helpers", count) if count else ""


def figures(call: Call) -> dict[str, Any]:
    """What the message of a call keeps of it besides the result."""
    stats: dict[str, Any] = {"call": call.made.id, "name": call.made.name}
    stats["arguments"] = call.arguments
    if call.tool is not None:
        stats |= {"server": call.tool.server, "tool": call.tool.name}
        if call.tool.title:
            stats["title"] = call.tool.title
    if call.decision is not None:
        stats["decision"] = call.decision.value
    if call.asked:
        stats["asked"] = [list(pair) for pair in call.asked]
    if call.lanes:
        stats["lanes"] = [lane.to_json() for lane in call.lanes]
    if not same(call.arguments, call.made.arguments):
        stats["changed"] = True
    return stats


def same(one: str, other: str) -> bool:
    """Whether two JSON texts say the same: a card shows arguments on lines of their own."""
    try:
        return bool(json.loads(one or "{}") == json.loads(other or "{}"))
    except (ValueError, RecursionError):
        return one == other

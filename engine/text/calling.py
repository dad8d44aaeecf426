"""The tool calls of one answer, told as they are written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from engine.text import tool_calls
from engine.text.call_streams import Stream, stream
from engine.text.tool_calls import Call
from engine.text.tools import with_types

CUT_OFF = "the answer ended within it"
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Told(NamedTuple):
    """What is told of a call.

    Attributes:
        kind: it has started; more of its arguments; it is complete; it is none.
        text: the arguments, or more of them, as JSON; of a call that is none, all that was written.
        message: what is wrong with it.
    """

    kind: Literal["started", "delta", "finished", "failed"]
    id: str
    name: str = ""
    text: str = ""
    message: str = ""


@dataclass
class _Open:
    """A call that is being written.

    Attributes:
        told: of its arguments.
        started: this has been told.
        whole: its end has come, though not that of its text.
    """

    id: str
    name: str
    told: str = ""
    started: bool = False
    whole: bool = False


class Calling:
    """Follows what an answer's text says of calls.

    Args:
        name: how calls are read: a dialect's `tool_format`.
        tools: those that were offered, in OpenAI's shape; without any all names count.
        prompt: what the answer follows. The ids that are made up depend on it alone, so that the
            same conversation has the same ids.
        one: only the first call counts.

    Attributes:
        made: the calls that are complete, with their ids.
        unreadable: some text between the markers of calls was none.
    """

    def __init__(self, name: str, tools: Sequence[dict[str, Any]], prompt: str, one: bool) -> None:
        self._format = name
        self._tools = [with_types(tool) for tool in tools]
        self._offered = {tool["function"]["name"] for tool in tools}
        self._seed = prompt
        self._one = one
        self._closed = 0  # texts between markers that are complete
        self._numbers = 0
        self._open: list[_Open] = []  # of the text that is being written
        self._stream: Stream | None = None
        self._taken = 0  # characters of it
        self._told: list[Told] = []
        self.made: list[tuple[str, Call]] = []
        self.unreadable = False

    @property
    def enough(self) -> bool:
        """Whether no more calls are wanted."""
        return self._one and any(call.name in self._offered for _, call in self.made)

    def follow(self, complete: Sequence[str], current: str, over: bool = False) -> list[Told]:
        """What is new, now that these texts between markers are complete, and one is not.

        Args:
            over: no more text comes.
        """
        for text in complete[self._closed :]:
            self._advance(text)
            self._close(text)
            self._closed += 1
            self._open, self._stream, self._taken = [], None, 0
        self._advance(current)
        if over and current:
            self._fail(current, CUT_OFF)
        told, self._told = self._told, []
        return told

    def _advance(self, text: str) -> None:
        """Tell what more is known of the calls in a text that has grown to this."""
        if len(text) == self._taken or not self._offered:
            return
        if self._stream is None:
            self._stream = stream(self._format, self._read)
        partials = self._stream.feed(text[self._taken :])
        self._taken = len(text)
        if self.enough:
            return
        for number, partial in enumerate(partials[:1] if self._one else partials):
            if number == len(self._open):
                self._open.append(_Open(self._id(partial.id), partial.name))
            self._open[number].whole = partial.whole
            self._tell(self._open[number], partial.arguments)

    def _tell(self, call: _Open, arguments: str) -> None:
        """Tell that a call has started, and what there is of its arguments."""
        if call.name not in self._offered:
            return
        if not call.started:
            call.started = True
            self._told.append(Told("started", call.id, call.name))
        if len(arguments) > len(call.told):
            self._told.append(Told("delta", call.id, text=arguments[len(call.told) :]))
            call.told = arguments

    def _read(self, text: str) -> list[Call]:
        return tool_calls.read(self._format, text, self._tools)

    def _close(self, text: str) -> None:
        try:
            found = self._read(text)
        except ValueError as error:
            return self._fail(text, str(error))
        for number, call in enumerate(found):
            if self.enough:
                break
            self._finish(number, call, text)
        if len(found) < len(self._open):
            self._fail(text, "it could not be read", len(found))
        return None

    def _finish(self, number: int, call: Call, text: str) -> None:
        if number == len(self._open):
            self._open.append(_Open(self._id(call.id), call.name))
        begun = self._open[number]
        arguments = _as_told(begun, call)
        if arguments is None:
            self.unreadable = True
            self._told.append(Told("failed", begun.id, begun.name, text, "it is written twice"))
            return
        self.made.append((begun.id, replace(call, arguments=arguments)))
        if self._offered and call.name not in self._offered:
            wrong = "it names a tool that was not offered"
            self._told.append(Told("failed", begun.id, call.name, text, wrong))
            return
        self._tell(begun, arguments)
        self._told.append(Told("finished", begun.id, call.name, arguments))

    def _fail(self, text: str, wrong: str, first: int = 0) -> None:
        """Tell that a text is no call, or those in it from the first one on."""
        self.unreadable = True
        if self.enough:
            return
        broken = []
        for begun in self._open[first:]:
            if not self.enough and begun.started and begun.whole and _is_object(begun.told):
                self.made.append((begun.id, Call(begun.name, begun.told)))
                self._told.append(Told("finished", begun.id, begun.name, begun.told))
            else:
                broken.append(begun)
        if not broken and not text.strip():
            return
        for begun in broken or [_Open(self._id(None), "")]:
            name = begun.name if begun.started else ""
            self._told.append(Told("failed", begun.id, name, text, wrong))

    def _id(self, own: str | None) -> str:
        """The model's own id, or one made up: nine letters and digits, as Mistral wants."""
        used = {name for name, _ in self.made} | {begun.id for begun in self._open}
        if own and own not in used:
            return own
        self._numbers += 1
        seed = hashlib.sha256(f"{self._numbers} {self._seed}".encode(errors="replace")).digest()
        return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in seed[:9])


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _as_told(begun: _Open, call: Call) -> str | None:
    """A call's arguments so that they begin with what was told; None where they cannot."""
    if not begun.started:
        begun.name = call.name
        return call.arguments
    if call.name != begun.name:
        return None
    if call.arguments.startswith(begun.told):
        return call.arguments
    try:
        same = json.loads(begun.told) == json.loads(call.arguments)
    except (ValueError, RecursionError):
        same = False
    return begun.told if same else None

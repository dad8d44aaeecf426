"""The tool calls of one answer, told as they are written."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from engine.text import tool_calls
from engine.text.tool_calls import Call

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
    """A call that is being written."""

    id: str
    name: str
    told: str = ""  # of its arguments


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
        self._tools = tools
        self._offered = {tool["function"]["name"] for tool in tools}
        self._seed = prompt
        self._one = one
        self._closed = 0  # texts between markers that are complete
        self._numbers = 0
        self._open: list[_Open] = []  # of the text that is being written
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
            self._close(text)
            self._closed += 1
        if over and current:
            self._fail(current, CUT_OFF)
        told, self._told = self._told, []
        return told

    def _close(self, text: str) -> None:
        try:
            found = tool_calls.read(self._format, text, self._tools)
        except ValueError as error:
            return self._fail(text, str(error))
        for number, call in enumerate(found):
            if self.enough:
                break
            self._finish(number, call, text)
        self._open = []
        return None

    def _finish(self, number: int, call: Call, text: str) -> None:
        if number >= len(self._open):
            self._open.append(_Open(self._id(call.id), call.name))
            if self._known(call.name):
                self._told.append(Told("started", self._open[-1].id, call.name))
        begun = self._open[number]
        self.made.append((begun.id, call))
        if not self._known(call.name):
            wrong = "it names a tool that was not offered"
            self._told.append(Told("failed", begun.id, call.name, text, wrong))
            return
        rest = call.arguments[len(begun.told) :]
        if rest:
            self._told.append(Told("delta", begun.id, text=rest))
        self._told.append(Told("finished", begun.id, call.name, call.arguments))

    def _fail(self, text: str, wrong: str) -> None:
        self.unreadable = True
        if self.enough:
            return
        for begun in self._open or [_Open(self._id(None), "")]:
            self._told.append(Told("failed", begun.id, begun.name, text, wrong))
        self._open = []

    def _known(self, name: str) -> bool:
        return not self._offered or name in self._offered

    def _id(self, own: str | None) -> str:
        """The model's own id, or one made up: nine letters and digits, as Mistral wants."""
        used = {name for name, _ in self.made} | {begun.id for begun in self._open}
        if own and own not in used:
            return own
        self._numbers += 1
        seed = hashlib.sha256(f"{self._numbers} {self._seed}".encode(errors="replace")).digest()
        return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in seed[:9])

"""The tool calls of one answer, reported while they are written.

Arguments that a model writes as JSON are reported character by character. Those between tags are
reported one by one, because only the end of an argument says what it is. Early pieces come from
light scanners; the whole text is read by `engine.text.call_notations`, and that counts.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from engine.text.call_notations import NOTATIONS, Call, Tags, read
from engine.text.growing import GrowingText
from engine.text.tools import with_types

CUT_OFF = "the answer ended within it"

_LONGEST_HEAD = 512
"""Characters before arguments after which nothing more is reported early: it is no call."""
_MOST_ENDS = 64
"""Ends of arguments at which the text so far is read; the time goes with their square."""
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Told(NamedTuple):
    """An event of a call."""

    # it has started; more of its arguments; it is complete; it is none
    kind: Literal["started", "delta", "finished", "failed"]
    id: str
    name: str = ""
    # the arguments, or more of them, as JSON; of a call that is none, all that was written
    text: str = ""
    message: str = ""  # what is wrong with it
    arguments: str = ""  # of a call that could be read, and names a tool that was not offered


# -- calls that are not whole yet ---------------------------------------------------------------


class _Partial(Struct):
    """A call that may not be whole."""

    name: str
    # the beginning of a JSON object; empty while nothing is known
    arguments: GrowingText = field(default_factory=GrowingText)
    own_id: str | None = None  # the model's own, where it stands before the arguments
    whole: bool = False  # its end has come, though maybe not that of its text
    id: str = ""  # under which it is reported
    told: GrowingText = field(default_factory=GrowingText)  # how much of its arguments is reported
    started: bool = False  # its start has been reported

    @property
    def reported(self) -> str:
        return str(self.told)


class _Objects:
    """Follows arguments that are a JSON object as it stands.

    Args:
        head: what comes before an object, from the end of the one before it.
    """

    _PLAIN = re.compile(r'[^"\\{}\[\]\x00-\x1f]+')

    def __init__(self, head: re.Pattern[str]) -> None:
        self._head = head
        self._waiting = ""  # text before the next object
        self._depth = 0
        self._in_text = self._escaped = False
        self.found: list[_Partial] = []

    def feed(self, text: str) -> None:
        """Take more text; `found` then has all calls so far."""
        while text and len(self._waiting) <= _LONGEST_HEAD:
            if self._depth:
                text = self._inside(text)
                continue
            self._waiting, text = self._waiting + text, ""
            begun = self._head.match(self._waiting)
            if begun is not None:
                known = {key: value for key, value in begun.groupdict().items() if value}
                name = known.get("name") or known.get("bare") or known.get("key", "")
                self.found.append(_Partial(name, GrowingText("{"), known.get("id")))
                text, self._waiting = self._waiting[begun.end() :], ""
                self._depth = 1

    def _inside(self, text: str) -> str:
        """Take the text of an object; gives what comes after its end."""
        known, at = list[str](), 0
        while at < len(text) and self._depth:
            plain = None if self._escaped else self._PLAIN.match(text, at)
            if plain is not None:
                known.append(plain[0])
                at = plain.end()
                continue
            one = text[at]
            at += 1
            if self._escaped:
                self._escaped = False
            elif self._in_text:
                self._escaped, self._in_text = one == "\\", one != '"'
            elif one == '"':
                self._in_text = True
            else:
                self._depth += (one in "{[") - (one in "}]")
            # Models write line breaks within texts, which JSON does not allow.
            raw = self._in_text and one < " "
            known.append(f"\\u{ord(one):04x}" if raw else one)
        self.found[-1].arguments.add("".join(known))
        self.found[-1].whole = not self._depth
        return text[at:]


class _Tagged:
    """Follows calls whose arguments are known at the end of each.

    Args:
        head: what names a tool, outside of arguments.
        tags: around the arguments; None where only the name can be reported early.
        read: reads the calls of a text.
    """

    def __init__(
        self, head: re.Pattern[str], tags: Tags | None, read: Callable[[str], list[Call]]
    ) -> None:
        words = [f"(?P<tool>{head.pattern})"]
        if tags is not None:
            words.append(f"(?P<opens>{re.escape(tags.argument)})")
        if tags is not None and tags.close:
            words.append(f"(?P<ends>{re.escape(tags.close)})")
        self._words, self._head = re.compile("|".join(words)), head
        self._closes = tags.after.strip() if tags is not None else ""
        self._end = tags.close if tags is not None else ""
        self._read = read
        self._done = GrowingText()  # what has been looked at
        self._rest = ""
        self._at = 0  # where of it the search goes on
        self._in_argument = False
        self._ends = 0
        self.found: list[_Partial] = []

    def feed(self, text: str) -> None:
        """Take more text; `found` then has all calls so far."""
        self._rest += text
        while self._ends < _MOST_ENDS:
            if self._in_argument:
                at = self._rest.find(self._closes, self._at)
                if at < 0:
                    self._pass(len(self._rest) - len(self._closes) + 1)
                    return
                self._pass(at + len(self._closes))
                self._in_argument = False
                self._look(self._end)
                continue
            word = self._words.search(self._rest, self._at)
            if word is None:
                self._pass(len(self._rest) - _LONGEST_HEAD)
                return
            named = self._head.match(self._rest, word.start())
            self._pass(word.end())
            if word["tool"] is not None:
                self.found.append(_Partial(named[1] if named is not None else ""))
                self._ends += not self._closes
            elif word[0] == self._end:
                self._look("")
            else:
                self._in_argument = True
        self._rest, self._at = "", 0  # nothing more is reported early

    def _pass(self, end: int) -> None:
        """Move on to the character at `end` of the rest."""
        if end > self._at:
            self._done.add(self._rest[self._at : end])
            # One character stays, so that the text's beginning is found once only.
            self._rest, self._at = self._rest[end - 1 :], 1

    def _look(self, end: str) -> None:
        """Read the call that has one more argument, or its end."""
        self._ends += 1
        try:
            calls = self._read(f"{self._done}{end}")
        except ValueError:
            return
        if len(calls) != len(self.found) or calls[-1].name != self.found[-1].name:
            return
        last, known = self.found[-1], calls[-1].arguments
        if self._end and not end:
            last.whole = True
        elif known != "{}":
            known = known.removesuffix("}")
        if (known.startswith(str(last.arguments)) and known != "{}") or last.whole:
            last.arguments = GrowingText(known)


# -- the calls of an answer ---------------------------------------------------------------------


class Calling:
    """Follows what an answer's text says of calls.

    Args:
        name: of the notation: a dialect's `tool_format`.
        tools: those that were offered, in OpenAI's shape; without any all names count.
        prompt: what the answer follows. The ids that are made up depend on it alone, so that the
            same conversation has the same ids.
        one: only the first call counts.
    """

    def __init__(self, name: str, tools: Sequence[dict[str, Any]], prompt: str, one: bool) -> None:
        self._format = name
        self._tools = [with_types(tool) for tool in tools]
        self._offered = {tool["function"]["name"] for tool in tools}
        self._seed = prompt
        self._one = one
        self._closed = 0  # texts between markers that are complete
        self._numbers = 0
        self._told: list[Told] = []
        self.made: list[tuple[str, Call]] = []  # the calls that are complete, with their ids
        self.unreadable = False  # some text between the markers of calls was none
        self._next_text()

    def _next_text(self) -> None:
        self._open: list[_Partial] = []  # of the text that is being written
        self._taken = 0  # characters of it
        self._stream: _Objects | _Tagged | None = None
        notation = NOTATIONS.get(self._format)
        if notation is not None and notation.json:
            self._stream = _Objects(notation.head)
        elif notation is not None:
            self._stream = _Tagged(notation.head, notation.tags, self._read)

    @property
    def enough(self) -> bool:
        """Whether no more calls are wanted."""
        return self._one and any(call.name in self._offered for _, call in self.made)

    def follow(
        self, complete: Sequence[str], current: str | GrowingText, over: bool = False
    ) -> list[Told]:
        """What is new, now that these texts between markers are complete, and one is not.

        Args:
            over: no more text comes.
        """
        for text in complete[self._closed :]:
            self._advance(text)
            self._close(text)
            self._closed += 1
            self._next_text()
        self._advance(current)
        if over and current:
            self._fail(str(current), CUT_OFF)
        told, self._told = self._told, []
        return told

    def _advance(self, text: str | GrowingText) -> None:
        """Report what more is known of the calls in a text that has grown to this."""
        if len(text) == self._taken or not self._offered or self._stream is None:
            return
        taken = self._taken
        self._stream.feed(text[taken:] if isinstance(text, str) else text.since(taken))
        self._taken = len(text)
        if self.enough:
            return
        for number, partial in enumerate(self._stream.found[: 1 if self._one else None]):
            if number == len(self._open):
                partial.id = self._id(partial.own_id)
                self._open.append(partial)
            self._report(partial, partial.arguments)

    def _report(self, call: _Partial, arguments: GrowingText) -> None:
        """Report that a call has started, and what there is of its arguments."""
        if call.name not in self._offered:
            return
        if not call.started:
            call.started = True
            self._told.append(Told("started", call.id, call.name))
        if len(arguments) > len(call.told):
            more = arguments.since(len(call.told))
            self._told.append(Told("delta", call.id, text=more))
            call.told.add(more)

    def _read(self, text: str) -> list[Call]:
        return read(self._format, text, self._tools)

    def _close(self, text: str) -> None:
        try:
            found = self._read(text)
        except ValueError as error:
            self._fail(text, str(error))
            return
        for number, call in enumerate(found):
            if self.enough:
                break
            self._finish(number, call, text)
        if len(found) < len(self._open):
            self._fail(text, "it could not be read", len(found))

    def _finish(self, number: int, call: Call, text: str) -> None:
        if number == len(self._open):
            self._open.append(_Partial(call.name, id=self._id(call.id)))
        begun = self._open[number]
        arguments = _as_reported(begun, call)
        if arguments is None:
            self.unreadable = True
            self._told.append(Told("failed", begun.id, begun.name, text, "it is written twice"))
            return
        self.made.append((begun.id, replace(call, arguments=arguments)))
        if self._offered and call.name not in self._offered:
            wrong = "it names a tool that was not offered"
            self._told.append(Told("failed", begun.id, call.name, text, wrong, arguments))
            return
        self._report(begun, GrowingText(arguments))
        self._told.append(Told("finished", begun.id, call.name, arguments))

    def _fail(self, text: str, wrong: str, first: int = 0) -> None:
        """Report that a text is no call, or those in it from the first one on."""
        self.unreadable = True
        if self.enough:
            return
        broken = []
        for begun in self._open[first:]:
            if not self.enough and begun.started and begun.whole and _is_object(begun.reported):
                self.made.append((begun.id, Call(begun.name, begun.reported)))
                self._told.append(Told("finished", begun.id, begun.name, begun.reported))
            else:
                broken.append(begun)
        if not broken and not text.strip():
            return
        for begun in broken or [_Partial("", id=self._id(None))]:
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


def _as_reported(begun: _Partial, call: Call) -> str | None:
    """A call's arguments so that they begin with what was reported; None where they cannot."""
    if not begun.started:
        begun.name = call.name
        return call.arguments
    if call.name != begun.name:
        return None
    if call.arguments.startswith(begun.reported):
        return call.arguments
    try:
        same = json.loads(begun.reported) == json.loads(call.arguments)
    except (ValueError, RecursionError):
        same = False
    return begun.reported if same else None

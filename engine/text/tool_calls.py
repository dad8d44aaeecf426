"""Events about tool calls while they are being written.

JSON arguments are reported as they arrive. In other notations, only the text after a value shows
where the value ends, so the arguments are reported when the call is complete. Finally,
`engine.text.call_notations` parses the complete text, and its result is authoritative.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from engine.text.call_notations import NOTATIONS, Call, parse_calls
from engine.text.call_values import escape, skip_blanks

CUT_OFF = "the answer ended inside of it"
NO_CALL = "it is not a call"

_MAX_HEAD_CHARACTERS = 512
"""Maximum characters of a head without arguments. Longer calls aren't reported early."""
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class ToolCallUpdate(NamedTuple):
    # "delta" adds to the arguments. "failed" means that the text isn't a call.
    kind: Literal["started", "delta", "finished", "failed"]
    id: str
    name: str = ""
    # Arguments as JSON, or a chunk of them. For "failed", the entire text including markers.
    text: str = ""
    message: str = ""  # reason for the failure
    arguments: str = ""  # arguments of a failed call, if its tool wasn't offered


class CallText(NamedTuple):
    """Text of one or more calls, and the markers around it."""

    inside: str
    start: str = ""
    end: str = ""
    bare: bool = False  # recognized by the name of an offered tool, without a marker
    pieces: Sequence[str] = ()

    @property
    def full_text(self) -> str:
        return f"{self.start}{self.inside}{self.end}"


class _Partial(Struct):
    name: str
    own_id: str | None = None  # the model's own id, if it precedes the arguments
    is_complete: bool = False  # the call is complete, although the text around it may not be
    id: str = ""  # id that was reported
    started: bool = False  # the start was reported
    new_chunks: list[str] = []  # chunks of the arguments that haven't been reported
    reported_chunks: list[str] = []  # chunks that have been reported

    @property
    def reported(self) -> str:
        return "".join(self.reported_chunks)


class _Objects:
    """Scanner for JSON objects as arguments.

    Only text that is certainly part of the arguments is reported. The scanner stops at the first
    invalid token, because invalid JSON is repaired later (`call_values.parse_literal`).

    Args:
        head: pattern for what comes before an object, from the end of the previous object on.
    """

    _INSIDE = re.compile(r'[^"\\]+|\\(?:u[0-9a-fA-F]{0,4}|.)|["\\]', re.DOTALL)
    _PART = re.compile(r"[\w.+-]+")
    _BETWEEN = re.compile(rf'\s+|[{{}}\[\],:"]|{_PART.pattern}|.')
    _WORD = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")

    def __init__(self, head: re.Pattern[str]) -> None:
        self._head = head
        # Chunks of the text before the next object, or of a possibly incomplete token.
        self._buffer: list[str] = []
        self._nesting = ""  # open brackets
        self._last = ""  # the previous token: a bracket, a comma, a colon, "key" or "value"
        self._in_text = False
        # Quote, comma or whitespace, whose validity depends on the text that follows.
        self._undecided = ""
        self._is_over = False  # nothing more can be reported early
        self.found: list[_Partial] = []

    def feed(self, text: str) -> None:
        is_open = self._buffer and self._nesting and not self._in_text
        if is_open and self._PART.fullmatch(text):
            self._buffer.append(text)  # joined only once, because a number can be long
            return
        while text and not self._is_over:
            text, self._buffer = "".join([*self._buffer, text]), []
            if self._nesting:
                text = self._scan_object(text)
                continue
            head = self._head.match(text)
            if head is None:
                self._is_over = len(text) > _MAX_HEAD_CHARACTERS
                self._buffer, text = [text], ""
                continue
            fields = {key: value for key, value in head.groupdict().items() if value}
            name = fields.get("name") or fields.get("bare") or fields.get("key", "")
            self.found.append(
                _Partial(name.strip(), fields.get("id"), new_chunks=["{"], reported_chunks=[])
            )
            self._nesting = self._last = "{"
            text = text[head.end() :]

    def _scan_object(self, text: str) -> str:
        parts, at = self.found[-1].new_chunks, 0
        while at < len(text) and self._nesting and not self._is_over:
            token = (self._INSIDE if self._in_text else self._BETWEEN).match(text, at)
            assert token is not None
            word, at = token[0], token.end()
            if self._in_text:
                if (
                    word[0] == "\\"
                    and at == len(text)
                    and len(word) < (6 if word[1:2] == "u" else 2)
                ):
                    self._buffer = [word]
                elif word == '"':
                    self._in_text, self._undecided = False, word
                else:
                    parts.append(escape(word))
            elif not word.strip() or word == ",":
                self._undecided += word
            elif at == len(text) and self._PART.fullmatch(word):
                self._buffer = [word]
            else:
                self._scan_structure(word, parts)
        self.found[-1].is_complete = not self._nesting and not self._is_over
        return text[at:]

    def _scan_structure(self, word: str, parts: list[str]) -> None:
        commas = "," * self._undecided.count(",")
        if not all(map(self._fits, [*commas, word])):
            self._is_over = True
            return
        parts.append(self._undecided + word)
        self._undecided = ""
        self._in_text = word == '"'

    def _fits(self, token: str) -> bool:
        """Return True if a token may follow the previous token, which it replaces."""
        last, inside = self._last, self._nesting[-1]
        self._last = token
        if token in "}]":
            self._nesting, self._last = self._nesting[:-1], "value"
            return last in ("value", inside) and inside + token in ("{}", "[]")
        if token in ",:":
            return last == ("value" if token == "," else "key")
        if inside == "{" and last in "{,":
            self._last = "key"
            return token == '"'
        if token in "{[":
            self._nesting += token
        else:
            self._last = "value"
        return last in "[,:" and (token in '{["' or self._WORD.fullmatch(token) is not None)


class _Names:
    """Scanner for the name of the first call, in notations with arguments reported at the end."""

    def __init__(self, head: re.Pattern[str]) -> None:
        self._head = head
        self._text = ""
        self.found: list[_Partial] = []

    def feed(self, text: str) -> None:
        if self.found or len(self._text) > _MAX_HEAD_CHARACTERS:
            return
        self._text += text
        head = self._head.match(self._text, skip_blanks(self._text, 0))
        if head is not None and head.end() < len(self._text):
            self.found.append(_Partial(head["name"].strip(), new_chunks=[], reported_chunks=[]))


class ToolCallTracker(Struct, eq=False, dict=True):
    notation: str  # a dialect's `tool_format`
    # Offered tools in OpenAI's format, without references (`tools.resolve_types`). If empty, any
    # tool name is accepted.
    tools: Sequence[dict[str, Any]]
    # Text before the reply. Generated ids are derived from it, so that the same conversation always
    # gets the same ids.
    prompt: str
    only_one: bool  # only the first call counts
    has_enough: bool = False  # the reply has the only call we want
    calls: list[tuple[str, Call]] = []  # complete calls with their ids
    unreadable: bool = False  # some text between call markers wasn't a call
    _numbers: int = 0
    _events: list[ToolCallUpdate] = []
    _open: list[_Partial] = []  # calls in the current text
    _scanned: int = 0  # number of chunks of the text scanned so far
    _stream: _Objects | _Names | None = None  # scanner of the text

    @cached_property
    def _offered(self) -> set[str]:
        return {tool["function"]["name"] for tool in self.tools}

    def update(
        self, pieces: Sequence[str], over: bool = False, start: str = ""
    ) -> list[ToolCallUpdate]:
        """Return the new events.

        Args:
            pieces: chunks of the text being written between markers.
            over: True if no more text follows.
            start: marker in front of the text.
        """
        self._advance(pieces)
        if over and pieces:
            self._fail(CallText("".join(pieces), start), CUT_OFF)
        updates, self._events = self._events, []
        return updates

    def close(self, text: CallText, cut: bool = False) -> str:
        """Process the text between two markers. Return the part of it that isn't a tool call.

        Args:
            cut: True if the end marker is missing, so the last call is incomplete.
        """
        plain_text = ""
        if not cut:
            plain_text = self._close(text)
        elif self._is_text(text.inside):
            plain_text = self._fail(text, NO_CALL)
        if plain_text or not cut:
            self._open, self._scanned, self._stream = [], 0, None
        return plain_text

    def _advance(self, pieces: Sequence[str]) -> None:
        notation = NOTATIONS.get(self.notation)
        if len(pieces) == self._scanned or not self._offered or notation is None:
            return
        if self._stream is None:
            self._stream = (_Objects if notation.json else _Names)(notation.head)
        self._stream.feed("".join(pieces[self._scanned :]))
        self._scanned = len(pieces)
        if self.has_enough:
            return
        for number, partial in enumerate(self._stream.found[: 1 if self.only_one else None]):
            if number == len(self._open):
                partial.id = self._make_id(partial.own_id)
                self._open.append(partial)
            arguments, partial.new_chunks = "".join(partial.new_chunks), []
            self._report(partial, arguments)

    def _report(self, call: _Partial, arguments: str) -> None:
        if call.name not in self._offered:
            return
        if not call.started:
            call.started = True
            self._events.append(ToolCallUpdate("started", call.id, call.name))
        if arguments:
            self._events.append(ToolCallUpdate("delta", call.id, text=arguments))
            call.reported_chunks.append(arguments)

    def _close(self, text: CallText) -> str:
        if self._stream is not None and self._stream.found:
            self._advance(text.pieces)
        try:
            parsed = parse_calls(self.notation, text.inside, self.tools)
        except ValueError as error:
            bare = text.bare and not any(partial.started for partial in self._open)
            return self._fail(text, NO_CALL if bare else str(error))
        if text.bare and not any(call.name in self._offered for call in parsed.calls):
            return self._fail(text, NO_CALL)
        for number, call in enumerate(parsed.calls):
            if self.has_enough:
                break
            self._finish(number, call, text)
        if len(parsed.calls) < len(self._open):
            return self._fail(text, "it could not be read", len(parsed.calls))
        if parsed.calls and parsed.rest:
            return self._fail(CallText(parsed.rest), NO_CALL, len(self._open))
        return "" if parsed.calls else self._fail(text, NO_CALL)

    def _finish(self, number: int, call: Call, text: CallText) -> None:
        if number == len(self._open):
            self._open.append(
                _Partial(call.name, id=self._make_id(call.id), new_chunks=[], reported_chunks=[])
            )
        partial = self._open[number]
        if not partial.started:
            partial.name = call.name
        arguments, reported = call.arguments, partial.reported
        if partial.started and not (call.name == partial.name and arguments.startswith(reported)):
            self.unreadable = True
            wrong = "it is written twice"
            self._events.append(
                ToolCallUpdate("failed", partial.id, partial.name, text.full_text, wrong)
            )
            return
        self._add(partial.id, call)
        if self._offered and call.name not in self._offered:
            wrong = "it names a tool that was not offered"
            self._events.append(
                ToolCallUpdate("failed", partial.id, call.name, text.full_text, wrong, arguments)
            )
            return
        self._report(partial, arguments[len(reported) :])
        self._events.append(ToolCallUpdate("finished", partial.id, call.name, arguments))

    def _add(self, call_id: str, call: Call) -> None:
        self.calls.append((call_id, call))
        self.has_enough = self.has_enough or (self.only_one and call.name in self._offered)

    def _fail(self, text: CallText, wrong: str, first: int = 0) -> str:
        """Report that a text can't be parsed, from call number `first` on.

        Returns the text, unless part of it was reported or looks like a call.
        """
        self.unreadable = True
        if self.has_enough:
            return ""
        broken = []
        for partial in self._open[first:]:
            if (
                not self.has_enough
                and partial.started
                and partial.is_complete
                and _is_object(partial.reported)
            ):
                self._add(partial.id, Call(partial.name, partial.reported))
                self._events.append(
                    ToolCallUpdate("finished", partial.id, partial.name, partial.reported)
                )
            else:
                broken.append(partial)
        if not any(partial.started for partial in broken):
            if wrong == NO_CALL or (wrong != CUT_OFF and self._is_text(text.inside)):
                return text.full_text
            if not broken and not text.inside.strip():
                return ""
        for partial in broken or [_Partial("", id=self._make_id(None))]:
            name = partial.name if partial.started else ""
            self._events.append(ToolCallUpdate("failed", partial.id, name, text.full_text, wrong))
        return ""

    def _is_text(self, text: str) -> bool:
        started = any(partial.started for partial in self._open)
        return not started and not any(name in text for name in self._offered)

    def _make_id(self, requested: str | None) -> str:
        """Return the model's id, or a new one (nine letters and digits, as Mistral requires)."""
        used = {name for name, _ in self.calls} | {partial.id for partial in self._open}
        if requested and requested not in used:
            return requested
        self._numbers += 1
        seed = hashlib.sha256(f"{self._numbers} {self.prompt}".encode(errors="replace")).digest()
        return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in seed[:9])


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False

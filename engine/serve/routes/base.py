"""What routes have in common: their description, what is asked for, how an answer is gathered
and written."""

from __future__ import annotations

import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from starlette.routing import Route

from engine.messages import (
    Event,
    Finished,
    FinishReason,
    Message,
    PromptProgress,
    RawPrompt,
    ReplyStats,
    TextDelta,
    TokenOdds,
    ToolCallDelta,
    ToolCallFailed,
    ToolCallFinished,
    ToolCallStarted,
)
from engine.model.info import Model
from engine.params import SamplingParams
from engine.serve import documents
from engine.serve.auth import LOCAL, Guest
from engine.serve.routes.schema import JSON, Body, parsed
from engine.serve.sessions import SessionConfig
from engine.text.tool_calls import CUT_OFF
from engine.text.tools import name_of, tool_call

log = logging.getLogger(__name__)


class Operation(Route):
    """A route, and what `/openapi.json` says of it.

    Args:
        endpoint: a function of Starlette's, or an ASGI application.
    """

    def __init__(
        self,
        method: str,
        path: str,
        endpoint: Callable[..., Any],
        summary: str,
        *,
        body: type[Body] | None = None,
        body_required: bool = False,
        media_type: str = "application/json",
        status: int = 200,
    ) -> None:
        super().__init__(path, endpoint, methods=[method])
        self.method = method  # of HTTP
        self.summary = summary  # a sentence
        self.body = body  # the model of its body; None where it has none
        self.body_required = body_required  # whether there has to be a body
        self.media_type = media_type  # of its answer
        self.status = status  # of an answer that is no error


class Generation(Struct, frozen=True):
    """What a request wants to be generated."""

    model: Model
    # conversations, or texts to be continued. All are of the same kind.
    prompts: Sequence[list[Message] | RawPrompt]
    params: SamplingParams
    config: SessionConfig = field(default_factory=SessionConfig)
    n: int = 1  # answers to each prompt
    stream: bool = False  # send each piece as it comes, and not the whole answer at its end
    # what the chat template is given beside the messages
    template: Mapping[str, Any] = field(default_factory=dict)
    usage: bool = False  # a stream ends with the figures
    # what the API's writer needs to know beside that
    extra: Mapping[str, Any] = field(default_factory=dict)
    returns_reasoning: bool = True

    @property
    def messages(self) -> list[Message]:
        """The conversation; empty where something is to be continued."""
        first = self.prompts[0]
        return [] if isinstance(first, RawPrompt) else first

    @property
    def head(self) -> list[str]:
        """The names of the tools at the head of the prompt."""
        return [name_of(tool) for tool in self.template.get("tools", self.params.offered)]


# -- one answer ------------------------------------------------------------------------------------


LEAST = -9999.0  # what stands for a probability of 0, as with OpenAI: JSON has no infinity


def _one(odds: TokenOdds) -> dict[str, Any]:
    return {
        "token": _text(odds),
        "logprob": max(odds.logprob, LEAST),
        "bytes": list(odds.data),
    }


def listed_odds(odds: Iterable[TokenOdds]) -> list[dict[str, Any]]:
    """As chat completions and responses have it."""
    return [{**_one(o), "top_logprobs": [_one(t) for t in o.top]} for o in odds]


def odds_columns(odds: Iterable[TokenOdds], offset: int) -> dict[str, Any]:
    """As completions have it. `offset` is where the text of these tokens begins."""
    names = ("tokens", "token_logprobs", "top_logprobs", "text_offset")
    out: dict[str, list[Any]] = {name: [] for name in names}
    for token in odds:
        out["tokens"].append(_text(token))
        out["token_logprobs"].append(max(token.logprob, LEAST))
        tops = {_text(t): max(t.logprob, LEAST) for t in reversed(token.top)}
        out["top_logprobs"].append(tops)
        out["text_offset"].append(offset)
        offset += len(_text(token))
    return out


def _text(odds: TokenOdds) -> str:
    try:
        return odds.data.decode()
    except UnicodeDecodeError:
        return "bytes:" + "".join(f"\\x{b:02x}" for b in odds.data)


class Text(Struct, frozen=True):
    """New text of the answer, or of the reasoning before it."""

    text: str
    reasoning: bool
    odds: tuple[TokenOdds, ...] = ()


class Called(Struct, frozen=True):
    """A tool call."""

    number: int  # of the call in its answer, from 0
    id: str
    name: str
    arguments: str  # as JSON


class CallBegun(Struct, frozen=True):
    """A tool call with the beginning of its arguments, which may be all of them."""

    number: int  # of the call in its answer, from 0
    id: str
    name: str
    text: str


class CallMore(Struct, frozen=True):
    """More of a tool call's arguments."""

    number: int
    text: str


class CallBroken(Struct, frozen=True):
    """What was begun as a tool call is none."""

    number: int


Piece = Text | CallBegun | CallMore | Called | CallBroken
"""Each call begins, may have more, and ends as called or broken. Another may begin before its end,
but none has more after another has begun."""


class Choice(Struct, eq=False):
    """One answer to a request."""

    index: int  # of the answer among those to the request
    calls_tools: bool = False  # tools were offered. A call that nobody offered is text.
    streams: bool = False  # its pieces are told one by one, and cannot be taken back
    prompt: int = 0  # which of the request's prompts it answers
    returns_reasoning: bool = True
    prompt_tokens: int = 0  # of its prompt, once they are known
    reused_tokens: int = 0  # how many of them were in a cache already
    reasoning: list[str] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    calls: list[Called] = field(default_factory=list)
    odds: list[TokenOdds] = field(default_factory=list)
    last: Finished | None = None
    _blanks: str = ""
    _names: dict[str, str] = field(default_factory=dict)  # of calls, by their ids
    _begun: dict[str, int] = field(default_factory=dict)  # the numbers of calls
    _texts: dict[str, list[str]] = field(default_factory=dict)  # the arguments of calls so far
    _cut: ToolCallFailed | None = None  # a call within which the answer has ended

    def take(self, event: Event) -> Iterator[Piece]:
        """Take an event; gives what a client may be told of."""
        if isinstance(event, PromptProgress):
            self.prompt_tokens, self.reused_tokens = event.total, event.reused
        elif isinstance(event, Finished):
            self.last = event
            if self._cut is not None:
                yield from self._ended_within(self._cut)
            if not self.calls:
                yield from self._say(self._blanks, ())
        elif isinstance(event, ToolCallStarted):
            self._names[event.id] = event.name
        elif isinstance(event, ToolCallDelta):
            yield self._more(event)
        elif isinstance(event, ToolCallFinished):
            yield self._called(event)
        elif isinstance(event, ToolCallFailed):
            yield from self._not_called(event)
        elif isinstance(event, TextDelta) and not (self.calls_tools and event.kind == "tool"):
            yield from self._add(event.text, event.kind == "reasoning", event.odds)

    def _more(self, event: ToolCallDelta) -> Piece:
        self._blanks = ""
        self._texts.setdefault(event.id, []).append(event.text)
        if event.id in self._begun:
            return CallMore(self._begun[event.id], event.text)
        number = self._begun[event.id] = len(self._begun)
        return CallBegun(number, event.id, self._names[event.id], event.text)

    def _called(self, event: ToolCallFinished) -> Piece:
        called = Called(self._begun[event.id], event.id, event.name, event.arguments)
        self.calls.append(called)
        return called

    def _not_called(self, event: ToolCallFailed) -> Iterator[Piece]:
        """A call that is none: closed where that adds nothing to it, or ended with a reason."""
        if event.message == CUT_OFF:
            self._cut = event  # it counts whether the answer has ended by itself
        elif event.arguments:
            # Its client tells the model that it has no such tool.
            log.info("a call of a tool that was not offered is given to its client")
            yield from self._given(event.id, event.name, event.arguments)
        else:
            yield from self._closed(event)

    def _ended_within(self, event: ToolCallFailed) -> Iterator[Piece]:
        if self.by_length or (self.last is not None and self.last.reason != FinishReason.STOP):
            if self.streams and event.id in self._begun:
                yield CallBroken(self._begun[event.id])
        else:
            yield from self._closed(event)

    def _closed(self, event: ToolCallFailed) -> Iterator[Piece]:
        begun = "".join(self._texts.get(event.id, ()))
        missing = _missing_ends(begun) if event.id in self._names else None
        if missing is not None:
            log.info("a call that was not closed is closed: %s", event.message)
            yield from self._given(event.id, self._names[event.id], begun + missing)
            return
        log.info("a tool call is damaged and shown as text: %s", event.message)
        if self.streams and event.id in self._begun:
            yield CallBroken(self._begun[event.id])
        why = event.message.rstrip(".")
        note = f"[A call of a tool was damaged and is shown as text: {why}.]"
        yield from self._add(f"{note}\n{event.text}", False, ())

    def _given(self, name: str, tool: str, arguments: str) -> Iterator[Piece]:
        """A whole call, of which some may have been told."""
        if more := arguments[sum(map(len, self._texts.get(name, ()))) :]:
            self._names[name] = tool
            yield self._more(ToolCallDelta("", "", name, more))
        called = Called(self._begun[name], name, tool, arguments)
        self.calls.append(called)
        yield called

    def _add(self, text: str, reasoning: bool, odds: tuple[TokenOdds, ...]) -> Iterator[Piece]:
        if reasoning:
            if self.returns_reasoning:
                self.reasoning.append(text)
                yield Text(text, True)
            return
        if self.calls_tools:
            # Blanks around calls are no part of the answer. What follows decides about them.
            whole = self._blanks + text
            text = whole.rstrip()
            self._blanks = whole[len(text) :]
        yield from self._say(text, odds)

    def _say(self, text: str, odds: tuple[TokenOdds, ...]) -> Iterator[Piece]:
        self.odds += odds
        self.answer.append(text)
        if text or odds:
            yield Text(text, False, odds)

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self.answer)

    @property
    def thought(self) -> str:
        """The reasoning so far."""
        return "".join(self.reasoning)

    @property
    def stats(self) -> ReplyStats:
        """The figures; zeros until it has ended."""
        return self.last.stats if self.last is not None else ReplyStats()

    @property
    def by_length(self) -> bool:
        """Whether it ended because it may not be longer. Doors have no word for lack of memory."""
        ends = (FinishReason.LENGTH, FinishReason.MEMORY)
        return self.last is not None and self.last.reason in ends

    @property
    def stop(self) -> str | None:
        """The stop string that ended it."""
        return self.last.stop if self.last is not None else None

    @property
    def said(self) -> Message:
        """The answer as its client will send it in the next turn."""
        message: Message = {"role": "assistant", "content": self.text}
        if self.calls:
            message["content"] = self.text if self.text.strip() else ""
            message["tool_calls"] = [
                tool_call(call.id, call.name, json.loads(call.arguments)) for call in self.calls
            ]
        return message


def _missing_ends(arguments: str) -> str | None:
    """The brackets that close arguments which lack nothing else; None where they lack more.

    What breaks off within a text or a number is never closed: a command of which half is there
    must not be run.
    """
    open_ones, in_text, escaped = list[str](), False, False
    for one in arguments:
        if in_text:
            in_text, escaped = escaped or one != '"', one == "\\" and not escaped
        elif one == '"':
            in_text = True
        elif one in "{[":
            open_ones.append("}" if one == "{" else "]")
        elif one in "}]" and (not open_ones or open_ones.pop() != one):
            return None
    if in_text or not open_ones or arguments.rstrip()[-1:] not in ('"', "}", "]"):
        return None
    ends = "".join(reversed(open_ones))
    try:
        json.loads(arguments + ends)
    except (ValueError, RecursionError):
        return None
    return ends


# -- how it is written -----------------------------------------------------------------------------


class Writer(ABC):
    """Writes one answer in the shape of an API.

    Args:
        choices: the answers as they are gathered, in their order.
    """

    def __init__(self, generation: Generation, choices: list[Choice]) -> None:
        self.generation = generation
        self.choices = choices

    @property
    def all_ended(self) -> bool:
        return all(choice.last is not None for choice in self.choices)

    @property
    def open_choice(self) -> Choice:
        """The first choice that has not ended. A chunk after the reason of an end is invalid."""
        return next((choice for choice in self.choices if choice.last is None), self.choices[-1])

    def begin(self) -> bytes:
        """What a stream begins with, once the length of the prompt is known."""
        return b""

    @abstractmethod
    def piece(self, choice: Choice, piece: Piece) -> bytes:
        """What a stream says of a piece, which the choice has taken already."""

    @abstractmethod
    def ended(self, choice: Choice) -> bytes:
        """What a stream says of a choice's end."""

    @abstractmethod
    def end(self) -> bytes:
        """What a stream ends with."""

    @abstractmethod
    def sign_of_life(self) -> bytes:
        """An event that says nothing. Clients give up a stream without events."""

    @abstractmethod
    def whole(self) -> JSON:
        """The answer in one piece."""


class BlockWriter(Writer):
    """Writes an answer in blocks (reasoning, text, a call), of which one is open at a time.

    Attributes:
        block: what is open: "reasoning", "text", "call", or "" for nothing.
    """

    block = ""
    _call = -1  # the number of the call that was begun last

    @abstractmethod
    def open(self, block: str, call: CallBegun | None = None) -> bytes:
        """The events for a block's beginning; a call's name is in `call`."""

    @abstractmethod
    def more(self, piece: Text | CallBegun | CallMore) -> bytes:
        """The events for more of the open block."""

    @abstractmethod
    def close(self, incomplete: bool) -> bytes:
        """The events for the open block's end."""

    def piece(self, choice: Choice, piece: Piece) -> bytes:
        if isinstance(piece, (Called, CallBroken)):
            ends = self.block == "call" and piece.number == self._call
            return self._close(isinstance(piece, CallBroken)) if ends else b""
        out = b""
        if isinstance(piece, CallBegun):
            self._call = piece.number
            out = self._close() + self._open("call", piece)
        elif isinstance(piece, Text):
            block = "reasoning" if piece.reasoning else "text"
            if self.block != block:
                out = self._close() + self._open(block)
        return out + self.more(piece)

    def ended(self, choice: Choice) -> bytes:
        return self._close(choice.by_length)

    def _open(self, block: str, call: CallBegun | None = None) -> bytes:
        self.block = block
        return self.open(block, call)

    def _close(self, incomplete: bool = False) -> bytes:
        if not self.block:
            return b""
        out = self.close(incomplete)
        self.block = ""
        return out


class API:
    """A shape of requests that a model answers. It knows nothing of sockets and sessions."""

    path: str
    summary: str
    body: type[Body]  # the model of its bodies, whose `asks` says what is asked for
    writer: Callable[[Generation, list[Choice]], Writer]  # writes an answer that is generated
    media_type = "text/event-stream; charset=utf-8"  # of a stream
    streams_overflow = False  # a stream, and not a status, reports a prompt that is too long

    def failed(self, error: JSON, writer: Any = None) -> bytes:
        """Return what a stream says of a failure.

        Args:
            error: in the API's shape.
            writer: of the answer; None if the body has not been read.
        """
        return event(error)

    def comment(self, text: str) -> bytes:
        """Return a comment in a stream, which clients skip; b"" if the format has none."""
        return f": {text}\n\n".encode()

    def takes_long(self, body: Mapping[str, Any]) -> bool:
        """Whether a body takes a while to be understood, however small it is."""
        return documents.is_in(body)

    def read(self, body: Mapping[str, Any], model: Model, guest: Guest = LOCAL) -> Any:
        """What a body of the guest's asks for: a `Generation`, where the answer is generated.

        Raises:
            ValueError: says what is wrong with it, or what cannot be done.
            RefusedError: where the status is not 400.
        """
        return parsed(self.body, body).asks(model)


def encoded(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")


def event(content: Any, name: str | None = None) -> bytes:
    head = b"" if name is None else f"event: {name}\n".encode()
    return head + b"data: " + encoded(content) + b"\n\n"

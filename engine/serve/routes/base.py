"""Base classes of routes: description, requested generation, and collecting an answer."""

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
from engine.serve.routes.schema import JSON, Body, validate
from engine.serve.sessions import SessionConfig
from engine.text.tool_calls import CUT_OFF
from engine.text.tools import name_of, tool_call

log = logging.getLogger(__name__)


class APIRoute(Route):
    """Route with its description for `/openapi.json`.

    Args:
        endpoint: a Starlette function, or an ASGI application.
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
        self.method = method
        self.summary = summary
        self.body = body  # model of its body, or None
        self.body_required = body_required
        self.media_type = media_type  # of the response
        self.status = status  # on success


class Generation(Struct, frozen=True):
    """Text generation that a request asks for."""

    model: Model
    # conversations or raw prompts, not mixed
    prompts: Sequence[list[Message] | RawPrompt]
    params: SamplingParams
    config: SessionConfig = field(default_factory=SessionConfig)
    n: int = 1  # answers per prompt
    stream: bool = False
    # template arguments besides the messages
    template: Mapping[str, Any] = field(default_factory=dict)
    usage: bool = False  # send token counts at the end of a stream
    # additional data for the API's writer
    extra: Mapping[str, Any] = field(default_factory=dict)
    returns_reasoning: bool = True

    @property
    def messages(self) -> list[Message]:
        """The conversation, or [] for raw prompts."""
        first = self.prompts[0]
        return [] if isinstance(first, RawPrompt) else first

    @property
    def head(self) -> list[str]:
        """Names of the tools at the beginning of the prompt."""
        return [name_of(tool) for tool in self.template.get("tools", self.params.offered)]


# -- one answer ------------------------------------------------------------------------------------


MIN_LOGPROB = -9999.0  # log probability of 0, as in OpenAI's API, because JSON has no infinity


def _one(odds: TokenOdds) -> dict[str, Any]:
    return {
        "token": _text(odds),
        "logprob": max(odds.logprob, MIN_LOGPROB),
        "bytes": list(odds.data),
    }


def listed_odds(odds: Iterable[TokenOdds]) -> list[dict[str, Any]]:
    """Return log probabilities in the shape of chat completions and responses."""
    return [{**_one(o), "top_logprobs": [_one(t) for t in o.top]} for o in odds]


def odds_columns(odds: Iterable[TokenOdds], offset: int) -> dict[str, Any]:
    """Return log probabilities in the shape of completions, for text that begins at `offset`."""
    names = ("tokens", "token_logprobs", "top_logprobs", "text_offset")
    out: dict[str, list[Any]] = {name: [] for name in names}
    for token in odds:
        out["tokens"].append(_text(token))
        out["token_logprobs"].append(max(token.logprob, MIN_LOGPROB))
        tops = {_text(t): max(t.logprob, MIN_LOGPROB) for t in reversed(token.top)}
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
    """Text of the answer or its reasoning."""

    text: str
    reasoning: bool
    odds: tuple[TokenOdds, ...] = ()


class CallComplete(Struct, frozen=True):
    """A complete tool call."""

    number: int  # of the call in its answer, from 0
    id: str
    name: str
    arguments: str  # as JSON


class CallStart(Struct, frozen=True):
    """Start of a tool call, with the beginning of its arguments or all of them."""

    number: int  # of the call in its answer, from 0
    id: str
    name: str
    text: str


class CallDelta(Struct, frozen=True):
    """Continuation of a tool call's arguments."""

    number: int
    text: str


class CallBroken(Struct, frozen=True):
    """Text that began like a tool call and is not a valid one."""

    number: int


Piece = Text | CallStart | CallDelta | CallComplete | CallBroken
"""Part of an answer. Each call has a beginning, any number of continuations, and an end (complete
or broken). Another call may begin before that end, but after that only the newest has
continuations."""


class Choice(Struct, eq=False):
    """An answer to a request."""

    index: int  # among the answers to the request
    calls_tools: bool = False  # tools were offered; otherwise calls are text
    streams: bool = False  # pieces are sent immediately and cannot be revoked
    prompt: int = 0  # index of its prompt in the request
    returns_reasoning: bool = True
    prompt_tokens: int = 0  # once known
    reused_tokens: int = 0  # prompt tokens found in a cache
    reasoning: list[str] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    calls: list[CallComplete] = field(default_factory=list)
    odds: list[TokenOdds] = field(default_factory=list)
    last: Finished | None = None
    _blanks: str = ""
    _names: dict[str, str] = field(default_factory=dict)  # of calls, by id
    _begun: dict[str, int] = field(default_factory=dict)  # numbers of calls, by id
    _texts: dict[str, list[str]] = field(default_factory=dict)  # arguments of calls, by id
    _cut: ToolCallFailed | None = None  # call in which the answer ended

    def take(self, event: Event) -> Iterator[Piece]:
        """Process an event, and yield the pieces for the client."""
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
            return CallDelta(self._begun[event.id], event.text)
        number = self._begun[event.id] = len(self._begun)
        return CallStart(number, event.id, self._names[event.id], event.text)

    def _called(self, event: ToolCallFinished) -> Piece:
        called = CallComplete(self._begun[event.id], event.id, event.name, event.arguments)
        self.calls.append(called)
        return called

    def _not_called(self, event: ToolCallFailed) -> Iterator[Piece]:
        """Handle a call that is invalid or incomplete: complete it if only brackets are missing."""
        if event.message == CUT_OFF:
            self._cut = event  # handled when the reason for the end is known
        elif event.arguments:
            # The client reports to the model that there is no such tool.
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
        missing = _missing_brackets(begun) if event.id in self._names else None
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
        """Complete a call, parts of which may have been sent."""
        if more := arguments[sum(map(len, self._texts.get(name, ()))) :]:
            self._names[name] = tool
            yield self._more(ToolCallDelta("", "", name, more))
        called = CallComplete(self._begun[name], name, tool, arguments)
        self.calls.append(called)
        yield called

    def _add(self, text: str, reasoning: bool, odds: tuple[TokenOdds, ...]) -> Iterator[Piece]:
        if reasoning:
            if self.returns_reasoning:
                self.reasoning.append(text)
                yield Text(text, True)
            return
        if self.calls_tools:
            # Blanks around calls are not part of the answer. Wait for what follows.
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
        """Statistics, all 0 before the end."""
        return self.last.stats if self.last is not None else ReplyStats()

    @property
    def by_length(self) -> bool:
        """True if it ended because of a limit. The APIs have no reason for lack of memory."""
        ends = (FinishReason.LENGTH, FinishReason.MEMORY)
        return self.last is not None and self.last.reason in ends

    @property
    def stop(self) -> str | None:
        """Stop string that ended it, or None."""
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


def _missing_brackets(arguments: str) -> str | None:
    """Return the closing brackets if arguments lack nothing else, or None.

    Arguments cut off in a string or number are never completed: half of a command must not be run.
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
    """Writer of an answer in the shape of an API.

    Args:
        choices: collected answers, in order.
    """

    def __init__(self, generation: Generation, choices: list[Choice]) -> None:
        self.generation = generation
        self.choices = choices

    @property
    def all_ended(self) -> bool:
        return all(choice.last is not None for choice in self.choices)

    @property
    def open_choice(self) -> Choice:
        """First unfinished choice. A chunk after the finish reason would be invalid."""
        return next((choice for choice in self.choices if choice.last is None), self.choices[-1])

    def begin(self) -> bytes:
        """Return the start of a stream, sent when the length of the prompt is known."""
        return b""

    @abstractmethod
    def piece(self, choice: Choice, piece: Piece) -> bytes:
        """Return the stream data for a piece, which the choice has already processed."""

    @abstractmethod
    def ended(self, choice: Choice) -> bytes:
        """Return the stream data for the end of a choice."""

    @abstractmethod
    def end(self) -> bytes:
        """Return the end of a stream."""

    @abstractmethod
    def sign_of_life(self) -> bytes:
        """Return a keep-alive event. Clients close a stream that has no events."""

    @abstractmethod
    def whole(self) -> JSON:
        """Return the complete answer."""


class BlockWriter(Writer):
    """Writer of an answer as a sequence of blocks (reasoning, text, call).

    Attributes:
        block: the open block: "reasoning", "text", "call", or "" if none is open.
    """

    block = ""
    _call = -1  # number of the last call that was begun

    @abstractmethod
    def open(self, block: str, call: CallStart | None = None) -> bytes:
        """Return the events for the start of a block; `call` has the name of a call."""

    @abstractmethod
    def more(self, piece: Text | CallStart | CallDelta) -> bytes:
        """Return the events for a continuation of the open block."""

    @abstractmethod
    def close(self, incomplete: bool) -> bytes:
        """Return the events for the end of the open block."""

    def piece(self, choice: Choice, piece: Piece) -> bytes:
        if isinstance(piece, (CallComplete, CallBroken)):
            ends = self.block == "call" and piece.number == self._call
            return self._close(isinstance(piece, CallBroken)) if ends else b""
        out = b""
        if isinstance(piece, CallStart):
            self._call = piece.number
            out = self._close() + self._open("call", piece)
        elif isinstance(piece, Text):
            block = "reasoning" if piece.reasoning else "text"
            if self.block != block:
                out = self._close() + self._open(block)
        return out + self.more(piece)

    def ended(self, choice: Choice) -> bytes:
        return self._close(choice.by_length)

    def _open(self, block: str, call: CallStart | None = None) -> bytes:
        self.block = block
        return self.open(block, call)

    def _close(self, incomplete: bool = False) -> bytes:
        if not self.block:
            return b""
        out = self.close(incomplete)
        self.block = ""
        return out


class API:
    """API operation answered by a model, independent of sockets and sessions."""

    path: str
    summary: str
    body: type[Body]  # model of its bodies; its `asks` returns what is requested
    writer: Callable[[Generation, list[Choice]], Writer]  # creates the writer of an answer
    media_type = "text/event-stream; charset=utf-8"  # of a stream
    streams_overflow = False  # report a prompt that is too long in the stream, not by status

    def failed(self, error: JSON, writer: Any = None) -> bytes:
        """Return the stream data for an error.

        Args:
            error: in the API's shape.
            writer: of the answer, or None if the body has not been read.
        """
        return event(error)

    def comment(self, text: str) -> bytes:
        """Return a comment for a stream, which clients skip, or b"" if the format has none."""
        return f": {text}\n\n".encode()

    def takes_long(self, body: Mapping[str, Any]) -> bool:
        """Return True if reading a body may take long even if it is small."""
        return documents.has_documents(body)

    def read(self, body: Mapping[str, Any], model: Model, guest: Guest = LOCAL) -> Any:
        """Validate a body, and return what it asks for, usually a `Generation`.

        Raises:
            ValueError: if it is invalid or not supported, with the reason.
            RefusedError: for other statuses than 400.
        """
        return validate(self.body, body).asks(model)


def encoded(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")


def event(content: Any, name: str | None = None) -> bytes:
    head = b"" if name is None else f"event: {name}\n".encode()
    return head + b"data: " + encoded(content) + b"\n\n"

"""Base classes for routes: route descriptions, parsed requests, and collected answers."""

from __future__ import annotations

import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
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
from engine.serve.auth import LOCAL, KeyOwner
from engine.serve.routes.schema import JSON, Body, validate
from engine.serve.routes.tools import ClientTool
from engine.serve.sessions import SessionConfig
from engine.text.tool_calls import CUT_OFF
from engine.text.tools import tool_call

log = logging.getLogger(__name__)


class APIRoute(Route):
    """Route that is listed in `/openapi.json`."""

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
        stream_media_type: str = "text/event-stream",
        status: int = 200,
    ) -> None:
        super().__init__(path, endpoint, methods=[method])
        self.method = method
        self.summary = summary
        self.body = body  # pydantic model of the request body, if any
        self.body_required = body_required
        self.media_type = media_type  # media type of the response
        self.stream_media_type = stream_media_type  # media type if the body asks for a stream
        self.status = status  # success status


class Generation(Struct, frozen=True):
    model: Model
    # Either conversations or raw prompts.
    prompts: Sequence[list[Message] | RawPrompt]
    params: SamplingParams
    config: SessionConfig = field(default_factory=SessionConfig)
    n: int = 1  # answers per prompt
    stream: bool = False
    # Extra arguments for the chat template.
    template: Mapping[str, Any] = field(default_factory=dict)
    usage: bool = False  # send token counts at the end of the stream
    # The client's tools by function name.
    tools: Mapping[str, ClientTool] = field(default_factory=dict)
    # API-specific data for the writer.
    extra: Mapping[str, Any] = field(default_factory=dict)
    returns_reasoning: bool = True

    @property
    def messages(self) -> list[Message]:
        first = self.prompts[0]
        return [] if isinstance(first, RawPrompt) else first

    def client_tool(self, name: str) -> ClientTool:
        return self.tools.get(name) or ClientTool("function", name)


MIN_LOGPROB = -9999.0  # stand-in for -inf, which JSON doesn't have; same as OpenAI's


def _one(odds: TokenOdds) -> dict[str, Any]:
    return {
        "token": _text(odds),
        "logprob": max(odds.logprob, MIN_LOGPROB),
        "bytes": list(odds.data),
    }


def listed_odds(odds: Iterable[TokenOdds]) -> list[dict[str, Any]]:
    return [{**_one(o), "top_logprobs": [_one(t) for t in o.top]} for o in odds]


def odds_columns(odds: Iterable[TokenOdds], offset: int) -> dict[str, Any]:
    """Return log probabilities in the format of text completions. The text starts at `offset`."""
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
    text: str
    reasoning: bool
    odds: tuple[TokenOdds, ...] = ()


class CallComplete(Struct, frozen=True):
    number: int  # index of the call in its answer
    id: str
    name: str
    arguments: str  # JSON


class CallStart(Struct, frozen=True):
    """Start of a tool call, with the first part of its arguments, or all of them."""

    number: int  # index of the call in its answer
    id: str
    name: str
    text: str


class CallDelta(Struct, frozen=True):
    number: int
    text: str


class CallBroken(Struct, frozen=True):
    """Text that started like a tool call but isn't valid."""

    number: int


Piece = Text | CallStart | CallDelta | CallComplete | CallBroken
"""Part of an answer. Each call has one start, any number of deltas, and one end (complete or
broken). The next call may start before the end of the previous call, and deltas then belong to the
newest call.
"""


class Choice(Struct, eq=False):
    index: int  # index among the request's answers
    calls_tools: bool = False  # tools were offered; otherwise, calls are treated as text
    streams: bool = False  # the answer is sent as it's generated, so nothing can be taken back
    prompt: int = 0  # index of the choice's prompt
    returns_reasoning: bool = True
    prompt_tokens: int = 0  # number of prompt tokens, 0 until known
    reused_tokens: int = 0  # number of prompt tokens found in a cache
    reasoning: list[str] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    calls: list[CallComplete] = field(default_factory=list)
    odds: list[TokenOdds] = field(default_factory=list)
    last: Finished | None = None
    _blanks: str = ""
    _names: dict[str, str] = field(default_factory=dict)  # tool name by call id
    _numbers: dict[str, int] = field(default_factory=dict)  # call index by call id
    _cut_call: ToolCallFailed | None = None  # unfinished call at the end of the answer

    def handle_event(self, event: Event) -> Iterator[Piece]:
        if isinstance(event, PromptProgress):
            self.prompt_tokens, self.reused_tokens = event.total, event.reused
        elif isinstance(event, Finished):
            self.last = event
            if self._cut_call is not None:
                yield from self._handle_cut_call(self._cut_call)
            if not self.calls:
                yield from self._text_piece(self._blanks, ())
        elif isinstance(event, ToolCallStarted):
            self._names[event.id] = event.name
        elif isinstance(event, ToolCallDelta):
            yield self._extend_call(event)
        elif isinstance(event, ToolCallFinished):
            yield self._complete_call(event)
        elif isinstance(event, ToolCallFailed):
            yield from self._handle_failed_call(event)
        elif isinstance(event, TextDelta) and not (self.calls_tools and event.kind == "tool"):
            yield from self._add(event.text, event.kind == "reasoning", event.odds)

    def _extend_call(self, event: ToolCallDelta) -> Piece:
        self._blanks = ""
        if event.id in self._numbers:
            return CallDelta(self._numbers[event.id], event.text)
        number = self._numbers[event.id] = len(self._numbers)
        return CallStart(number, event.id, self._names[event.id], event.text)

    def _complete_call(self, event: ToolCallFinished) -> Piece:
        called = CallComplete(self._numbers[event.id], event.id, event.name, event.arguments)
        self.calls.append(called)
        return called

    def _handle_failed_call(self, event: ToolCallFailed) -> Iterator[Piece]:
        if event.message == CUT_OFF:
            self._cut_call = event  # wait until the reason for the end is known
        elif event.arguments:
            # Pass the call on. The client will tell the model that the tool doesn't exist.
            log.info("passed a call of an unknown tool to the client")
            self._names[event.id] = event.name
            yield self._extend_call(ToolCallDelta("", "", event.id, event.arguments))
            called = ToolCallFinished("", "", event.id, event.name, event.arguments)
            yield self._complete_call(called)
        else:
            yield from self._show_call(event)

    def _handle_cut_call(self, event: ToolCallFailed) -> Iterator[Piece]:
        if self.last is not None and self.last.reason != FinishReason.STOP:
            if self.streams and event.id in self._numbers:
                yield CallBroken(self._numbers[event.id])
        else:
            yield from self._show_call(event)

    def _show_call(self, event: ToolCallFailed) -> Iterator[Piece]:
        log.info("malformed tool call shown as text: %s", event.message)
        if self.streams and event.id in self._numbers:
            yield CallBroken(self._numbers[event.id])
        reason = event.message.rstrip(".")
        note = f"[A tool call was malformed and is shown as text: {reason}.]"
        yield from self._add(f"{note}\n{event.text}", False, ())

    def _add(self, text: str, reasoning: bool, odds: tuple[TokenOdds, ...]) -> Iterator[Piece]:
        if reasoning:
            if self.returns_reasoning:
                self.reasoning.append(text)
                yield Text(text, True)
            return
        if self.calls_tools:
            # Whitespace around calls isn't part of the answer, so hold it back until more text
            # follows.
            text_so_far = self._blanks + text
            text = text_so_far.rstrip()
            self._blanks = text_so_far[len(text) :]
        yield from self._text_piece(text, odds)

    def _text_piece(self, text: str, odds: tuple[TokenOdds, ...]) -> Iterator[Piece]:
        self.odds += odds
        self.answer.append(text)
        if text or odds:
            yield Text(text, False, odds)

    @property
    def text(self) -> str:
        return "".join(self.answer)

    @property
    def reasoning_text(self) -> str:
        return "".join(self.reasoning)

    @property
    def stats(self) -> ReplyStats:
        return self.last.stats if self.last is not None else ReplyStats()

    @property
    def hit_limit(self) -> bool:
        """True if the answer reached a limit or ran out of memory. No API has a finish reason for
        the latter.
        """
        ends = (FinishReason.LENGTH, FinishReason.MEMORY)
        return self.last is not None and self.last.reason in ends

    @property
    def stop(self) -> str | None:
        return self.last.stop if self.last is not None else None

    @property
    def as_message(self) -> Message:
        message: Message = {"role": "assistant", "content": self.text}
        if self.calls:
            message["content"] = self.text if self.text.strip() else ""
            message["tool_calls"] = [
                tool_call(call.id, call.name, json.loads(call.arguments)) for call in self.calls
            ]
        return message


class Writer(ABC):
    """Base class for the formats of answers, one per API."""

    def __init__(self, generation: Generation, choices: list[Choice]) -> None:
        self.generation = generation
        self.choices = choices

    @property
    def all_ended(self) -> bool:
        return all(choice.last is not None for choice in self.choices)

    @property
    def open_choice(self) -> Choice:
        """First unfinished choice, for keep-alives. Chunks after a finish reason are invalid."""
        return next((choice for choice in self.choices if choice.last is None), self.choices[-1])

    def begin(self) -> bytes:
        """Return the start of a stream. Called once the prompt length is known."""
        return b""

    @abstractmethod
    def piece(self, choice: Choice, piece: Piece) -> bytes: ...

    @abstractmethod
    def ended(self, choice: Choice) -> bytes: ...

    @abstractmethod
    def end(self) -> bytes: ...

    @abstractmethod
    def sign_of_life(self) -> bytes:
        """Return a keep-alive event. Clients give up on streams without events."""

    @abstractmethod
    def whole(self) -> JSON: ...


class BlockWriter(Writer):
    """Base for APIs whose answers are sequences of blocks (reasoning, text, call).

    Attributes:
        block: type of the open block ("reasoning", "text" or "call"), or "" if none is open.
    """

    block = ""
    _call = -1  # index of the latest call

    @abstractmethod
    def open(self, block: str, call: CallStart | None = None) -> bytes:
        """Return the events that start a block. For calls, `call` has the tool's name."""

    @abstractmethod
    def more(self, piece: Text | CallStart | CallDelta) -> bytes: ...

    @abstractmethod
    def close(self, incomplete: bool) -> bytes: ...

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
        return self._close(choice.hit_limit)

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
    """API operation that needs a model, independent of sockets and sessions."""

    path: str
    summary: str
    body: type[Body]  # body model whose `asks` method returns the parsed request
    writer: Callable[[Generation, list[Choice]], Writer]  # creates the writer of an answer
    media_type = "text/event-stream; charset=utf-8"  # media type of streams
    # An overlong prompt is reported within the stream instead of by status.
    streams_overflow = False

    def failed(self, error: JSON, writer: Any = None) -> bytes:
        """Format an error for a stream that has started.

        Args:
            error: in the API's own format.
            writer: the answer's writer, or None if the body hasn't been read.
        """
        return event(error)

    def comment(self, text: str) -> bytes:
        return f": {text}\n\n".encode()

    def takes_long(self, body: Mapping[str, Any]) -> bool:
        """Return True if parsing may be slow even for a small body, e.g. because of documents."""
        return documents.has_documents(body)

    def read(self, body: Mapping[str, Any], model: Model, owner: KeyOwner = LOCAL) -> Any:
        """Validate a body. Return the parsed request, usually a `Generation`.

        Raises:
            ValueError: if it's invalid or unsupported, with the reason.
            RequestError: for errors with a status other than 400.
        """
        return validate(self.body, body).asks(model)


def encoded(content: Any) -> bytes:
    try:
        return msgspec.json.encode(content)
    except UnicodeEncodeError:
        return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")


def event(content: Any, name: str | None = None) -> bytes:
    head = b"" if name is None else f"event: {name}\n".encode()
    return head + b"data: " + encoded(content) + b"\n\n"

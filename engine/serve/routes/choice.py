"""One answer as it is gathered: its text, reasoning, tool calls, odds of tokens and figures."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.messages import (
    Event,
    Finished,
    FinishReason,
    Message,
    PromptProgress,
    ReplyStats,
    TextDelta,
    TokenOdds,
    ToolCallDelta,
    ToolCallFailed,
    ToolCallFinished,
    ToolCallStarted,
)
from engine.text.tool_calls import CUT_OFF

LEAST = -9999.0
"""What stands for a probability of 0, as with OpenAI: JSON has no infinity."""


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


log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Text:
    """New text of the answer, or of the reasoning before it."""

    text: str
    reasoning: bool
    odds: tuple[TokenOdds, ...] = ()


@dataclass(frozen=True)
class Called:
    """A tool call.

    Attributes:
        number: of the call in its answer, from 0.
        arguments: as JSON.
    """

    number: int
    id: str
    name: str
    arguments: str

    @property
    def as_message(self) -> dict[str, Any]:
        """As a message has it, for a template."""
        function = {"name": self.name, "arguments": json.loads(self.arguments)}
        return {"id": self.id, "type": "function", "function": function}


@dataclass(frozen=True)
class CallBegun:
    """A tool call with the beginning of its arguments, which may be all of them.

    Attributes:
        number: of the call in its answer, from 0.
    """

    number: int
    id: str
    name: str
    text: str


@dataclass(frozen=True)
class CallMore:
    """More of a tool call's arguments."""

    number: int
    text: str


@dataclass(frozen=True)
class CallBroken:
    """What was begun as a tool call is none."""

    number: int


Piece = Text | CallBegun | CallMore | Called | CallBroken
"""Each call begins, may have more, and ends as called or broken. Another may begin before its end,
but none has more after another has begun."""


@dataclass(eq=False)
class Choice:
    """One answer to a request.

    Attributes:
        index: of the answer among those to the request.
        calls_tools: tools were offered. A call that nobody offered is text.
        streams: its pieces are told one by one, and cannot be taken back.
        prompt: which of the request's prompts it answers.
        prompt_tokens: of its prompt, once they are known.
        reused_tokens: how many of them were in a cache already.
    """

    index: int
    calls_tools: bool = False
    streams: bool = False
    prompt: int = 0
    prompt_tokens: int = 0
    reused_tokens: int = 0
    reasoning: list[str] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    calls: list[Called] = field(default_factory=list)
    odds: list[TokenOdds] = field(default_factory=list)
    last: Finished | None = None
    _blanks: str = ""
    _names: dict[str, str] = field(default_factory=dict)  # of calls, by their ids
    _begun: dict[str, int] = field(default_factory=dict)  # the numbers of calls

    def take(self, event: Event) -> Iterator[Piece]:
        """Take an event; gives what a client may be told of."""
        if isinstance(event, PromptProgress):
            self.prompt_tokens, self.reused_tokens = event.total, event.reused
        elif isinstance(event, Finished):
            self.last = event
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
        if event.id in self._begun:
            return CallMore(self._begun[event.id], event.text)
        number = self._begun[event.id] = len(self._begun)
        return CallBegun(number, event.id, self._names[event.id], event.text)

    def _called(self, event: ToolCallFinished) -> Piece:
        called = Called(self._begun[event.id], event.id, event.name, event.arguments)
        self.calls.append(called)
        return called

    def _not_called(self, event: ToolCallFailed) -> Iterator[Piece]:
        if self.streams and event.id in self._begun:
            yield CallBroken(self._begun[event.id])
        elif not self.calls and event.message != CUT_OFF:
            log.info("a tool call is given as text: %s", event.message)
            yield from self._add(event.text, False, ())

    def _add(self, text: str, reasoning: bool, odds: tuple[TokenOdds, ...]) -> Iterator[Piece]:
        if reasoning:
            self.reasoning.append(text)
            yield Text(text, True)
            return
        if self.calls_tools:
            # Blanks around calls are no part of the answer. What follows decides about them.
            self._blanks, text = self._blanks + text, ""
            if self._blanks.strip():
                self._blanks, text = "", self._blanks
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
            message["tool_calls"] = [call.as_message for call in self.calls]
        return message

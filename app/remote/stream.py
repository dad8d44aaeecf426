"""Chunks of a streaming reply, and its speed.

Servers without a reasoning parser send the reasoning between "<think>" and "</think>". It's only
recognized at the start of a reply, because later markers belong to the answer.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct, field

from app.remote import remote_errors
from app.remote.remote_errors import RemoteError
from app.settings.language import tr
from app.tools.message_limits import TooMuchError, check_parts
from engine import ReplyStats
from engine.errors import CONTEXT_OVERFLOW

Part = tuple[Literal["answer", "reasoning"], str]

OPENS, CLOSES = "<think>", "</think>"


class ReasoningSplitter:
    def __init__(self) -> None:
        self._buffer, self._thought = "", False
        self._state: Literal["begin", "inside", "after", "out"] = "begin"

    def feed(self, text: str) -> Iterator[Part]:
        """Yield the parts that can't change anymore."""
        self._buffer += text
        if self._state == "begin":
            self._split_at_start()
        if self._state == "inside":
            yield from self._split_reasoning()
        if self._state == "after":
            self._buffer = self._buffer.lstrip("\n")
            self._state = "out" if self._buffer else "after"
        if self._state == "out":
            yield from self.finish()

    def finish(self) -> Iterator[Part]:
        rest, self._buffer = self._buffer, ""
        if rest:
            yield ("reasoning" if self._state == "inside" else "answer"), rest

    def _split_at_start(self) -> None:
        rest = self._buffer.lstrip()
        if rest.startswith(OPENS):
            self._buffer, self._state = rest[len(OPENS) :], "inside"
        elif not OPENS.startswith(rest):
            self._state = "out"

    def _split_reasoning(self) -> Iterator[Part]:
        if not self._thought:
            self._buffer = self._buffer.lstrip("\n")
        thought, closed, after = self._buffer.partition(CLOSES)
        if closed:
            self._buffer, self._state = after, "after"
        else:
            cut = _count_marker_start(thought)
            thought, self._buffer = thought[: len(thought) - cut], thought[len(thought) - cut :]
        if thought:
            self._thought = True
            yield "reasoning", thought


def _count_marker_start(text: str) -> int:
    lengths = range(min(len(CLOSES) - 1, len(text)), 0, -1)
    return next((n for n in lengths if text.endswith(CLOSES[:n])), 0)


_AT_ONCE_S = 0.05  # shorter delays are caused by buffering and say nothing about the speed


class ReplyTimer:
    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._first = self._last = 0.0

    def record_token(self) -> None:
        self._last = time.perf_counter()
        self._first = self._first or self._last

    def stats(self, reading: ReplyReader) -> ReplyStats:
        usage, took = reading.usage, self._last - self._first
        is_measured = took >= _AT_ONCE_S and usage.generated > 1
        rate = (usage.generated - 1) / took if is_measured else 0.0
        return ReplyStats(
            prompt_tokens=usage.prompt,
            reused_tokens=min(usage.reused, usage.prompt),
            generated_tokens=usage.generated,
            ttft_s=self._first - self._start if self._first else 0.0,
            decode_s=took,
            tokens_per_s=rate,
            reasoning_tokens=min(usage.reasoning, usage.generated),
        )


Piece = tuple[Literal["answer", "reasoning", "tool"], str]

MOST_TEXT = 16_000_000  # characters of a reply, including reasoning and tool calls
MOST_CALLS = 128
_MOST_COUNT = 2**53
_LENGTH_REASONS = {
    "length",
    "max_tokens",
    "max_output_tokens",
    "model_length",
    "model_context_window_exceeded",
}


class PartialToolCall(Struct):
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        try:
            json.loads("".join(self.arguments))
        except (ValueError, RecursionError):
            return False
        return True


class TokenUsage(Struct):
    prompt: int = 0
    reused: int = 0
    generated: int = 0
    reasoning: int = 0


class ReplyReader:
    def __init__(self, host: str, model: str = "") -> None:
        self._host, self._model = host, model
        self._length = 0
        self._thinking = ReasoningSplitter()
        self._texts: dict[str, list[str]] = {"answer": [], "reasoning": [], "tool": []}
        # Tool calls by index.
        self.calls: dict[int, PartialToolCall] = {}
        # Call to extend when a chunk has no new ID, by index or list position.
        self._open: dict[int, int] = {}
        self.reason = ""  # finish reason, empty until the server sends it
        self.usage = TokenUsage()
        self.done = False  # the server has sent the end marker

    @property
    def has_ended(self) -> bool:
        return self.done or bool(self.reason)

    def text(self, kind: str) -> str:
        return "".join(self._texts[kind])

    def feed(self, data: str) -> list[Piece]:
        """Parse an event's data and return the new chunks.

        Raises RemoteError if the data is invalid, too large, or an error message.
        """
        if data.strip() == "[DONE]":
            self.done = True
            return self._record(list(self._thinking.finish()))
        try:
            check_parts(data)
            chunk = json.loads(data)
        except TooMuchError as error:
            raise remote_errors.too_long_error(self._host) from error
        except (ValueError, RecursionError) as error:
            raise remote_errors.invalid_response_error(self._host) from error
        return self.take_chunk(chunk)

    def take_chunk(self, chunk: object) -> list[Piece]:
        """Parse a chunk, or an entire completion from a server that doesn't stream."""
        if not isinstance(chunk, Mapping):
            raise remote_errors.invalid_response_error(self._host)
        if chunk.get("error") or chunk.get("object") == "error":
            raise self._stream_error(chunk)
        if isinstance(usage := chunk.get("usage"), Mapping):
            self._count(usage)
        choices = chunk.get("choices")
        if choices is None or choices == []:
            return []
        if not isinstance(choices, list) or not all(isinstance(c, Mapping) for c in choices):
            raise remote_errors.invalid_response_error(self._host)
        choice = next((c for c in choices if not _is_alternative(c)), None)
        if choice is None:
            return []
        delta = choice.get("delta") or choice.get("message") or {}
        if not isinstance(delta, Mapping):
            raise remote_errors.invalid_response_error(self._host)
        pieces = list(self._pieces(delta))
        if isinstance(reason := choice.get("finish_reason"), str) and reason:
            self.reason = reason[:100]
            pieces += self._thinking.finish()
        return self._record(pieces)

    def _record(self, pieces: list[Piece]) -> list[Piece]:
        for kind, text in pieces:
            self._length += len(text)
            self._texts[kind].append(text)
        if self._length > MOST_TEXT:
            raise remote_errors.too_long_error(self._host)
        return pieces

    @property
    def is_cut_by_limit(self) -> bool:
        return self.reason.lower() in _LENGTH_REASONS

    def check_end(self) -> None:
        """Raise RemoteError if the reply is incomplete or was withheld."""
        if not self.has_ended or self.reason in ("abort", "error"):
            raise remote_errors.broken_stream_error(self._host)
        if not self.reason and self._length == 0 and not self.calls:
            raise remote_errors.empty_reply_error(self._host)
        if self.reason == "content_filter":
            words = tr("{host} has withheld the rest of this reply.", host=self._host)
            raise RemoteError(remote_errors.FAILED, words)

    def _pieces(self, delta: Mapping[str, Any]) -> Iterator[Piece]:
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(thought, str) and thought:
            yield "reasoning", thought
        content = delta.get("content") or delta.get("refusal")
        if isinstance(content, list):  # list of parts, as in Mistral's API
            content = "".join(t for part in content if isinstance(t := _part(part), str))
        if isinstance(content, str) and content:
            yield from self._thinking.feed(content)
        calls = delta.get("tool_calls")
        for at, call in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(call, Mapping) and (text := self._parse_call(at, call)):
                yield "tool", text

    def _parse_call(self, at: int, part: Mapping[str, Any]) -> str:
        call = self._call_of(at, part)
        if isinstance(key := part.get("id"), str) and key and not call.id:
            call.id = key[:200]
        function = part.get("function")
        if not isinstance(function, Mapping):
            return ""
        if isinstance(name := function.get("name"), str) and not call.name:
            call.name = name[:200]
        arguments = function.get("arguments")
        if isinstance(arguments, Mapping):  # some servers don't serialize the arguments
            arguments = json.dumps(arguments, ensure_ascii=False)
        if not isinstance(arguments, str):
            return ""
        call.arguments.append(arguments)
        return arguments

    def _call_of(self, at: int, part: Mapping[str, Any]) -> PartialToolCall:
        """Return the tool call of a chunk, or a new one.

        Some servers don't send an index, or send 0 for each call. So a chunk with a name starts a
        new call if it has another ID or the previous arguments are complete. Continuation chunks
        have no name, but their ID may differ.
        """
        index, key = part.get("index"), part.get("id")
        slot = index if type(index) is int else at
        call = self.calls.get(self._open.get(slot, -1))
        function = part.get("function")
        if call is not None and isinstance(function, Mapping) and function.get("name"):
            if key and call.id:
                is_other = call.id != key
            else:
                is_other = type(index) is not int and call.is_whole
            call = None if is_other else call
        if call is None:
            if len(self.calls) >= MOST_CALLS:
                raise remote_errors.too_long_error(self._host)
            number = slot if slot not in self.calls else max(self.calls) + 1
            self._open[slot] = number
            call = self.calls[number] = PartialToolCall()
        return call

    def tool_calls(self) -> list[tuple[str, str, str]]:
        """Return the calls as (id, name, arguments), with unique IDs."""
        calls, keys = [], set[str]()
        for _, call in sorted(self.calls.items()):
            key = call.id if call.id and call.id not in keys else f"call_{uuid.uuid4().hex[:24]}"
            keys.add(key)
            calls.append((key, call.name, "".join(call.arguments) or "{}"))
        return calls

    def _count(self, usage: Mapping[str, Any]) -> None:
        prompt, completion = (
            details if isinstance(details := usage.get(f"{name}_tokens_details"), Mapping) else {}
            for name in ("prompt", "completion")
        )
        self.usage = TokenUsage(
            _number(usage.get("prompt_tokens")),
            _number(prompt.get("cached_tokens")),
            _number(usage.get("completion_tokens")),
            _number(completion.get("reasoning_tokens", usage.get("reasoning_tokens"))),
        )

    def _stream_error(self, chunk: Mapping[str, Any]) -> RemoteError:
        message, code = remote_errors.message_of(chunk), remote_errors.FAILED
        words = tr("{host} couldn’t finish the reply.", host=self._host)
        if remote_errors.is_too_long(chunk):
            code, words = CONTEXT_OVERFLOW, remote_errors.unfit_text(self._model)
        quoted = tr("Its message: “{words}”", words=message) if message else ""
        return RemoteError(code, " ".join(filter(None, (words, quoted))))


def _is_alternative(choice: Mapping[str, Any]) -> bool:
    """Return True for an alternative answer to the same question. Only the first answer is
    shown.
    """
    index = choice.get("index")
    return type(index) is int and index != 0


def _number(value: object) -> int:
    return value if type(value) is int and 0 <= value < _MOST_COUNT else 0


def _part(part: object) -> object:
    return part.get("text") if isinstance(part, Mapping) and part.get("type") == "text" else None

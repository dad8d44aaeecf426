"""A message of Anthropic's on its way: its blocks, and a stream's events."""

from __future__ import annotations

import json
import uuid
from typing import Any

from engine.serve.doors.choice import CallBegun, Called, CallMore, Choice, Piece, Text
from engine.serve.doors.door import Asked, Body, Telling, event


class MessagesTelling(Telling):
    """A message, whole or in events."""

    def __init__(self, asked: Asked, choices: list[Choice]) -> None:
        super().__init__(asked, choices)
        self._id = f"msg_{uuid.uuid4().hex}"
        self._index = -1  # of the last block
        self._call = -1  # the number of the call that was begun last
        self._open = ""  # the kind of block that is being written

    def begin(self) -> bytes:
        """The message's start, with the length of the prompt."""
        choice = self.choices[0]
        usage = _usage(choice.prompt_tokens, choice.reused_tokens, 0)
        return _event("message_start", message=self._message([], None, None, usage))

    def piece(self, choice: Choice, piece: Piece) -> bytes:
        """The events for new text or a tool call."""
        if isinstance(piece, CallBegun):
            self._call = piece.number
            block = {"type": "tool_use", "id": piece.id, "name": piece.name, "input": {}}
            return self._close() + self._start(block) + self._arguments(piece.text)
        if isinstance(piece, CallMore):
            return self._arguments(piece.text)
        if not isinstance(piece, Text):
            ends = piece.number == self._call and self._open == "tool_use"
            return self._close() if ends else b""
        if not piece.text:
            return b""
        kind = "thinking" if piece.reasoning else "text"
        told = b""
        if self._open != kind:
            block = _thinking("") if piece.reasoning else _text("")
            told = self._close() + self._start(block)
        return told + self._delta({"type": f"{kind}_delta", kind: piece.text})

    def ended(self, choice: Choice) -> bytes:
        """The end of the last block."""
        return self._close()

    def end(self) -> bytes:
        """Why it ended, with the figures, and the end."""
        choice = self.choices[0]
        why, stop = _reason(choice)
        stats = choice.stats
        usage = _usage(stats.prompt_tokens, stats.reused_tokens, stats.generated_tokens)
        delta = {"stop_reason": why, "stop_sequence": stop}
        return _event("message_delta", delta=delta, usage=usage) + _event("message_stop")

    def failed(self, told: Body) -> bytes:
        """The error as an event."""
        return event(told, "error")

    def whole(self) -> Body:
        """The message in one piece."""
        choice = self.choices[0]
        blocks = [_thinking(choice.thought)] if choice.thought else []
        if choice.text.strip() or not choice.calls:
            blocks.append(_text(choice.text))
        blocks += [_tool(call) for call in choice.calls]
        stats = choice.stats
        usage = _usage(stats.prompt_tokens, stats.reused_tokens, stats.generated_tokens)
        return self._message(blocks, *_reason(choice), usage)

    def _message(self, blocks: list[Body], why: str | None, stop: str | None, usage: Body) -> Body:
        return {
            "id": self._id,
            "type": "message",
            "role": "assistant",
            "model": self.asked.model.name,
            "content": blocks,
            "stop_reason": why,
            "stop_sequence": stop,
            "usage": usage,
        }

    def _start(self, block: Body) -> bytes:
        self._index += 1
        self._open = block["type"]
        return _event("content_block_start", index=self._index, content_block=block)

    def _delta(self, delta: Body) -> bytes:
        return _event("content_block_delta", index=self._index, delta=delta)

    def _arguments(self, text: str) -> bytes:
        return self._delta({"type": "input_json_delta", "partial_json": text})

    def _close(self) -> bytes:
        if not self._open:
            return b""
        self._open = ""
        return _event("content_block_stop", index=self._index)


def _event(kind: str, **content: Any) -> bytes:
    return event({"type": kind, **content}, kind)


def _text(text: str) -> Body:
    return {"type": "text", "text": text}


def _thinking(text: str) -> Body:
    # The signature is for reasoning that is not told. All of it is told here.
    return {"type": "thinking", "thinking": text, "signature": ""}


def _tool(call: Called) -> Body:
    given = json.loads(call.arguments)
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": given}


def _usage(prompt: int, reused: int, made: int) -> Body:
    return {
        "input_tokens": prompt - reused,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": reused,
        "output_tokens": made,
    }


def _reason(choice: Choice) -> tuple[str, str | None]:
    """Why it ended, in Anthropic's words, and the stop string."""
    if choice.by_length:
        return "max_tokens", None
    if choice.calls:
        return "tool_use", None
    return ("stop_sequence", choice.stop) if choice.stop else ("end_turn", None)

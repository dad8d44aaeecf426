"""A response on its way: its items, and a stream's events with their numbers."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from typing import Any

from engine.serve.doors import odds
from engine.serve.doors.choice import CallBegun, CallBroken, CallMore, Choice, Piece, Text
from engine.serve.doors.door import Asked, Body, Telling, event
from engine.serve.doors.openai_telling import usage

Keep = Callable[[Asked, Choice, Body], None]
"""Keeps a response that has ended."""


class ResponsesTelling(Telling):
    """A response, whole or in events.

    Args:
        keep: is given the response at its end.
    """

    def __init__(self, asked: Asked, choices: list[Choice], keep: Keep) -> None:
        super().__init__(asked, choices)
        self._id = f"resp_{uuid.uuid4().hex}"
        self._created = int(time.time())
        self._keep = keep
        self._number = 0
        self._items: list[Body] = []
        self._call = -1  # the number of the call that was begun last
        self._open: Body | None = None  # the item that is being written, the last one

    def begin(self) -> bytes:
        """That the response has been made, and goes on."""
        return self._state("response.created") + self._state("response.in_progress")

    def piece(self, choice: Choice, piece: Piece) -> bytes:
        """The events for new text or a tool call."""
        if isinstance(piece, CallBegun):
            return self._call_begins(piece)
        if isinstance(piece, CallMore):
            return self._call_goes_on(piece.text)
        if not isinstance(piece, Text):
            calling = self._open is not None and self._open["type"] == "function_call"
            ends = calling and piece.number == self._call
            return self._close(incomplete=isinstance(piece, CallBroken)) if ends else b""
        kind = "reasoning" if piece.reasoning else "message"
        told = b""
        if self._open is None or self._open["type"] != kind:
            told = self._close() + self._begin(kind)
        part = self._part
        part["text"] += piece.text
        if not piece.reasoning and self.asked.params.logprobs is not None:
            part["logprobs"] += odds.listed(piece.odds)
        return told + self._delta(piece)

    def ended(self, choice: Choice) -> bytes:
        """The end of the last item."""
        return self._close(incomplete=choice.by_length)

    def end(self) -> bytes:
        """The whole response again."""
        told = self._response(self._items)
        self._keep(self.asked, self.choices[0], told)
        return self._event(f"response.{told['status']}", response=told)

    def failed(self, told: Body) -> bytes:
        """The response without its end, and the error, which clients raise."""
        error = told["error"]
        failed = self._response(self._items, "failed")
        failed["error"] = {"code": "server_error", "message": error["message"]}
        code, message = error["code"], error["message"]
        return self._event("response.failed", response=failed) + self._event(
            "error", code=code, message=message, param=None, error=error
        )

    def whole(self) -> Body:
        """The response in one piece."""
        choice = self.choices[0]
        if choice.thought:
            self._items.append(_reasoning(choice.thought))
        if choice.text or not choice.calls:
            part: Body = {"type": "output_text", "text": choice.text, "annotations": []}
            if self.asked.params.logprobs is not None:
                part["logprobs"] = odds.listed(choice.odds)
            self._items.append(_message([part], "incomplete" if choice.by_length else "completed"))
        self._items += [_call(call.id, call.name, call.arguments) for call in choice.calls]
        told = self._response(self._items)
        self._keep(self.asked, choice, told)
        return told

    # -- a stream's items -------------------------------------------------------------------

    @property
    def _part(self) -> Body:
        assert self._open is not None
        part: Body = self._open["content"][0]
        return part

    @property
    def _place(self) -> Body:
        assert self._open is not None
        return {"item_id": self._open["id"], "output_index": len(self._items) - 1}

    def _begin(self, kind: str) -> bytes:
        item = _reasoning() if kind == "reasoning" else _message([], "in_progress")
        self._open = item
        self._items.append(item)
        told = self._event(
            "response.output_item.added", output_index=len(self._items) - 1, item={**item}
        )
        part: Body = {"type": "reasoning_text", "text": ""}
        if kind == "message":
            part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        item["content"] = [part]
        return told + self._event(
            "response.content_part.added", **self._place, content_index=0, part=part
        )

    def _delta(self, piece: Text) -> bytes:
        if not piece.text and not piece.odds:
            return b""
        told: Body = {**self._place, "content_index": 0, "delta": piece.text}
        if piece.reasoning:
            return self._event("response.reasoning_text.delta", **told)
        return self._event("response.output_text.delta", **told, logprobs=odds.listed(piece.odds))

    def _close(self, incomplete: bool = False) -> bytes:
        """End the item that is being written."""
        if self._open is None:
            return b""
        if self._open["type"] == "function_call":
            return self._call_ends(incomplete)
        item, part, place = self._open, self._part, {**self._place, "content_index": 0}
        if item["type"] == "reasoning":
            told = self._event("response.reasoning_text.done", **place, text=part["text"])
        else:
            item["status"] = "incomplete" if incomplete else "completed"
            told = self._event(
                "response.output_text.done", **place, text=part["text"], logprobs=part["logprobs"]
            )
        told += self._event("response.content_part.done", **place, part=part)
        index = len(self._items) - 1
        self._open = None
        return told + self._event("response.output_item.done", output_index=index, item=item)

    def _call_begins(self, begun: CallBegun) -> bytes:
        told = self._close()
        self._call = begun.number
        self._open = _call(begun.id, begun.name, "", "in_progress")
        self._items.append(self._open)
        index = len(self._items) - 1
        told += self._event("response.output_item.added", output_index=index, item={**self._open})
        return told + self._call_goes_on(begun.text)

    def _call_goes_on(self, text: str) -> bytes:
        assert self._open is not None
        self._open["arguments"] += text
        return self._event("response.function_call_arguments.delta", **self._place, delta=text)

    def _call_ends(self, incomplete: bool) -> bytes:
        assert self._open is not None
        item, place = self._open, self._place
        item["status"] = "incomplete" if incomplete else "completed"
        self._open = None
        told = self._event(
            "response.function_call_arguments.done",
            **place,
            name=item["name"],
            arguments=item["arguments"],
        )
        index = place["output_index"]
        return told + self._event("response.output_item.done", output_index=index, item=item)

    # -- the response itself ----------------------------------------------------------------

    def _event(self, kind: str, **content: Any) -> bytes:
        told = event({"type": kind, "sequence_number": self._number, **content}, kind)
        self._number += 1
        return told

    def _state(self, kind: str) -> bytes:
        return self._event(kind, response=self._response([], "in_progress"))

    def _response(self, items: list[Body], status: str | None = None) -> Body:
        asked, choice = self.asked, self.choices[0]
        if status is None:
            status = "incomplete" if choice.by_length else "completed"
        params, extra = asked.params, asked.extra
        limit = params.max_tokens
        told: Body = {
            "id": self._id,
            "object": "response",
            "created_at": self._created,
            "status": status,
            "error": None,
            "incomplete_details": {"reason": "max_output_tokens"} if choice.by_length else None,
            "instructions": extra["instructions"],
            "max_output_tokens": limit,
            "metadata": extra["metadata"],
            "model": asked.model.name,
            "output": items,
            "parallel_tool_calls": extra["parallel"],
            "previous_response_id": extra["previous_response_id"],
            "reasoning": {"effort": extra["effort"], "summary": None},
            "store": extra["store"],
            "temperature": params.temperature,
            "text": {"format": {"type": "text"}},
            "tool_choice": extra["tool_choice"] or "auto",
            "tools": extra["tools"] or [],
            "top_logprobs": params.logprobs or 0,
            "top_p": params.top_p,
            "truncation": extra["truncation"],
            "usage": self._usage() if choice.last is not None else None,
            "user": extra["user"],
        }
        return told

    def _usage(self) -> Body:
        told = usage(self.choices)
        return {
            "input_tokens": told["prompt_tokens"],
            "input_tokens_details": {**told["prompt_tokens_details"], "cache_write_tokens": 0},
            "output_tokens": told["completion_tokens"],
            "output_tokens_details": told["completion_tokens_details"],
            "total_tokens": told["total_tokens"],
        }


def _reasoning(text: str | None = None) -> Body:
    parts = [] if text is None else [{"type": "reasoning_text", "text": text}]
    return {"id": f"rs_{uuid.uuid4().hex}", "type": "reasoning", "summary": [], "content": parts}


def _message(parts: list[Body], status: str) -> Body:
    name = f"msg_{uuid.uuid4().hex}"
    return {
        "id": name,
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": parts,
    }


def _call(name: str, tool: str, arguments: str, status: str = "completed") -> Body:
    return {
        "id": f"fc_{uuid.uuid4().hex}",
        "type": "function_call",
        "call_id": name,
        "name": tool,
        "arguments": arguments,
        "status": status,
    }

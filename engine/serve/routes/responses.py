"""OpenAI's `/v1/responses`, and how a stored response goes on."""

from __future__ import annotations

import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.errors import INVALID_REQUEST
from engine.messages import Message
from engine.model.info import Model
from engine.openai.requests import form
from engine.openai.schemas import FLAT_TOOLS, INPUT, TEXT_FORMAT
from engine.serve.auth import LOCAL, Guest
from engine.serve.errors import RefusedError
from engine.serve.routes.base import Asked, Body, OpenAIErrors, Telling, event
from engine.serve.routes.chat import CHOICE, arguments, offered, read_message, settings_of, usage
from engine.serve.routes.choice import (
    CallBegun,
    CallBroken,
    CallMore,
    Choice,
    Piece,
    Text,
    listed_odds,
)
from engine.serve.routes.fields import (
    EFFORTS,
    ENTRIES,
    FLAG,
    LIMIT,
    MANNER,
    MODEL,
    STREAMING,
    TEMPLATE,
    TEXT,
    TOP_LOGPROBS,
    USER,
    Fields,
    Kind,
    Table,
    inner,
    one_of,
    only,
    said,
    settings,
)

_TEXTS = ("input_text", "output_text", "text", "reasoning_text", "summary_text")


def input_of(given: Any) -> list[Message]:
    """The messages of `input`, a text or a list of items.

    Raises:
        ValueError: says what cannot be read.
    """
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if not isinstance(given, list) or not given:
        raise ValueError("input must be a text, or a list of items that is not empty")
    messages: list[Message] = []
    thought = ""
    for item in given:
        if not isinstance(item, dict):
            raise ValueError(f"input must be a list of objects, not of {said(item)}")
        kind = item.get("type", "message")
        if kind == "reasoning":
            thought = _texts(item.get("content") or item.get("summary") or [])
        elif kind == "message":
            message = read_message(
                {"role": item.get("role"), "content": _texts(item.get("content"))}
            )
            messages.append(_with(message, thought))
            thought = ""
        elif kind == "function_call":
            _add_call(messages, item, thought)
            thought = ""
        elif kind == "function_call_output":
            call, output = item.get("call_id"), _texts(item.get("output"))
            messages.append({"role": "tool", "tool_call_id": str(call or ""), "content": output})
        else:
            raise ValueError(f"input cannot have an item of the type {said(kind)} here")
    if not messages:
        raise ValueError("input must have a message")
    return messages


def _add_call(messages: list[Message], item: dict[str, Any], thought: str) -> None:
    """Put a call into the message of the assistant before it, or into a new one."""
    name = item.get("name")
    if not isinstance(name, str):
        raise ValueError("a function_call in input must have a name")
    call = {
        "id": str(item.get("call_id") or ""),
        "type": "function",
        "function": {"name": name, "arguments": arguments(item.get("arguments"), name)},
    }
    if messages and messages[-1]["role"] == "assistant" and not thought:
        last = dict(messages.pop())
        messages.append({**last, "tool_calls": [*last.get("tool_calls", []), call]})
    else:
        messages.append(_with({"role": "assistant", "content": "", "tool_calls": [call]}, thought))


def _with(message: Message, thought: str) -> Message:
    if thought and message["role"] == "assistant":
        return {**message, "reasoning_content": thought}
    return message


def _texts(content: Any) -> str:
    """A text, or the texts of parts."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    texts = []
    for part in content if isinstance(content, list) else [content]:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in _TEXTS or not isinstance(part.get("text"), str):
            raise ValueError(f"only text can be read, not a part of the type {said(kind)}")
        texts.append(part["text"])
    return "".join(texts)


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
            part["logprobs"] += listed_odds(piece.odds)
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
                part["logprobs"] = listed_odds(choice.odds)
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
        return self._event("response.output_text.delta", **told, logprobs=listed_odds(piece.odds))

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


MOST_KEPT = 512
"""Responses of one guest that can be gone on from; the oldest go first. They are in memory only."""

NOT_FOUND = "previous_response_not_found"

_LOGPROBS = "message.output_text.logprobs"
# The reasoning's text is always there, so that nothing encrypted is needed to go on.
_INCLUDED = (_LOGPROBS, "reasoning.encrypted_content")
_REASONING = Table(
    {
        "effort": one_of(*EFFORTS),
        # The reasoning is told as it is, which is as detailed as can be.
        "summary": only("auto", "detailed"),
        "generate_summary": only("auto", "detailed"),
    }
)
_TEXT = Table({"format": Kind(TEXT_FORMAT), "verbosity": only("medium")})
_ONE_VALUE: dict[str, Kind] = {
    "background": only(False),
    "service_tier": only("auto", "default"),
}
_ECHOED = ("instructions", "previous_response_id", "metadata", "tools", "tool_choice", "user")


@dataclass(frozen=True)
class _Kept:
    """A response that was kept: what was said up to its end, and what its client was told."""

    messages: list[Message]
    response: Body


class Kept:
    """The responses that were kept. None of a guest's is found by another. Any thread may use it.

    Args:
        most: of each guest.
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: dict[str, OrderedDict[str, _Kept]] = {}
        self._lock = threading.Lock()

    def put(self, guest: Guest, messages: list[Message], response: Body) -> None:
        """Keep a response, and the conversation to its end."""
        with self._lock:
            kept = self._kept.setdefault(guest.id, OrderedDict())
            kept[response["id"]] = _Kept(messages, response)
            while len(kept) > self._most:
                kept.popitem(last=False)

    def messages(self, guest: Guest, name: str) -> list[Message]:
        """The conversation to the end of a response.

        Raises:
            RefusedError: it was not kept.
        """
        return self._find(guest, name).messages

    def response(self, guest: Guest, name: str) -> Body:
        """What the client was told.

        Raises:
            RefusedError: it was not kept.
        """
        return self._find(guest, name, 404).response

    def drop(self, guest: Guest, name: str) -> None:
        """Forget a response.

        Raises:
            RefusedError: it was not kept.
        """
        self._find(guest, name, 404)
        with self._lock:
            kept = self._kept.get(guest.id)
            if kept is not None:
                kept.pop(name, None)

    def forget(self, guest_id: str) -> None:
        """Forget all of a guest's."""
        with self._lock:
            self._kept.pop(guest_id, None)

    def _find(self, guest: Guest, name: str, status: int = 400) -> _Kept:
        with self._lock:
            kept = self._kept.get(guest.id)
            found = kept.get(name) if kept is not None else None
        if found is None:
            raise RefusedError(
                status,
                f"There is no response {name!r} here any more, or it was not stored.",
                NOT_FOUND if status == 400 else INVALID_REQUEST,
            )
        return found


class ResponsesDoor(OpenAIErrors):
    """Responses.

    Attributes:
        kept: those that can be gone on from.
    """

    path = "/v1/responses"
    about = "A response, which can be gone on from where it was kept."
    table = Table(
        {
            **settings("max_tokens"),
            **MODEL,
            **USER,
            **STREAMING,
            **MANNER,
            **TEMPLATE,
            **CHOICE,
            **_ONE_VALUE,
            "input": Kind(INPUT),
            "instructions": TEXT,
            "previous_response_id": TEXT,
            "store": FLAG,
            "metadata": ENTRIES,
            "reasoning": inner(_REASONING),
            "tools": Kind(FLAT_TOOLS),
            "include": Kind({"type": "array", "items": {"enum": list(_INCLUDED)}}),
            "top_logprobs": TOP_LOGPROBS,
            "text": inner(_TEXT),
            "truncation": one_of("auto", "disabled"),
            "max_output_tokens": LIMIT,
        },
        required=("input",),
        refused=(
            *("conversation", "prompt", "max_tool_calls", "moderation", "messages", "n"),
            *("context_management", "max_tokens", "logprobs", "system", "image"),
        ),
    )

    def __init__(self, kept: Kept) -> None:
        self.kept = kept

    def read(self, body: Body, model: Model, guest: Guest = LOCAL) -> Asked:
        """The body in our own terms."""
        echoed = {name: body.get(name) for name in _ECHOED}
        fields = Fields(body, self.table)
        store = fields.flag("store", True)
        metadata = fields.take("metadata", {})
        fields.ignore((*MODEL, *_ONE_VALUE, *(name for name in USER if name != "metadata")))
        stream, _ = fields.streaming()
        previous = fields.take("previous_response_id")
        instructions = fields.take("instructions")
        before = self.kept.messages(guest, previous) if previous else []
        conversation = [*before, *input_of(fields.take("input"))]
        effort = _effort(fields)
        reasoning, template = fields.template(model, effort, "reasoning.effort")
        offer = offered(fields, _tools(fields.take("tools", [])), model)
        includes = _includes(fields)
        most = fields.top_logprobs(includes, f'include "{_LOGPROBS}"')
        own = _form(fields)
        if own and offer.offered:
            raise ValueError("text.format and tools cannot both shape one answer: choose one")
        slides = fields.take("truncation") == "auto"
        manner = fields.manner(reasoning, "slide" if slides else None)
        limit = fields.limit("max_output_tokens")
        head = [{"role": "system", "content": instructions}] if instructions else []
        params = fields.params(model, max_tokens=limit, logprobs=most, **settings_of(offer), **own)
        return Asked(
            model,
            [[*head, *conversation]],
            params,
            manner,
            stream=stream,
            template=template,
            extra={
                **echoed,
                "guest": guest,
                "metadata": metadata,
                "effort": effort,
                "truncation": "auto" if slides else "disabled",
                "store": store,
                "conversation": conversation,
                "parallel": offer.parallel_tool_calls,
            },
        )

    def telling(self, asked: Asked, choices: list[Choice]) -> Telling:
        """Who tells the client."""
        return ResponsesTelling(asked, choices, self._keep)

    def _keep(self, asked: Asked, choice: Choice, response: Body) -> None:
        if asked.extra["store"]:
            message = {**choice.said}
            if choice.thought:
                message["reasoning_content"] = choice.thought
            self.kept.put(asked.extra["guest"], [*asked.extra["conversation"], message], response)


def _effort(fields: Fields) -> Any:
    reasoning = fields.inner("reasoning", _REASONING)
    effort = reasoning.take("effort")
    reasoning.ignore(("summary", "generate_summary"))
    reasoning.end()
    return effort


def _tools(given: Any) -> Any:
    """Functions as chat completions have them; here their fields lie beside the type."""
    if not isinstance(given, list):
        return given
    return [
        {"type": "function", "function": {k: v for k, v in tool.items() if k != "type"}}
        if isinstance(tool, dict) and tool.get("type") == "function"
        else tool
        for tool in given
    ]


def _includes(fields: Fields) -> bool:
    """Whether the odds of tokens are wanted."""
    given = fields.take("include", [])
    for name in given if isinstance(given, list) else [given]:
        if name not in _INCLUDED:
            raise ValueError(f"include cannot have {said(name)} here")
    return _LOGPROBS in given


def _form(fields: Fields) -> dict[str, Any]:
    text = fields.inner("text", _TEXT)
    wanted = text.take("format", {"type": "text"})
    text.ignore(["verbosity"])
    text.end()
    return form(wanted, "text.format")

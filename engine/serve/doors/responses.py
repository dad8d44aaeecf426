"""`/v1/responses`: OpenAI's responses, and how a conversation that was kept goes on."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from engine.errors import INVALID_REQUEST
from engine.messages import Message
from engine.model.info import Model
from engine.serve.doors.chat import chosen
from engine.serve.doors.choice import Choice
from engine.serve.doors.door import Asked, Body, OpenAIErrors, Telling
from engine.serve.doors.fields import HARMLESS, Fields, form, functions, said
from engine.serve.doors.items import input_of
from engine.serve.doors.responses_telling import ResponsesTelling
from engine.serve.refusals import RefusedError

MOST_KEPT = 512
"""Responses that can be gone on from; the oldest ones go first. They are in memory only."""

NOT_FOUND = "previous_response_not_found"

_NAMES = ("input", "model", "instructions", "previous_response_id", "store", "max_output_tokens")
_LOGPROBS = "message.output_text.logprobs"
_ECHOED = ("instructions", "previous_response_id", "metadata", "tools", "tool_choice", "user")


@dataclass(frozen=True)
class _Kept:
    """A response that was kept: what was said up to its end, and what its client was told."""

    messages: list[Message]
    response: Body


class Kept:
    """The responses that were kept. Any thread may use it."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, messages: list[Message], response: Body) -> None:
        """Keep a response, and the conversation to its end."""
        with self._lock:
            self._kept[response["id"]] = _Kept(messages, response)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def messages(self, name: str) -> list[Message]:
        """The conversation to the end of a response.

        Raises:
            RefusedError: it was not kept.
        """
        return self._find(name).messages

    def response(self, name: str) -> Body:
        """What the client was told.

        Raises:
            RefusedError: it was not kept.
        """
        return self._find(name, 404).response

    def drop(self, name: str) -> None:
        """Forget a response.

        Raises:
            RefusedError: it was not kept.
        """
        self._find(name, 404)
        with self._lock:
            self._kept.pop(name, None)

    def _find(self, name: str, status: int = 400) -> _Kept:
        with self._lock:
            found = self._kept.get(name)
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

    def __init__(self, kept: Kept) -> None:
        self.kept = kept

    def read(self, body: Body, model: Model) -> Asked:
        """The body in our own terms."""
        echoed = {name: body.get(name) for name in _ECHOED}
        fields = Fields(body)
        store = fields.flag("store", True)
        metadata = fields.entries("metadata")
        fields.ignore(("model", *HARMLESS))
        stream, _ = fields.streaming()
        fields.only("background", False)
        fields.only("service_tier", "auto", "default")
        fields.refuse("conversation", "prompt", "max_tool_calls", "moderation", "messages")
        fields.refuse("context_management", "n", "max_tokens", "logprobs", "system", "image")
        previous = fields.text("previous_response_id")
        instructions = fields.text("instructions")
        before = self.kept.messages(previous) if previous else []
        conversation = [*before, *input_of(fields.take("input"))]
        effort = _effort(fields)
        reasoning, template = fields.template(model, effort, "reasoning.effort")
        tools, one_call = chosen(fields, functions(_tools(fields.take("tools", [])), model))
        includes = _includes(fields)
        most = fields.top_logprobs(
            "top_logprobs", includes, 'include "message.output_text.logprobs"'
        )
        own = _form(fields)
        if own and tools:
            raise ValueError("text.format and tools cannot both shape one answer: choose one")
        slides = fields.one_of("truncation", "auto", "disabled") == "auto"
        manner = fields.manner(reasoning, "slide" if slides else None)
        limit = fields.limit("max_output_tokens")
        head = [{"role": "system", "content": instructions}] if instructions else []
        params = fields.params(model, _NAMES, max_tokens=limit, logprobs=most, **own)
        return Asked(
            model,
            [[*head, *conversation]],
            params,
            manner,
            stream=stream,
            template={**template, "tools": list(tools)} if tools else template,
            tools=tools,
            one_call=one_call,
            extra={
                **echoed,
                "metadata": metadata,
                "effort": effort,
                "truncation": "auto" if slides else "disabled",
                "store": store,
                "conversation": conversation,
                "parallel": not one_call,
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
            self.kept.put([*asked.extra["conversation"], message], response)


def _effort(fields: Fields) -> Any:
    inner = fields.inner("reasoning") if _is_object(fields, "reasoning") else Fields({})
    effort = inner.take("effort")
    # The reasoning is told as it is, which is as detailed as can be.
    inner.only("summary", "auto", "detailed")
    inner.only("generate_summary", "auto", "detailed")
    inner.end("reasoning")
    return effort


def _is_object(fields: Fields, name: str) -> bool:
    value = fields.take(name)
    if value is None:
        return False
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be an object, not {said(value)}")
    fields.put(name, value)
    return True


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
    # The reasoning's text is always there, so that nothing encrypted is needed to go on.
    known = (_LOGPROBS, "reasoning.encrypted_content")
    for name in given if isinstance(given, list) else [given]:
        if name not in known:
            raise ValueError(f"include cannot have {said(name)} here")
    return known[0] in given


def _form(fields: Fields) -> dict[str, Any]:
    if not _is_object(fields, "text"):
        return {}
    inner = fields.inner("text")
    wanted = inner.take("format", {"type": "text"})
    inner.only("verbosity", "medium")
    inner.end("text")
    return form(wanted, "text.format")

"""`/v1/responses`: OpenAI's responses, and how a conversation that was kept goes on."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from engine.errors import INVALID_REQUEST
from engine.messages import Message
from engine.model.info import Model
from engine.openai.request import form
from engine.openai.schemas import FLAT_TOOLS, INPUT, TEXT_FORMAT
from engine.serve.doors.chat import CHOICE, offered
from engine.serve.doors.choice import Choice
from engine.serve.doors.door import Asked, Body, OpenAIErrors, Telling
from engine.serve.doors.fields import EFFORTS, LIMIT, TOP_LOGPROBS, Fields, settings
from engine.serve.doors.items import input_of
from engine.serve.doors.kinds import (
    ENTRIES,
    FLAG,
    MANNER,
    MODEL,
    STREAMING,
    TEMPLATE,
    TEXT,
    USER,
    Kind,
    Table,
    inner,
    one_of,
    only,
    said,
)
from engine.serve.doors.responses_telling import ResponsesTelling
from engine.serve.doors.tools import settings_of
from engine.serve.guests import LOCAL, Guest
from engine.serve.refusals import RefusedError

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

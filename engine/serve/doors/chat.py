"""`/v1/chat/completions`: OpenAI's chat completions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.messages import Message
from engine.model.info import Model
from engine.openai.request import form, with_text
from engine.openai.schemas import FORMAT, MESSAGES, TOOL_CHOICE, TOOLS
from engine.params import SamplingParams
from engine.serve.doors import odds
from engine.serve.doors.choice import CallBegun, CallBroken, Called, CallMore, Choice, Piece, Text
from engine.serve.doors.door import Asked, Body, OpenAIErrors, Telling
from engine.serve.doors.fields import (
    EFFORTS,
    LIMIT,
    TOP_LOGPROBS,
    Fields,
    conversation,
    settings,
)
from engine.serve.doors.kinds import (
    CHOICES,
    FLAG,
    MANNER,
    MODEL,
    STREAMING,
    TEMPLATE,
    USER,
    Kind,
    Table,
    one_of,
    only,
    said,
)
from engine.serve.doors.openai_telling import OpenAITelling, reason, usage
from engine.serve.doors.tools import arguments, offer, settings_of
from engine.serve.guests import LOCAL, Guest
from engine.serve.told import FOLLOWS

CHOICE: dict[str, Kind] = {
    "tool_choice": Kind(TOOL_CHOICE),
    "parallel_tool_calls": FLAG,
}
# Fields that can only ask for what is done anyway.
_ONE_VALUE: dict[str, Kind] = {
    "functions": only([]),
    "function_call": only("none", "auto"),
    "modalities": only(["text"]),
    "store": only(False),
    "service_tier": only("auto", "default"),
    "verbosity": only("medium"),
}


class ChatDoor(OpenAIErrors):
    """Chat completions."""

    path = "/v1/chat/completions"
    about = "A chat completion."
    table = Table(
        {
            **settings(),
            **MODEL,
            **USER,
            **STREAMING,
            **MANNER,
            **TEMPLATE,
            **CHOICE,
            **_ONE_VALUE,
            "messages": Kind(MESSAGES),
            "follows": FOLLOWS,
            "tools": Kind(TOOLS),
            "reasoning_effort": one_of(*EFFORTS),
            "n": CHOICES,
            "logprobs": FLAG,
            "top_logprobs": TOP_LOGPROBS,
            "response_format": Kind(FORMAT),
            "max_tokens": LIMIT,
            "max_completion_tokens": LIMIT,
        },
        required=("messages",),
        refused=("audio", "moderation", "web_search_options", "prompt", "system", "id"),
    )

    def read(self, body: Body, model: Model, guest: Guest = LOCAL) -> Asked:
        """The body in our own terms."""
        fields = Fields(body, self.table)
        fields.ignore((*MODEL, *USER, *_ONE_VALUE, "follows"))  # whoever calls has followed it
        stream, figures = fields.streaming()
        messages = [read_message(m) for m in conversation(fields.take("messages"))]
        reasoning, template = fields.template(model, fields.take("reasoning_effort"))
        offer = offered(fields, fields.take("tools", []), model)
        most = fields.top_logprobs(fields.flag("logprobs"), "logprobs")
        own = form(fields.take("response_format", {"type": "text"}), "response_format")
        if own and offer.offered:
            raise ValueError("response_format and tools cannot both shape one answer: choose one")
        asked = Asked(
            model,
            [messages],
            params=None,  # type: ignore[arg-type]
            manner=fields.manner(reasoning),
            n=fields.choices(),
            stream=stream,
            template=template,
            figures=figures,
        )
        limit = fields.limit("max_tokens", "max_completion_tokens")
        return replace(
            asked,
            params=fields.params(
                model, max_tokens=limit, logprobs=most, **settings_of(offer), **own
            ),
        )

    def telling(self, asked: Asked, choices: list[Choice]) -> Telling:
        """Who tells the client."""
        return ChatTelling(asked, choices)


def offered(fields: Fields, tools: Any, model: Model) -> SamplingParams:
    """The tools that may be called, and how."""
    choice, named = fields.take("tool_choice", "auto"), None
    if isinstance(choice, dict):
        # Responses have the name beside the type.
        inside = choice.get("function", choice)
        named = inside.get("name") if isinstance(inside, dict) else None
        if choice.get("type") != "function" or not isinstance(named, str):
            raise ValueError(f"tool_choice can only name a function here, not {said(choice)}")
    elif choice not in ("auto", "none", "required"):
        raise ValueError(
            f"tool_choice can be auto, none, required or name a function, not {said(choice)}"
        )
    together = fields.flag("parallel_tool_calls", True)
    return offer(tools, model, choice if named is None else "required", named, together)


def read_message(message: Message) -> Message:
    """A message as templates want it: plain text, arguments of calls as objects."""
    read: Message = dict(with_text(message))
    if read["role"] == "developer":
        read["role"] = "system"
    if read["role"] not in ("system", "user", "assistant", "tool"):
        raise ValueError(f"there is no role {said(read['role'])} here")
    if read.get("content") is None:
        read["content"] = ""
    calls = read.pop("tool_calls", None) or []
    if not isinstance(calls, list):
        raise ValueError("tool_calls must be a list")
    if calls:
        read["tool_calls"] = [_read_call(call) for call in calls]
    return read


def _read_call(call: Any) -> dict[str, Any]:
    inside = call.get("function") if isinstance(call, dict) else None
    name = inside.get("name") if isinstance(inside, dict) else None
    if not isinstance(inside, dict) or not isinstance(name, str):
        raise ValueError("a tool call in messages must have a function with a name")
    given = {"name": name, "arguments": arguments(inside.get("arguments"), name)}
    return {"id": str(call.get("id") or ""), "type": "function", "function": given}


class ChatTelling(OpenAITelling):
    """A chat completion, whole or in chunks."""

    def __init__(self, asked: Asked, choices: list[Choice]) -> None:
        super().__init__(asked, choices, "chatcmpl", "chat.completion.chunk")
        self._begun: set[int] = set()

    def begin(self) -> bytes:
        """Nothing: the first piece has the role."""
        return b""

    def piece(self, choice: Choice, piece: Piece) -> bytes:
        """The chunk for new text or a tool call."""
        told: Body = {}
        if isinstance(piece, (Called, CallBroken)):
            return b""  # its end shows in the reason at the answer's
        if isinstance(piece, CallBegun):
            told["tool_calls"] = [
                {"index": piece.number, **_call(piece.id, piece.name, piece.text)}
            ]
        elif isinstance(piece, CallMore):
            told["tool_calls"] = [{"index": piece.number, "function": {"arguments": piece.text}}]
        elif piece.text or not choice.answer:
            told["reasoning_content" if piece.reasoning else "content"] = piece.text
        return self._said(choice, told, None, piece.odds if isinstance(piece, Text) else ())

    def ended(self, choice: Choice) -> bytes:
        """The chunk that says why it ended."""
        return self._said(choice, {}, reason(choice))

    def whole(self) -> Body:
        """The answer in one piece."""
        return {
            **self._head,
            "object": "chat.completion",
            "choices": [self._choice(choice) for choice in self.choices],
            "usage": usage(self.choices),
        }

    def _choice(self, choice: Choice) -> Body:
        message: Body = {"role": "assistant", "content": choice.text}
        if choice.thought:
            message["reasoning_content"] = choice.thought
        if choice.calls:
            message["content"] = choice.text if choice.text.strip() else None
            message["tool_calls"] = [
                _call(call.id, call.name, call.arguments) for call in choice.calls
            ]
        return {
            "index": choice.index,
            "message": message,
            "logprobs": self._odds(choice.odds),
            "finish_reason": reason(choice),
        }

    def _odds(self, told: Any) -> Body | None:
        if self.asked.params.logprobs is None:
            return None
        return {"content": odds.listed(told), "refusal": None}

    def _said(self, choice: Choice, delta: Body, why: str | None, told: Any = ()) -> bytes:
        """A chunk of one choice."""
        if choice.index not in self._begun:
            self._begun.add(choice.index)
            delta = {"role": "assistant", **delta}
        one = {"index": choice.index, "delta": delta, "finish_reason": why}
        if told:
            one["logprobs"] = self._odds(told)
        # With figures at the end all others say that they have none, as with OpenAI.
        return self._chunk([one], usage=None) if self.asked.figures else self._chunk([one])


def _call(name: str, tool: str, arguments: str) -> Body:
    function = {"name": tool, "arguments": arguments}
    return {"id": name, "type": "function", "function": function}

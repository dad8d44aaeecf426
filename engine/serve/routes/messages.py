"""Anthropic's `/v1/messages` and `/v1/messages/count_tokens`, which coding tools speak."""

from __future__ import annotations

import json
import uuid
from typing import Any

from engine.messages import Message
from engine.model.info import Model
from engine.openai.json_text import shortened
from engine.openai.requests import form
from engine.openai.schemas import CUSTOM_TOOLS, SETTINGS, SYSTEM, TEXT_FORMAT, TURNS
from engine.params import SamplingParams
from engine.serve.auth import LOCAL, Guest
from engine.serve.routes.base import Asked, Body, Telling, event
from engine.serve.routes.chat import offer, settings_of
from engine.serve.routes.choice import CallBegun, Called, CallMore, Choice, Piece, Text
from engine.serve.routes.fields import (
    EFFORTS,
    FLAG,
    HARMLESS,
    LIMIT,
    MANNER,
    MODEL,
    STREAMING,
    TEMPLATE,
    TEXT,
    Fields,
    Kind,
    Table,
    conversation,
    inner,
    one_of,
    only,
    said,
    settings,
    whole,
)
from engine.serve.sessions import Manner


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
            block = _thinking_block("") if piece.reasoning else _text_block("")
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
        blocks = [_thinking_block(choice.thought)] if choice.thought else []
        if choice.text.strip() or not choice.calls:
            blocks.append(_text_block(choice.text))
        blocks += [_tool_block(call) for call in choice.calls]
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


def _text_block(text: str) -> Body:
    return {"type": "text", "text": text}


def _thinking_block(text: str) -> Body:
    # The signature is for reasoning that is not told. All of it is told here.
    return {"type": "thinking", "thinking": text, "signature": ""}


def _tool_block(call: Called) -> Body:
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


_CHOICE = Table(
    {
        "type": one_of("auto", "any", "tool", "none"),
        "name": TEXT,
        "disable_parallel_tool_use": FLAG,
    },
    required=("type",),
)
_THINKING = Table(
    {
        "type": one_of("enabled", "adaptive", "disabled"),
        # It is a target, and `max_tokens` the limit, as with Anthropic.
        "budget_tokens": whole(1),
        "display": only("summarized"),
    },
    required=("type",),
)
_CONFIG = Table({"effort": one_of(*EFFORTS), "format": Kind(TEXT_FORMAT)})
ASKED: dict[str, Kind] = {
    **TEMPLATE,
    "messages": Kind(TURNS),
    "system": Kind(SYSTEM),
    "tools": Kind(CUSTOM_TOOLS),
    "tool_choice": inner(_CHOICE),
    "thinking": inner(_THINKING),
    "output_config": inner(_CONFIG),
}
"""What makes the prompt."""
_PASSED: dict[str, Kind] = {
    **MODEL,
    "metadata": HARMLESS,
    "cache_control": HARMLESS,
    "diagnostics": HARMLESS,
    "service_tier": only("auto", "standard_only"),
    "speed": only("standard"),
}

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
}


def error_of(status: int, code: str, message: str) -> Body:
    """An error in Anthropic's shape. The code is one more field of it."""
    kind = _KINDS.get(status, "invalid_request_error" if status < 500 else "api_error")
    return {"type": "error", "error": {"type": kind, "message": shortened(message), "code": code}}


class MessagesDoor:
    """Anthropic's messages."""

    path = "/v1/messages"
    about = "Anthropic's messages."
    table = Table(
        {
            **settings("stop"),
            **_PASSED,
            **STREAMING,
            **MANNER,
            **ASKED,
            "max_tokens": LIMIT,
            "stop_sequences": Kind(SETTINGS["stop"]),
        },
        required=("messages",),
        refused=("container", "context_management", "mcp_servers", "n", "stop", "logprobs"),
    )

    def read(self, body: Body, model: Model, guest: Guest = LOCAL) -> Asked:
        """The body in our own terms."""
        fields = Fields(body, self.table)
        fields.ignore(_PASSED)
        stream, _ = fields.streaming()
        messages = said_of(fields)
        reasoning, template, own = how_of(fields, model)
        offer = offer_of(fields, model)
        if own and offer.offered:
            raise ValueError("output_config.format and tools cannot both shape one answer")
        limit = fields.limit("max_tokens")
        stops = fields.take("stop_sequences")
        manner = fields.manner(reasoning)
        return Asked(
            model,
            [messages],
            fields.params(model, max_tokens=limit, stop=stops, **settings_of(offer), **own),
            manner,
            stream=stream,
            template=template,
        )

    def telling(self, asked: Asked, choices: list[Choice]) -> Telling:
        """Who tells the client."""
        return MessagesTelling(asked, choices)

    def error(self, status: int, code: str, message: str) -> Body:
        """An error in the door's shape."""
        return error_of(status, code, message)


def said_of(fields: Fields) -> list[Message]:
    """The conversation, its system message first."""
    system = _text(fields.take("system", ""), "system")
    messages = [{"role": "system", "content": system}] if system else []
    for message in conversation(fields.take("messages")):
        messages += _read(message)
    return messages


def how_of(fields: Fields, model: Model) -> tuple[bool | None, dict[str, Any], dict[str, Any]]:
    """Whether to reason, what the template is given, and the form of the answer."""
    thinking = fields.take("thinking")
    config = fields.inner("output_config", _CONFIG)
    effort = config.take("effort")
    wanted = config.take("format")
    config.end()
    reasoning, template = fields.template(model, effort, "output_config.effort")
    if thinking is not None:
        reasoning = _thinking(thinking, model)
    return reasoning, template, form(wanted, "output_config.format") if wanted else {}


def _thinking(given: Any, model: Model) -> bool:
    fields = Fields(given, _THINKING, "thinking")
    kind = fields.take("type")
    fields.ignore(("budget_tokens", "display"))
    fields.end()
    if kind is None:
        raise ValueError("thinking must have a type: enabled, adaptive or disabled")
    if kind == "enabled" and not model.thinking:
        raise ValueError(f"thinking cannot be enabled: {model.name} does not reason")
    return bool(kind != "disabled")


def offer_of(fields: Fields, model: Model) -> SamplingParams:
    """The tools that may be called, and how."""
    given = fields.take("tools", [])
    if not isinstance(given, list):
        raise ValueError("tools must be a list")
    choice = fields.inner("tool_choice", _CHOICE)
    kind, named = choice.take("type", "auto"), choice.take("name")
    together = not choice.flag("disable_parallel_tool_use")
    choice.end()
    if (kind == "tool") != (named is not None):
        raise ValueError("tool_choice has a name where its type is tool, and there only")
    asked = "required" if kind in ("any", "tool") else kind
    return offer([_tool(tool) for tool in given], model, asked, named, together)


def _tool(tool: Any) -> dict[str, Any]:
    if not isinstance(tool, dict) or tool.get("type") not in (None, "custom"):
        kind = tool.get("type") if isinstance(tool, dict) else tool
        raise ValueError(f"tools can only be of the type custom here, not {said(kind)}")
    inside = {"name": tool.get("name"), "description": tool.get("description")}
    inside |= {"parameters": tool.get("input_schema"), "strict": tool.get("strict")}
    return {"type": "function", "function": inside}


def _read(message: Message) -> list[Message]:
    """The messages that stand for one of Anthropic's, whose results of tools are in a user's."""
    role, content = message["role"], message.get("content")
    if role not in ("user", "assistant"):
        raise ValueError(f"there is no role {said(role)} in messages; system is a field of its own")
    if isinstance(content, str):
        return [{"role": role, "content": content}]
    if not isinstance(content, list):
        raise ValueError(f"a message's content must be a text or a list, not {said(content)}")
    results: list[Message] = []
    texts, thought, calls = [], "", []
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text":
            texts.append(_text([block], "content"))
        elif kind == "thinking" and role == "assistant":
            thought += _string(block, "thinking")
        elif kind == "tool_use" and role == "assistant":
            calls.append(_call(block))
        elif kind == "tool_result" and role == "user":
            results.append(_result(block))
        else:
            raise ValueError(f"a message of {role} cannot have a block of the type {said(kind)}")
    read: Message = {"role": role, "content": "".join(texts)}
    if thought:
        read["reasoning_content"] = thought
    if calls:
        read["tool_calls"] = calls
    return [*results, read] if texts or not results else results


def _call(block: dict[str, Any]) -> dict[str, Any]:
    given = block.get("input", {})
    if not isinstance(given, dict):
        raise ValueError(f"the input of a tool_use must be an object, not {said(given)}")
    function = {"name": _string(block, "name"), "arguments": given}
    return {"id": _string(block, "id"), "type": "function", "function": function}


def _result(block: dict[str, Any]) -> Message:
    text = _text(block.get("content") or "", "tool_result")
    return {"role": "tool", "tool_call_id": _string(block, "tool_use_id"), "content": text}


def _string(block: dict[str, Any], name: str) -> str:
    value = block.get(name)
    if not isinstance(value, str):
        raise ValueError(f"a block's {name} must be a text, not {said(value)}")
    return value


def _text(content: Any, where: str) -> str:
    """A text, or the texts of blocks."""
    if isinstance(content, str):
        return content
    texts = []
    for block in content if isinstance(content, list) else [content]:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind != "text" or not isinstance(block.get("text"), str):
            raise ValueError(f"only text can be read in {where}, not a block of {said(kind)}")
        texts.append(block["text"])
    return "".join(texts)


class CountingDoor:
    """Counts the tokens of Anthropic's messages."""

    path = "/v1/messages/count_tokens"
    about = "How many tokens a prompt of Anthropic's messages has."
    table = Table(
        {**MODEL, **ASKED, "cache_control": HARMLESS, "speed": only("standard")},
        required=("messages",),
    )

    def read(self, body: Body, model: Model) -> Asked:
        """The body in our own terms."""
        fields = Fields(body, self.table)
        fields.ignore(("model", "cache_control", "speed"))
        messages = said_of(fields)
        reasoning, template, _ = how_of(fields, model)
        offer = offer_of(fields, model)
        fields.end()
        return Asked(
            model,
            [messages],
            SamplingParams(),
            Manner(reasoning=reasoning),
            template={**template, **({"tools": list(offer.offered)} if offer.offered else {})},
        )

    def whole(self, tokens: int) -> Body:
        """The answer."""
        return {"input_tokens": tokens}

    def error(self, status: int, code: str, message: str) -> Body:
        """An error in the door's shape."""
        return error_of(status, code, message)

"""`/v1/messages`: Anthropic's messages, which coding tools speak."""

from __future__ import annotations

from typing import Any

from engine.messages import Message
from engine.model.info import Model
from engine.openai.json_text import shortened
from engine.openai.request import form
from engine.openai.schemas import CUSTOM_TOOLS, SETTINGS, SYSTEM, TEXT_FORMAT, TURNS
from engine.params import SamplingParams
from engine.serve.doors.choice import Choice
from engine.serve.doors.door import Asked, Body, Telling
from engine.serve.doors.fields import EFFORTS, LIMIT, Fields, conversation, settings
from engine.serve.doors.kinds import (
    FLAG,
    HARMLESS,
    MANNER,
    MODEL,
    STREAMING,
    TEMPLATE,
    TEXT,
    Kind,
    Table,
    inner,
    one_of,
    only,
    said,
    whole,
)
from engine.serve.doors.messages_telling import MessagesTelling
from engine.serve.doors.tools import offer, settings_of
from engine.serve.guests import LOCAL, Guest

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

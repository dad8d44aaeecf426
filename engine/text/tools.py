"""Tools that a caller offers, how their calls are bound, and what they gave back. Pure Python."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from engine.text.schema_keywords import loosened

CHOICES = ("auto", "none", "required")  # what `tool_choice` may be beside a tool's name

Tool = Mapping[str, Any]
"""A function in OpenAI's shape of chat completions: {"type": "function", "function": {…}}."""

_NAME = re.compile(r"[\w.:/-]{1,128}")
ANY = '{"type": "object"}'  # the schema of arguments that are not bound


class ToolResult(Struct, frozen=True):
    """What a tool gave back, for the next turn."""

    id: str  # of the call, as `ToolCallFinished` had it
    content: str  # what the model is to read
    name: str = ""  # of the tool; some chat templates show it

    def as_message(self) -> dict[str, Any]:
        """As conversations have it that are sent whole."""
        named = {"name": self.name} if self.name else {}
        return {"role": "tool", "tool_call_id": self.id, **named, "content": self.content}


class ToolForm(Struct, frozen=True):
    """How an answer calls tools, where its calls are bound to their schemas.

    Raises:
        ValueError: a schema is none.
    """

    # those that may be called, each with its name and the JSON schema of its arguments
    tools: tuple[tuple[str, str], ...]
    # the answer is a call and nothing else, but for the reasoning before it. Without it the text
    # outside of calls is free.
    required: bool = False
    several: bool = True  # there may be more than one call
    # the JSON schema of an answer that calls nothing; None where that is free
    answer: str | None = None

    def __post_init__(self) -> None:
        if not self.tools:
            raise ValueError("tool_form must have a tool")
        for _, schema in self.tools:
            as_schema(schema)

    @property
    def whole(self) -> bool:
        """Whether all that is answered is bound, and not only what is in calls."""
        return self.required or self.answer is not None


class Copies(tuple[dict[str, Any], ...]):
    """Tools as `as_tools` gives them. Thousands are looked at once, and not with each setting."""


def as_tools(given: object) -> Copies:
    """Tools as the engine keeps them: copies, each with a name and parameters.

    Raises:
        ValueError: says which is none, or that two have the same name.
    """
    if isinstance(given, Copies):
        return given
    if not isinstance(given, (list, tuple)):
        raise ValueError("tools must be a list")
    tools = Copies(_function(number, tool) for number, tool in enumerate(given, 1))
    if len({name_of(tool) for tool in tools}) < len(tools):
        raise ValueError("tools must have names that differ")
    return tools


def name_of(tool: Tool) -> str:
    """The name of a tool that `as_tools` gave."""
    return str(tool["function"]["name"])


def shown(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """Tools as chat templates are given them: without what binds their calls."""
    return [
        {"type": "function", "function": {k: v for k, v in t["function"].items() if k != "strict"}}
        for t in tools
    ]


def check_choice(choice: object, tools: Sequence[Tool]) -> None:
    """See that `tool_choice` is possible with these tools.

    Raises:
        ValueError: it is not, and why.
    """
    if not isinstance(choice, str):
        raise ValueError(f"tool_choice must be auto, none, required or a name, not {choice!r}")
    if choice == "required" and not tools:
        raise ValueError("tool_choice asks for a call, and there are no tools")
    if choice not in CHOICES and choice not in map(name_of, tools):
        raise ValueError(f"tool_choice names {quoted(choice)}, which is none of the tools")


def form_of(
    tools: Sequence[Tool], choice: str, several: bool, answer: str | None
) -> ToolForm | None:
    """How calls are bound, or an answer of that schema beside them; None where all is free."""
    strict = [bool(tool["function"].get("strict")) for tool in tools]
    named = choice if choice not in CHOICES else None
    required = choice == "required" or named is not None
    if not tools or choice == "none" or not (required or any(strict) or answer is not None):
        return None
    return ToolForm(
        tuple(
            (
                name_of(tool),
                _schema_of(tool, is_bound) if required or is_bound else ANY,
            )
            for tool, is_bound in zip(tools, strict, strict=True)
            if named in (None, name_of(tool))
        ),
        required,
        several and named is None,
        None if required else answer,
    )


def _schema_of(tool: Tool, is_strict: bool) -> str:
    """Return what binds a call's arguments, which in a call that is not strict is what can."""
    schema = json.dumps(tool["function"]["parameters"])
    return schema if is_strict else loosened(schema)


def as_schema(schema: object) -> str | None:
    """The schema as text: it can be hashed, and the caller's own may change meanwhile."""
    if schema is None:
        return None
    try:
        known = json.loads(schema) if isinstance(schema, str) else schema
        text = json.dumps(known, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"json_schema must be a JSON schema: {error}") from None
    if not isinstance(known, dict):
        raise ValueError(f"json_schema must be a JSON object, not {schema!r}")
    return text


def inlined(schema: str) -> str:
    """A schema whose parameters have what they refer to at hand: readers look at their types."""
    parsed = json.loads(schema)
    properties = parsed.get("properties")
    if not isinstance(properties, dict):
        return schema
    known = {key: _followed(parsed, own) for key, own in properties.items()}
    return json.dumps({**parsed, "properties": known})


def with_types(tool: Tool) -> dict[str, Any]:
    """A tool whose parameters are `inlined`."""
    function = tool["function"]
    parameters = json.loads(inlined(json.dumps(function.get("parameters") or {})))
    return {**tool, "function": {**function, "parameters": parameters}}


def _followed(schema: dict[str, Any], own: Any) -> Any:
    for _ in range(8):
        target = own.get("$ref") if isinstance(own, dict) else None
        kind, _, name = str(target).removeprefix("#/").partition("/")
        found = schema.get(kind, {}).get(name) if kind in ("$defs", "definitions") else None
        if not isinstance(found, dict):
            break
        own = {**found, **{key: value for key, value in own.items() if key != "$ref"}}
    return own


def _function(number: int, tool: object) -> dict[str, Any]:
    kind = tool.get("type") if isinstance(tool, Mapping) else None
    if not isinstance(tool, Mapping) or kind != "function":
        raise ValueError(
            f"tools: number {number} must be a function, not of the type {quoted(kind)}"
        )
    inside = tool.get("function")
    if not isinstance(inside, Mapping) or not isinstance(inside.get("name"), str):
        raise ValueError(f"tools: number {number} must have a function with a name")
    name = inside["name"]
    if not _NAME.fullmatch(name) or name in CHOICES:
        raise ValueError(
            f"tools: {quoted(name)} cannot be a tool's name. It must have 1 to 128 letters, "
            "digits, or _ . : / -, and not be auto, none or required"
        )
    if not isinstance(inside.get("strict"), (bool, type(None))):
        raise ValueError(f"strict must be true or false, for the tool {quoted(name)}")
    if not isinstance(inside.get("parameters", {}), (Mapping, type(None))):
        raise ValueError(f"the parameters of the tool {quoted(name)} must be a schema")
    names = ("name", "description", "parameters", "strict")
    kept = {key: inside[key] for key in names if inside.get(key) is not None}
    kept.setdefault("parameters", {"type": "object", "properties": {}})
    try:
        copied: dict[str, Any] = json.loads(json.dumps(kept))
    except (TypeError, ValueError, RecursionError):
        raise ValueError(f"the tool {quoted(name)} must be plain JSON") from None
    return {"type": "function", "function": copied}


def tool_call(call_id: str, name: str, arguments: Any) -> dict[str, Any]:
    """Return a call of a tool as messages have it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def quoted(value: object) -> str:
    """A value as a sentence quotes it."""
    try:
        return json.dumps(value, ensure_ascii=False)[:100]
    except (TypeError, ValueError, RecursionError):
        return repr(type(value).__name__)

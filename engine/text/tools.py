"""Tools from a caller, constraints on calls, and tool results."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from engine.text.schema_keywords import loosen

CHOICES = ("auto", "none", "required")  # values of `tool_choice` that aren't tool names

Tool = Mapping[str, Any]
"""Function in OpenAI's chat format: {"type": "function", "function": {…}}."""

_NAME = re.compile(r"[\w.:/-]{1,128}")
ANY = '{"type": "object"}'  # schema without constraints


class ToolResult(Struct, frozen=True):
    """Result of a tool call, to be sent with the next turn."""

    id: str  # id of the call, from `ToolCallFinished`
    content: str  # text for the model
    name: str = ""  # name of the tool, which some chat templates show

    def as_message(self) -> dict[str, Any]:
        name_field = {"name": self.name} if self.name else {}
        return {"role": "tool", "tool_call_id": self.id, **name_field, "content": self.content}


class ToolForm(Struct, frozen=True):
    # Name and JSON schema of each tool that may be called.
    tools: tuple[tuple[str, str], ...]
    # True if the reply must be a call (after reasoning, if any). Otherwise, text outside calls is
    # unconstrained.
    required: bool = False
    several: bool = True  # allow more than one call
    # JSON schema for a reply without calls, or None for free text.
    answer: str | None = None

    def __post_init__(self) -> None:
        if not self.tools:
            raise ValueError("tool_form must have a tool")
        for _, schema in self.tools:
            as_schema(schema)

    @property
    def covers_reply(self) -> bool:
        """True if the constraints cover the entire reply, not just calls."""
        return self.required or self.answer is not None


class Copies(tuple[dict[str, Any], ...]):
    """Tools validated by `as_tools`, so that thousands of tools are only validated once."""


def as_tools(value: object) -> Copies:
    """Return validated copies of tools, which always have parameters.

    Raises:
        ValueError: if a tool is invalid, or two tools have the same name.
    """
    if isinstance(value, Copies):
        return value
    if not isinstance(value, (list, tuple)):
        raise ValueError("tools must be a list")
    tools = Copies(_check_function(number, tool) for number, tool in enumerate(value, 1))
    if len({name_of(tool) for tool in tools}) < len(tools):
        raise ValueError("tools must have unique names")
    return tools


def name_of(tool: Tool) -> str:
    return str(tool["function"]["name"])


def for_template(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """Return tools for chat templates, without fields that only constrain calls."""
    return [
        {"type": "function", "function": {k: v for k, v in t["function"].items() if k != "strict"}}
        for t in tools
    ]


def check_choice(choice: object, tools: Sequence[Tool]) -> None:
    if not isinstance(choice, str):
        raise ValueError(f"tool_choice must be auto, none, required or a name, not {choice!r}")
    if choice == "required" and not tools:
        raise ValueError("tool_choice requires a call, but there are no tools")
    if choice not in CHOICES and choice not in map(name_of, tools):
        raise ValueError(f"tool_choice names {quote(choice)}, which is not one of the tools")


def form_of(
    tools: Sequence[Tool], choice: str, several: bool, answer: str | None
) -> ToolForm | None:
    """Return the constraints on calls, or None if there are none.

    Args:
        answer: JSON schema for a reply without calls.
    """
    strict = [bool(tool["function"].get("strict")) for tool in tools]
    chosen_tool = choice if choice not in CHOICES else None
    required = choice == "required" or chosen_tool is not None
    if choice == "none" or not (required or any(strict) or answer is not None):
        return None
    return ToolForm(
        tuple(
            (
                name_of(tool),
                _schema_of(tool, is_bound) if required or is_bound else ANY,
            )
            for tool, is_bound in zip(tools, strict, strict=True)
            if chosen_tool in (None, name_of(tool))
        ),
        required,
        several and chosen_tool is None,
        None if required else answer,
    )


def _schema_of(tool: Tool, is_strict: bool) -> str:
    """Return the schema for a tool's arguments. Unsupported keywords are dropped unless strict."""
    schema = json.dumps(tool["function"]["parameters"])
    return schema if is_strict else loosen(schema)


def as_schema(schema: object) -> str:
    """Return a schema as text, which is hashable."""
    try:
        value = json.loads(schema) if isinstance(schema, str) else schema
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"json_schema must be a JSON schema: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"json_schema must be a JSON object, not {schema!r}")
    return text


def inline_references(schema: str) -> str:
    parsed = json.loads(schema)
    properties = parsed.get("properties")
    if not isinstance(properties, dict):
        return schema
    resolved = {
        key: _resolve(parsed, property_schema) for key, property_schema in properties.items()
    }
    return json.dumps({**parsed, "properties": resolved})


def resolve_types(tool: Tool) -> dict[str, Any]:
    function = tool["function"]
    parameters = json.loads(inline_references(json.dumps(function.get("parameters") or {})))
    return {**tool, "function": {**function, "parameters": parameters}}


def _resolve(schema: dict[str, Any], node: Any) -> Any:
    for _ in range(8):
        target = node.get("$ref") if isinstance(node, dict) else None
        kind, _, name = str(target).removeprefix("#/").partition("/")
        definition = schema.get(kind, {}).get(name) if kind in ("$defs", "definitions") else None
        if not isinstance(definition, dict):
            break
        node = {**definition, **{key: value for key, value in node.items() if key != "$ref"}}
    return node


def _check_function(number: int, tool: object) -> dict[str, Any]:
    kind = tool.get("type") if isinstance(tool, Mapping) else None
    if not isinstance(tool, Mapping) or kind != "function":
        raise ValueError(f"tools: number {number} must be a function, not {quote(kind)}")
    inside = tool.get("function")
    if not isinstance(inside, Mapping) or not isinstance(inside.get("name"), str):
        raise ValueError(f"tools: number {number} must have a function with a name")
    name = inside["name"]
    if not _NAME.fullmatch(name) or name in CHOICES:
        raise ValueError(
            f"tools: {quote(name)} cannot be a tool's name. It must have 1 to 128 letters, "
            "digits, or _ . : / -, and not be auto, none or required"
        )
    if not isinstance(inside.get("strict"), (bool, type(None))):
        raise ValueError(f"strict must be true or false, for the tool {quote(name)}")
    if not isinstance(inside.get("parameters", {}), (Mapping, type(None))):
        raise ValueError(f"the parameters of the tool {quote(name)} must be a schema")
    names = ("name", "description", "parameters", "strict")
    fields = {key: inside[key] for key in names if inside.get(key) is not None}
    fields.setdefault("parameters", {"type": "object", "properties": {}})
    try:
        copied: dict[str, Any] = json.loads(json.dumps(fields))
    except (TypeError, ValueError, RecursionError):
        raise ValueError(f"the tool {quote(name)} must be plain JSON") from None
    return {"type": "function", "function": copied}


def tool_call(call_id: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def quote(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)[:100]
    except (TypeError, ValueError, RecursionError):
        return repr(type(value).__name__)

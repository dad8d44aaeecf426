"""Tools that clients offer, and their calls in messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.model.info import Model
from engine.serve.doors.kinds import said


def functions(given: Any, model: Model) -> tuple[dict[str, Any], ...]:
    """Tools in OpenAI's shape of chat completions.

    Raises:
        ValueError: they cannot be offered.
    """
    if not isinstance(given, list):
        raise ValueError("tools must be a list")
    tools = tuple(_function(number, tool) for number, tool in enumerate(given, 1))
    if tools and not model.tool_format:
        raise ValueError(f"tools cannot be offered to {model.name}: it knows no tool calls")
    return tools


def _function(number: int, tool: Any) -> dict[str, Any]:
    kind = tool.get("type") if isinstance(tool, dict) else None
    if kind != "function":
        raise ValueError(f"tools: number {number} must be a function, not of the type {said(kind)}")
    inside = tool.get("function")
    if not isinstance(inside, dict) or not isinstance(inside.get("name"), str):
        raise ValueError(f"tools: number {number} must have a function with a name")
    if inside.get("strict"):
        raise ValueError(f"strict can only be false here, for the tool {inside['name']!r}")
    if not isinstance(inside.get("parameters", {}), (dict, type(None))):
        raise ValueError(f"the parameters of the tool {inside['name']!r} must be a schema")
    names = ("name", "description", "parameters")
    kept = {name: inside[name] for name in names if inside.get(name) is not None}
    kept.setdefault("parameters", {"type": "object", "properties": {}})
    return {"type": "function", "function": kept}


def arguments(given: Any, name: Any) -> Mapping[str, Any]:
    """A tool call's arguments as templates want them.

    Raises:
        ValueError: they are no JSON object.
    """
    try:
        found = json.loads(given) if isinstance(given, str) and given.strip() else given or {}
    except (ValueError, RecursionError):
        raise ValueError(f"the arguments of the call of {said(name)} are no JSON") from None
    if not isinstance(found, dict):
        raise ValueError(f"the arguments of the call of {said(name)} must be an object")
    return found

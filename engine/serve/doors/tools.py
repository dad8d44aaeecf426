"""Tools that clients offer, and their calls in messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.model.info import Model
from engine.params import ToolForm
from engine.serve.doors.kinds import said
from engine.text.tool_forms import BOUND

_ANY = {"type": "object"}


@dataclass(frozen=True)
class Offer:
    """What an answer may call.

    Attributes:
        tools: in OpenAI's shape of chat completions.
        one_call: the answer ends with its first call.
        form: how calls are bound; None where they are free.
    """

    tools: tuple[dict[str, Any], ...] = ()
    one_call: bool = False
    form: ToolForm | None = None

    def shown(self, template: dict[str, Any]) -> dict[str, Any]:
        """What the chat template is given, with the tools."""
        return {**template, "tools": list(self.tools)} if self.tools else template


def offer(
    given: Any, model: Model, choice: str = "auto", named: str | None = None, together: bool = True
) -> Offer:
    """The tools that a client offers, in OpenAI's shape of chat completions.

    Args:
        choice: "auto", "none" or "required".
        named: the only tool that may be called, and must be.
        together: there may be several calls.

    Raises:
        ValueError: they cannot be offered so.
    """
    if not isinstance(given, list):
        raise ValueError("tools must be a list")
    tools = tuple(_function(number, tool) for number, tool in enumerate(given, 1))
    if tools and not model.tool_format:
        raise ValueError(f"tools cannot be offered to {model.name}: it knows no tool calls")
    known = [tool["function"]["name"] for tool in tools]
    if len(set(known)) < len(known):
        raise ValueError("tools must have names that differ")
    required = choice == "required" or named is not None
    if required and not tools:
        raise ValueError("tool_choice asks for a call, and there are no tools")
    if named is not None and named not in known:
        raise ValueError(f"tool_choice names {said(named)}, which is none of the tools")
    if choice == "none" or not tools:
        return Offer((), not together)
    strict = [bool(tool["function"].get("strict")) for tool in given]
    form = None
    if required or any(strict):
        if model.tool_format not in BOUND:
            asked = (
                "tool_choice can only be auto or none" if required else "strict can only be false"
            )
            raise ValueError(f"{asked} here: the calls of {model.name} cannot be bound to a form")
        form = ToolForm(
            tuple(
                (name, json.dumps(tool["function"]["parameters"] if required or is_bound else _ANY))
                for name, tool, is_bound in zip(known, tools, strict, strict=True)
                if named in (None, name)
            ),
            required,
            together and named is None,
        )
    return Offer(tools, not together, form)


def _function(number: int, tool: Any) -> dict[str, Any]:
    kind = tool.get("type") if isinstance(tool, dict) else None
    if kind != "function":
        raise ValueError(f"tools: number {number} must be a function, not of the type {said(kind)}")
    inside = tool.get("function")
    if not isinstance(inside, dict) or not isinstance(inside.get("name"), str):
        raise ValueError(f"tools: number {number} must have a function with a name")
    if not isinstance(inside.get("strict"), (bool, type(None))):
        raise ValueError(f"strict must be true or false, for the tool {said(inside['name'])}")
    if not isinstance(inside.get("parameters", {}), (dict, type(None))):
        raise ValueError(f"the parameters of the tool {said(inside['name'])} must be a schema")
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

"""Tool calls as models write them, read by mlx-lm's parsers, or by ours where it has none."""

from __future__ import annotations

import importlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

from engine.text import tool_parsers

log = logging.getLogger(__name__)

_PARSERS = "mlx_lm.tool_parsers"


@dataclass(frozen=True)
class Call:
    """One call of a tool.

    Attributes:
        arguments: as JSON.
        id: the model's own, where it gives one.
    """

    name: str
    arguments: str
    id: str | None = None

    def as_message(self, name: str) -> dict[str, Any]:
        """As messages have it, for templates, under an id of that name."""
        function = {"name": self.name, "arguments": json.loads(self.arguments)}
        return {"id": name, "type": "function", "function": function}


def format_of(tokenizer: Any) -> str:
    """The name of mlx-lm's parser for a tokenizer's tool calls; empty where it has none."""
    parser = tokenizer.tool_parser if tokenizer.has_tool_calling else None
    package, _, name = str(getattr(parser, "__module__", "")).rpartition(".")
    return name if package == _PARSERS else ""


def inferred(template: str) -> str:
    """The name of mlx-lm's parser by a template's text.

    mlx-lm looks at templates that are one text, and not at named ones.
    """
    from mlx_lm import tokenizer_utils

    infer = getattr(tokenizer_utils, "_infer_tool_parser", None)
    if infer is None or not template:
        return ""
    found = infer(SimpleNamespace(chat_template=template, get_vocab=dict))
    return str(found or "")


def markers(name: str) -> tuple[str, str]:
    """What begins and ends a call for one of mlx-lm's parsers."""
    module = _mlx_lms(name)
    return str(module.tool_call_start), str(module.tool_call_end)


def parse(name: str, text: str, tools: Sequence[dict[str, Any]]) -> list[Call]:
    """The calls in a text that a model wrote between its markers.

    Args:
        name: how they are read: a dialect's `tool_format`.
        tools: those that were offered, in OpenAI's shape.

    Raises:
        ValueError: it is no call, or one of a tool that was not offered.
    """
    calls = read(name, text, tools)
    offered = {tool["function"]["name"] for tool in tools}
    for call in calls:
        if call.name not in offered:
            raise ValueError("it names a tool that was not offered")
    return calls


def read(name: str, text: str, tools: Sequence[dict[str, Any]] = ()) -> list[Call]:
    """As `parse`, for calls of any tool."""
    parser = tool_parsers.OWN.get(name) or _mlx_lms(name).parse_tool_call
    try:
        found = parser(text, list(tools))
    except Exception as error:  # the parsers raise whatever their steps do
        log.debug("a tool call could not be read", exc_info=True)
        raise ValueError(f"it could not be read ({type(error).__name__})") from None
    return [_call(one) for one in (found if isinstance(found, list) else [found])]


def _mlx_lms(name: str) -> ModuleType:
    return importlib.import_module(f"{_PARSERS}.{name}")


def _call(found: Any) -> Call:
    name = found.get("name") if isinstance(found, dict) else None
    if not isinstance(name, str):
        raise ValueError("it names no tool")
    arguments = found.get("arguments", {})
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    if not isinstance(arguments, dict):
        raise ValueError("its arguments are no object")
    own = found.get("id")
    return Call(
        name, json.dumps(arguments, ensure_ascii=False), own if isinstance(own, str) else None
    )

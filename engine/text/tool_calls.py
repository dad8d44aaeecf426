"""Tool calls as models write them, read by mlx-lm's parsers."""

from __future__ import annotations

import importlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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


def format_of(tokenizer: Any) -> str:
    """The name of the parser for a tokenizer's tool calls; empty where there is none."""
    parser = tokenizer.tool_parser if tokenizer.has_tool_calling else None
    package, _, name = str(getattr(parser, "__module__", "")).rpartition(".")
    return name if package == _PARSERS else ""


def parse(name: str, text: str, tools: Sequence[dict[str, Any]]) -> list[Call]:
    """The calls in a text that a model wrote between its markers.

    Args:
        name: the parser's, from `format_of`.
        tools: those that were offered, in OpenAI's shape.

    Raises:
        ValueError: it is no call, or one of a tool that was not offered.
    """
    parser = importlib.import_module(f"{_PARSERS}.{name}").parse_tool_call
    try:
        found = parser(text, list(tools))
    except Exception as error:  # the parsers raise whatever their steps do
        log.debug("a tool call could not be read", exc_info=True)
        raise ValueError(f"it could not be read ({type(error).__name__})") from None
    calls = [_call(one) for one in (found if isinstance(found, list) else [found])]
    offered = {tool["function"]["name"] for tool in tools}
    for call in calls:
        if call.name not in offered:
            raise ValueError("it names a tool that was not offered")
    return calls


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

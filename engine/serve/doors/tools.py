"""Tools that clients offer, and their calls in messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.model.info import Model
from engine.params import SamplingParams
from engine.serve.doors.kinds import said
from engine.text.tool_grammars import check


def offer(
    given: Any, model: Model, choice: str = "auto", named: str | None = None, together: bool = True
) -> SamplingParams:
    """The tools that a client offers, in OpenAI's shape of chat completions, as settings.

    Args:
        choice: "auto", "none" or "required".
        named: the only tool that may be called, and must be.
        together: there may be several calls.

    Raises:
        ValueError: they cannot be offered so.
    """
    asked = choice if named is None else named
    params = SamplingParams(tools=given, tool_choice=asked, parallel_tool_calls=together)
    check(params, model.tool_format, model.name)
    return params


def settings_of(offered: SamplingParams) -> dict[str, Any]:
    """The settings of tools among all, to be given with others."""
    if not offered.tools:
        return {}
    return {
        "tools": offered.tools,
        "tool_choice": offered.tool_choice,
        "parallel_tool_calls": offered.parallel_tool_calls,
    }


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

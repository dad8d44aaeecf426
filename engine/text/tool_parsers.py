"""Readers of tool calls for the dialects that mlx-lm has no parser for.

Each takes the text between a call's markers and the tools that were offered, and gives dictionaries
with a name and arguments, as mlx-lm's do. Whatever it raises means that there is no call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

Found = dict[str, Any]


def _json(text: str, _: Any = None) -> list[Found]:
    """Calls as JSON: one object, a list, or several of either behind each other.

    The names of the fields are those of Llama, Granite, Nemotron, Hunyuan, Phi (name, arguments or
    parameters), Cohere (tool_name, parameters, tool_call_id) and Apertus ({name: arguments}).
    """
    decoder, found, at = json.JSONDecoder(strict=False), list[Found](), 0
    while (begins := re.compile(r"[\[{]").search(text, at)) is not None:
        value, at = decoder.raw_decode(text, begins.start())
        found += [_one(one) for one in (value if isinstance(value, list) else [value])]
    if not found:
        raise ValueError("no object")
    return found


def _one(value: Found) -> Found:
    inner = value.get("function")
    if isinstance(inner, dict):
        value = {"id": value.get("id"), **inner}
    name = next((value[key] for key in ("name", "tool_name", "function") if key in value), None)
    if name is None and len(value) == 1:
        ((name, arguments),) = value.items()
        return {"name": name, "arguments": arguments}
    arguments = next((value[key] for key in ("arguments", "parameters") if key in value), {})
    return {"name": name, "arguments": arguments, "id": value.get("id")}


def _harmony(text: str, _: Any = None) -> Found:
    """`functions.NAME {…}`: the recipient of the header, and the message."""
    name, _, arguments = text.strip().partition(" ")
    return {"name": name.removeprefix("functions."), "arguments": json.loads(arguments or "{}")}


_DEEPSEEK = re.compile(r"(?:function)?<｜tool▁sep｜>|<｜tool▁call▁(?:begin|end)｜>|```(?:json)?")


def _deepseek(text: str, _: Any = None) -> list[Found]:
    """V3.1's `NAME<｜tool▁sep｜>{…}`, or R1's `function<｜tool▁sep｜>NAME` and a block of JSON."""
    parts = [part.strip() for part in _DEEPSEEK.split(text)]
    parts = [part for part in parts if part]
    if not parts or len(parts) % 2:
        raise ValueError("a name without arguments")
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [{"name": name, "arguments": json.loads(given)} for name, given in pairs]


_INVOKE = re.compile(r'<｜DSML｜invoke name="([^"]+)">(.*?)</｜DSML｜invoke>', re.DOTALL)
_PARAMETER = re.compile(
    r'<｜DSML｜parameter name="([^"]+)"(?: string="(true|false)")?>(.*?)</｜DSML｜parameter>',
    re.DOTALL,
)


def _dsml(text: str, _: Any = None) -> list[Found]:
    """DeepSeek V3.2's markup: parameters are texts, or JSON where they say `string="false"`."""
    return [
        {
            "name": name,
            "arguments": {
                key: json.loads(value) if kind == "false" else value
                for key, kind, value in _PARAMETER.findall(body)
            },
        }
        for name, body in _INVOKE.findall(text)
    ]


def _lines(text: str, tools: Any = None) -> list[Found]:
    """OLMo 3's: calls in Python's words, one a line."""
    from mlx_lm.tool_parsers.pythonic import parse_tool_call

    calls = [line for line in text.strip().splitlines() if line.strip()]
    found = parse_tool_call(f"[{', '.join(calls)}]", tools)
    return found if isinstance(found, list) else [found]


OWN: dict[str, Callable[[str, Any], Any]] = {
    "json": _json,
    "harmony": _harmony,
    "deepseek": _deepseek,
    "dsml": _dsml,
    "python lines": _lines,
}
"""The readers by their names, which the table of dialects uses."""

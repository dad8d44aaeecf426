"""JSON schemas of what clients send: sampling settings, messages, tools and forms of answers."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from engine.openai.requests import SAMPLING
from engine.params import ABOVE_ZERO, LEAST, RANGES, FormLimits

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": {"type": "string", "minLength": 1}}
_OBJECT: Schema = {"type": "object"}


def _others() -> dict[str, Schema]:
    """Settings that are no numbers."""
    limits = {f.name: {"type": "integer", "minimum": 0} for f in fields(FormLimits)}
    return {
        "seed": {"type": "integer"},
        "logit_bias": {
            "type": "object",
            "propertyNames": {"pattern": "^[0-9]{1,9}$"},
            "additionalProperties": {"type": "number"},
        },
        "stop": {"anyOf": [{"type": "string", "minLength": 1}, _TEXTS]},
        "json_schema": {"anyOf": [_OBJECT, _TEXT]},
        "regex": {"type": "string", "minLength": 1},
        "choices": _TEXTS,
        "grammar": {"type": "string", "minLength": 1},
        "form_limits": {"type": "object", "properties": limits, "additionalProperties": False},
    }


def _range(name: str) -> Schema:
    low, high = RANGES[name]
    least = "exclusiveMinimum" if name in ABOVE_ZERO else "minimum"
    return {"type": "number", least: low, "maximum": high}


def _settings() -> dict[str, Schema]:
    known: dict[str, Schema] = {name: _range(name) for name in RANGES}
    known |= {name: {"type": "integer", "minimum": low} for name, low in LEAST.items()}
    known |= _others()
    return {name: known[name] for name in SAMPLING}


SETTINGS: dict[str, Schema] = _settings()
"""Of each sampling setting that a body may name."""


def _block(kind: str | list[str], **more: Schema) -> Schema:
    named = {"const": kind} if isinstance(kind, str) else {"enum": kind}
    return {
        "type": "object",
        "properties": {"type": named, **more},
        "required": ["type", *more],
    }


def _texts(*kinds: str) -> Schema:
    """A text, or parts that have texts."""
    return {"anyOf": [_TEXT, {"type": "array", "items": _block(list(kinds), text=_TEXT)}]}


def _several(*items: Schema) -> Schema:
    one = items[0] if len(items) == 1 else {"anyOf": list(items)}
    return {"type": "array", "items": one, "minItems": 1}


_FUNCTION: Schema = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "description": _TEXT,
        "parameters": _OBJECT,
        "strict": {"type": "boolean"},
    },
    "required": ["name"],
}
_CALL: Schema = {
    "type": "object",
    "properties": {
        "id": _TEXT,
        "type": {"const": "function"},
        "function": {
            "type": "object",
            "properties": {"name": _TEXT, "arguments": {"const": "{}"}},
            "required": ["name", "arguments"],
        },
    },
    "required": ["id", "type", "function"],
}

MESSAGES: Schema = _several(
    {
        "type": "object",
        "properties": {
            "role": {"enum": ["system", "developer", "user", "assistant", "tool"]},
            "content": _texts("text", "input_text"),
            "reasoning_content": _TEXT,
            "tool_calls": {"type": "array", "items": _CALL},
            "tool_call_id": _TEXT,
        },
        "required": ["role", "content"],
        "additionalProperties": False,
    }
)
TOOL_CHOICE: Schema = {
    "anyOf": [
        {"enum": ["auto", "none", "required"]},
        _block("function", function={"type": "object", "properties": {"name": _TEXT}}),
        _block("function", name=_TEXT),
    ]
}
"""The last one is that of responses."""
TOOLS: Schema = {"type": "array", "items": _block("function", function=_FUNCTION)}
PROMPT: Schema = {
    "anyOf": [
        _TEXT,
        {"type": "array", "items": _TEXT, "minItems": 1},
        {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1},
        _several({"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1}),
    ]
}
_PLAIN: Schema = {"anyOf": [_block("text"), _block("json_object")]}
FORMAT: Schema = {
    "anyOf": [
        *_PLAIN["anyOf"],
        _block(
            "json_schema",
            json_schema={
                "type": "object",
                "properties": {"name": _TEXT, "schema": _OBJECT, "strict": {"type": "boolean"}},
                "required": ["schema"],
            },
        ),
    ]
}
TEXT_FORMAT: Schema = {"anyOf": [*_PLAIN["anyOf"], _block("json_schema", schema=_OBJECT)]}
"""As responses and Anthropic's messages have it."""

_PART_KINDS = ("input_text", "output_text", "text", "reasoning_text", "summary_text")
INPUT: Schema = {
    "anyOf": [
        _TEXT,
        _several(
            {
                "type": "object",
                "properties": {
                    "type": {"const": "message"},
                    "role": {"enum": ["system", "developer", "user", "assistant"]},
                    "content": _texts(*_PART_KINDS),
                },
                "required": ["role", "content"],
            },
            _block("reasoning", content=_texts(*_PART_KINDS)),
            _block("function_call", name=_TEXT, arguments={"const": "{}"}, call_id=_TEXT),
            _block("function_call_output", output=_texts(*_PART_KINDS), call_id=_TEXT),
        ),
    ]
}
FLAT_TOOLS: Schema = {
    "type": "array",
    "items": {
        **_FUNCTION,
        "properties": {"type": {"const": "function"}, **_FUNCTION["properties"]},
        "required": ["type", "name"],
    },
}

SYSTEM: Schema = _texts("text")
"""Anthropic's system message."""
_TURN = {
    "user": (_block("text", text=_TEXT), _block("tool_result", tool_use_id=_TEXT, content=SYSTEM)),
    "assistant": (
        _block("text", text=_TEXT),
        _block("thinking", thinking=_TEXT),
        _block("tool_use", id=_TEXT, name=_TEXT, input=_OBJECT),
    ),
}
TURNS: Schema = _several(
    *(
        {
            "type": "object",
            "properties": {
                "role": {"const": role},
                "content": {"anyOf": [_TEXT, {"type": "array", "items": {"anyOf": list(blocks)}}]},
            },
            "required": ["role", "content"],
        }
        for role, blocks in _TURN.items()
    )
)
"""Anthropic's messages."""
CUSTOM_TOOLS: Schema = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "type": {"const": "custom"},
            "name": {"type": "string", "minLength": 1},
            "description": _TEXT,
            "input_schema": _OBJECT,
            "strict": {"type": "boolean"},
        },
        "required": ["name", "input_schema"],
    },
}

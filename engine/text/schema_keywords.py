"""JSON schema keywords that llguidance doesn't support."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

_FORMATS = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri")
)
_UNSUPPORTED = frozenset(
    (
        *("not", "if", "then", "else", "contains", "minContains", "maxContains", "uniqueItems"),
        *("propertyNames", "dependentRequired", "dependentSchemas", "dependencies"),
        *("unevaluatedItems", "unevaluatedProperties", "$dynamicRef"),
    )
)
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_PARTS = ("items", "additionalItems", "additionalProperties", *_LISTS)
_NAMED = ("properties", "patternProperties", "$defs", "definitions")
_LOOK_AROUND = re.compile(r"\(\?<?[=!]|\\[1-9]")


def remove_unsupported(schema: str) -> str:
    """Remove keywords that have no effect, but that llguidance rejects.

    According to JSON Schema, unknown values of `format` (e.g. pydantic's "password") are just
    annotations.
    """
    if '"format"' not in schema and '"uniqueItems"' not in schema:
        return schema
    return _remove_keywords(schema, _has_no_effect)


def loosen(schema: str) -> str:
    """Remove everything that llguidance rejects, for calls that don't have to be strict."""
    return _remove_keywords(schema, _is_refused)


def _has_no_effect(keyword: str, value: Any) -> bool:
    if keyword == "format":
        return isinstance(value, str) and value not in _FORMATS
    return keyword == "uniqueItems" and value is False


def _is_refused(keyword: str, value: Any) -> bool:
    if keyword == "pattern":
        return isinstance(value, str) and _LOOK_AROUND.search(value) is not None
    return keyword in _UNSUPPORTED or _has_no_effect(keyword, value)


def _remove_keywords(schema: str, drops: Callable[[str, Any], bool]) -> str:
    def walk(node: Any) -> Any:
        if isinstance(node, list):
            return [walk(part) for part in node]
        if not isinstance(node, dict):
            return node
        out: dict[str, Any] = {}
        for name, value in node.items():
            if name in _NAMED and isinstance(value, dict):
                out[name] = {key: walk(part) for key, part in value.items()}
            elif not drops(name, value):
                out[name] = walk(value) if name in _PARTS else value
        return out

    try:
        return json.dumps(walk(json.loads(schema)))
    except (ValueError, RecursionError):
        return schema  # llguidance has better error messages

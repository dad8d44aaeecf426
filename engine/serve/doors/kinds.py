"""What the fields of a body can have: a table for each body, checked here and told to clients.

A door reads with its table, and `/openapi.json` is written from it, so that neither can have a
field that the other lacks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

MOST_CHOICES = 128
"""Answers to one request."""

Check = Callable[[str, Any], None]
"""Is given a field's name and value. Raises `ValueError`, which names the field."""


def _anything(name: str, value: Any) -> None:
    """No check: the door itself reads the value."""


@dataclass(frozen=True)
class Kind:
    """What one field can have.

    Attributes:
        schema: a JSON schema of it.
        check: refuses what it cannot have.
    """

    schema: Mapping[str, Any]
    check: Check = _anything


@dataclass(frozen=True)
class Table:
    """The fields of a body, or of an object within one.

    Attributes:
        kinds: by name. A null is as good as nothing for each of them, as with OpenAI.
        required: those that must be there.
        refused: names of fields that ask for what is not done here.
    """

    kinds: Mapping[str, Kind]
    required: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        """A JSON schema of such an object."""
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {
                name: dict(kind.schema) if name in self.required else _or_null(kind.schema)
                for name, kind in self.kinds.items()
            },
            # Clients write null for what they do not ask; that asks for nothing, known or not.
            "additionalProperties": {"type": "null"},
        }
        return {**schema, "required": list(self.required)} if self.required else schema


def _or_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"anyOf": [dict(schema), {"type": "null"}]} if schema else {}


def said(value: Any) -> str:
    """A value as a sentence quotes it."""
    try:
        return json.dumps(value, ensure_ascii=False)[:100]
    except (TypeError, ValueError, RecursionError):
        return repr(type(value).__name__)


def _must(name: str, be: str, value: Any) -> ValueError:
    return ValueError(f"{name} must be {be}, not {said(value)}")


def _flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise _must(name, "true or false", value)


def _text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise _must(name, "a text", value)


def _entries(name: str, value: Any) -> None:
    if not isinstance(value, dict):
        raise _must(name, "an object", value)


FLAG = Kind({"type": "boolean"}, _flag)
TEXT = Kind({"type": "string"}, _text)
ENTRIES = Kind({"type": "object"}, _entries)
HARMLESS = Kind({})
"""A field that changes nothing in an answer."""


def whole(low: int, high: int | None = None) -> Kind:
    """A whole number from `low` to `high`."""

    def check(name: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise _must(name, f"a whole number of at least {low}", value)
        if high is not None and value > high:
            raise ValueError(f"{name} must be at most {high}, not {said(value)}")

    most = {} if high is None else {"maximum": high}
    return Kind({"type": "integer", "minimum": low, **most}, check)


def number(low: float, high: float) -> Kind:
    """A number from `low` to `high`."""

    def check(name: str, value: Any) -> None:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not low <= value <= high:
            raise _must(name, f"{low:g} to {high:g}", value)

    return Kind({"type": "number", "minimum": low, "maximum": high}, check)


def one_of(*allowed: str) -> Kind:
    """One of these texts."""

    def check(name: str, value: Any) -> None:
        if value not in allowed:
            raise _must(name, f"one of {', '.join(allowed)}", value)

    return Kind({"enum": list(allowed)}, check)


def only(*allowed: Any) -> Kind:
    """Values that ask for what is done anyway; the first one stands for them."""

    def check(name: str, value: Any) -> None:
        if not any(value == one and type(value) is type(one) for one in allowed):
            only = json.dumps(allowed[0])
            raise ValueError(f"{name} can only be {only} here, not {said(value)}")

    return Kind({"enum": list(allowed)}, check)


def _kv_bits(name: str, value: Any) -> None:
    if isinstance(value, bool) or value not in (4, 8):
        raise _must(name, "8 or 4", value)


def inner(table: Table) -> Kind:
    """An object whose fields are read with a table of their own."""
    return Kind(table.schema, _entries)


MANNER: dict[str, Kind] = {
    "kv_bits": Kind({"type": "integer", "enum": [4, 8]}, _kv_bits),
    "on_overflow": one_of("refuse", "slide"),
    "reproducible": FLAG,
}
"""How a session works."""

STREAM_OPTIONS = Table({"include_usage": FLAG, "include_obfuscation": only(False)})
STREAMING: dict[str, Kind] = {"stream": FLAG, "stream_options": inner(STREAM_OPTIONS)}

TEMPLATE: dict[str, Kind] = {"reasoning": FLAG, "chat_template_kwargs": ENTRIES}
"""What a chat template is given beside the messages."""

CHOICES = whole(1, MOST_CHOICES)

MODEL: dict[str, Kind] = {"model": TEXT}
USER: dict[str, Kind] = dict.fromkeys(
    [
        *("user", "metadata", "safety_identifier", "prompt_cache_key", "prompt_cache_options"),
        *("prompt_cache_retention", "prediction"),
    ],
    HARMLESS,
)
"""What OpenAI's clients may send that changes nothing in an answer."""

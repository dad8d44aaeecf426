"""Calls in Gemma's own notation: `call:NAME{key:<|"|>text<|"|>,other:{deep:5}}`.

Keys are bare, texts stand between marks of their own, all else is as in JSON. FunctionGemma's
reader takes flat arguments only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.text.tool_grammars import Rules, json_of, text

Schema = dict[str, Any]

_DEEPEST = 8
_MOST_ITEMS = 64
"""Items of a list that are counted; a list of more is bound without a count."""
_WORD = re.compile(r"\w+")
NAMES = {"gemma4": re.compile(r"[\w-]+"), "function_gemma": _WORD}
"""What a tool's name may be, by the format."""
_MARKS = {"gemma4": '<|"|>', "function_gemma": "<escape>"}
_NOT_BOUND = ("patternProperties", "if", "not", "allOf", "pattern", "format")


def rules(name: str, tool: str, schema: str, number: int, spell: Callable[[str], str]) -> Rules:
    """The rules for a call of one tool.

    Args:
        name: the format's, "gemma4" or "function_gemma".
        schema: of the arguments, as JSON.
        number: of the tool, for the names of rules.

    Raises:
        ValueError: the schema cannot be bound in this notation, and why.
    """
    if not NAMES[name].fullmatch(tool):
        raise ValueError("its name has letters that this model's calls cannot have")
    parsed = json.loads(schema)
    defined = {**parsed.get("$defs", {}), **parsed.get("definitions", {})}
    made = Rules("")
    notation = _Notation(made, number, spell, _MARKS[name], defined, name == "function_gemma")
    made.call = f"{text(f'call:{tool}')} {notation.arguments({**parsed, 'type': 'object'})}"
    return made


@dataclass
class _Notation:
    """Makes expressions of schemas.

    Attributes:
        made: takes the rules that the expressions need.
        mark: stands before and after a text.
        defined: what schemas refer to.
        flat: arguments are neither lists nor objects, and no text has a brace.
    """

    made: Rules
    number: int
    spell: Callable[[str], str]
    mark: str
    defined: Schema
    flat: bool

    def arguments(self, schema: Schema, depth: int = 0) -> str:
        """An object, whose arguments come in the schema's order."""
        must = schema.get("required", ())
        parts: list[tuple[str, bool]] = []
        for key, own in schema.get("properties", {}).items():
            if not _WORD.fullmatch(key) or not isinstance(own, dict):
                raise ValueError(f"the parameter {json.dumps(key)} cannot be bound for this model")
            value = self.value(own, key, depth + 1)
            parts.append((f"{text(key + ':')} {value}", key in must))
        if any(word in schema for word in (*_NOT_BOUND, "anyOf", "oneOf")):
            raise ValueError("its parameters must be plain properties for this model")
        return f'"{{" {_listed(parts)} "}}"'

    def value(self, schema: Schema, key: str, depth: int) -> str:
        """A value of an argument of that name, or of something in it."""
        target = schema.get("$ref")
        if target is not None:
            found = self.defined.get(str(target).rpartition("/")[2])
            rest = {word: own for word, own in schema.items() if word != "$ref"}
            schema = {**found, **rest} if isinstance(found, dict) else {"$ref": target}
        wrong = any(word in schema for word in (*_NOT_BOUND, "$ref"))
        if depth > _DEEPEST or wrong:
            raise ValueError(f"the parameter {json.dumps(key)} cannot be bound for this model")
        one_of = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if one_of is not None:
            return f"({' | '.join(self._as_it_is(one, key) for one in one_of)})"
        choices = schema.get("anyOf", schema.get("oneOf"))
        if choices is not None:
            return f"({' | '.join(self.value(one, key, depth + 1) for one in choices)})"
        kind = schema.get("type")
        if isinstance(kind, list):
            kinds = [self.value({**schema, "type": one}, key, depth + 1) for one in kind]
            return f"({' | '.join(kinds)})"
        if kind == "string":
            return self._text(schema)
        if kind in ("integer", "number", "boolean", "null"):
            return json_of(schema)
        if kind == "object" and "properties" in schema and not self.flat:
            return self.arguments(schema, depth)
        if kind == "array" and isinstance(schema.get("items"), dict) and not self.flat:
            return _items(self.value(schema["items"], key, depth + 1), schema)
        raise ValueError(f"the parameter {json.dumps(key)} cannot be bound for this model")

    def _as_it_is(self, value: Any, key: str) -> str:
        if not isinstance(value, str):
            if isinstance(value, (dict, list)):
                raise ValueError(f"the parameter {json.dumps(key)} cannot be bound for this model")
            return text(json.dumps(value))
        if self.mark in value or (self.flat and "}" in value):
            raise ValueError(f"{json.dumps(value)} cannot be written in this model's calls")
        return f"{self.spell(self.mark)} {text(value)} {self.spell(self.mark)}"

    def _text(self, schema: Schema) -> str:
        least, most = int(schema.get("minLength", 0)), schema.get("maxLength", "")
        name = f"TEXT{self.number}_{len(self.made.more)}"
        letter = r"[^}\x00]" if self.flat else r"[^\x00]"
        never = f"~/(?s:.*){re.escape(self.mark)}(?s:.*)/"
        self.made.more.append(f"{name}: /{letter}{{{least},{most}}}/ & {never}")
        return f"{self.spell(self.mark)} {name} {self.spell(self.mark)}"


def _listed(parts: list[tuple[str, bool]]) -> str:
    """Expressions with commas between them; those that need not be there may be left out."""
    tails = [""]  # of what may come behind each, the last one first
    for expression, must in reversed(parts):
        behind = tails[-1]
        tails.append(f'"," {expression} {behind}' if must else f'("," {expression})? {behind}')
    tails.reverse()
    starts, always = [], False
    for at, (expression, must) in enumerate(parts):
        starts.append(f"{expression} {tails[at + 1]}")
        if must:
            always = True
            break
    if not parts:
        return ""
    return f"({' | '.join(starts)}){'' if always else '?'}"


def _items(item: str, schema: Schema) -> str:
    """A list, of as many as the schema says."""
    least, most = int(schema.get("minItems", 0)), schema.get("maxItems")
    if least > _MOST_ITEMS:
        raise ValueError("a list must have too many items to be bound for this model")
    if most is None or most > _MOST_ITEMS:
        more = f'("," {item})*'
    else:
        more = ""
        for _ in range(int(most) - max(least, 1)):
            more = f'("," {item} {more})?'
    first = " ".join([item, *[f'"," {item}'] * (least - 1), more])
    inside = "" if most == 0 else first if least else f"({first})?"
    return f'"[" {inside} "]"'

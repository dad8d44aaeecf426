"""Hostile model folders, templates and formats. Each caused a bug in the past."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.bench.hostile_inputs import (
    ENDLESS,
    chain,
    change_tokenizer,
    far_id,
    panic,
    replace_normalizer,
)

__all__ = ["ENDLESS", "chain", "change_tokenizer", "far_id"]

# Ordered in similar pairs, because each run tests only half of them.
TEMPLATES = {
    "loops": ENDLESS,
    "lipsum": "{{ lipsum(99999, True, 500, 1000) }}",
    "power": "{{ 9**(9**9) }}",
    "wordwrap": "{{ ('a ' * 40000000)|wordwrap(2) }}",
    "repeat": "{{ 'a'*(2*10**9) }}",
    "center": "{{ 'a'|center(2000000000) }}",
    "output": "{% for a in range(99999) %}{{ 'a' * 100000 }}{% endfor %}",
    "flood": "{{ 'a' * 5000000 }}",
    "macro": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "format": "{{ '%1000000000d'|format(1) }}",
    "list": "{% set x = namespace(a=['b']) %}{% for i in range(99) %}"
    "{% set x.a = x.a + x.a %}{% endfor %}{{ x.a|length }}",
    "tojson": "{{ ([['a' * 10000] * 10000] * 100)|tojson }}",
    "nested": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
}


PANICS: dict[str, Callable[[dict[str, Any]], object]] = {
    "charsmap": panic,
    "replace nothing": lambda t: t.update(normalizer=replace_normalizer("", "x")),
    "length 0": lambda t: t.update(pre_tokenizer={"type": "FixedLength", "length": 0}),
}
EXPLOSIONS: dict[str, Callable[[dict[str, Any]], object]] = {
    "replace": lambda t: t.update(
        normalizer={"type": "Sequence", "normalizers": [replace_normalizer("e", "e" * 10_000)] * 3}
    ),
    "replace a little": lambda t: t.update(
        normalizer={"type": "Sequence", "normalizers": [replace_normalizer("e", "e" * 100)] * 6}
    ),
    "prepend": lambda t: t.update(normalizer={"type": "Prepend", "prepend": "a" * 30_000_000}),
    "decoder": lambda t: t.update(
        decoder={
            "type": "Sequence",
            "decoders": [{"type": "ByteLevel"}] + [replace_normalizer("e", "e" * 4000)] * 3,
        }
    ),
    "decoder's expression": lambda t: t.update(
        decoder={"type": "Replace", "pattern": {"Regex": "(a+)+$"}, "content": ""}
    ),
}


def nested(levels: int, how: Callable[[Any], Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = how(schema)
    return schema


def grammar_chain(rules: int) -> str:
    lines = ["start: a0", *(f"a{i}: a{i + 1}" for i in range(rules)), f'a{rules}: "x"']
    return "\n".join(lines)

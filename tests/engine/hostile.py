"""Hostile model folders, templates and forms, each by the fault that it has caused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.bench.random_models import write_tokenizer

ENDLESS = (
    "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}"
    "{% endfor %}{% endfor %}{% endfor %}"
)
TEMPLATES = {
    "loops": ENDLESS,
    "power": "{{ 9**(9**9) }}",
    "repeat": "{{ 'a'*(2*10**9) }}",
    "format": "{{ '%1000000000d'|format(1) }}",
    "wordwrap": "{{ ('a ' * 40000000)|wordwrap(2) }}",
    "lipsum": "{{ lipsum(99999, True, 500, 1000) }}",
    "tojson": "{{ ([['a' * 10000] * 10000] * 100)|tojson }}",
    "center": "{{ 'a'|center(2000000000) }}",
    "output": "{% for a in range(99999) %}{{ 'a' * 100000 }}{% endfor %}",
    "flood": "{{ 'a' * 5000000 }}",
    "macro": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "nested": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "list": "{% set x = namespace(a=['b']) %}{% for i in range(99) %}"
    "{% set x.a = x.a + x.a %}{% endfor %}{{ x.a|length }}",
}


def change_tokenizer(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Write an ordinary tokenizer and have its description changed."""
    write_tokenizer(folder)
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


def _replaces(pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": pattern}, "content": content}


PANICS: dict[str, Callable[[dict[str, Any]], object]] = {
    "charsmap": lambda t: t.update(
        normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"}
    ),
    "replace nothing": lambda t: t.update(normalizer=_replaces("", "x")),
    "length 0": lambda t: t.update(pre_tokenizer={"type": "FixedLength", "length": 0}),
}
EXPLOSIONS: dict[str, Callable[[dict[str, Any]], object]] = {
    "replace": lambda t: t.update(
        normalizer={"type": "Sequence", "normalizers": [_replaces("e", "e" * 10_000)] * 3}
    ),
    "replace a little": lambda t: t.update(
        normalizer={"type": "Sequence", "normalizers": [_replaces("e", "e" * 100)] * 6}
    ),
    "prepend": lambda t: t.update(normalizer={"type": "Prepend", "prepend": "a" * 30_000_000}),
    "decoder": lambda t: t.update(
        decoder={
            "type": "Sequence",
            "decoders": [{"type": "ByteLevel"}] + [_replaces("e", "e" * 4000)] * 3,
        }
    ),
    "decoder's expression": lambda t: t.update(
        decoder={"type": "Replace", "pattern": {"Regex": "(a+)+$"}, "content": ""}
    ),
}


def far_id(tokenizer: dict[str, Any]) -> None:
    """A word far beyond any embedding."""
    tokenizer["model"]["vocab"]["Ġhello"] = 2_000_000


def chain(links: int, last: Any = None) -> dict[str, Any]:
    """A schema of objects that refer to each other."""
    defs: dict[str, Any] = {
        f"a{i}": {
            "type": "object",
            "properties": {"x": {"$ref": f"#/$defs/a{i + 1}"}},
            "required": ["x"],
        }
        for i in range(links)
    }
    return {"$defs": {**defs, f"a{links}": last or {"type": "string"}}, "$ref": "#/$defs/a0"}


def nested(levels: int, how: Callable[[Any], Any]) -> dict[str, Any]:
    """A schema inside a schema, so many times."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = how(schema)
    return schema


def grammar_chain(rules: int) -> str:
    """A grammar whose rules call each other in a row."""
    lines = ["start: a0", *(f"a{i}: a{i + 1}" for i in range(rules)), f'a{rules}: "x"']
    return "\n".join(lines)

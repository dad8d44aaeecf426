"""Hostile model folders, templates, formats and messages. Each caused a bug in the past."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.bench.random_models import CHATML, SHAPES, write_model, write_tokenizer
from engine.engine import Engine
from engine.messages import Message
from engine.model.info import Model
from engine.params import SamplingParams

Outcome = Callable[[float], object]
"""Function that waits for the result of an input, with a timeout in seconds, and raises errors."""

Ask = Callable[[Engine, Model], Outcome]
"""Function that sends the input to an engine with a valid model, without blocking."""

ENDLESS = (
    "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}"
    "{% endfor %}{% endfor %}{% endfor %}"
)
_NAME = "Hostile"
FEW = SamplingParams(max_tokens=4, temperature=0.0)


class Input(Struct, frozen=True):
    name: str  # description
    code: str  # expected error code
    # Writes the required files to a folder, and returns a function that sends the input. If the
    # input uses a hostile model that can be loaded, this also loads it.
    prepare: Callable[[Path, Engine], Ask]


def change_tokenizer(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    write_tokenizer(folder)
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


def replace_normalizer(pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": pattern}, "content": content}


def far_id(tokenizer: dict[str, Any]) -> None:
    tokenizer["model"]["vocab"]["Ġhello"] = 2_000_000


def panic(tokenizer: dict[str, Any]) -> None:
    tokenizer["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": "AAAA"}


def explosion(tokenizer: dict[str, Any]) -> None:
    tokenizer["normalizer"] = {
        "type": "Sequence",
        "normalizers": [replace_normalizer("e", "e" * 10_000)] * 3,
    }


def chain(links: int, last: Any = None) -> dict[str, Any]:
    defs: dict[str, Any] = {
        f"a{i}": {
            "type": "object",
            "properties": {"x": {"$ref": f"#/$defs/a{i + 1}"}},
            "required": ["x"],
        }
        for i in range(links)
    }
    return {"$defs": {**defs, f"a{links}": last or {"type": "string"}}, "$ref": "#/$defs/a0"}


def _sends(
    make: Callable[[], tuple[str | list[Message], SamplingParams]],
) -> Callable[[Path, Engine], Ask]:
    def prepare(root: Path, engine: Engine) -> Ask:
        prompt, params = make()
        return lambda engine, model: engine.open_session(model).send(prompt, params).text

    return prepare


def _many() -> list[Message]:
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": f"message {n}"} for n in range(99_999)]
    return [*messages, {"role": "user", "content": "the last"}]


def _choices() -> list[str]:
    return [f"choice {n}" for n in range(100_000)]


def _formed(**form: Any) -> SamplingParams:
    return SamplingParams(max_tokens=4, **form)


def _folder(change: Callable[[Path], object]) -> Callable[[Path, Engine], Ask]:
    def prepare(root: Path, engine: Engine) -> Ask:
        folder = root / _NAME
        if not folder.exists():
            change(write_model(folder, SHAPES["tiny"]))

        def ask(engine: Engine, model: Model) -> Outcome:
            return engine.load_later(folder).result

        return ask

    return prepare


def _template(source: str) -> Callable[[Path, Engine], Ask]:
    def prepare(root: Path, engine: Engine) -> Ask:
        path = write_model(root / _NAME, SHAPES["tiny"], template=source + CHATML)
        hostile = engine.load(path)

        def ask(engine: Engine, model: Model) -> Outcome:
            return engine.open_session(hostile).send("hello", FEW).text

        return ask

    return prepare


def _deep(folder: Path) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "num_hidden_layers": 300_000}))


def _tokenizer(change: Callable[[dict[str, Any]], object]) -> Callable[[Path, Engine], Ask]:
    return _folder(lambda folder: change_tokenizer(folder, change))


INPUTS = (
    Input(
        "pastes 20 MB",
        "context_overflow",
        _sends(lambda: ("A line of text that somebody pastes.\n" * 550_000, FEW)),
    ),
    Input("sends 100,000 messages", "context_overflow", _sends(lambda: (_many(), FEW))),
    Input(
        "asks for 100,000 choices",
        "invalid_request",
        _sends(lambda: ("Choose.", _formed(choices=tuple(_choices())))),
    ),
    Input(
        "asks for a schema of 100,000 choices",
        "invalid_request",
        _sends(lambda: ("Choose.", _formed(json_schema={"enum": _choices()}))),
    ),
    Input(
        "asks for a chain of 1,500 $refs",
        "invalid_request",
        _sends(lambda: ("Fill in.", _formed(json_schema=chain(1500)))),
    ),
    Input(
        "loads a folder with a FIFO in it",
        "model_load_failed",
        _folder(lambda folder: os.mkfifo(folder / "notes.txt")),
    ),
    Input(
        "loads a folder with a link to /dev/zero",
        "model_load_failed",
        _folder(lambda folder: (folder / "notes.txt").symlink_to("/dev/zero")),
    ),
    Input("opens a model of 300,000 layers", "model_load_failed", _folder(_deep)),
    Input("runs an endless template", "template_error", _template(ENDLESS)),
    Input("runs {{ 9**(9**9) }}", "template_error", _template("{{ 9**(9**9) }}")),
    Input("runs {{ 'a'*(2*10**9) }}", "template_error", _template("{{ 'a'*(2*10**9) }}")),
    Input("loads a tokenizer with an id far outside", "model_load_failed", _tokenizer(far_id)),
    Input("loads a normalizer that explodes", "model_load_failed", _tokenizer(explosion)),
    Input("loads a charsmap that panics", "model_load_failed", _tokenizer(panic)),
)

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
    "replace": explosion,
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

"""Replies with a format, written by random models."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from engine import (
    Engine,
    EngineError,
    Finished,
    FinishReason,
    FormLimits,
    SamplingParams,
    TextDelta,
)
from engine.serve.json_input import answer_form
from engine.text.forms import build_grammar, refusal_reason
from tests.engine.faults import fail_at

Folder = Callable[[str], Path]
OPEN = {"type": "object", "additionalProperties": False}
SCHEMAS: list[dict[str, Any]] = [
    {**OPEN, "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]},
    {**OPEN, "properties": {"n": {"type": "integer", "minimum": 5, "maximum": 70}}},
    {"type": "string", "maxLength": 12},
    {"enum": ["red", "green", {"b": [1, None]}]},
    {"type": "array", "items": {"enum": [1, "two", None]}, "minItems": 2, "maxItems": 4},
    {
        **OPEN,
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 8},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 3}, "maxItems": 3},
            "at": {**OPEN, "properties": {"x": {"enum": [0, 1]}}, "required": ["x"]},
        },
        "required": ["name", "tags", "at"],
    },
    {"anyOf": [{"type": "null"}, {"type": "boolean"}]},
    {"type": "string", "pattern": "^[a-f]{3}-[0-9]{2}$"},
]


def form(seed: int, **what: Any) -> SamplingParams:
    return SamplingParams(**{"max_tokens": 2000, "temperature": 1.0, "seed": seed, **what})


def check(schema: dict[str, Any], text: str) -> None:
    jsonschema.validate(json.loads(text), schema)


def some_schema(rng: random.Random, depth: int = 0) -> dict[str, Any]:
    deeper = ["object", "array", "anyOf"] if depth < 2 else []
    match rng.choice(["enum", "boolean", "null", "integer", "string", *deeper]):
        case "enum":
            return {"enum": rng.sample([1, 'é"\\', None, True, [1], {"k": 2}, -3.5], 3)}
        case "integer":
            low = rng.randint(-500, 500)
            return {"type": "integer", "minimum": low, "maximum": low + rng.randint(0, 900)}
        case "string":
            return {"type": "string", "maxLength": rng.randint(0, 9)}
        case "array":
            least = rng.randint(0, 2)
            items = some_schema(rng, depth + 1)
            return {"type": "array", "items": items, "minItems": least, "maxItems": least + 1}
        case "anyOf":
            return {"anyOf": [some_schema(rng, depth + 1) for _ in range(2)]}
        case "object":
            names = rng.sample(["x", "a b", "ü", 'q"', "<think>"], rng.randint(0, 4))
            known = {name: some_schema(rng, depth + 1) for name in names}
            needed = names[: rng.randint(0, len(names))]
            return {**OPEN, "properties": known, "required": needed}
        case kind:
            return {"type": kind}


def test_schemas_of_random_shape(engine: Engine, model_folder: Folder) -> None:
    model, rng = engine.load(model_folder("plain")), random.Random(1)
    for _ in range(5):
        schemas = [some_schema(rng) for _ in range(8)]
        replies = [
            engine.open_session(model, reasoning=False).send("go", form(n, json_schema=s))
            for n, s in enumerate(schemas)
        ]
        for schema, reply in zip(schemas, replies, strict=True):
            check(schema, reply.text(60))


@pytest.mark.parametrize("family", ["plain", "MLA", "hybrid recurrent"])
@pytest.mark.turns(3)
def test_eight_forms_beside_free_chats(engine: Engine, model_folder: Folder, family: str) -> None:
    """Formats hold in shared steps, slots and recurrent states, and neighbors don't change."""
    model = engine.load(model_folder(family))
    free = [SamplingParams(max_tokens=60, temperature=0.9, top_p=0.9, seed=n) for n in range(3)]
    bound = [form(n, json_schema=s) for n, s in enumerate(SCHEMAS)]

    def ask(params: SamplingParams, reproducible: bool = False) -> Any:
        chat = engine.open_session(model, reasoning=False, reproducible=reproducible)
        return chat.send("hello " * (1 + (params.seed or 0)), params)

    alone = [ask(p).tokens(60) for p in free]
    alone_bound = [ask(p, n % 2 == 0).tokens(60) for n, p in enumerate(bound)]
    together = [ask(p) for p in free]
    together_bound = [ask(p, n % 2 == 0) for n, p in enumerate(bound)]
    for schema, reply in zip(SCHEMAS, together_bound, strict=True):
        check(schema, reply.text(60))
        last = list(reply)[-1]
        assert isinstance(last, Finished)
        assert last.reason == FinishReason.STOP
    assert [r.tokens(60) for r in together] == alone
    assert [r.tokens(60) for r in together_bound] == alone_bound


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ({"regex": "[0-9]{2,5}"}, "[0-9]{2,5}"),
        ({"regex": r"a/b\n(é|ü){2}"}, r"a/b\n(é|ü){2}"),
        ({"choices": ("yes", 'say "no"\n', "yes, but…")}, 'yes|say "no"\n|yes, but…'),
        ({"grammar": 'start: "(" start ")" | "x"'}, r"\(*x\)*"),
    ],
)
def test_regex_and_choice_forms_are_followed(
    engine: Engine, model_folder: Folder, what: dict[str, Any], pattern: str
) -> None:
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model, reasoning=False)
    said = {
        chat.send(f"once more {n}", form(n, temperature=8.0, **what)).text(60) for n in range(6)
    }
    assert all(re.fullmatch(pattern, text) for text in said)
    assert len(said) > 1


def test_reasoning_is_free_and_markers_in_the_answer_are_text(
    engine: Engine, model_folder: Folder
) -> None:
    """With this bias the model starts reasoning with markers and the letter x, and soon stops."""
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model)
    tokenizer = json.loads((model_folder("plain") / "tokenizer.json").read_text())
    bias = {3: 400.0, 4: 395.0, tokenizer["model"]["vocab"]["x"]: 400.0}
    params = form(1, regex="<think>[ab]{3}</think>", logit_bias=bias, temperature=8.0)
    reply = chat.send("hello", params)
    assert re.fullmatch("<think>[ab]{3}</think>", reply.text(60))
    told = [e for e in reply if isinstance(e, TextDelta) and e.text]
    assert told[0].kind == "reasoning"
    assert {c for e in told if e.kind == "reasoning" for c in e.text} == {"x"}
    assert reply.tokens(60)[0] == 3
    without = engine.open_session(model, reasoning=False).send("hello", params)
    assert re.fullmatch("<think>[ab]{3}</think>", without.text(60))
    assert 3 not in without.tokens(60)


def test_fork_cancel_and_length_inside_json(engine: Engine, model_folder: Folder) -> None:
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model, reasoning=False)
    endless = SamplingParams(
        max_tokens=5000, temperature=1.0, seed=1, json_schema={"type": "string", "minLength": 4000}
    )
    cut = chat.send("hello", SamplingParams(max_tokens=9, seed=1, json_schema=SCHEMAS[5]))
    assert len(cut.tokens(60)) == 9
    twin = chat.fork()
    running = chat.send("and now", endless)
    for event in running:
        if isinstance(event, TextDelta):
            break
    answers = [twin.send(str(n), form(n, json_schema=SCHEMAS[5])).text(60) for n in range(3)]
    running.cancel()
    assert running.text(60).startswith('"')
    for answer in answers:
        check(SCHEMAS[5], answer)
    after = chat.send("again", form(3, json_schema=SCHEMAS[0])).text(60)
    check(SCHEMAS[0], after)


def test_optional_end_is_the_models_choice(engine: Engine, model_folder: Folder) -> None:
    model = engine.load(model_folder("plain"))

    def say(bias: float) -> int:
        chat = engine.open_session(model, reasoning=False)
        params = SamplingParams(max_tokens=30, seed=1, regex="[ab]{3,}", logit_bias={2: bias})
        return len(chat.send("hello", params).tokens(60))

    assert (say(1e9), say(-1e9)) == (3, 30)


@pytest.mark.parametrize(
    "what",
    [
        {"regex": "[0-9"},
        {"regex": "(?=a)b"},
        {"json_schema": {"type": "foo"}},
        {"json_schema": {"type": "object", "unevaluatedProperties": False}},
        {"grammar": "start: nothing"},
    ],
)
def test_invalid_format_is_refused(
    engine: Engine, model_folder: Folder, what: dict[str, Any]
) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")))
    with pytest.raises(EngineError, match="output format") as caught:
        chat.send("hello", form(1, **what)).text(60)
    assert caught.value.code == "invalid_request"
    assert chat.send("hello", SamplingParams(max_tokens=3)).tokens(60) is not None


def test_grammar_growing_too_large_fails_its_request(engine: Engine, model_folder: Folder) -> None:
    """The initial check can't find it, because the costly expression starts 40 letters later."""
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model, reasoning=False)
    late = "start: LONG DEAR\nLONG: /c{40}/\nDEAR: /(a?){3000}a{3000}/"
    with pytest.raises(EngineError, match="is too expensive to evaluate") as failed:
        chat.send("hello", form(1, grammar=late)).text(60)
    assert failed.value.code == "invalid_request"
    assert chat.send("again", form(1, regex="[ab]{3}")).text(60)


def test_json_object_is_an_object(engine: Engine, model_folder: Folder) -> None:
    """Test `response_format` json_object with models that would prefer to say `-137`."""
    asked = answer_form({"type": "json_object"}, "response_format")
    model = engine.load(model_folder("plain"))
    for seed in range(5):
        chat = engine.open_session(model, reasoning=False)
        text = chat.send("hello", form(seed, max_tokens=8, **asked)).text(60)
        assert text.startswith("{")


WORDY = {  # schema, what a model writes that never stops, and the accepted length
    "whole number": ({"type": "integer"}, "9" * 99, 15),
    "negative": ({"type": "integer"}, "-" + "9" * 99, 16),
    "number": ({"type": "number"}, "1." + "1" * 99, 11),
    "whole part": ({"type": "number"}, "9" * 99, 15),
    "one end is open": ({"type": "integer", "minimum": 5}, "9" * 99, 15),
    "beyond the limit": ({"type": "integer", "minimum": 10**17}, "9" * 99, 18),
    "text": ({"type": "string"}, '"' + "a" * 9999, 4097),
    "a long text": ({"type": "string", "minLength": 5000}, '"' + "a" * 19999, 10_001),
    "blanks": ({"type": "object"}, "{\n" + " " * 99, 26),
    "list": ({"type": "array", "items": {"type": "null"}}, "[" + "null," * 999, 5 * 256),
    "names": ({"type": "object"}, "{" + ",".join(f'"{n}":1' for n in range(999)), 1938),
    "any": ({}, "9" * 99, 15),
    "any within": ({"type": "array"}, "[" + "9" * 99, 16),
    "nested": ({}, "[" * 99, 4),
    "a definition": ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}, "9" * 99, 15),
    "one of two": ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "9" * 99, 15),
    "a property": (
        {"type": "object", "properties": {"n": {"type": "integer"}, "m": True}, "required": ["n"]},
        '{"n":' + "9" * 99,
        20,
    ),
    "its own limit": ({"type": "integer", "minimum": 0, "maximum": 10**17}, "9" * 99, 17),
    "parts that must agree": ({"allOf": [{"type": "integer"}, {"minimum": 10**16}]}, "9" * 99, 99),
}


def length(text: str, **params: Any) -> int:
    from llguidance import LLMatcher, LLTokenizer

    written = build_grammar(LLMatcher, SamplingParams(**params))
    assert LLMatcher.validate_grammar(written) == ""
    matcher = LLMatcher(LLTokenizer("byte"), written, log_level=0)
    return int(matcher.validate_tokens(list(text.encode())))


@pytest.mark.parametrize("case", WORDY)
def test_open_schema_is_bounded(case: str) -> None:
    schema, text, most = WORDY[case]
    assert length(text, json_schema=schema) == most


def test_the_limits_of_forms_can_be_chosen_and_lifted() -> None:
    whole = {"type": "integer"}
    assert length("9" * 99, json_schema=whole, form_limits={"digits": 3}) == 3
    assert length("9" * 99, json_schema=whole, form_limits=FormLimits(digits=18)) == 18
    assert length("9" * 99, json_schema=whole, form_limits=None) == 99
    for wrong in ({"digits": 0}, {"digits": 19}, {"digit": 3}, 7, {"items": True}):
        with pytest.raises(ValueError, match="form_limits"):
            SamplingParams(form_limits=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "required": 5},
        {"type": "object", "properties": 5},
        {"$defs": [], "type": "array"},
        {"type": [{}]},
    ],
)
def test_malformed_schema_gives_llguidances_message(schema: dict[str, Any]) -> None:
    assert refusal_reason(SamplingParams(json_schema=schema)) == refusal_reason(
        SamplingParams(json_schema=schema, form_limits=None)
    )


def test_limits_contradicting_a_schema_are_dropped(engine: Engine, model_folder: Folder) -> None:
    schema = {"type": "integer", "minimum": 1, "multipleOf": 100}
    asked = form(1, json_schema=schema, form_limits={"digits": 1}, max_tokens=60)
    assert refusal_reason(asked) == ""
    chat = engine.open_session(engine.load(model_folder("plain")), reasoning=False)
    assert chat.send("hello", asked).text(60)


def test_without_the_library(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "llguidance", None)
    chat = engine.open_session(engine.load(model_folder("plain")))
    with pytest.raises(EngineError, match="llguidance"):
        chat.send("hello", form(1, regex="a")).text(60)


def test_params_accept_one_form() -> None:
    with pytest.raises(ValueError, match="json_schema and regex"):
        SamplingParams(json_schema={}, regex="a")
    schema = {"type": "null"}
    params = SamplingParams(json_schema=schema)
    schema["type"] = "foo"
    assert params == SamplingParams(json_schema='{"type": "null"}')
    assert hash(params) is not None
    assert SamplingParams(json_schema={}).is_constrained


@pytest.mark.stepped  # both chats are sent before a step
def test_constraint_survives_fault_in_shared_step(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caches are recomputed in the middle of a reply, and the constraint continues where it
    was.
    """
    model = engine.load(model_folder("plain"))
    params = form(1, json_schema={"type": "string", "minLength": 150, "maxLength": 160})
    chat = engine.open_session(model, reasoning=False)
    alone = chat.send("hello", params).tokens(60)
    neighbour = engine.open_session(model)
    fail_at(monkeypatch, 333)
    # The neighbor reaches the faulty position while the other chat is decoding.
    other = engine.open_session(model, reasoning=False)
    broken = neighbour.send("x" * 270, form(2, logit_bias={2: -1e9}))
    reply = other.send("hello", params)
    with pytest.raises(EngineError, match="injected"):
        broken.text(60)
    assert reply.tokens(60) == alone
    assert len(json.loads(reply.text(60))) >= 150
    assert reply.stats.rebuilt

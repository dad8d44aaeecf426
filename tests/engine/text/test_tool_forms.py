"""Tool calls constrained by their schemas, in each supported format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tokenizers import AddedToken, Tokenizer

from engine import Engine, EngineError, Model, Reply, SamplingParams, ToolCallFinished
from engine.bench.random_models import write_model
from engine.model.sampling import Sampler
from engine.params import FormLimits
from engine.serve.server import Server
from engine.text import recognition, tool_grammars
from tests.engine.families import FAMILIES
from tests.engine.scripted import write_scripted
from tests.engine.serving import ask
from tests.torture import calls as random_calls

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"enum": ["Turin", "Oslo"]},
        "days": {"$ref": "#/$defs/days"},
        "note": {"type": "string", "maxLength": 3},
    },
    "required": ["city", "days", "note"],
    "additionalProperties": False,
    "$defs": {"days": {"type": "integer", "minimum": 1, "maximum": 9}},
}
TOOL: Any = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}
STRICT: Any = {"type": "function", "function": {**TOOL["function"], "strict": True}}
OTHER: Any = {"type": "function", "function": {"name": "time", "parameters": {"type": "object"}}}
# Template snippets from which mlx-lm selects the parser, with the marker tokens.
FORMATS: dict[str, tuple[str, list[str], list[str]]] = {
    "json_tools": ("<tool_call>{{ tool_call.name }}", ["<tool_call>", "</tool_call>"], []),
    "json_tools spelled out": ("<tool_call>{{ tool_call.name }}", [], []),
    "mistral": ("[TOOL_CALLS]", [], ["[TOOL_CALLS]", "[ARGS]"]),
    "mistral without arguments": ("[TOOL_CALLS]", [], ["[TOOL_CALLS]"]),
    "harmony": (
        "tools",
        [],
        ["<|start|>", "<|channel|>", "<|message|>", "<|constrain|>", "<|end|>", "<|call|>"],
    ),
    "kimi_k2": (
        "<|tool_calls_section_begin|>",
        [],
        [
            f"<|tool_call{what}|>"
            for what in ("s_section_begin", "s_section_end", "_begin", "_argument_begin", "_end")
        ],
    ),
}


def write_caller(folder: Path, kind: str) -> Path:
    says, plain, special = FORMATS[kind]
    template = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}"
        f"<|im_start|>assistant\n{{% if false %}}{says}{{% endif %}}"
    )
    write_model(folder, FAMILIES["plain"], scale=3.0, template=template)
    file = str(folder / "tokenizer.json")
    tokenizer = Tokenizer.from_file(file)
    tokenizer.add_tokens([AddedToken(word, normalized=False) for word in plain])
    tokenizer.add_special_tokens([AddedToken(w, normalized=False, special=True) for w in special])
    tokenizer.save(file)
    return folder


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """Return a function that loads one model per format into a common engine."""
    loaded: dict[str, Model] = {}
    with Engine() as engine:

        def once(kind: str) -> Any:
            if kind not in loaded:
                folder = tmp_path_factory.mktemp("caller") / kind.replace(" ", "-")
                loaded[kind] = engine.load(write_caller(folder, kind))
            return engine, loaded[kind]

        yield once


def id_of(model: Model, word: str) -> int:
    return int(Tokenizer.from_file(str(Path(model.path) / "tokenizer.json")).token_to_id(word))


def calls_of(reply: Reply) -> list[ToolCallFinished]:
    assert reply.text(timeout=60).strip() == ""
    return [event for event in reply if isinstance(event, ToolCallFinished)]


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.turns(6)
def test_a_required_call_fits_its_schema(load: Callable[[str], Any], kind: str) -> None:
    engine, model = load(kind)
    assert model.tool_format == kind.split(" ")[0]
    ends = {id_of(model, "<|end|>" if kind == "harmony" else "</think>"): 12.0}
    for seed, several, reasoning in ((2, False, True), (3, True, False)):
        params = SamplingParams(
            max_tokens=240,
            temperature=1.0,
            seed=seed,
            tools=[TOOL],
            tool_choice="required",
            parallel_tool_calls=several,
            logit_bias=ends if reasoning or kind == "harmony" else {},
        )
        session = engine.open_session(model, reasoning=reasoning)
        reply = session.send("Weather?", params)
        calls = calls_of(reply)
        assert calls
        assert several or len(calls) == 1
        for call in calls:
            given = json.loads(call.arguments)
            assert call.name == "weather"
            assert set(given) == {"city", "days", "note"}
            assert given["city"] in ("Turin", "Oslo")
            assert 1 <= given["days"] <= 9
            assert len(given["note"]) <= 3


def test_free_text_with_strict_tools_has_no_masks(
    load: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, model = load("json_tools")
    real, masked = Sampler.__call__, list[bool]()

    def choose(self: Sampler, logits: Any, index: int, recent: Any, allowed: Any = None) -> Any:
        masked.append(allowed is not None)
        return real(self, logits, index, recent, allowed)

    monkeypatch.setattr(Sampler, "__call__", choose)
    opener = id_of(model, "<tool_call>")
    for bias, is_masked in ((-100.0, False), (100.0, True)):
        masked.clear()
        params = SamplingParams(max_tokens=8, seed=1, tools=[STRICT], logit_bias={opener: bias})
        list(engine.open_session(model, reasoning=False).send("Weather?", params))
        assert masked
        assert any(masked) is is_masked


@pytest.mark.parametrize("kind", ["json_tools", "mistral"])
@pytest.mark.turns(2)
def test_free_text_may_precede_a_constrained_call(load: Callable[[str], Any], kind: str) -> None:
    engine, model = load(kind)
    opener = {"json_tools": "<tool_call>", "mistral": "[TOOL_CALLS]"}[kind]
    time = {"name": "time", "parameters": {"type": "object", "maxProperties": 1}, "strict": True}
    tools = [STRICT, {"type": "function", "function": time}]
    texts = calls = 0
    for seed in range(4):
        # A random model seldom starts a call on its own.
        bias = {id_of(model, opener): 12.0, 2: 6.0}
        params = SamplingParams(
            max_tokens=200, temperature=1.0, seed=seed, tools=tools, logit_bias=bias
        )
        session = engine.open_session(model, reasoning=False)
        reply = session.send("Weather?", params)
        events = list(reply)
        texts += bool(reply.text(timeout=60))
        for event in events:
            if isinstance(event, ToolCallFinished):
                calls += 1
                given = json.loads(event.arguments)
                assert event.name == "time" or given["city"] in ("Turin", "Oslo")
    assert calls > 2
    assert texts > 0


def test_unsupported_call_format_is_refused(
    load: Callable[[str], Any], model_folder: Callable[[str], Path]
) -> None:
    engine, _ = load("mistral")
    plain = engine.load(model_folder("plain"))
    reply = engine.open_session(plain).send("Weather?", SamplingParams(tools=[TOOL]))
    with pytest.raises(EngineError, match="does not support tools"):
        reply.text(timeout=60)
    with pytest.raises(ValueError, match="cannot be combined"):
        SamplingParams(tools=[STRICT], regex="a")


@pytest.fixture(scope="module")
def server(
    load: Callable[[str], Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    engine, model = load("json_tools")
    scripted = engine.load(write_scripted(tmp_path_factory.mktemp("scripted") / "scripted"))
    with Server(engine, [model, scripted], 0) as running:
        yield running


def test_strict_schema_allows_the_models_own_call(server: Server) -> None:
    free: Any = {"type": "function", "function": {"name": "weather", "strict": True}}
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    free["function"]["parameters"] = schema
    for choice in ("auto", "required"):
        asked = {"messages": [{"role": "user", "content": "hello"}], "model": "scripted"}
        asked |= {"tools": [free], "tool_choice": choice, "temperature": 0, "max_tokens": 60}
        answer = ask(server, "POST", "/v1/chat/completions", asked).json
        (first, *_) = answer["choices"][0]["message"]["tool_calls"]
        assert json.loads(first["function"]["arguments"]) == {"city": "Turin"}


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "object", "properties": {"a": {"type": "no"}}}, "form"),
        ({"type": "object", "properties": {"a": {"$ref": "#/nothing"}}}, "form"),
    ],
)
def test_invalid_schema_is_refused(server: Server, schema: dict[str, Any], says: str) -> None:
    tool = {"type": "function", "function": {"name": "x", "parameters": schema, "strict": True}}
    asked = {"messages": [{"role": "user", "content": "x"}], "tools": [tool], "max_tokens": 5}
    answer = ask(server, "POST", "/v1/chat/completions", asked)
    assert answer.status == 400
    assert re.search(says, answer.json["error"]["message"])


def test_call_arguments_are_unlimited_by_default(tmp_path: Path) -> None:
    """The limit of 4,096 characters for constrained replies is too small for a file."""
    tokenizer = random_calls.load_tokenizer("qwen3", tmp_path)
    schema = {"type": "object", "properties": {"content": {"type": "string"}}}
    tool = {"type": "function", "function": {"name": "write", "parameters": schema}}
    for limits, longest in ((FormLimits(), 10**6), (FormLimits(characters=50), 50)):
        params = SamplingParams(tools=[tool], tool_choice="required", form_limits=limits)
        notation = recognition.of(tokenizer).tool_format
        grammar = str(tool_grammars.add_grammar(params, tokenizer, notation).grammar)
        assert f'"maxLength": {longest}' in grammar

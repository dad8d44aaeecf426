"""Dialects in the engine, and how a model's dialect is detected."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine import (
    Engine,
    Finished,
    SamplingParams,
    TextDelta,
    ToolCallFailed,
    ToolCallFinished,
    ToolResult,
)
from engine.bench.random_models import CHATML, write_tokenizer
from engine.errors import EngineError
from engine.messages import Event
from engine.model import folder as model_folders
from engine.model.vocabulary import collect_end_ids
from engine.runtime.candidate import _ends
from engine.sandbox.prompts import ChatTemplate, PlainTokenizer, describe_tokenizer, load_wrapper
from engine.text import recognition, rendering
from engine.text.rendering import MOMENT
from tests.engine.scripted import write_chains
from tests.engine.speaking import ANSWER, ASK, THOUGHT, WEATHER, family, write_folder

GREEDY = SamplingParams(max_tokens=40, temperature=0.0)

SPOKEN = {
    "gpt-oss": (
        "t",  # the end of the prompt
        "<|channel|>",
        "analysis<|message|>",
        THOUGHT,
        "<|end|><|start|>assistant<|channel|>final<|message|>",
        ANSWER,
    ),
    "kimi-k3": (
        "<|sep|>",
        THOUGHT,
        "<|close|>think<|sep|><|open|>response<|sep|>",
        ANSWER,
        "<|close|>response<|sep|><|close|>message<|sep|>",
    ),
    "gemma-4": ("\n", "<|channel>thought\n", THOUGHT, "<channel|>", ANSWER),
    "hunyuan-7b": (
        "<｜hy_Assistant｜>",
        "<think>\n",
        THOUGHT,
        "\n</think>\n<answer>\n",
        ANSWER,
        "\n</answer>",
    ),
}
CALLED = (
    "t",
    "<|channel|>analysis<|message|>",
    THOUGHT,
    "<|end|><|start|>assistant<|channel|>commentary to=functions.weather <|constrain|>json"
    "<|message|>",
    '{"city": "Turin"}',
    "<|call|>",
)
CALLED_AT_ONCE = (
    "t",
    "<|channel|>",
    "commentary to=functions.weather ",
    "<|constrain|>",
    "json",
    "<|message|>",
    '{"city": "Turin"}',
    "<|call|>",
)


def speaker(folder: Path, name: str, chain: tuple[str, ...]) -> Path:
    from tokenizers import AddedToken, Tokenizer

    data = family(name)
    write_folder(folder, name)
    chain = chain if chain[-1] in data["tokens"] else (*chain, data["eos"])
    file = str(folder / "tokenizer.json")
    tokenizer = Tokenizer.from_file(file)
    pieces = [word for word in chain[1:] if word not in data["tokens"]]
    tokenizer.add_tokens([AddedToken(word, normalized=False) for word in pieces])
    tokenizer.save(file)
    return write_chains(folder, [chain], tokenizer.token_to_id("<unused>"))


def told(events: Iterator[Event], kind: str) -> str:
    return "".join(e.text for e in events if isinstance(e, TextDelta) and e.kind == kind)


@pytest.mark.parametrize("name", SPOKEN)
@pytest.mark.turns(2)
def test_session_reports_parts_and_reuses_its_cache(
    engine: Engine, tmp_path: Path, name: str
) -> None:
    model = engine.load(speaker(tmp_path / name, name, SPOKEN[name]))
    assert model.dialect == family(name)["dialect"]
    assert model.thinking
    chat = engine.open_session(model, reasoning=True)
    first = chat.send(ASK["content"], GREEDY)
    assert first.text(60) == ANSWER
    assert told(iter(first), "reasoning").rstrip("\n") == THOUGHT
    last = [event for event in first if isinstance(event, Finished)]
    assert [event.reason for event in last] == ["stop"]
    assert first.stats.reasoning_tokens in (1, 2)  # the reasoning and its end marker
    second = chat.send("And now?", GREEDY)
    assert second.text(60) == ANSWER
    # Everything before the first reply's opening is reused.
    opening = 45 if name == "kimi-k3" else 12
    assert second.stats.reused_tokens >= first.stats.prompt_tokens - opening


def test_channel_call_is_reported_as_one(engine: Engine, tmp_path: Path) -> None:
    model = engine.load(speaker(tmp_path / "called", "gpt-oss", CALLED))
    chat = engine.open_session(model)
    params = replace(GREEDY, tools=[WEATHER])
    reply = chat.send(ASK["content"], params)
    assert reply.text(60) == ""
    (call,) = [event for event in reply if isinstance(event, ToolCallFinished)]
    assert (call.name, json.loads(call.arguments)) == ("weather", {"city": "Turin"})
    assert told(iter(reply), "reasoning") == THOUGHT
    # The next prompt writes the call in the model's own format.
    again = chat.send([ToolResult(call.id, "rain")], params)
    again.text(60)
    assert again.stats.prompt_tokens > reply.stats.prompt_tokens


@pytest.mark.parametrize("choice", ["auto", "required", "weather"])
def test_channel_call_is_constrained(engine: Engine, tmp_path: Path, choice: str) -> None:
    model = engine.load(speaker(tmp_path / "strict", "gpt-oss", CALLED_AT_ONCE))
    schema = {
        "type": "object",
        "properties": {"city": {"enum": ["Oslo"]}},
        "required": ["city"],
        "additionalProperties": False,
    }
    about = {"name": "weather", "parameters": schema, "strict": choice == "auto"}
    tools = [WEATHER | {"function": {"name": "time"}}, {"type": "function", "function": about}]
    params = replace(GREEDY, tools=tools, tool_choice=choice, max_tokens=80)
    reply = engine.open_session(model).send(ASK["content"], params)
    assert reply.text(60) == ""
    (call,) = [event for event in reply if isinstance(event, ToolCallFinished)]
    assert (call.name, json.loads(call.arguments)) == ("weather", {"city": "Oslo"})


def test_header_of_unoffered_tool_is_unconstrained(engine: Engine, tmp_path: Path) -> None:
    model = engine.load(speaker(tmp_path / "other", "gpt-oss", CALLED))
    other = {"name": "time", "parameters": {"type": "object"}, "strict": True}
    params = replace(GREEDY, tools=[{"type": "function", "function": other}])
    reply = engine.open_session(model).send(ASK["content"], params)
    assert reply.text(60) == ""
    (broken,) = [event for event in reply if isinstance(event, ToolCallFailed)]
    assert "not offered" in broken.message


def test_continued_answer_stays_in_its_channel(engine: Engine, tmp_path: Path) -> None:
    model = engine.load(speaker(tmp_path / "begun", "gpt-oss", SPOKEN["gpt-oss"]))
    begun = {"role": "assistant", "content": "", "reasoning_content": THOUGHT}
    reply = engine.open_session(model).send([ASK, begun], GREEDY)
    assert reply.text(60) == ANSWER
    assert told(iter(reply), "reasoning") == ""


def test_grammar_binds_final_channel_only(engine: Engine, tmp_path: Path) -> None:
    model = engine.load(speaker(tmp_path / "bound", "gpt-oss", SPOKEN["gpt-oss"]))
    bound = SamplingParams(max_tokens=40, temperature=0.0, regex=r"It is fine\.")
    reply = engine.open_session(model).send(ASK["content"], bound)
    assert reply.text(60) == ANSWER
    assert told(iter(reply), "reasoning") == THOUGHT


def test_tools_are_refused_if_template_omits_them(tmp_path: Path) -> None:
    write_folder(tmp_path, "llama-3")
    wrapper = load_wrapper(str(tmp_path), None, None)
    assert recognition.recognize(wrapper).tool_format == "json"
    wrapper._tokenizer.chat_template = CHATML
    assert recognition.recognize(wrapper).tool_format == ""


def test_end_tokens_come_from_every_source(tmp_path: Path) -> None:
    write_folder(tmp_path, "llama-3")
    wrapper = load_wrapper(str(tmp_path), None, None)
    ids = {token: wrapper.convert_tokens_to_ids(token) for token in family("llama-3")["tokens"]}
    letter = wrapper.encode("x", add_special_tokens=False)[0]
    named = _ends([ids["<|eom_id|>"]], ids["<|end_of_text|>"], letter, None, "x")
    assert named == [ids["<|eom_id|>"], ids["<|end_of_text|>"], letter]
    ends = collect_end_ids(wrapper, named or (), ["<|python_tag|>", "<|nowhere|>"])
    wanted = ("<|eom_id|>", "<|end_of_text|>", "<|python_tag|>", "<|eot_id|>")
    assert ends == {ids[token] for token in wanted}  # with the tokenizer's own, without the letter
    assert letter in collect_end_ids(wrapper, [letter], ())  # if there is nothing else
    assert _ends(None, True) is None


@pytest.mark.parametrize("place", ["config", "list", "jinja", "json", "json list", "named"])
def test_template_is_found_in_any_file(tmp_path: Path, place: str) -> None:
    write_tokenizer(tmp_path, None)
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    listed = [{"name": "default", "template": CHATML}, {"name": "tool_use", "template": "T"}]
    if place == "config":
        settings["chat_template"] = CHATML
    elif place == "list":
        settings["chat_template"] = listed
    elif place == "named":
        settings["chat_template"] = [{"name": "chat", "template": CHATML}, listed[1]]
    elif place == "jinja":
        (tmp_path / "chat_template.jinja").write_text(CHATML)
    else:
        content = {"chat_template": CHATML if place == "json" else listed}
        (tmp_path / "chat_template.json").write_text(json.dumps(content))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    wrapper = load_wrapper(str(tmp_path), [2], None)
    described = describe_tokenizer(wrapper)
    assert described is not None
    for reader in (PlainTokenizer(*described), rendering.InProcess(wrapper)):
        (text,) = reader.render([([ASK], True)], None)
        assert text == "<|im_start|>user\nHow is it?<|im_end|>\n<|im_start|>assistant\n"
        (text,) = reader.render([([ASK], True)], None, {"tools": [WEATHER]})
        assert (text == "T") == (place in ("list", "named", "json list"))


def rendered(template: str, messages: list[dict[str, Any]], **options: Any) -> Any:
    return rendering.render(
        ChatTemplate(template, {}).render, "", messages, None, True, {**options} or None
    )


SYSTEM = {"role": "system", "content": "Be brief."}


@pytest.mark.parametrize(
    "template",
    [
        "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}"
        "[{{ m.role }}:{{ m.content }}]{% endfor %}",
        "{% for m in messages %}{% if m.role != 'system' %}[{{ m.role }}:{{ m.content }}]"
        "{% endif %}{% endfor %}",
    ],
    ids=["forbidden", "left out"],
)
def test_unsupported_system_message_moves_to_user(template: str) -> None:
    assert rendered(template, [SYSTEM, ASK]) == "[user:Be brief.\n\nHow is it?]"
    assert rendered(template, [ASK]) == "[user:How is it?]"


def test_template_handling_of_system_message_is_kept() -> None:
    shown = "{% for m in messages %}[{{ m.content | trim }}]{% endfor %}"
    assert rendered(shown, [SYSTEM, ASK]) == "[Be brief.][How is it?]"
    commands = "{% for m in messages %}{{ m.content.replace('/no_think', '') }}{% endfor %}"
    assert rendered(commands, [{**SYSTEM, "content": "/no_think"}, ASK]) == "How is it?"


def test_turns_and_arguments_are_adapted_to_template() -> None:
    strict = (
        "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
        "{{ raise_exception('take turns') }}{% endif %}[{{ m.role }}:{{ m.content }}]{% endfor %}"
    )
    later = [SYSTEM, ASK, ASK, {"role": "assistant", "content": "a"}, SYSTEM, ASK]
    assert rendered(strict, later) == (
        "[user:Be brief.\n\nHow is it?\n\nHow is it?][assistant:a][user:Be brief.\n\nHow is it?]"
    )
    texts = (
        "{% for c in messages[1].tool_calls %}"
        "{{ c.function.name + '>' + c.function.arguments }}{% endfor %}"
    )
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}
    said = {"role": "assistant", "content": "", "tool_calls": [call]}
    assert rendered(texts, [ASK, said]) == 'f>{"a": 1}'
    failed = rendered("{{ raise_exception('never') }}", [SYSTEM, ASK])
    assert isinstance(failed, EngineError)
    assert "never" in failed.message


def test_template_time_is_fixed_for_a_day() -> None:
    clock = "{{ strftime_now('%Y-%m-%d %H:%M:%S') }}"
    moment = 1_700_000_000.0
    assert rendered(clock, [ASK], **{MOMENT: moment}) == rendered(clock, [ASK], **{MOMENT: moment})
    assert rendered(clock, [ASK], **{MOMENT: moment}) != rendered(clock, [ASK])


@pytest.mark.parametrize(
    ("says", "wanted"),
    [
        ({"temperature": 0.6, "top_p": 0.95, "top_k": 20}, {"temperature": 0.6, "top_k": 20}),
        ({"do_sample": False}, {"temperature": 0.0}),
        ({"do_sample": False, "temperature": 0.3}, {"temperature": 0.0}),
        ({"do_sample": True, "temperature": 0.3}, {"temperature": 0.3}),
        ({"temperature": "hot", "min_p": 0.1}, {"min_p": 0.1}),
        ([], {}),
    ],
)
def test_default_sampling_is_the_models(tmp_path: Path, says: Any, wanted: dict[str, Any]) -> None:
    (tmp_path / "generation_config.json").write_text(json.dumps(says))
    found = model_folders.sampling_defaults(tmp_path)
    assert {name: found[name] for name in wanted} == wanted
    assert all(SamplingParams(**{name: value}) for name, value in found.items())

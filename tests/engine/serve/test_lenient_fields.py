"""Fields from clients of other servers, which are honored, or ignored and reported."""

from __future__ import annotations

import json
import logging
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from engine import Image, Model
from engine.messages import RawPrompt
from engine.serve.routes import schema
from engine.serve.routes.base import API, Generation
from engine.serve.routes.chat import ChatBody, ChatCompletions
from engine.serve.routes.completions import Completions
from engine.serve.routes.messages import Messages
from engine.serve.routes.ollama import OllamaChat, OllamaGenerate
from engine.serve.routes.responses import Responses, StoredResponses
from engine.serve.routes.schema import read_fields, validate
from engine.serve.server import Server
from tests.engine.scripted import ANSWER, REASON
from tests.engine.serving import CHAT, Answer, ask, chunks, user

HEADER = "x-stretto-ignored-fields"
SAID = [user("hello")]
BODIES: dict[str, dict[str, Any]] = {
    CHAT: {"messages": SAID, "max_tokens": 2},
    "/v1/completions": {"prompt": "It", "max_tokens": 2},
    "/v1/responses": {"input": "hello", "max_output_tokens": 2},
    "/v1/messages": {"messages": SAID, "max_tokens": 2},
    "/v1/messages/count_tokens": {"messages": SAID},
    "/v1/embeddings": {"input": "hello"},
    "/api/chat": {"messages": SAID, "options": {"num_predict": 2}},
    "/api/generate": {"prompt": "hello", "options": {"num_predict": 2}},
    "/api/embed": {"input": "hello"},
}


def send(server: Server, path: str, **fields: Any) -> Answer:
    model = "plain" if "embed" in path else "scripted"
    return ask(server, "POST", path, {"model": model, **BODIES[path], **fields})


def read(api: API, model: Model, **fields: Any) -> Generation:
    found: Generation = api.read({**BODIES[api.path], **fields}, model)
    return found


def ignored(api: API, model: Model, **fields: Any) -> str:
    return read_fields(partial(read, api, model, **fields))[1]


@pytest.fixture
def model(server: Server) -> Model:
    return server.served.models[1]


def test_ignored_fields_of_sessions_are_listed(server: Server) -> None:
    made = ask(server, "POST", "/v1/sessions", {"model": "scripted", "color": "red"})
    assert (made.status, made.headers[HEADER]) == (201, "color")
    fork = f"/v1/sessions/{made.json['id']}/fork"
    forked = ask(server, "POST", fork, {"name": "twin"})
    assert (forked.status, forked.headers[HEADER]) == (201, "name")
    for name in (made.json["id"], forked.json["id"]):
        assert HEADER not in ask(server, "DELETE", f"/v1/sessions/{name}").headers


@pytest.mark.parametrize("path", BODIES)
@pytest.mark.parametrize("stream", [False, True])
def test_unknown_fields_are_ignored_and_listed(server: Server, path: str, stream: bool) -> None:
    more: dict[str, Any] = {"zeta": None, "thread": {"id": "t"}, "alpha_rate": 0.5}
    answer = send(server, path, **more, stream=stream)
    assert answer.status == 200, answer.body
    streams = "embed" not in path and "count" not in path
    assert answer.headers[HEADER] == f"alpha_rate{'' if streams else ', stream'}, thread"
    assert HEADER not in send(server, path).headers


@pytest.mark.parametrize(
    ("api", "fields", "listed"),
    [
        (
            ChatCompletions(),
            {"messages": [{**user("hi"), "weight": 1, "name": "Ada"}]},
            "messages[].weight",
        ),
        (
            ChatCompletions(),
            {"messages": [user([{"type": "text", "text": "a", "style": 1, "cache_control": {}}])]},  # type: ignore[arg-type]
            "content[].style",
        ),
        (
            ChatCompletions(),
            {
                "tools": [
                    {"type": "function", "extra": 1, "function": {"name": "f", "examples": []}}
                ]
            },
            "tools[].examples, tools[].extra",
        ),
        (
            ChatCompletions(),
            {"stream": True, "stream_options": {"include_usage": True, "each": 1}},
            "stream_options.each",
        ),
        (ChatCompletions(), {"reasoning": {"effort": "low", "depth": 3}}, "reasoning.depth"),
        (
            Messages(),
            {"messages": [user([{"type": "text", "text": "a", "tone": 1}])]},  # type: ignore[arg-type]
            "messages[].content[].tone",
        ),
        (
            Messages(),
            {"tools": [{"name": "f", "input_schema": {}, "color": "red"}]},
            "tools[].color",
        ),
        (
            Responses(StoredResponses()),
            {"input": [{"type": "message", "role": "user", "content": "a", "id": "m", "by": 1}]},
            "input[].by",
        ),
        (OllamaChat(), {"options": {"num_ctx": 9, "top_k": 3}}, "options.num_ctx"),
        (ChatCompletions(), {"bad name\r\nx: é": 1}, "bad_name__x___"),
    ],
)
def test_nested_unknown_fields_are_listed(
    model: Model, api: API, fields: dict[str, Any], listed: str
) -> None:
    assert ignored(api, model, **fields) == listed


def test_ignored_fields_are_logged_once_per_set(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    schema.log_once.cache_clear()
    with caplog.at_level(logging.INFO, "engine.serve"):
        for more in ({"mirostat": 2}, {"mirostat": 0}, {"mirostat": 0, "tfs_z": 1}):
            for _ in range(2):
                assert send(server, CHAT, **more).status == 200
    lines = [r.message for r in caplog.records if "ignored" in r.message]
    assert lines == [
        "ignored fields in requests: mirostat",
        "ignored fields in requests: mirostat, tfs_z",
    ]


def test_long_lists_of_ignored_fields_are_cut(server: Server) -> None:
    listed = send(server, CHAT, **{f"f{n:03}": n for n in range(500)}).headers[HEADER]
    assert listed.endswith("f031, 468_more")


def test_supported_fields_are_not_listed_as_ignored(server: Server) -> None:
    more = {"user": "u", "metadata": {"a": "b"}, "store": False, "service_tier": "auto"}
    assert HEADER not in send(server, CHAT, **more, cache_prompt=True, tool_choice="").headers
    empty = {"suffix": "", "logprobs": False}
    assert HEADER not in send(server, "/v1/completions", **empty, cache_prompt=True).headers
    assert send(server, CHAT, service_tier="flex").headers[HEADER] == "service_tier"


def test_dropped_parts_are_listed(model: Model) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk"}}
    assert ignored(ChatCompletions(), model, messages=[user([image])]) == "image"  # type: ignore[arg-type]
    servers = [{"type": "url", "url": "https://a.b", "name": "far"}]
    tools = [{"type": "web_search_20250305", "name": "web_search"}]
    listed = ignored(Messages(), model, mcp_servers=servers, tools=tools)
    assert listed == "mcp_servers, tools[web_search]"


@pytest.mark.parametrize(
    ("fields", "name", "value"),
    [
        ({"repeat_penalty": 1.25}, "repetition_penalty", 1.25),
        ({"repeat_last_n": 128}, "penalty_window", 128),
        ({"repetition_context_size": 20}, "penalty_window", 20),
        ({"random_seed": 4}, "seed", 4),
        ({"n_predict": 7}, "max_tokens", 7),
        ({"max_new_tokens": 7}, "max_tokens", 7),
        ({"max_output_tokens": 7}, "max_tokens", 7),
        ({"stop_sequences": ["x"]}, "stop", ("x",)),
        ({"guided_choice": ["a", "b"]}, "choices", ("a", "b")),
        ({"guided_regex": "a+"}, "regex", "a+"),
        ({"structured_outputs": {"choice": ["a"]}}, "choices", ("a",)),
        ({"structured_outputs": {"json": {"type": "array"}}}, "json_schema", '{"type":"array"}'),
        ({"structured_outputs": {"regex": "b"}}, "regex", "b"),
    ],
)
@pytest.mark.parametrize("api", [ChatCompletions(), Completions()])
def test_settings_have_the_names_of_other_servers(
    model: Model, api: API, fields: dict[str, Any], name: str, value: Any
) -> None:
    found = getattr(read(api, model, **{"max_tokens": None, **fields}).params, name)
    assert (found.replace(" ", "") if name == "json_schema" else found) == value
    assert ignored(api, model, **{"max_tokens": None, **fields}) == ""


def test_field_aliases_work_in_all_apis(model: Model) -> None:
    responses = Responses(StoredResponses())
    assert read(responses, model, max_output_tokens=None, max_tokens=9).params.max_tokens == 9
    assert read(Messages(), model, stop="x").params.stop == ("x",)
    assert read(Messages(), model, repeat_penalty=1.5).params.repetition_penalty == 1.5
    options = {"repeat_penalty": 1.5, "repeat_last_n": -1, "num_predict": 3}
    params = read(OllamaChat(), model, options=options).params
    assert (params.repetition_penalty, params.max_tokens) == (1.5, 3)
    assert params.penalty_window > model.context_length


def test_own_name_comes_before_other_names(model: Model) -> None:
    both = {"repetition_penalty": 1.1, "repeat_penalty": 1.9}
    assert read(ChatCompletions(), model, **both).params.repetition_penalty == 1.1
    assert ignored(ChatCompletions(), model, **both) == "repeat_penalty"


@pytest.mark.parametrize("api", [ChatCompletions(), Completions(), Messages()])
@pytest.mark.parametrize(
    ("fields", "name", "value"),
    [
        ({"max_tokens": -1}, "max_tokens", None),
        ({"max_tokens": -2}, "max_tokens", None),
        ({"max_tokens": 0}, "max_tokens", None),
        ({"seed": -1}, "seed", None),
        ({"seed": 0}, "seed", 0),
        ({"top_k": -1}, "top_k", 0),
        ({"min_p": -1}, "min_p", 0.0),
        ({"repetition_penalty": 0}, "repetition_penalty", 1.0),
        ({"grammar": ""}, "grammar", None),
        ({"logit_bias": []}, "logit_bias", {}),
        ({"logit_bias": [[5, -1.5], [7, 2]]}, "logit_bias", {5: -1.5, 7: 2}),
        ({"stop": ""}, "stop", ()),
        ({"stop": ["", "b", ""]}, "stop", ("b",)),
        ({"stop_sequences": [""]}, "stop", ()),
        ({"regex": ""}, "regex", None),
        ({"guided_regex": ""}, "regex", None),
        ({"logit_bias": [[5, False]]}, "logit_bias", {5: -100}),
        ({"logit_bias": {"5": False}}, "logit_bias", {5: -100}),
        ({"max_tokens": 16.0}, "max_tokens", 16),
        ({"max_tokens": -1.0}, "max_tokens", None),
        ({"top_k": 40.0}, "top_k", 40),
        ({"seed": 7.0}, "seed", 7),
        ({"repeat_last_n": 64.0}, "penalty_window", 64),
    ],
)
def test_sentinels_have_their_usual_meaning(
    model: Model, api: API, fields: dict[str, Any], name: str, value: Any
) -> None:
    assert getattr(read(api, model, **fields).params, name) == value


def test_no_limit_differs_from_other_limits(model: Model) -> None:
    both = {"max_tokens": -1, "max_completion_tokens": 5}
    assert read(ChatCompletions(), model, **both).params.max_tokens == 5
    responses = Responses(StoredResponses())
    assert read(responses, model, max_output_tokens=-1).params.max_tokens is None
    for limit in (-1, 0, -2):
        options = {"num_predict": limit, "stop": [""], "seed": -1, "top_k": -1}
        params = read(OllamaChat(), model, options=options).params
        assert (params.max_tokens, params.stop, params.seed, params.top_k) == (None, (), None, 0)


def test_nulls_and_empty_values_are_ignored(server: Server) -> None:
    names = {*ChatBody.model_fields, "guided_json", "n_predict"} - {"messages"}
    nulls = dict.fromkeys(names) | {"max_tokens": 2}
    assert HEADER not in send(server, CHAT, **nulls).headers
    empty = {"tools": [], "tool_choice": "none", "logit_bias": {}, "stop": []}
    assert HEADER not in send(server, CHAT, **empty, n=1.0).headers
    more = {"previous_response_id": "", "instructions": "", "tools": []}
    assert HEADER not in send(server, "/v1/responses", **more).headers
    assert HEADER not in send(server, "/v1/messages", system=[], stop_sequences=None).headers
    assert HEADER not in send(server, "/api/chat", format="", tools=[], think=None).headers


def test_seed_minus_one_is_a_fresh_seed(server: Server) -> None:
    def text(seed: int) -> str:
        more = {"model": "plain", "max_tokens": 20, "temperature": 1, "seed": seed}
        return send(server, CHAT, **more).text

    assert len({text(-1) for _ in range(3)}) > 1
    assert text(5) == text(5)


def test_top_p_zero_takes_the_most_probable_token(server: Server) -> None:
    asked = {"model": "plain", "max_tokens": 12}
    most = send(server, CHAT, **asked, temperature=0).text
    assert send(server, CHAT, **asked, temperature=1.5, top_p=0).text == most


@pytest.mark.parametrize(
    ("fields", "wanted", "effort"),
    [
        ({"enable_thinking": False}, False, None),
        ({"enable_thinking": True}, True, None),
        ({"chat_template_kwargs": {"enable_thinking": False}}, False, None),
        ({"thinking": {"type": "disabled"}}, False, None),
        ({"thinking": {"type": "enabled", "budget_tokens": 99}}, True, None),
        ({"thinking": {"type": "auto"}}, None, None),
        ({"thinking": False}, False, None),
        ({"think": "high"}, True, "high"),
        ({"reasoning": True}, True, None),
        ({"reasoning": {"enabled": False}}, False, None),
        ({"reasoning": {"effort": "low"}}, True, "low"),
        ({"reasoning": {"effort": "none"}}, False, None),
        ({"reasoning": {"max_tokens": 500}}, True, None),
        ({"reasoning": {"exclude": True}}, None, None),
        ({"reasoning_effort": "default"}, None, None),
        ({"reasoning_effort": "high"}, True, "high"),
        ({"reasoning_effort": "high", "enable_thinking": False}, False, None),
    ],
)
def test_reasoning_fields_of_other_servers_work(
    model: Model, fields: dict[str, Any], wanted: bool | None, effort: str | None
) -> None:
    found = read(ChatCompletions(), model, **fields)
    assert found.config.reasoning is wanted
    assert found.template.get("reasoning_effort") == effort
    assert ignored(ChatCompletions(), model, **fields) == ""


def test_reasoning_is_ignored_by_models_without(model: Model) -> None:
    plain = replace(model, thinking=False)
    for fields in ({"reasoning_effort": "low"}, {"thinking": {"type": "enabled"}}):
        assert ignored(ChatCompletions(), plain, **fields) == next(iter(fields))
        assert read(ChatCompletions(), plain, **fields).config.reasoning is None
    assert read(ChatCompletions(), plain, enable_thinking=False).config.reasoning is False


@pytest.mark.parametrize("fields", [{"include_reasoning": False}, {"reasoning": {"exclude": True}}])
def test_reasoning_can_be_left_out_of_replies(server: Server, fields: dict[str, Any]) -> None:
    asked: dict[str, Any] = {"max_tokens": 20, "temperature": 0, "enable_thinking": True}
    shown = send(server, CHAT, **asked).json["choices"][0]["message"]
    assert shown["reasoning_content"] == "".join(REASON)
    message = send(server, CHAT, **asked, **fields).json["choices"][0]["message"]
    assert message == {"role": "assistant", "content": "".join(ANSWER)}
    stream = chunks(send(server, CHAT, **asked, **fields, stream=True).body)
    deltas = [chunk["choices"][0]["delta"] for chunk in stream]
    assert not any("reasoning_content" in delta for delta in deltas)
    assert "".join(delta.get("content", "") for delta in deltas) == "".join(ANSWER)


THOUGHT = "first this, then that"


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning": THOUGHT},
        {"thinking": THOUGHT},
        {"reasoning_text": THOUGHT},
        {"reasoning_content": None, "reasoning": THOUGHT},
        {"reasoning_details": [{"type": "reasoning.text", "text": THOUGHT, "index": 0}]},
        {
            "reasoning_details": [
                {"type": "reasoning.summary", "summary": "first this, "},
                {"type": "reasoning.encrypted", "data": "x"},
                {"type": "reasoning.text", "text": "then that"},
            ]
        },
        {"thinking_blocks": [{"type": "thinking", "thinking": THOUGHT, "signature": "s"}]},
        {"content": [{"type": "thinking", "thinking": THOUGHT}, {"type": "text", "text": "so"}]},
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
                {"type": "text", "text": "so"},
            ]
        },
        {"content": [{"type": "reasoning", "text": THOUGHT}, {"type": "text", "text": "so"}]},
        {"content": [{"type": "reasoning", "reasoning": THOUGHT}, {"type": "text", "text": "so"}]},
        {"reasoning_content": [{"type": "text", "text": THOUGHT}]},
        {"reasoning": {"content": THOUGHT}},
        {"reasoning_content": "", "reasoning": THOUGHT, "thinking_blocks": None},
        {"reasoning": THOUGHT, "reasoning_details": [{"text": THOUGHT}]},
        {"reasoning_content": THOUGHT, "thinking_blocks": [{"type": "thinking", "thinking": "a"}]},
        {"reasoning_text": THOUGHT, "reasoning_opaque": None},
    ],
)
def test_earlier_reasoning_is_found_under_every_name(fields: dict[str, Any]) -> None:
    message = {"role": "assistant", "content": "so", **fields}
    (found,) = validate(ChatBody, {"messages": [message]}).messages
    expected = {"role": "assistant", "content": "so", "reasoning_content": THOUGHT}
    assert found.as_message == expected


def test_reasoning_without_text_is_accepted(server: Server) -> None:
    for fields in (
        {"reasoning": 3},
        {"reasoning_details": "odd"},
        {"thinking_blocks": [None, "a"]},
    ):
        said = [user("hello"), {"role": "assistant", "content": "so", **fields}, user("go")]
        assert send(server, CHAT, messages=said).status == 200
    blocks = [{"type": "thinking", "thinking": None}, {"type": "text", "text": "so"}]
    said = [user("hello"), {"role": "assistant", "content": blocks}, user("go")]
    assert send(server, "/v1/messages", messages=said).status == 200


def test_prefilled_reply_keeps_reasoning_under_any_name(server: Server) -> None:
    def prompt_tokens(**reasoning: Any) -> int:
        begun = {"role": "assistant", "content": "It", **reasoning}
        answer = send(server, CHAT, messages=[user("hello"), begun])
        return int(answer.json["usage"]["prompt_tokens"])

    known = prompt_tokens(reasoning_content=THOUGHT)
    assert known > prompt_tokens()
    assert prompt_tokens(reasoning=THOUGHT) == known
    assert prompt_tokens(reasoning_details=[{"type": "reasoning.text", "text": THOUGHT}]) == known


def test_schema_of_json_object_binds_the_reply(model: Model) -> None:
    schema = {"type": "object", "properties": {"n": {"const": 7}}, "required": ["n"]}
    for form in (
        {"type": "json_object", "schema": schema},
        {"type": "json_object", "json_schema": {"schema": schema}},
        {"type": "json_schema", "schema": schema},
    ):
        params = read(ChatCompletions(), model, response_format=form).params
        assert json.loads(str(params.json_schema)) == schema
    free = read(ChatCompletions(), model, response_format={"type": "json_object"}).params
    assert json.loads(str(free.json_schema)) == {"type": "object"}


@pytest.mark.parametrize("url", ["DATA:image/png;base64,aGk", "aGlo" * 20, {"url": "aGlo" * 20}])
def test_images_come_with_or_without_an_address(model: Model, url: Any) -> None:
    sees = replace(model, sees=True)
    part = {"type": "image_url", "image_url": url}
    (made,) = read(ChatCompletions(), sees, messages=[user([part])]).messages  # type: ignore[arg-type]
    (found,) = made["content"]
    assert isinstance(found["image"], Image)


def test_models_are_found_like_in_chat(server: Server) -> None:
    for name in ("gpt-4o", "claude-x", "plain:latest"):
        assert ask(server, "GET", f"/v1/models/{name}").json["id"] == "plain"
    assert ask(server, "GET", "/v1/models/nothing").status == 404
    assert send(server, "/api/chat", model="scripted:latest", stream=False).json["done"]
    assert ask(server, "POST", "/api/show", {"model": "scripted:latest"}).status == 200


def test_every_answer_has_a_request_id(server: Server) -> None:
    answers = [send(server, CHAT), send(server, CHAT, stream=True), send(server, CHAT, n=0)]
    answers.append(ask(server, "GET", "/nothing"))
    names = [answer.headers["x-request-id"] for answer in answers]
    assert len(set(names)) == 4
    assert [answer.headers["request-id"] for answer in answers] == names


@pytest.mark.parametrize("stream", [False, True])
def test_ollama_generates_single_replies(server: Server, stream: bool) -> None:
    more = {"stream": stream, "think": True, "options": {"temperature": 0, "num_predict": 20}}
    answer = send(server, "/api/generate", system="Be brief.", **more)
    lines = [json.loads(line) for line in answer.body.decode().splitlines()]
    assert "".join(line["response"] for line in lines) == "".join(ANSWER)
    assert "".join(line.get("thinking", "") for line in lines) == "".join(REASON)
    assert all("message" not in line for line in lines)
    assert lines[-1]["done"]
    assert lines[-1]["done_reason"] == "stop"


def test_ollama_continues_raw_prompts(model: Model) -> None:
    (prompt,) = read(OllamaGenerate(), model, prompt="It", raw=True).prompts
    assert prompt == RawPrompt("It")


def test_ollama_embeds_texts(server: Server) -> None:
    found = send(server, "/api/embed", input=["hello", "other"]).json
    assert found["model"] == "plain"
    first, second = found["embeddings"]
    assert first != second
    old = ask(server, "POST", "/api/embeddings", {"model": "plain", "prompt": "hello"}).json
    assert old["embedding"] == pytest.approx(first, abs=1e-5)
    assert send(server, "/api/embed", dimensions=len(first)).status == 200


def test_tokens_of_responses_are_counted(server: Server) -> None:
    asked = {"model": "scripted", "input": "hello", "instructions": "Be brief."}
    counted = ask(server, "POST", "/v1/responses/input_tokens", {**asked, "zeta": 1})
    assert counted.headers[HEADER] == "zeta"
    usage = ask(server, "POST", "/v1/responses", {**asked, "max_output_tokens": 2}).json["usage"]
    assert counted.json == {
        "object": "response.input_tokens",
        "input_tokens": usage["input_tokens"],
    }

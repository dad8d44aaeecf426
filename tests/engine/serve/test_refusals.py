"""Error messages for invalid requests name the field and the value."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine.serve.server import Server
from tests.engine.serving import CHAT, ask, user

COMPLETIONS, RESPONSES, MESSAGES = "/v1/completions", "/v1/responses", "/v1/messages"
EMBEDDINGS, OLLAMA, GENERATE = "/v1/embeddings", "/api/chat", "/api/generate"
BODIES: dict[str, dict[str, Any]] = {
    CHAT: {"messages": [user("hello")], "max_tokens": 2},
    COMPLETIONS: {"prompt": "It", "max_tokens": 2},
    RESPONSES: {"input": "hello", "max_output_tokens": 2},
    MESSAGES: {"messages": [user("hello")], "max_tokens": 2},
    EMBEDDINGS: {"input": "hello", "model": "plain"},
    GENERATE: {"prompt": "hello"},
}
WEATHER = {"name": "weather", "parameters": {"type": "object", "properties": {}}}
TOOL = {"type": "function", "function": WEATHER}
CLAUDES_TOOL = {"name": "weather", "input_schema": {"type": "object", "properties": {}}}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    return schema


def of_schema(schema: object) -> dict[str, Any]:
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    return {"response_format": form}


FIELDS: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    # sampling
    (CHAT, {"temperature": 9}, "temperature", "temperature must be at most 2, not 9"),
    (CHAT, {"temperature": -1}, "temperature", "temperature"),
    (CHAT, {"temperature": "hot"}, "temperature", "temperature"),
    (CHAT, {"temperature": 10**60}, "", "number"),
    (CHAT, {"top_p": 1.5}, "", "top_p must be"),
    (CHAT, {"top_k": -2}, "", "top_k must be"),
    (CHAT, {"top_k": 3.5}, "", "top_k must be"),
    (CHAT, {"repeat_penalty": "high"}, "", "repeat_penalty must be"),
    (CHAT, {"max_tokens": "many"}, "", "max_tokens must be"),
    (CHAT, {"max_tokens": 2.5}, "", "max_tokens must be a whole number, not 2.5"),
    (CHAT, {"max_tokens": 3, "max_completion_tokens": 4}, "", "max_completion_tokens"),
    (CHAT, {"max_tokens": None, "n_predict": -7}, "", "n_predict must be at least 1, not -7"),
    (CHAT, {"max_tokens": None, "max_new_tokens": "x"}, "max_new_tokens", "max_new_tokens"),
    (CHAT, {"n": 0}, "", "n must be at least 1, not 0"),
    (CHAT, {"n": 1000}, "", "n must"),
    (CHAT, {"n": 1.5}, "", "n must be a whole number, not 1.5"),
    (CHAT, {"n": True}, "", "n must be a whole number, not true"),
    (CHAT, {"n": "2"}, "", 'n must be a whole number, not "2"'),
    (CHAT, {"stop": [5]}, "", "stop must be"),
    (CHAT, {"stream": "yes"}, "", 'stream must be true or false, not "yes"'),
    (CHAT, {"stream_options": {"include_usage": True}}, "", "stream_options"),
    (CHAT, {"top_logprobs": 3}, "top_logprobs", "top_logprobs"),
    (CHAT, {"logprobs": True, "top_logprobs": 21}, "", "top_logprobs"),
    (CHAT, {"logit_bias": {"5": 10**400}}, "", "number"),
    (CHAT, {"logit_bias": {"5": float("nan")}}, "", "NaN"),
    (CHAT, {"logit_bias": {"99999999": 5}}, "", "token 99999999"),
    (CHAT, {"logit_bias": {"5": True}}, "", "logit_bias of token 5 must be"),
    (CHAT, {"logit_bias": [["a", 1]]}, "", "logit_bias must"),
    (CHAT, {"logit_bias": [[[], 1]]}, "", "logit_bias must"),
    (MESSAGES, {"temperature": 1.01}, "", "temperature must be at most 1"),
    (MESSAGES, {"temperature": -1}, "", "temperature"),
    (RESPONSES, {"temperature": 2.01}, "", "temperature must be at most 2"),
    # forms
    (CHAT, {"response_format": {"type": "xml"}}, "response_format", "response_format"),
    (CHAT, of_schema(nested(450)), "", "nested"),
    (CHAT, of_schema({"$ref": "#"}), "", "schema"),
    (CHAT, of_schema({"anyOf": [{"$ref": "#"}]}), "", "schema"),
    (CHAT, of_schema(None), "", "schema"),
    (CHAT, of_schema("{}"), "", "schema"),
    (CHAT, {"choices": []}, "", "choices must not be empty"),
    # tools
    (CHAT, {"model": "plain", "tools": [TOOL]}, "", "tools"),
    (CHAT, {"model": "plain", "functions": [WEATHER]}, "", "tools"),
    (CHAT, {"tools": [{}]}, "", "tools"),
    (CHAT, {"tools": [TOOL, TOOL]}, "", "tools"),
    (CHAT, {"tools": [{"type": "function", "function": {"name": ""}}]}, "tools[0].name", "tools"),
    (CHAT, {"tool_choice": "required"}, "", "tool_choice"),
    (CHAT, {"tools": [TOOL], "tool_choice": "must"}, "tool_choice", "tool_choice"),
    (
        CHAT,
        {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "x"}}},
        "",
        "tool_choice",
    ),
    (CHAT, {"functions": [{"name": ""}]}, "", "functions"),
    (CHAT, {"functions": [WEATHER], "tools": [TOOL]}, "", "functions"),
    (CHAT, {"function_call": {"name": "weather"}}, "", "function_call"),
    (MESSAGES, {"tool_choice": {"type": "any"}}, "", "tool_choice"),
    (MESSAGES, {"tool_choice": {"type": "tool"}, "tools": [CLAUDES_TOOL]}, "", "tool_choice"),
    (
        MESSAGES,
        {"tool_choice": {"type": "tool", "name": "x"}, "tools": [CLAUDES_TOOL]},
        "",
        "tool_choice",
    ),
    (MESSAGES, {"model": "plain", "tools": [CLAUDES_TOOL]}, "", "tools"),
    (RESPONSES, {"tools": [{"name": "x"}]}, "", "tools"),
    # messages
    (CHAT, {"messages": None}, "", "messages is missing"),
    (CHAT, {"messages": []}, "messages", "messages must be a non-empty list, not []"),
    (CHAT, {"messages": ["x"]}, "", "messages"),
    (CHAT, {"messages": [{"content": "x"}]}, "", "role"),
    (CHAT, {"messages": [user("x"), {"role": "robot"}]}, "messages[1].role", 'not "robot"'),
    (CHAT, {"messages": [user([{"type": "video"}])]}, "messages[0].content", "video"),
    (MESSAGES, {"messages": [user(["x"])]}, "", "messages[0].content[0] must be an object"),
    (MESSAGES, {"messages": [user([{"type": "hologram"}])]}, "", "hologram"),
    (MESSAGES, {"messages": [{"role": "system", "content": "x"}]}, "", "user"),
    (MESSAGES, {"messages": [{"role": "robot", "content": "x"}]}, "", 'not "robot"'),
    (RESPONSES, {"input": 5}, "", "input must be a list, not 5"),
    (RESPONSES, {"input": ["x"]}, "", 'input[0] must be an object with a type, not "x"'),
    (RESPONSES, {"input": [{"type": "item_reference", "id": "x"}]}, "", "item_reference"),
    (COMPLETIONS, {"prompt": [1, "x"]}, "", 'token ids, not [1, "x"]'),
    # settings of sessions, reasoning and templates
    (CHAT, {"kv_bits": 5}, "", "kv_bits must be one of 4, 8, not 5"),
    (CHAT, {"on_overflow": "cut"}, "", "on_overflow"),
    (CHAT, {"session_id": "no name"}, "session_id", "session_id"),
    (CHAT, {"follows": "x"}, "follows", "follows"),
    (CHAT, {"model": 5}, "model", "model"),
    (CHAT, {"chat_template_kwargs": {"messages": []}}, "", "chat_template_kwargs"),
    (CHAT, {"reasoning_effort": "lots"}, "", "reasoning_effort"),
    (CHAT, {"enable_thinking": "no"}, "", "enable_thinking must be"),
    (CHAT, {"reasoning": {"effort": "vast"}}, "", "reasoning.effort must be"),
    (CHAT, {"thinking": {"type": "maybe"}}, "", "thinking.type must be"),
    (CHAT, {"think": {"type": "maybe"}}, "", "think.type must be"),
    (CHAT, {"modalities": ["audio"]}, "", "modalities"),
    # what other servers do and this one does not
    (RESPONSES, {"background": True}, "", "background can only be false"),
    (RESPONSES, {"background": 0}, "", "background can only be false"),
    (RESPONSES, {"conversation": "c"}, "", "conversation"),
    (RESPONSES, {"include": [5]}, "", "include"),
    (RESPONSES, {"prompt": {"id": "x"}}, "", "prompt"),
    (COMPLETIONS, {"suffix": "end"}, "suffix", "suffix"),
    (COMPLETIONS, {"logprobs": 2, "echo": True}, "", "echo"),
    (GENERATE, {"suffix": "end"}, "", "suffix"),
    (EMBEDDINGS, {"dimensions": 3}, "", "dimensions must be"),
    (EMBEDDINGS, {"dimensions": 0}, "", "dimensions must be"),
)


def refused(server: Server, path: str, fields: dict[str, Any], param: str, says: str) -> None:
    answer = ask(server, "POST", path, {"model": "scripted", **BODIES[path], **fields})
    assert answer.status == 400, answer.body
    error = answer.json["error"]
    message = error if isinstance(error, str) else error["message"]
    assert says in message
    assert len(message) <= 500
    if isinstance(error, dict):
        assert error["type"] == "invalid_request_error"
    if path not in (MESSAGES, GENERATE):
        assert answer.code == "invalid_request"
        assert not param or error["param"] == param


@pytest.mark.parametrize("path", BODIES)
def test_impossible_field_is_refused_by_name(server: Server, path: str) -> None:
    for where, fields, param, says in FIELDS:
        if where == path:
            refused(server, path, fields, param, says)
    assert ask(server, "POST", path, {"model": "scripted", **BODIES[path]}).status == 200


@pytest.mark.parametrize(
    ("body", "says"),
    [(b"{", "JSON"), (b"[]", "object"), (b"[" * 9999, "nested")],
)
def test_body_that_is_no_object_is_refused(server: Server, body: bytes, says: str) -> None:
    answer = ask(server, "POST", CHAT, body)
    assert answer.status == 400
    assert re.search(says, answer.json["error"]["message"])

"""Requests of coding agents that use OpenAI's APIs, in the formats they send."""

from __future__ import annotations

import base64
import json
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine import Engine, Image
from engine.serve import model_requests
from engine.serve.auth import LOCAL
from engine.serve.errors import RequestError
from engine.serve.routes import responses
from engine.serve.routes.chat import ChatCompletions
from engine.serve.routes.ollama import OllamaChat
from engine.serve.routes.responses import Responses, StoredResponses
from engine.serve.server import Server
from tests.engine.scripted import call, write_agent
from tests.engine.serving import Answer, ask, chunks

PATCH = "*** Begin Patch\n*** Add File: a\n+one\n*** End Patch"
SCRIPTS = {
    "patch": [call("apply_patch", input=PATCH), "Patched."],
    "space": [call("crew.spawn", task="look"), "Looked."],
    "search": [call("tool_search", query="mail"), call("mail.send", to="me"), "Sent."],
    "other": [call("teleport", to="Rome"), "Then not."],
    "open": ['<tool_call>\n{"name": "run", "arguments": {"cmd": "ls"}', "Listed."],
    "half": ['<tool_call>\n{"name": "run", "arguments": {"cmd": "rm -rf /tmp/a'],
    "torn": ["<tool_call>\nrun it for me\n</tool_call>"],
    "two": [call("run", cmd="a") + "\n" + call("apply_patch", input=PATCH)],
}
OPTIONAL = {"type": "object", "properties": {"cmd": {"type": "string"}}}
RUN = {"type": "function", "name": "run", "description": "Run it.", "parameters": OPTIONAL}
CUSTOM = {
    "type": "custom",
    "name": "apply_patch",
    "description": "Change files.",
    "format": {"type": "grammar", "syntax": "lark", "definition": 'start: "*** " /(.|\\n)*/'},
}
SPAWN = {"type": "function", "name": "spawn", "parameters": {"type": "object", "properties": {}}}
CREW = {"type": "namespace", "name": "crew", "description": "Helpers.", "tools": [SPAWN]}
SEARCH = {
    "type": "tool_search",
    "execution": "client",
    "description": "Finds tools.",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
}


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = write_agent(tmp_path_factory.mktemp("agent") / "agent", SCRIPTS, 4096)
    with Engine() as engine, Server(engine, [engine.load(folder)], 0) as server:
        yield server


def said(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def response(server: Server, *items: Any, **fields: Any) -> Any:
    answer = ask(server, "POST", "/v1/responses", {"input": list(items), **fields})
    assert answer.status == 200, answer.body
    return answer.json


def events(answer: Answer) -> list[Any]:
    lines = answer.body.decode().splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: {")]


def streamed(server: Server, *items: Any, **fields: Any) -> list[Any]:
    body = {"input": list(items), "stream": True, **fields}
    return events(ask(server, "POST", "/v1/responses", body))


def chat(server: Server, text: str, **fields: Any) -> Any:
    body = {"messages": [{"role": "user", "content": text}], **fields}
    answer = ask(server, "POST", "/v1/chat/completions", body)
    assert answer.status == 200, answer.body
    return answer.json["choices"][0]


def test_hints_never_fail_and_are_reported_once(
    agents: Server, caplog: pytest.LogCaptureFixture
) -> None:
    hints = {
        "client_metadata": {"turn": "1"},
        "text": {"verbosity": "low"},
        "reasoning": {"effort": "high", "context": "current_turn", "summary": "concise"},
        "service_tier": "priority",
        "include": ["reasoning.encrypted_content", "web_search_call.action.sources"],
        "max_tool_calls": 3,
        "prompt_cache_key": "k",
        "context_management": [{"type": "compaction", "compact_threshold": 10}],
    }
    with caplog.at_level(logging.INFO, "engine.serve"):
        for _ in range(2):
            assert response(agents, said("hello"), **hints)["output"]
    about = [r.message for r in caplog.records if "changes nothing" in r.message]
    assert len(about) == len(set(about))
    plain = chat(agents, "hello", reasoning_effort="high", verbosity="low", store=True)
    assert plain["message"]["content"] == "Done."


def test_custom_tool_is_called_with_text(agents: Server) -> None:
    tools = [RUN, CUSTOM]
    (item,) = response(agents, said("[[patch]]"), tools=tools)["output"]
    assert (item["type"], item["name"], item["input"]) == ("custom_tool_call", "apply_patch", PATCH)
    told = streamed(agents, said("[[patch]]"), tools=tools)
    kinds = [one["type"] for one in told]
    assert "response.custom_tool_call_input.delta" in kinds
    assert not any("function_call" in kind for kind in kinds)
    done = next(one["item"] for one in told if one["type"] == "response.output_item.done")
    assert {**done, "id": 0} == {**item, "id": 0, "call_id": done["call_id"]}
    after = {"type": "custom_tool_call_output", "call_id": item["call_id"], "output": "ok"}
    (last,) = response(agents, said("[[patch]]"), item, after, tools=tools)["output"]
    assert last["content"][0]["text"] == "Patched."


def test_custom_tool_works_in_chat_completions(agents: Server) -> None:
    about = {"name": "apply_patch", "format": {"type": "text"}}
    tools = [{"type": "custom", "custom": about}]
    found = chat(agents, "[[patch]]", tools=tools)
    (called,) = found["message"]["tool_calls"]
    assert called["custom"] == {"name": "apply_patch", "input": PATCH}
    body = {"messages": [{"role": "user", "content": "[[patch]]"}], "tools": tools, "stream": True}
    found = events(ask(agents, "POST", "/v1/chat/completions", body))
    deltas = [c["choices"][0]["delta"] for c in found]
    (piece,) = [d["tool_calls"] for d in deltas if "tool_calls" in d]
    assert piece[0]["custom"]["input"] == PATCH
    messages = [
        {"role": "user", "content": "[[patch]]"},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": called["id"], "content": [{"type": "image_url"}]},
    ]
    answer = ask(agents, "POST", "/v1/chat/completions", {"messages": messages, "tools": tools})
    assert answer.text == "Patched."


def test_namespaced_tools_keep_their_namespace(agents: Server) -> None:
    (item,) = response(agents, said("[[space]]"), tools=[RUN, CREW])["output"]
    assert (item["type"], item["namespace"], item["name"]) == ("function_call", "crew", "spawn")
    output = {"type": "function_call_output", "call_id": item["call_id"], "output": "seen"}
    (last,) = response(agents, said("[[space]]"), item, output, tools=[RUN, CREW])["output"]
    assert last["content"][0]["text"] == "Looked."
    more = {"type": "additional_tools", "role": "developer", "tools": [RUN, CREW]}
    (item,) = response(agents, more, said("[[space]]"))["output"]
    assert item["namespace"] == "crew"


def test_searched_tools_can_be_called(agents: Server) -> None:
    (item,) = response(agents, said("[[search]]"), tools=[SEARCH])["output"]
    assert item["type"] == "tool_search_call"
    assert (item["execution"], item["arguments"]) == ("client", {"query": "mail"})
    send = {"type": "function", "name": "send", "parameters": OPTIONAL, "defer_loading": True}
    found = {
        "type": "tool_search_output",
        "call_id": item["call_id"],
        "status": "completed",
        "execution": "client",
        "tools": [{"type": "namespace", "name": "mail", "tools": [send]}],
    }
    (item,) = response(agents, said("[[search]]"), item, found, tools=[SEARCH])["output"]
    assert (item["type"], item["namespace"], item["name"]) == ("function_call", "mail", "send")


def test_openai_only_features_are_omitted_and_reported(agents: Server) -> None:
    body = {"input": "x", "tools": [RUN, {"type": "web_search", "external_web_access": True}]}
    model = agents.served.models[0]
    asked = Responses(StoredResponses()).read({**body, "instructions": "Be brief."}, model)
    assert asked.messages[0]["role"] == "system"
    assert asked.messages[0]["content"].startswith("Be brief.")
    assert "web_search" in asked.messages[0]["content"]
    assert [t["function"]["name"] for t in asked.params.tools] == ["run"]
    found = chat(agents, "hello", web_search_options={})
    assert found["message"]["content"] == "Done."


def test_images_in_outputs_become_notes(agents: Server) -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}
    item = {"type": "function_call", "call_id": "c", "name": "run", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c", "output": [image]}
    body = {"input": [said("x"), item, output], "tools": [RUN]}
    asked = Responses(StoredResponses()).read(body, agents.served.models[0])
    assert "image" in asked.messages[-1]["content"]
    assert "AAAA" not in asked.messages[-1]["content"]
    sees = replace(agents.served.models[0], sees=True)
    asked = Responses(StoredResponses()).read(body, sees)
    assert asked.messages[-1]["content"] == [{"type": "image", "image": Image(bytes(3))}]


def test_openai_images_reach_vision_models(agents: Server) -> None:
    sees = replace(agents.served.models[0], sees=True)
    url = "data:image/png;base64,aGk="
    look, image = {"type": "text", "text": "look"}, {"type": "image", "image": Image(b"hi")}

    def told(*parts: Any) -> Any:
        body = {"messages": [{"role": "user", "content": list(parts)}]}
        return ChatCompletions().read(body, sees).messages[0]["content"]

    assert told(look, {"type": "image_url", "image_url": {"url": url}}) == [look, image]
    assert told({"type": "image_url", "image_url": url}) == [image]
    for wrong in ("https://example.org/a.png", "/etc/passwd", "data:image/png;base64,%", "", None):
        with pytest.raises(ValueError, match=r"^an image "):
            told({"type": "image_url", "image_url": {"url": wrong}})
    ours = {"role": "user", "content": "look", "images": ["aGk="]}
    assert OllamaChat().read({"messages": [ours]}, sees).messages[0]["content"] == [image, look]


@pytest.mark.parametrize("stream", [False, True])
def test_unoffered_tool_is_left_to_the_client(agents: Server, stream: bool) -> None:
    if stream:
        told = streamed(agents, said("[[other]]"), tools=[RUN])
        (item,) = told[-1]["response"]["output"]
    else:
        (item,) = response(agents, said("[[other]]"), tools=[RUN])["output"]
        found = chat(agents, "[[other]]", tools=[{"type": "function", "function": RUN}])
        assert found["finish_reason"] == "tool_calls"
    assert (item["type"], item["name"]) == ("function_call", "teleport")
    assert json.loads(item["arguments"]) == {"to": "Rome"}


@pytest.mark.parametrize("stream", [False, True])
def test_broken_call_is_closed_or_shown_as_text(agents: Server, stream: bool) -> None:
    def output(text: str) -> Any:
        if stream:
            return streamed(agents, said(text), tools=[RUN])[-1]["response"]["output"]
        return response(agents, said(text), tools=[RUN])["output"]

    (closed,) = output("[[open]]")
    assert json.loads(closed["arguments"]) == {"cmd": "ls"}
    assert closed["status"] == "completed"
    *begun, half = output("[[half]]")  # an incomplete command is never run
    assert [item["status"] for item in begun] == ["incomplete"] * stream
    assert "malformed" in half["content"][0]["text"]
    assert "rm -rf /tmp/a" in half["content"][0]["text"]
    (torn,) = output("[[torn]]")
    assert torn["content"][0]["text"] == "<tool_call>\nrun it for me\n</tool_call>"


def test_several_calls_of_several_kinds(agents: Server) -> None:
    for output in (
        response(agents, said("[[two]]"), tools=[RUN, CUSTOM])["output"],
        streamed(agents, said("[[two]]"), tools=[RUN, CUSTOM])[-1]["response"]["output"],
    ):
        assert [item["type"] for item in output] == ["function_call", "custom_tool_call"]


def test_overflow_uses_openais_wording(agents: Server) -> None:
    long = said("word " * 5000)
    (_, _, failed, _) = streamed(agents, long)
    assert failed["type"] == "response.failed"
    assert failed["response"]["error"]["code"] == "context_length_exceeded"
    body = {"messages": [{"role": "user", "content": "word " * 5000}], "stream": True}
    for path, asked in (("/v1/responses", {"input": [long]}), ("/v1/chat/completions", body)):
        answer = ask(agents, "POST", path, asked)
        error = answer.json["error"]
        assert (answer.status, error["code"]) == (400, "context_length_exceeded")
        # Each agent looks for another of these sentences.
        assert error["message"].startswith("This model's maximum context length is 4096 tokens. ")
        assert " Your input exceeds the context window of this model. " in error["message"]


LONG = "word " * 3000
CHAT_TOOL = {"type": "custom", "custom": {"name": "apply_patch", "description": "Change files."}}
LIVELY = {
    "/v1/responses": ({"input": [said(LONG)]}, {"input": [said("[[patch]]")], "tools": [CUSTOM]}),
    "/v1/chat/completions": (
        {"messages": [{"role": "user", "content": LONG}]},
        {"messages": [{"role": "user", "content": "[[patch]]"}], "tools": [CHAT_TOOL]},
    ),
    "/v1/completions": ({"prompt": LONG, "max_tokens": 5}, None),
    "/v1/messages": (
        {"messages": [{"role": "user", "content": LONG}], "max_tokens": 50},
        None,
    ),
    "/api/chat": (
        {"messages": [{"role": "user", "content": LONG}]},
        {
            "messages": [{"role": "user", "content": "[[open]]"}],
            "tools": [{"type": "function", "function": {"name": "run", "parameters": OPTIONAL}}],
        },
    ),
}


def is_silent(told: Any) -> bool:
    if told.get("type") in ("ping", "message_start", "response.created", "response.in_progress"):
        return True
    for choice in told.get("choices", ()):
        delta = {k: v for k, v in choice.get("delta", {}).items() if k != "role"}
        return not (any(delta.values()) or choice.get("text") or choice["finish_reason"])
    message = told.get("message") or {"content": "no"}
    return not message.get("content") and not message.get("tool_calls") and not told.get("done")


def lively(server: Server, path: str, body: dict[str, Any]) -> list[bool]:
    answer = ask(server, "POST", path, {**body, "stream": True})
    assert answer.status == 200, answer.body
    lines = answer.body.decode().splitlines()
    found = [line.removeprefix("data: ") for line in lines]
    return [is_silent(json.loads(line)) for line in found if line.startswith("{")]


@pytest.mark.parametrize("path", LIVELY)
def test_streams_have_events_while_prompts_are_read(
    agents: Server, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, _ = LIVELY[path]
    assert lively(agents, path, body)[0]  # the first event reports progress
    monkeypatch.setattr(model_requests, "KEEPALIVE_S", 0.0)
    assert all(lively(agents, path, body)[:2])


@pytest.mark.parametrize("path", [path for path in LIVELY if LIVELY[path][1]])
def test_streams_have_events_while_a_call_is_written(
    agents: Server, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = LIVELY[path][1]
    assert body is not None
    calm = lively(agents, path, body)
    monkeypatch.setattr(model_requests, "KEEPALIVE_S", 0.0)
    assert lively(agents, path, body).count(True) > calm.count(True) + 2


def test_signs_of_life_are_chunks_without_text(
    agents: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_requests, "KEEPALIVE_S", 0.0)
    fields = {"n": 2, "stream_options": {"include_usage": True}, "max_tokens": 3, "stream": True}
    said = {"messages": [{"role": "user", "content": LONG}], **fields}
    told = chunks(ask(agents, "POST", "/v1/chat/completions", said).body)
    assert len({(one["id"], one["created"], one["model"]) for one in told}) == 1
    assert [bool(one["usage"]) for one in told] == [False] * (len(told) - 1) + [True]
    for index in range(2):
        own = [c for one in told for c in one["choices"] if c["index"] == index]
        assert [c["delta"].get("role") for c in own] == ["assistant"] + [None] * (len(own) - 1)
        assert [bool(c["finish_reason"]) for c in own] == [False] * (len(own) - 1) + [True]


def test_keep_alive_is_not_part_of_the_response(
    agents: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_requests, "KEEPALIVE_S", 0.0)
    told = streamed(agents, said(LONG))
    kinds = [one["type"] for one in told]
    assert kinds[0] == "response.created"
    assert kinds.count("response.created") == 1
    assert kinds.count("response.in_progress") > 1
    assert [one["sequence_number"] for one in told] == list(range(len(told)))


def test_unloaded_models_list_their_context(
    agents: Server, model_folder: Callable[[str], Path]
) -> None:
    agents.offer(str(model_folder("plain")))
    try:
        first, second = ask(agents, "GET", "/v1/models").json["data"]
    finally:
        del agents.served.entries[1:]
    assert first["context_length"] == first["max_model_len"] == 4096
    assert second["state"] == "unloaded"
    assert second["context_length"] > 0


def test_ollamas_clients_find_version_and_models(agents: Server) -> None:
    assert ask(agents, "GET", "/api/version").json["version"].count(".") == 2
    (model,) = ask(agents, "GET", "/api/tags").json["models"]
    assert model["name"] == model["model"] == "agent"
    shown = ask(agents, "POST", "/api/show", {"model": "agent"}).json
    assert shown["model_info"]["mlx.context_length"] == 4096
    assert "tools" in shown["capabilities"]
    missing = ask(agents, "POST", "/api/show", {"model": "nothing"})
    assert missing.status == 404
    assert isinstance(missing.json["error"], str)


@pytest.mark.parametrize("stream", [False, True])
def test_ollama_chat_works(agents: Server, stream: bool) -> None:
    tools = [{"type": "function", "function": {k: v for k, v in RUN.items() if k != "type"}}]
    asked = {"role": "user", "content": "[[open]]", "images": ["AAAA"]}
    more = {"options": {"num_ctx": 2048, "num_predict": -1, "temperature": 0}, "think": True}
    body = {"model": "agent", "messages": [asked], "tools": tools, "stream": stream, **more}
    answer = ask(agents, "POST", "/api/chat", body)
    lines = [json.loads(line) for line in answer.body.decode().splitlines()]
    (called,) = [line["message"]["tool_calls"] for line in lines if "tool_calls" in line["message"]]
    assert called[0]["function"] == {"name": "run", "arguments": {"cmd": "ls"}}
    assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True]
    assert lines[-1]["prompt_eval_count"] > 10
    turn = {"role": "assistant", "content": "", "tool_calls": called}
    result = {"role": "tool", "content": "a b", "tool_name": "run"}
    del body["stream"]  # defaults to true
    answer = ask(agents, "POST", "/api/chat", {**body, "messages": [asked, turn, result]})
    lines = [json.loads(line) for line in answer.body.decode().splitlines()]
    assert "".join(line["message"]["content"] for line in lines) == "Listed."
    too_long = {"messages": [{"role": "user", "content": "word " * 5000}]}
    refused = ask(agents, "POST", "/api/chat", too_long)
    assert refused.status == 400
    assert isinstance(refused.json["error"], str)


HOSTILE: dict[str, dict[str, Any]] = {
    "tools without names": {"tools": [{"type": "function"}]},
    "a tool that is none": {"tools": [5]},
    "a namespace in one": {"tools": [{**CREW, "tools": [CREW]}]},
    "a choice of nothing": {"tools": [RUN], "tool_choice": {"type": "custom"}},
    "allowed that is none": {"tools": [RUN], "tool_choice": {"type": "allowed_tools"}},
    "more tools that are none": {"input": [{"type": "additional_tools", "tools": ["x"]}]},
    "only more tools": {"input": [{"type": "additional_tools", "tools": []}]},
    "calls that are no objects": {
        "input": [{"type": "tool_search_call", "call_id": "c", "arguments": "[1]"}]
    },
}


@pytest.mark.parametrize("name", HOSTILE)
def test_malformed_request_is_answered_or_refused(agents: Server, name: str) -> None:
    body = {"input": [said("hello")], "max_output_tokens": 4, **HOSTILE[name]}
    answer = ask(agents, "POST", "/v1/responses", body)
    assert answer.status in (200, 400), answer.body
    assert answer.status == 200 or len(answer.json["error"]["message"]) <= 600
    assert chat(agents, "hello")["message"]["content"] == "Done."


LIMITED = {
    "type": "function",
    "function": {
        "name": "run",
        "description": "",
        "strict": False,
        "parameters": {
            "type": "object",
            "properties": {
                "cmd": {"type": "string", "minLength": 1},
                "turns": {"oneOf": [{"enum": ["all"]}, {"type": "string", "pattern": "^[1-9]$"}]},
                "files": {"type": "array", "items": {"anyOf": [{"type": "string"}, OPTIONAL]}},
            },
            "additionalProperties": False,
            "$schema": "http://json-schema.org/draft-07/schema#",
        },
    },
}
CALLED = {"id": "c1", "type": "function", "function": {"name": "run", "arguments": '{"cmd": "ls"}'}}
TEXTS = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("said", [None, "", "I look."], ids=str)
@pytest.mark.parametrize("parts", [TEXTS, "one"], ids=["parts", "text"])
def test_turns_with_tools_are_answered_in_every_shape(
    agents: Server, parts: Any, said: str | None, stream: bool
) -> None:
    """Use the formats of Qwen Code, Copilot CLI, Cline and Continue."""
    messages = [
        {"role": "system", "content": "Work."},
        {"role": "user", "content": parts},
        {"role": "assistant", "content": said, "refusal": None, "tool_calls": [CALLED]},
        {"role": "tool", "tool_call_id": "c1", "content": parts, "__source": "tool"},
        {"role": "user", "content": parts},
    ]
    bare = {"type": "function", "function": {"name": "goal", "description": "Tell it."}}
    fields = {"tools": [LIMITED, bare], "tool_choice": "auto", "max_tokens": 100, "stream": stream}
    usage = {"stream_options": {"include_usage": True}} if stream else {}
    body = {"messages": messages, **fields, **usage}
    answer = ask(agents, "POST", "/v1/chat/completions", body)
    assert answer.status == 200, answer.body
    if stream:
        (figures,) = [one["usage"] for one in events(answer) if not one["choices"]]
        assert figures["prompt_tokens"] > 50
    else:
        assert answer.json["choices"][0]["message"]["content"] == "Done."


def test_session_path_does_not_prevent_sharing(agents: Server) -> None:
    def asked(place: str) -> dict[str, Any]:
        where = f"<session_context>\nSession folder: /home/me/{place}\n</session_context>"
        system = f"Work with care.\n\n{where}\n\n{'Be thorough. ' * 100}"
        said = [{"role": "system", "content": system}, {"role": "user", "content": "hello"}]
        tools = [{"type": "function", "function": {**RUN, "description": "Run it. " * 50}}]
        return {"messages": said, "tools": tools, "max_tokens": 4}

    first = ask(agents, "POST", "/v1/chat/completions", asked("one")).json["usage"]
    again = ask(agents, "POST", "/v1/chat/completions", asked("two")).json["usage"]
    assert first["prompt_tokens"] > 500
    assert again["prompt_tokens"] - again["prompt_tokens_details"]["cached_tokens"] < 64
    system, user = ChatCompletions().read(asked("two"), agents.served.models[0]).messages
    assert user["content"].startswith("<session_context>\nSession folder: /home/me/two\n")
    assert "/home/me" not in system["content"]
    body = asked("x")
    body["messages"][0]["content"] = "</session_context> <session_context>\n" * 2
    assert ask(agents, "POST", "/v1/chat/completions", body).status == 200


def test_allowed_tools_are_the_only_ones(agents: Server) -> None:
    allowed = {"type": "allowed_tools", "mode": "auto", "tools": [{**RUN}]}
    model = agents.served.models[0]
    body = {"input": "x", "tools": [RUN, CUSTOM], "tool_choice": allowed}
    asked = Responses(StoredResponses()).read(body, model)
    assert [t["function"]["name"] for t in asked.params.tools] == ["run"]
    named = {"type": "custom", "name": "apply_patch"}
    asked = Responses(StoredResponses()).read({**body, "tool_choice": named}, model)
    assert asked.params.tool_choice == "apply_patch"


def test_required_custom_tool_follows_its_regex(
    server: Server,
) -> None:
    about = {"type": "grammar", "syntax": "regex", "definition": "[ab]{3}-[0-9]"}
    tools = [{"type": "custom", "name": "code", "format": about}]
    choice = {"type": "custom", "name": "code"}
    asked = {"model": "scripted", "tools": tools, "tool_choice": choice}
    for seed in range(3):
        more = {"seed": seed, "temperature": 2.0, "max_output_tokens": 200}
        (item,) = response(server, said("weather?"), **asked, **more)["output"]
        assert re.fullmatch("[ab]{3}-[0-9]", item["input"])


def test_foreign_model_names_select_a_local_model(agents: Server) -> None:
    for name in ("gpt-5.5", "claude-haiku-5-5", "codex-mini-latest"):
        assert response(agents, said("hello"), model=name)["model"] == "agent"
    assert ask(agents, "POST", "/v1/responses", {"input": "x", "model": "llama"}).status == 404
    agents.served.aliases = {"llama*": "agent"}
    try:
        assert response(agents, said("hello"), model="llama")["model"] == "agent"
    finally:
        agents.served.aliases = {}


def test_found_tools_stay_at_their_position(agents: Server) -> None:
    """At the head of the prompt, new tools would invalidate the cache for everything after them."""
    send = {"type": "function", "name": "send", "parameters": OPTIONAL}
    mail = {"type": "namespace", "name": "mail", "tools": [send]}
    call_item = {"type": "tool_search_call", "call_id": "c", "arguments": {"query": "mail"}}
    found = {"type": "tool_search_output", "call_id": "c", "tools": [mail]}
    more = {"type": "additional_tools", "tools": [{**RUN, "name": "late"}]}
    stored = StoredResponses()
    model = agents.served.models[0]

    def asked(*items: Any, **fields: Any) -> Any:
        return Responses(stored).read({"input": list(items), "tools": [SEARCH], **fields}, model)

    whole = asked({**more, "tools": [RUN]}, said("x"), call_item, found, said("y"), more)
    assert [t["function"]["name"] for t in whole.params.tools] == [
        *("tool_search", "run", "mail.send", "late"),
    ]
    assert [t["function"]["name"] for t in whole.template["tools"]] == ["tool_search", "run"]
    assert '"mail.send"' in whole.messages[2]["content"]
    assert whole.messages[-1]["role"] == "system"
    assert '"late"' in whole.messages[-1]["content"]
    first = response(agents, said("[[search]]"), call_item, found, tools=[SEARCH])
    (item,) = response(
        agents, said("[[search]] on"), previous_response_id=first["id"], tools=[SEARCH]
    )["output"]
    assert item["type"] == "tool_search_call"
    kept = agents._stored.find(LOCAL, first["id"]).found
    assert kept == [mail]


def test_found_tools_are_read_once(agents: Server) -> None:
    rules = {"type": "message", "role": "developer", "content": "A rule. " * 60}
    send = {
        "type": "function",
        "name": "send",
        "description": "Sends. " * 9,
        "parameters": OPTIONAL,
    }
    item = {"type": "tool_search_call", "call_id": "c", "arguments": {"query": "mail"}}
    found = {
        "type": "tool_search_output",
        "call_id": "c",
        "tools": [{"type": "namespace", "name": "mail", "tools": [send]}],
    }
    response(agents, rules, said("[[search]]"), tools=[SEARCH])
    after = response(agents, rules, said("[[search]]"), item, found, tools=[SEARCH])["usage"]
    again = after["input_tokens"] - after["input_tokens_details"]["cached_tokens"]
    assert again < 200 < after["input_tokens_details"]["cached_tokens"], after


def test_files_in_messages_and_outputs_are_read(agents: Server) -> None:
    data = base64.b64encode(b"Die Summe ist 7.").decode()
    file = {"type": "input_file", "filename": "sum.txt", "file_data": data}
    output = {"type": "function_call_output", "call_id": "c", "output": [file]}
    call_item = {"type": "function_call", "call_id": "c", "name": "run", "arguments": "{}"}
    body = {
        "input": [
            {"role": "user", "content": [{**file, "file_data": f"data:text/plain;base64,{data}"}]},
            *(call_item, output),
            {"role": "user", "content": [{**file, "file_data": "%"}, {"type": "input_file"}]},
        ]
    }
    api = Responses(StoredResponses())
    assert api.takes_long(body)
    asked = api.read(body, agents.served.models[0])
    user, _, tool, broken = (message["content"] for message in asked.messages)
    assert user == tool == "sum.txt\nDie Summe ist 7."
    assert "base64 is damaged" in broken
    assert "cannot see" in broken
    part = {"type": "file", "file": {"filename": "sum.txt", "file_data": data}}
    messages = [{"role": "user", "content": [part, {"type": "text", "text": "?"}]}]
    chat_asked = ChatCompletions().read({"messages": messages}, agents.served.models[0])
    assert chat_asked.messages[0]["content"] == "sum.txt\nDie Summe ist 7.?"
    assert ChatCompletions().takes_long({"messages": messages})


def test_too_large_body_uses_overflow_error(agents: Server) -> None:
    body = {"input": "x" * (2**20 + 1), "messages": [], "stream": True}
    for path in ("/v1/responses", "/v1/chat/completions"):
        refused = ask(agents, "POST", path, body)
        assert (refused.status, refused.code) == (413, "context_length_exceeded")
        assert "exceeds the context window" in refused.json["error"]["message"]
    told = events(ask(agents, "POST", "/v1/responses", body, Accept="text/event-stream"))
    assert [one["type"] for one in told] == ["response.failed", "error"]
    assert told[0]["response"]["error"]["code"] == "context_length_exceeded"
    anthropics = ask(agents, "POST", "/v1/messages", body).json["error"]
    assert anthropics["type"] == "request_too_large"
    assert anthropics["message"].startswith("prompt is too long")


def test_answer_without_calls_follows_its_schema(server: Server) -> None:
    """The scripted model calls a tool if it may. Otherwise its answer follows the schema."""
    schema = {"type": "object", "properties": {"n": {"enum": [7]}}, "required": ["n"]}
    form = {"format": {"type": "json_schema", "name": "x", "schema": schema}}
    tool = {"type": "function", "name": "weather", "parameters": OPTIONAL}
    asked = {"model": "scripted", "tools": [tool], "text": form, "max_output_tokens": 200}
    for seed in range(4):
        output = response(server, said("x"), seed=seed, temperature=2.0, **asked)["output"]
        kinds = {item["type"] for item in output}
        assert kinds in ({"message"}, {"function_call"}), output
        if kinds == {"message"}:
            assert json.loads(output[0]["content"][0]["text"]) == {"n": 7}
    output = response(server, said("x"), temperature=0, **asked)["output"]
    assert {item["type"] for item in output} == {"function_call"}


def test_optional_custom_tool_follows_its_lark_grammar(server: Server) -> None:
    lines = 'start: "go\\n" line+\nline: /[ab]+/ LF\n%import common.LF'
    about = {"type": "grammar", "syntax": "lark", "definition": lines}
    asked = Responses(StoredResponses()).read(
        {"input": "x", "tools": [{"type": "custom", "name": "code", "format": about}, RUN]},
        server.served.models[1],
    )
    code, run = (tool["function"] for tool in asked.params.tools)
    assert code["strict"]
    assert not run.get("strict")
    assert re.fullmatch(code["parameters"]["properties"]["input"]["pattern"], "go\nab\nb\n")
    tools = [{"type": "custom", "name": "code", "format": about}]
    choice = {"type": "custom", "name": "code"}
    for seed in range(3):
        more = {"seed": seed, "temperature": 2.0, "max_output_tokens": 200}
        found = response(
            server, said("weather?"), model="scripted", tools=tools, tool_choice=choice, **more
        )
        for item in found["output"]:
            assert found["status"] == "incomplete" or re.fullmatch("go\n([ab]+\n)+", item["input"])


@pytest.mark.parametrize("stream", [False, True])
def test_items_are_resolved_by_reference(server: Server, stream: bool) -> None:
    def output(*items: Any, **fields: Any) -> list[Any]:
        if not stream:
            return list(response(server, *items, **asked, **fields)["output"])
        told = streamed(server, *items, **asked, **fields)
        return list(told[-1]["response"]["output"])

    asked: dict[str, Any] = {"model": "scripted", "temperature": 0}
    thought = output(said("one"), reasoning={"effort": "low"})
    called = output(said("two"), tools=[{**RUN, "name": "weather"}])
    kinds = [item["type"] for item in (*thought, *called)]
    assert kinds == ["reasoning", "message", "function_call", "function_call"]
    results = [
        {"type": "function_call_output", "call_id": item["call_id"], "output": "dry"}
        for item in called
    ]
    turns = [
        [said("one"), *given[: len(thought)], said("two"), *given[len(thought) :], *results]
        for given in (
            [*thought, *called],
            [{"type": "item_reference", "id": item["id"]} for item in (*thought, *called)],
            [{"id": item["id"]} for item in (*thought, *called)],
        )
    ]
    whole, *others = (response(server, *items, **asked)["usage"] for items in turns)
    assert [one["input_tokens"] for one in others] == [whole["input_tokens"]] * 2


def test_unknown_or_repeated_references_are_named(agents: Server) -> None:
    kept = response(agents, said("hello"))["output"][0]["id"]
    unkept = response(agents, said("hello"), store=False)["output"][0]["id"]
    for names in ([unkept], [kept, kept], ["msg_none"]):
        items = [said("hello"), *({"type": "item_reference", "id": name} for name in names)]
        answer = ask(agents, "POST", "/v1/responses", {"input": [*items, said("more")]})
        assert answer.status == 400
        assert names[0] in answer.json["error"]["message"]


def test_references_of_other_keys_are_unknown() -> None:
    stored = StoredResponses()
    item = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
    stored.add(LOCAL, responses.StoredResponse([], {"id": "resp_1", "output": [item]}))
    asked = [{"type": "item_reference", "id": "msg_1"}]
    assert stored.resolve_references(LOCAL, asked) == [item]
    with pytest.raises(RequestError):
        stored.resolve_references(replace(LOCAL, id="other"), asked)

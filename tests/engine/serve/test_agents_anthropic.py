"""Requests of Claude Code and similar agents to `/v1/messages`."""

from __future__ import annotations

import base64
import gzip
import http.client
import json
import logging
import re
import threading
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from backports import zstd
from msgspec.structs import replace

from engine import Engine, Image
from engine.model.info import Model
from engine.serve.auth import Settings
from engine.serve.bodies import MIN_LIMIT_BYTES
from engine.serve.routes import schema
from engine.serve.routes.messages import Messages
from engine.serve.routes.schema import read_fields
from engine.serve.server import Server
from tests.engine.document_samples import pdf
from tests.engine.scripted import call, write_agent
from tests.engine.serving import ask

PATH = "/v1/messages"
CONTEXT = 8192
LONG = "Work with care, and say what you do. " * 40
BASH: dict[str, Any] = {
    "name": "Bash",
    "description": "Runs a command. " * 20,
    "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}},
}
FIND: dict[str, Any] = {
    "name": "ToolSearch",
    "description": "Finds tools.",
    "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}},
}
SEARCH: dict[str, Any] = {"type": "web_search_20250305", "name": "web_search", "max_uses": 5}
PIXEL = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    scripts = {"work": [call("Bash", command="ls"), "It is done."]}
    folder = write_agent(tmp_path_factory.mktemp("agent") / "agent", scripts, CONTEXT)
    with (
        Engine() as engine,
        Server(engine, [engine.load(folder)], 0, settings=Settings(sessions=4)) as running,
    ):
        yield running


@pytest.fixture(scope="module")
def model(server: Server) -> Model:
    return server.served.models[0]


def user(*content: Any) -> dict[str, Any]:
    blocks = [{"type": "text", "text": c} if isinstance(c, str) else c for c in content]
    return {"role": "user", "content": blocks}


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def called(name: str = "Bash", **arguments: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}
    return {"role": "assistant", "content": [block]}


def result(*content: Any) -> dict[str, Any]:
    return user({"type": "tool_result", "tool_use_id": "toolu_1", "content": list(content)})


def asked(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"model": "agent", "max_tokens": 50, "messages": list(messages), **fields}


def told(model: Model, *messages: dict[str, Any], **fields: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = Messages().read(asked(*messages, **fields), model).messages
    return found


def usage(server: Server, *messages: dict[str, Any], **fields: Any) -> tuple[int, int]:
    answer = ask(server, "POST", PATH, asked(*messages, **fields))
    assert answer.status == 200, answer.body
    figures = answer.json["usage"]
    return figures["input_tokens"], figures["cache_read_input_tokens"]


SHAPES: list[dict[str, Any]] = [
    {"context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]}},
    {"messages": [user("hi"), system("Agents: one, two.")]},
    {"messages": [user("hi"), called(), result({"type": "text", "text": "x"}), system("Go on.")]},
    *({"thinking": {"type": "adaptive", "display": d}} for d in ("omitted", "updates", "new")),
    {"thinking": {"type": "enabled", "budget_tokens": 2000}},
    *({"output_config": {"effort": e}} for e in ("low", "high", "max", "ultra")),
    {"output_config": {"effort": "high", "task_budget": {"type": "tokens", "total": 9}}},
    {"messages": [user("hi"), called(), result({"type": "tool_reference", "tool_name": "X"})]},
    {"messages": [user("hi"), called(), result(PIXEL)]},
    {"messages": [user("look", PIXEL)]},
    {"messages": [user({"type": "document", "source": {"type": "url", "url": "https://x.y"}})]},
    {"tools": [SEARCH]},
    {"tools": [SEARCH], "tool_choice": {"type": "tool", "name": "web_search"}},
    {"tools": [SEARCH], "tool_choice": {"type": "any"}},
    {"tools": [BASH, SEARCH, {"type": "tool_search_tool_regex_20251119", "name": "t"}]},
    {"tools": [{**BASH, "cache_control": {"type": "ephemeral"}, "eager_input_streaming": True}]},
    {"mcp_servers": [{"type": "url", "url": "https://x.y", "name": "far"}]},
    *({"model": name} for name in ("claude-haiku-5-5", "gpt-9", "qwen-latest", "opus")),
    {"service_tier": "priority", "speed": "fast", "metadata": {"user_id": "x"}},
    {"messages": [user("hi"), {"role": "assistant", "content": [
        {"type": "redacted_thinking", "data": "x"},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
        {"type": "text", "text": "so"}]}, user("on")]},
]  # fmt: skip


@pytest.mark.parametrize("fields", SHAPES, ids=lambda fields: json.dumps(fields)[:60])
def test_anthropic_request_shapes_are_answered(server: Server, fields: dict[str, Any]) -> None:
    whole = ask(server, "POST", f"{PATH}?beta=true", asked(user("hi"), **fields))
    assert whole.status == 200, whole.body
    assert whole.json["content"][0]["text"] == "Done."
    stream = ask(server, "POST", PATH, asked(user("hi"), **fields, stream=True))
    assert stream.status == 200
    assert stream.body.endswith(b'event: message_stop\ndata: {"type":"message_stop"}\n\n')
    fields = {k: v for k, v in fields.items() if k != "service_tier"}
    counted = ask(server, "POST", f"{PATH}/count_tokens", {"messages": [user("hi")], **fields})
    assert counted.status == 200, counted.body


def test_ignored_hints_are_reported_once(model: Model, caplog: pytest.LogCaptureFixture) -> None:
    schema.log_once.cache_clear()
    with caplog.at_level(logging.INFO):
        for _ in range(3):
            more = {"context_management": {"edits": []}, "tools": [SEARCH]}
            read_fields(partial(told, model, user("hi"), **more))
    lines = [r.message for r in caplog.records]
    assert sum("context_management" in line for line in lines) == 1
    assert sum("tools that only Anthropic" in line for line in lines) == 1


def test_meaning_is_never_dropped_silently(model: Model) -> None:
    head = told(model, user("hi"), system="Be brief.", tools=[BASH, SEARCH])[0]
    assert head["role"] == "system"
    assert head["content"].startswith("Be brief.")
    assert "not available here" in head["content"]
    assert "web_search" in head["content"]
    assert "image" in told(model, user("look", PIXEL))[0]["content"]
    assert "image" in told(model, user("hi"), called(), result(PIXEL))[-1]["content"]


def test_anthropic_images_reach_vision_models(model: Model) -> None:
    sees, image = replace(model, sees=True), {"type": "image", "image": Image(b"hi")}
    (found,) = told(sees, user("look", PIXEL, "here"))
    texts = [{"type": "text", "text": "look"}, {"type": "text", "text": "here"}]
    assert found["content"] == [texts[0], image, texts[1]]
    tool = told(sees, user("hi"), called(), result({"type": "text", "text": "a"}, PIXEL))[-1]
    assert (tool["role"], tool["content"][1]) == ("tool", image)
    assert "image" in told(sees, {"role": "assistant", "content": [PIXEL]})[0]["content"]
    address = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    for wrong in (address, {"type": "image", "source": {"type": "base64", "data": "%"}}):
        with pytest.raises(ValueError, match=r"^an image "):
            told(sees, user(wrong))
    with pytest.raises(ValueError, match="65 images"):
        told(sees, user(*[PIXEL] * 65))


def test_document_text_is_read(model: Model, tmp_path: Path) -> None:
    page = base64.b64encode(b"<html><body><h1>Fugue</h1><p>The third voice.</p></body></html>")
    source = {"type": "base64", "media_type": "text/html", "data": page.decode()}
    document = {"type": "document", "title": "Score", "source": source}
    assert Messages().takes_long(asked(user("read", document)))
    assert Messages().takes_long(asked(user("hi"), called(), result(document)))
    assert not Messages().takes_long(asked(user("hi")))
    for said in (
        told(model, user("read this: ", document))[0]["content"],
        told(model, user("hi"), called(), result(document))[-1]["content"],
    ):
        assert "Score" in said
        assert "The third voice." in said
    broken = {**document, "source": {**source, "media_type": "application/pdf", "data": "JVBERi0="}}
    assert "could not be read" in told(model, user(broken))[0]["content"]
    mixed = pdf(tmp_path / "mixed.pdf", ["The first voice.", None, "The third voice."])
    data = base64.b64encode(mixed.read_bytes()).decode()
    some = {**document, "source": {"type": "base64", "media_type": "application/pdf", "data": data}}
    pages = "The first voice.\n\n[Page 2 is an image without text.]\n\nThe third voice."
    assert pages in told(model, user(some))[0]["content"]
    plain = {"type": "document", "source": {"type": "text", "data": "as it is"}}
    assert told(model, user(plain))[0]["content"] == "as it is"


def test_too_long_prompt_error_makes_clients_compact(server: Server) -> None:
    answer = ask(server, "POST", PATH, asked(user("word " * CONTEXT)))
    error = answer.json["error"]
    assert (answer.status, error["type"]) == (400, "invalid_request_error")
    figures = re.match(r"prompt is too long: (\d+) tokens > (\d+) maximum", error["message"])
    assert figures is not None, error
    assert int(figures[1]) > int(figures[2]) == CONTEXT
    huge = ask(server, "POST", PATH, asked(user("w" * 400_000))).json["error"]["message"]
    assert re.match(rf"prompt is too long: \d+ tokens > {CONTEXT} maximum", huge), huge
    chat = {"messages": [{"role": "user", "content": "word " * CONTEXT}]}
    assert ask(server, "POST", "/v1/chat/completions", chat).code == "context_length_exceeded"


def packed(server: Server, data: bytes, encoding: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("POST", PATH, data, {"Content-Encoding": encoding})
    response = connection.getresponse()
    found = response.status, json.loads(response.read())
    connection.close()
    return found


def test_packed_bodies_are_read_within_the_same_limits(server: Server) -> None:
    body = json.dumps(asked(user("hi"))).encode()
    bomb = b'{"messages": "' + b" " * (4 * MIN_LIMIT_BYTES) + b'"}'
    ways = {"gzip": gzip.compress, "deflate": zlib.compress, "zstd": zstd.compress}
    for encoding, pack in ways.items():
        assert packed(server, pack(body), encoding)[0] == 200
        status, told = packed(server, pack(bomb), encoding)
        assert (status, told["error"]["type"]) == (413, "request_too_large")
        assert packed(server, pack(b"[" * MIN_LIMIT_BYTES), encoding)[0] == 413
        assert packed(server, pack(body)[:-3], encoding)[0] == 400
        assert packed(server, pack(body) + b"more", encoding)[0] == 400
        assert packed(server, body, encoding)[0] == 400
    wide = zstd.compress(body * 999, options={zstd.CompressionParameter.window_log: 27})
    assert packed(server, wide, "zstd")[0] in (400, 413)
    status, told = packed(server, body, "br")
    assert status == 415
    assert "gzip, deflate, zstd" in told["error"]["message"]
    assert packed(server, body, "identity")[0] == 200


@pytest.mark.parametrize("path", ["/", "/api/hello", "/v1/models", "/health"])
def test_clients_may_knock(server: Server, path: str) -> None:
    assert ask(server, "HEAD", path).status == 200


def test_unknown_model_names_use_the_first_model(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    server.served._logged.clear()
    with caplog.at_level(logging.INFO):
        for name in ("claude-opus-9", "claude-x", "gpt-9"):
            answer = ask(server, "POST", PATH, asked(user("hi"), model=name))
            assert answer.json["model"] == "agent"
    assert sum("are answered by agent" in r.message for r in caplog.records) == 2
    assert ask(server, "POST", PATH, asked(user("hi"), model="llama-9")).status == 404
    assert ask(server, "GET", "/v1/models/claude-x").json["id"] == "agent"
    assert ask(server, "GET", "/v1/models/llama-9").status == 404


def test_while_a_prompt_is_read_there_are_events(server: Server) -> None:
    stream = ask(server, "POST", PATH, asked(user("x " * 3000), stream=True)).body
    assert stream.startswith(b"event: message_start")
    assert stream.count(b"event: ping") >= 1
    assert stream.index(b"event: ping") < stream.index(b"event: content_block_start")


def test_affinity_headers_are_not_session_names(server: Server) -> None:
    """The server in this test can only hold four named sessions."""
    for number in range(60):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        sent = {"x-session-affinity": f"ses_{number}", "session_id": f"{number} / ?"}
        connection.request("POST", PATH, json.dumps(asked(user("hi"), max_tokens=1)), sent)
        assert connection.getresponse().status == 200
        connection.close()
    assert len(server.sessions) == 0


def test_side_requests_displace_no_conversation(server: Server) -> None:
    first = [user("Tell me of fugues. " * 30)]
    usage(server, *first, system=LONG)
    turns = [*first, {"role": "assistant", "content": "Done."}, user("and on")]
    usage(server, *turns, system=LONG)
    for number in range(90):  # more than the server keeps
        usage(server, user(f"a title for {number}"), max_tokens=1)
    again = [*turns, {"role": "assistant", "content": "Done."}, user("and further")]
    read, known = usage(server, *again, system=LONG)
    assert read < 64 < known


def test_billing_line_does_not_prevent_sharing(server: Server) -> None:
    def head(process: str) -> list[dict[str, Any]]:
        bill = f"x-anthropic-billing-header: cc_version=2.1.{process}; cc_entrypoint=cli;"
        texts = (bill, "You help with code.", f"\n{LONG} (billing)")
        return [{"type": "text", "text": text} for text in texts]

    first, _ = usage(server, user("hi"), system=head("a"), tools=[BASH])
    read, known = usage(server, user("hello there"), system=head("b"), tools=[BASH])
    assert read < 64 < known
    assert first > 5 * read


def test_text_before_first_answer_is_in_system_prompt(model: Model) -> None:
    said = told(
        model,
        user("[[work]]"),
        system("Agents: one."),
        called(),
        result({"type": "text", "text": "x"}),
        system("The files have changed."),
        system="Be brief.",
        tools=[BASH],
    )
    assert [m["role"] for m in said] == ["system", "user", "assistant", "tool", "system"]
    assert said[0]["content"] == "Be brief.\n\nAgents: one."
    assert said[-1]["content"] == "The files have changed."


def test_six_agents_prefill_their_common_head_once(server: Server) -> None:
    """Each agent's own instructions precede the common ones, as in Claude Code."""
    found: list[tuple[int, int]] = []

    def agent(number: int) -> None:
        turns = [user(f"Your part is number {number}."), system(f"Agents: {LONG * 2}")]
        found.append(usage(server, *turns, system=f"Six parts. {LONG}", tools=[BASH]))

    threads = [threading.Thread(target=agent, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    whole = max(read + known for read, known in found)
    assert sum(read for read, _ in found) < whole + 5 * 64


def test_later_tool_keeps_the_head_cached(server: Server, model: Model) -> None:
    late = {**BASH, "name": "Browse", "description": "Opens a page.", "defer_loading": True}
    tools = [late, FIND, BASH]
    start = [user("[[work]] " + LONG)]
    prompt = Messages().read(asked(*start, tools=tools), model)
    assert [t["function"]["name"] for t in prompt.template["tools"]] == ["ToolSearch", "Bash"]
    assert [t["function"]["name"] for t in prompt.params.offered] == ["ToolSearch", "Bash"]
    reference = {"type": "tool_reference", "tool_name": "Browse"}
    later = [*start, called("ToolSearch", query="pages"), result(reference)]
    prompt = Messages().read(asked(*later, tools=tools), model)
    assert [t["function"]["name"] for t in prompt.template["tools"]] == ["ToolSearch", "Bash"]
    assert "Browse" in [t["function"]["name"] for t in prompt.params.offered]
    assert "Opens a page." in prompt.messages[-1]["content"]
    first, _ = usage(server, *start, tools=tools)
    read, known = usage(server, *later, tools=tools)
    assert read < first / 4
    assert known > first / 2
    alone = Messages().read(asked(*start, tools=[late]), model)
    assert [t["function"]["name"] for t in alone.template["tools"]] == ["Browse"], "none finds it"

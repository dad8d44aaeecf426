"""Tool calls full of quoted markers, through each API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from engine import Engine
from engine.serve.server import Server
from tests.engine.scripted import SHOWS, write_quoting_agent
from tests.engine.serving import ask
from tests.torture.agents_quotes import OUTRO, THOUGHT, hostile, written

pytestmark = pytest.mark.turns(5)
TEXT, INTRO = hostile("t"), "I write <tool_call> and `</think>` first."
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
}
NAMED = {"name": "write", "parameters": PARAMETERS}


@pytest.fixture(
    scope="module", params=[*((name, False) for name in SHOWS), ("qwen3_coder", True)], ids=str
)
def quoter(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """Run a server with a model of one call format, whose call markers have tokens or are spelled
    out.
    """
    notation, spells = request.param
    call = written(notation, "write", path="a.md", text=TEXT)
    script = [("<think>", THOUGHT, "</think>", f"\n\n{INTRO}\n", *call), (OUTRO,)]
    folder = tmp_path_factory.mktemp("quoter") / "agent"
    write_quoting_agent(folder, {"quotes": script}, notation, 2**16, spells)
    with Engine() as engine, Server(engine, [engine.load(folder)], 0) as server:
        yield server


def answered(server: Server, path: str, **fields: Any) -> Any:
    answer = ask(server, "POST", path, fields)
    assert answer.status == 200, answer.body
    return answer.json


def test_chat_completions_keep_calls_exactly(quoter: Server) -> None:
    messages: list[Any] = [{"role": "user", "content": "[[quotes]] please"}]
    asked: dict[str, Any] = {"tools": [{"type": "function", "function": NAMED}]}
    said = answered(quoter, "/v1/chat/completions", messages=messages, **asked)
    message = said["choices"][0]["message"]
    (call,) = message["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"path": "a.md", "text": TEXT}
    assert message["content"].strip() == INTRO
    assert message["reasoning_content"] == THOUGHT
    messages += [message, {"role": "tool", "tool_call_id": call["id"], "content": TEXT}]
    said = answered(quoter, "/v1/chat/completions", messages=messages, **asked)
    assert said["choices"][0]["message"]["content"] == OUTRO


def test_responses_keep_calls_exactly(quoter: Server) -> None:
    tools = [{"type": "function", **NAMED}]
    items: list[Any] = [{"role": "user", "content": "[[quotes]] please"}]
    output = answered(quoter, "/v1/responses", input=items, tools=tools)["output"]
    assert [item["type"] for item in output] == ["reasoning", "message", "function_call"]
    assert json.loads(output[2]["arguments"]) == {"path": "a.md", "text": TEXT}
    result = {"type": "function_call_output", "call_id": output[2]["call_id"], "output": TEXT}
    items += [*({"type": "item_reference", "id": item["id"]} for item in output), result]
    output = answered(quoter, "/v1/responses", input=items, tools=tools)["output"]
    assert output[0]["content"][0]["text"] == OUTRO


def test_messages_keep_calls_exactly(quoter: Server) -> None:
    tools = [{"name": "write", "input_schema": PARAMETERS}]
    messages: list[Any] = [{"role": "user", "content": "[[quotes]] please"}]
    asked: dict[str, Any] = {"model": "agent", "max_tokens": 4000, "tools": tools}
    said = answered(quoter, "/v1/messages", messages=messages, **asked)
    (call,) = [block for block in said["content"] if block["type"] == "tool_use"]
    assert call["input"] == {"path": "a.md", "text": TEXT}
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": TEXT}
    messages += [
        {"role": "assistant", "content": said["content"]},
        {"role": "user", "content": [result]},
    ]
    said = answered(quoter, "/v1/messages", messages=messages, **asked)
    assert said["content"][-1]["text"] == OUTRO

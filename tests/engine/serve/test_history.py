"""Requests with malformed output of models or tools in their history."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import Engine
from engine.serve import json_input
from engine.serve.routes.chat import ChatBody
from engine.serve.routes.schema import call_arguments, validate
from engine.serve.server import Server
from tests.engine.scripted import write_scripted
from tests.engine.serving import ask

CASES = json.loads((Path(__file__).parent / "history" / "accepted.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = write_scripted(tmp_path_factory.mktemp("history") / "model")
    with Engine() as engine, Server(engine, [engine.load(folder)], 0) as server:
        yield server


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
@pytest.mark.turns(4)
def test_history_is_accepted(server: Server, case: dict[str, str]) -> None:
    answer = ask(server, "POST", case["path"], case["body"].encode())
    assert answer.status == 200, answer.body


def messages(*given: dict[str, Any]) -> list[Any]:
    body = json_input.decode(json.dumps({"messages": given}).encode())
    return [message.as_message for message in validate(ChatBody, body).messages]


def test_broken_arguments_are_passed_as_text(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert call_arguments('{"value": "') == {"raw": '{"value": "'}
    assert len(caplog.records) == 1
    assert call_arguments('{"a": 1}') == {"a": 1}
    assert call_arguments("") == call_arguments(None) == call_arguments("null") == {}
    assert call_arguments('{"a": "\\ud83d"}') == {"a": "\ufffd"}


def test_lone_surrogates_are_replaced(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        (made,) = messages({"role": "user", "content": "\ud83d a \U0001f600 \ude00"})
    assert made["content"] == "\ufffd a \U0001f600 \ufffd"
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'"cut \xed\xa0\xbd"', "cut \ufffd\ufffd\ufffd"),
        (b'"cut \xf0\x9f\x98"', "cut \ufffd"),
        (b'"a\xff\xe9b"', "a\ufffd\ufffdb"),
        (b'"tab \t and \x01 and\nline"', "tab \t and \x01 and\nline"),
    ],
)
def test_damaged_bytes_of_a_body_are_replaced(raw: bytes, text: str) -> None:
    assert json_input.decode(b'{"content": ' + raw + b"}") == {"content": text}


def test_body_in_utf_16_is_read() -> None:
    assert json_input.decode('{"content": "é"}'.encode("utf-16")) == {"content": "é"}


def test_old_function_calls_become_tool_calls() -> None:
    called, result = messages(
        {"role": "assistant", "content": None, "function_call": {"name": "ls", "arguments": "{"}},
        {"role": "function", "name": "ls", "content": "x"},
    )
    assert called["tool_calls"][0]["function"] == {"name": "ls", "arguments": {"raw": "{"}}
    assert (result["role"], result["content"]) == ("tool", "x")


def test_non_text_results_become_json() -> None:
    (made,) = messages({"role": "tool", "tool_call_id": "c", "content": {"é": [1, None]}})
    assert json.loads(made["content"]) == {"é": [1, None]}

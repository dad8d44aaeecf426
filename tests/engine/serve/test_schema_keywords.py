"""Schemas with unsupported keywords, for replies and tool calls."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from engine.serve.server import Server
from engine.text.schema_keywords import loosen, remove_unsupported
from tests.engine.serving import CHAT, ask, user

TEXT = {"type": "string"}
PATTERN = {"type": "string", "pattern": "^(?!x)[a-z]+$"}


def one(**schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}, "required": ["a"]}


def status_and_words(server: Server, path: str, **fields: Any) -> tuple[int, str]:
    said = {"input": "hi"} if "responses" in path else {"messages": [user("hi")]}
    answer = ask(server, "POST", path, {"model": "scripted", **said, **fields})
    error = answer.json["error"] if answer.status != 200 else ""
    return answer.status, error if isinstance(error, str) else error["message"]


def bound(schema: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "a", "strict": True, "schema": schema}}


@pytest.mark.parametrize(
    ("schema", "named"),
    [
        (one(**TEXT, **{"not": {"const": "x"}}), "'not'"),
        ({**one(**TEXT), "if": {"required": ["a"]}, "then": {}}, "'if', 'then'"),
        (one(type="array", items=TEXT, uniqueItems=True), "'uniqueItems'"),
        (one(type="array", items={"anyOf": [TEXT, {"contains": TEXT}]}), "'contains'"),
        (
            {**one(**{"$ref": "#/$defs/T"}), "$defs": {"T": {"propertyNames": TEXT}}},
            "propertyNames",
        ),
        ({**one(**TEXT), "dependentRequired": {"a": ["b"]}}, "'dependentRequired'"),
        (one(**PATTERN), "'pattern'"),
        (one(type="text"), "type"),
    ],
)
def test_unsupported_keyword_is_refused_by_name(server: Server, schema: Any, named: str) -> None:
    function = {"name": "f", "parameters": schema, "strict": True}
    tools = [{"type": "function", "function": function}]
    flat = {"type": "json_schema", "name": "a", "schema": schema}
    for path, fields in (
        (CHAT, {"response_format": bound(schema)}),
        (CHAT, {"tools": tools, "tool_choice": "required"}),
        ("/v1/responses", {"text": {"format": flat}}),
        ("/v1/messages", {"max_tokens": 9, "output_config": {"format": flat}}),
        ("/api/chat", {"format": schema}),
    ):
        status, words = status_and_words(server, path, **fields)
        assert status == 400
        assert named in words
        assert "\n" not in words
        assert not re.search("Unimplemented|start:", words)


@pytest.mark.parametrize(
    "schema",
    [
        one(type="string", format="password", writeOnly=True),  # pydantic's SecretStr
        one(type=["integer", "string"], format="int64"),
        one(type="array", items=TEXT, uniqueItems=False),
        one(const={"not": 1, "format": "x"}),
        {
            "type": "object",
            "properties": {"not": TEXT, "format": {"type": "string", "format": "x"}},
        },
        {**one(**TEXT), "$defs": {"unused": {"not": TEXT}}},
    ],
)
def test_schema_that_binds_is_accepted(server: Server, schema: Any) -> None:
    fields = {"response_format": bound(schema), "max_tokens": 3}
    assert status_and_words(server, CHAT, **fields) == (200, "")


@pytest.mark.parametrize("schema", [one(**{**TEXT, "not": {}}), one(**PATTERN)])
def test_non_strict_calls_accept_any_keyword(server: Server, schema: Any) -> None:
    tools: list[Any] = [{"type": "function", "function": {"name": "f", "parameters": schema}}]
    fields = {"tools": tools, "tool_choice": "required", "max_tokens": 3}
    assert status_and_words(server, CHAT, **fields) == (200, "")
    own = [{"name": "f", "input_schema": schema}]
    more = {"tools": own, "tool_choice": {"type": "any"}, "max_tokens": 3}
    assert status_and_words(server, "/v1/messages", **more) == (200, "")


def test_keywords_are_left_out_of_schemas_only() -> None:
    kept = {"const": {"not": 1, "uniqueItems": False}, "properties": {"if": TEXT, "format": TEXT}}
    schema = json.dumps({**kept, "format": "odd", "items": [{"format": "odd"}, {"format": "uuid"}]})
    expected = {**kept, "items": [{}, {"format": "uuid"}]}
    assert json.loads(remove_unsupported(schema)) == json.loads(loosen(schema)) == expected
    refused = json.dumps({"anyOf": [PATTERN, {"then": {}, "pattern": r"a\1"}], "not": {}})
    assert json.loads(loosen(refused)) == {"anyOf": [TEXT, {}]}
    assert remove_unsupported(refused) == refused

"""`/openapi.json` describes what the server accepts, and fuzzed requests never crash it."""

from __future__ import annotations

import http.client
import json
import re
import time
from functools import partial
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine import Model
from engine.serve.errors import RequestError
from engine.serve.json_input import SAMPLING
from engine.serve.routes.chat import ChatCompletions
from engine.serve.routes.completions import Completions, EmbeddingsAPI
from engine.serve.routes.messages import CountTokensAPI, Messages
from engine.serve.routes.responses import Responses, StoredResponses
from engine.serve.routes.schema import read_fields, schema_of
from engine.serve.server import Server
from tests.engine.bodies import ODD, simplest, values
from tests.engine.serving import ask, user
from tests.slices import examples

DOORS: dict[str, Any] = {
    door.path: door
    for door in (
        ChatCompletions(),
        Completions(),
        Responses(StoredResponses()),
        Messages(),
        CountTokensAPI(),
        EmbeddingsAPI(),
    )
}
QUICK = settings(
    max_examples=examples(60),
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def told(server: Server) -> Any:
    return ask(server, "GET", "/openapi.json").json


def body_schema(told: Any, path: str) -> dict[str, Any]:
    body = told["paths"][path]["post"]["requestBody"]
    schema: dict[str, Any] = body["content"]["application/json"]["schema"]
    return schema


def refusal(door: Any, body: dict[str, Any], model: Model) -> str | None:
    try:
        door.read(body, model)
    except (ValueError, RequestError) as error:
        return str(error)
    return None


def test_documented_routes_are_served(server: Server, told: Any) -> None:
    assert told["openapi"].startswith("3.1")
    assert set(DOORS) < set(told["paths"])
    for path, methods in told["paths"].items():
        for method in methods:
            if (method, path) == ("post", "/v1/models/{id}/unload"):
                continue  # used by other tests
            answer = ask(server, method.upper(), path.replace("{id}", "plain"), {})
            error = answer.json["error"] if answer.status >= 400 else ""
            words = error["message"] if isinstance(error, dict) else error
            assert "does not exist" not in words
            assert answer.status < 500
    for method, path in (("PUT", "/v1/sessions"), ("POST", "/v1/responses/x"), ("PUT", "/health")):
        answer = ask(server, method, path, {})
        named = {m.upper() for m in told["paths"][path.replace("/x", "/{id}")]}
        assert (answer.status, named <= set(answer.headers["allow"].split(", "))) == (405, True)
    lost = ask(server, "GET", "/nothing").json["error"]["message"]
    assert "GET /openapi.json" in lost
    assert "/openapi.json" in told["paths"]


@pytest.mark.parametrize("path", DOORS)
def test_api_reads_the_fields_it_documents(server: Server, told: Any, path: str) -> None:
    schema = body_schema(told, path)
    assert set(schema["properties"]) == set(DOORS[path].body.model_fields)
    model = server.served.models[1]
    needed = simplest(schema)
    for name, kind in schema["properties"].items():
        if name in ("session_id", "model"):
            continue
        value = simplest(kind)
        assert value is not None or not kind, name
        words = refusal(DOORS[path], {**needed, name: value}, model)
        assert words is None or not re.search("field|must be", words), (name, value)
    more = {**needed, "nothing_of_this_name": 1}
    reads = server.served.models[0] if path == "/v1/embeddings" else model
    assert read_fields(partial(DOORS[path].read, more, reads))[1] == "nothing_of_this_name"
    for name in DOORS[path].body.refused:
        with pytest.raises(ValueError, match=f"'{name}' is not supported"):
            DOORS[path].read({**needed, name: 1}, model)


@pytest.mark.parametrize(
    ("path", "error", "streams"),
    [
        ("/v1/chat/completions", "Error", "text/event-stream"),
        ("/v1/messages", "MessagesError", "text/event-stream"),
        ("/api/chat", "OllamaError", "application/x-ndjson"),
        ("/api/generate", "OllamaError", "application/x-ndjson"),
    ],
)
def test_responses_have_their_documented_form(
    server: Server, told: Any, path: str, error: str, streams: str
) -> None:
    described = told["paths"][path]["post"]["responses"]
    refused = described["default"]["content"]["application/json"]["schema"]
    assert refused["$ref"].endswith(f"/{error}")
    jsonschema.validate(ask(server, "POST", path, {}).json, told["components"]["schemas"][error])
    text = "prompt" if path == "/api/generate" else "messages"
    sent = {text: "hello" if text == "prompt" else [user("hello")], "max_tokens": 1}
    answer = ask(server, "POST", path, {**sent, "stream": True})
    assert answer.headers["content-type"].split(";")[0] == streams
    assert set(described["200"]["content"]) == {"application/json", streams}


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/completions"])
def test_all_answer_settings_are_documented(told: Any, path: str) -> None:
    assert set(SAMPLING) <= set(body_schema(told, path)["properties"])


@pytest.mark.parametrize("path", DOORS)
def test_described_bodies_are_accepted_or_refused_with_reason(server: Server, path: str) -> None:
    door = DOORS[path]
    schema = schema_of(door.body)
    fields = st.sampled_from(sorted(schema["properties"]))

    @QUICK
    @given(values(schema), st.lists(st.tuples(fields, ODD), max_size=2))
    def read(body: dict[str, Any], odd: list[tuple[str, Any]]) -> None:
        for model in server.served.models:
            assert refusal(door, {**body, **dict(odd)}, model) != ""

    read()


def test_described_requests_get_a_response(server: Server, told: Any) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    schemas = {path: body_schema(told, path) for path in DOORS}
    bodies = st.one_of(
        [st.tuples(st.just(path), values(schema)) for path, schema in schemas.items()]
    )

    @settings(QUICK, max_examples=examples(300))
    @given(bodies, st.sampled_from(["plain", "scripted"]), st.data())
    def send(sent: tuple[str, dict[str, Any]], model: str, data: st.DataObject) -> None:
        path, body = sent
        if data.draw(st.booleans()):
            body[data.draw(st.sampled_from(sorted(schemas[path]["properties"])))] = data.draw(ODD)
        body |= {"model": model}
        for name in ("max_tokens", "max_output_tokens", "max_completion_tokens"):
            if name in schemas[path]["properties"]:
                body[name] = 2
        connection.request("POST", path, json.dumps(body).encode())
        response = connection.getresponse()
        content = response.read()
        assert response.status < 500, content
        assert content

    send()
    connection.close()


@QUICK
@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists), st.binary())
@example([[[]]], b"")
def test_a_body_that_is_no_object_is_refused(tree: Any, raw: bytes) -> None:
    from engine.serve import json_input

    for data in (json.dumps(tree).encode(), raw):
        with pytest.raises(ValueError, match=r"JSON|UTF-8|nested|number|surrogate"):
            json_input.decode(data)


def test_many_wrong_items_cost_no_more_than_one(server: Server) -> None:
    model = server.served.models[0]
    for path, field in (("/v1/chat/completions", "messages"), ("/v1/responses", "input")):
        began = time.process_time()
        assert refusal(DOORS[path], {field: [1] * 200_000}, model)
        assert time.process_time() - began < 1, "4 s where each has an error of its own"

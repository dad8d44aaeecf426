"""`python -m engine serve`: OpenAI's chat completions over loopback sockets."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, Model
from engine.serve.server import Server
from tests.checked import PROGRAM
from tests.engine.serving import NEVER_ENDS, user
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def served(model_folder: Callable[[str], Path]) -> Iterator[Server]:
    with Engine() as engine:
        models = [engine.load(model_folder("plain"))]
        with Server(engine, models, 0) as server:
            yield server


def ask(
    server: Server, method: str, path: str, body: Any = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    raw = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
    connection.request(method, path, raw, headers)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    headers = {name.lower(): value for name, value in response.getheaders()}
    return response.status, headers, content


def complete(server: Server, **fields: Any) -> dict[str, Any]:
    body = {"messages": [user("hello")], "max_tokens": 8, "temperature": 0, **fields}
    status, _, content = ask(server, "POST", "/v1/chat/completions", body)
    assert status == 200, content
    answer: dict[str, Any] = json.loads(content)
    return answer


def chunks(content: bytes) -> list[dict[str, Any]]:
    """Return the events of a stream, which must end with [DONE]."""
    events = [e for e in content.decode().split("\n\n") if e.startswith("data: ")]
    assert events[-1] == "data: [DONE]"
    return [json.loads(e.removeprefix("data: ")) for e in events[:-1]]


def test_models_are_listed(served: Server) -> None:
    status, _, content = ask(served, "GET", "/v1/models")
    assert status == 200
    listed = json.loads(content)
    assert [m["id"] for m in listed["data"]] == [served.served.models[0].name]


def test_whole_and_streamed_answers_match_the_engine(served: Server) -> None:
    from engine import SamplingParams

    model = served.served.models[0]
    alone = served.engine.open_session(model).send("hello", SamplingParams(8, 0.0))
    text = alone.text(60)
    whole = complete(served)
    choice = whole["choices"][0]
    assert choice["message"]["content"] == text
    assert choice["finish_reason"] in ("length", "stop")
    assert whole["usage"]["completion_tokens"] == alone.stats.generated_tokens
    body = {"messages": [user("hello")], "max_tokens": 8, "temperature": 0, "stream": True}
    body["stream_options"] = {"include_usage": True}
    status, headers, content = ask(served, "POST", "/v1/chat/completions", body)
    assert status == 200
    assert headers["content-type"].startswith("text/event-stream")
    told = chunks(content)
    pieces = [c["choices"][0]["delta"].get("content", "") for c in told if c["choices"]]
    assert "".join(pieces) == text
    assert told[0]["choices"][0]["delta"]["role"] == "assistant"
    assert told[-2]["choices"][0]["finish_reason"] == choice["finish_reason"]
    assert told[-1]["usage"]["completion_tokens"] == alone.stats.generated_tokens


def test_second_turn_prefills_only_new_text(served: Server) -> None:
    said = [user("a long beginning " * 20)]
    first = complete(served, messages=said)
    said = [*said, first["choices"][0]["message"], user("and then")]
    second = complete(served, messages=said)
    usage = second["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] >= first["usage"]["prompt_tokens"]
    assert len(served.engine.stats()["sessions"]) == 1
    fresh = complete(served, messages=[user("something else entirely")])
    assert fresh["usage"]["prompt_tokens_details"]["cached_tokens"] < 20
    assert len(served.engine.stats()["sessions"]) == 2


def test_concurrent_clients_get_independent_answers(served: Server) -> None:
    prompts = [f"question {i} " * (i + 1) for i in range(6)]
    alone = [complete(served, messages=[user(p)])["choices"] for p in prompts]
    got: dict[int, Any] = {}

    def client(i: int) -> None:
        got[i] = complete(served, messages=[user(prompts[i])])["choices"]

    threads = [threading.Thread(target=client, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [got[i] for i in range(6)] == alone


def test_schema_constrains_the_answer(served: Server) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    answer = complete(served, response_format=form, max_tokens=60)
    if answer["choices"][0]["finish_reason"] == "stop":
        assert isinstance(json.loads(answer["choices"][0]["message"]["content"])["a"], bool)


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"{", 400, "no JSON"),
        (b"[]", 400, "object"),
        ({}, 400, "messages"),
        ({"messages": []}, 400, "messages"),
        ({"messages": ["x"]}, 400, "messages"),
        ({"messages": [{"content": "x"}]}, 400, "role"),
        ({"messages": [user("x")], "model": "llama-9"}, 404, "llama-9"),
        ({"messages": [user("x")], "temperature": -1}, 400, "temperature"),
        ({"messages": [user("x")], "tools": [{}]}, 400, "tools"),
        ({"messages": [user("x " * 5000)]}, 400, ""),
        ({"messages": [user("x " * 5000)], "stream": True}, 400, ""),
    ],
)
def test_bad_requests_get_an_error(served: Server, body: Any, status: int, says: str) -> None:
    got, _, content = ask(served, "POST", "/v1/chat/completions", body)
    error = json.loads(content)["error"]
    assert got == status, error
    assert error["message"]
    assert says in error["message"]
    assert complete(served)["choices"]


def test_unknown_paths_list_the_routes(served: Server) -> None:
    status, _, content = ask(served, "POST", "/v1/images/generations", {})
    assert status == 404
    assert "/openapi.json" in json.loads(content)["error"]["message"]


def test_foreign_origins_and_host_names_are_refused(served: Server) -> None:
    body = {"messages": [user("x")], "max_tokens": 1}
    path = "/v1/chat/completions"
    assert ask(served, "POST", path, body, Origin="https://example.org")[0] == 403
    assert ask(served, "POST", path, body, Origin="null")[0] == 403
    assert ask(served, "GET", "/v1/models", None, Host="example.org:80")[0] == 403


def test_server_listens_on_loopback_only(served: Server) -> None:
    assert served.address[0] == "127.0.0.1"


@pytest.mark.parametrize("stream", [True, False])
def test_disconnect_stops_only_its_own_answer(served: Server, stream: bool) -> None:
    body = json.dumps(
        {
            "messages": [user("x")],
            "max_tokens": 12_000,
            "logit_bias": NEVER_ENDS,
            "stream": stream,
        }
    ).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}"

    def running() -> int:
        sessions = served.engine.stats()["sessions"].values()
        return sum(s["status"] not in ("idle", None) for s in sessions)

    with socket.create_connection(("127.0.0.1", served.port)) as client:
        client.sendall(f"{head}\r\n\r\n".encode() + body)
        until(lambda: running() == 1)
    until(lambda: running() == 0)
    assert complete(served)["choices"]


def test_command_serves_until_a_signal(model_folder: Callable[[str], Path]) -> None:
    command = [*PROGRAM, "serve", str(model_folder("plain")), "--port", "0"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as child:
        assert child.stdout is not None
        told = child.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/v1", told)
        assert found, told
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
        connection.request("GET", "/v1/models")
        assert connection.getresponse().read()
        connection.close()
        child.send_signal(signal.SIGTERM)
        assert child.wait(60) == 0


def test_port_in_use_is_reported(model_folder: Callable[[str], Path], served: Server) -> None:
    command = [*PROGRAM, "serve", str(model_folder("plain"))]
    done = subprocess.run(
        [*command, "--port", str(served.port)],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2
    assert "--port" in done.stderr


def test_an_unknown_model_is_named(served: Server) -> None:
    models: list[Model] = served.served.models
    assert served.served.find(models[0].id) is models[0]
    assert served.served.find(None) is models[0]

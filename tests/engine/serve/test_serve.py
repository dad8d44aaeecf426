"""`python -m engine serve`: OpenAI's chat completions over loopback sockets."""

from __future__ import annotations

import http.client
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, Model
from engine.serve.server import Server
from tests.checked import PROGRAM
from tests.engine.serving import user

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


def test_server_listens_on_loopback_only(served: Server) -> None:
    assert served.address[0] == "127.0.0.1"


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

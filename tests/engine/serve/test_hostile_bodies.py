"""Hostile bodies slightly above the size limits. For large bodies run `python -m tests.torture
bodies`.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import Engine
from engine.serve import bodies
from engine.serve.auth import LOCAL
from engine.serve.routes import responses
from engine.serve.routes.responses import StoredResponse, StoredResponses
from engine.serve.server import Server
from tests.engine.scripted import write_agent
from tests.engine.serving import CHAT, ask, body, until_said
from tests.torture.hostile_bodies import hostile_bodies, sent, wrong
from tests.waiting import until


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = write_agent(tmp_path_factory.mktemp("agent") / "agent", {}, 4096)
    with Engine() as engine, Server(engine, [engine.load(folder)], 0) as server:
        yield server


CASES = list(hostile_bodies(size=2 * bodies.MIN_LIMIT_BYTES, many=400, name=2**18))


@pytest.mark.parametrize("part", range(8))
@pytest.mark.turns(8)
def test_hostile_body_is_answered_or_refused(server: Server, part: int) -> None:
    found = {f"{c.path[:40]} {c.name}": wrong(sent(server.port, c)) for c in CASES[part::8]}
    assert {name: told for name, told in found.items() if told} == {}
    assert ask(server, "POST", CHAT, body()).status == 200
    until(lambda: server._answering.held.bytes == 0)


def test_expecting_client_is_refused_before_it_sends(server: Server) -> None:
    head = (
        f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
        f"Content-Length: {2 * bodies.MAX_LIMIT_BYTES}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), 60) as client:
        client.sendall(head.encode())
        answer = until_said(client, b"too large")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"100 Continue" not in answer


def test_stored_bytes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(responses, "MAX_STORED_CHARACTERS", 10_000)
    stored = StoredResponses()

    def put(name: str, size: int) -> None:
        told = {"id": name, "metadata": {"x": "y" * size}}
        stored.add(LOCAL, StoredResponse([{"role": "user", "content": "hello"}], told))

    for number in range(8):
        put(f"small {number}", 2_000)
    assert list(stored._by_owner[LOCAL.id]) == [f"small {n}" for n in range(4, 8)]
    put("large", 20_000)
    assert list(stored._by_owner[LOCAL.id]) == ["large"]

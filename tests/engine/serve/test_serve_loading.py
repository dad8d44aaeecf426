"""Keep-alive output for clients while their model loads."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine.errors import MODEL_LOAD_FAILED, EngineError
from engine.model.info import Model
from engine.serve import model_requests
from engine.serve.models import ModelEntry
from engine.serve.server import Server
from tests.engine.serving import user

SAID = {"messages": [user("hello")], "max_tokens": 2, "stream": True}
BODIES: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": SAID,
    "/v1/responses": {"input": "hello", "max_output_tokens": 2, "stream": True},
    "/v1/messages": SAID,
    "/api/chat": {"messages": SAID["messages"], "options": {"num_predict": 2}},
}


class HeldLoad:
    def __init__(self, server: Server) -> None:
        self._load = server.served.load
        self._held: asyncio.Future[None] | None = None

    async def load(self, entry: ModelEntry) -> Model:
        self._held = asyncio.get_running_loop().create_future()
        await self._held
        return await self._load(entry)

    def end(self, error: Exception | None = None) -> None:
        held = self._held
        assert held is not None
        if error is None:
            held.get_loop().call_soon_threadsafe(held.set_result, None)
        else:
            held.get_loop().call_soon_threadsafe(held.set_exception, error)


@pytest.fixture
def loading(server: Server, monkeypatch: pytest.MonkeyPatch) -> HeldLoad:
    found = HeldLoad(server)
    monkeypatch.setattr(server.served, "load", found.load)
    monkeypatch.setattr(model_requests, "QUIET_S", 0.01)
    monkeypatch.setattr(model_requests, "KEEPALIVE_S", 0.0)
    return found


@pytest.fixture
def asked(server: Server) -> Iterator[Callable[[str], http.client.HTTPResponse]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def ask(path: str) -> http.client.HTTPResponse:
        connection.request("POST", path, json.dumps({"model": "scripted", **BODIES[path]}))
        return connection.getresponse()

    yield ask
    connection.close()


@pytest.mark.parametrize("path", BODIES)
def test_stream_begins_while_its_model_loads(
    asked: Callable[[str], http.client.HTTPResponse], loading: HeldLoad, path: str
) -> None:
    response = asked(path)
    assert response.status == 200
    if not path.startswith("/api"):  # JSON lines can't have comments
        assert response.readline() == b": loading the model\n"
    loading.end()
    said = response.read()
    assert b"It" in said
    assert b"error" not in said.replace(b'"error":null', b"")


@pytest.mark.parametrize("path", BODIES)
def test_stream_reports_a_load_that_fails(
    asked: Callable[[str], http.client.HTTPResponse], loading: HeldLoad, path: str
) -> None:
    response = asked(path)
    loading.end(EngineError(MODEL_LOAD_FAILED, "The weights are damaged."))
    said = response.read().decode()
    assert "The weights are damaged." in said
    last = said.strip().splitlines()[-1].removeprefix("data: ")
    assert "error" in json.loads(last)

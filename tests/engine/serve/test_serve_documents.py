"""Documents in requests: queueing, limits and cancellation."""

from __future__ import annotations

import base64
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ENGINE_STOPPED, EngineError
from engine.sandbox.lanes import current
from engine.sandbox.protocol import TaskLimits
from engine.serve import documents
from engine.serve.auth import Keys
from engine.serve.server import Server
from engine.text.documents import Document
from tests.engine.serving import CHAT, Answer, ask, bearer, connect, raw

Serve = Callable[..., Server]


class _Files:
    def __init__(self) -> None:
        self.read: list[bytes] = []
        self.began = threading.Semaphore(0)
        self.ended = threading.Semaphore(0)
        self.go = threading.Event()

    def __call__(
        self, path: Path, stop: threading.Event, limits: TaskLimits, encoding: str
    ) -> Document:
        content = path.read_bytes()
        self.read.append(content)
        if b"slow" in content:
            self.began.release()
            while not (stop.wait(0.01) or self.go.is_set()):
                pass
            self.ended.release()
            if stop.is_set():
                raise EngineError(ENGINE_STOPPED, "ended")
        return Document(kind="text", unit="page", pages=(content.decode(),))


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Files]:
    files = _Files()
    monkeypatch.setattr(documents, "read_document", files)
    yield files
    files.go.set()


def asked(*texts: str, **fields: Any) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"type": "text", "text": "hello"}]
    for text in texts:
        data = "data:text/plain;base64," + base64.b64encode(text.encode()).decode()
        parts.append({"type": "file", "file": {"filename": "a.txt", "file_data": data}})
    return {"messages": [{"role": "user", "content": parts}], "max_tokens": 2, **fields}


def send(server: Server, *texts: str, key: str = "") -> socket.socket:
    return connect(server, raw(asked(*texts), f"Authorization: Bearer {key}"))


def answered(server: Server, *texts: str, key: str = "", **fields: Any) -> Answer:
    return ask(server, "POST", CHAT, asked(*texts, **fields), **bearer(key))


def test_documents_keep_no_other_key_waiting(serve: Serve, keys: Keys, files: _Files) -> None:
    mine, other = keys.make("mine"), keys.make("other")
    server = serve(keys=keys)
    clients = [send(server, f"slow {n}", key=mine) for n in range(12)]
    assert all(files.began.acquire(timeout=60) for _ in range(documents.MAX_READ_AT_ONCE // 2))
    assert ask(server, "GET", "/metrics", **bearer(other)).status == 200
    assert answered(server, key=other, metadata={"x": "y" * 70_000}).status == 200
    assert answered(server, "short", key=other).status == 200
    assert not files.ended.acquire(blocking=False), "theirs are still being read"
    for client in clients:
        client.close()


def test_reading_stops_when_its_client_disconnects(serve: Serve, files: _Files) -> None:
    server = serve()
    client = send(server, "slow")
    assert files.began.acquire(timeout=60)
    client.close()
    assert files.ended.acquire(timeout=60)
    assert answered(server, "short").status == 200


def test_server_stop_ends_reading_first(serve: Serve, files: _Files) -> None:
    server = serve()
    with send(server, "slow"):
        assert files.began.acquire(timeout=60)
        server.stop()
        assert "serve" not in {thread.name for thread in threading.enumerate()}
        assert files.ended.acquire(timeout=60)


def test_document_is_read_once_for_each_key(serve: Serve, keys: Keys, files: _Files) -> None:
    mine, other = keys.make("mine"), keys.make("other")
    server = serve(keys=keys)
    for key in (mine, mine, other):
        assert answered(server, "one", "two", key=key).status == 200
    assert files.read == [b"one", b"two"] * 2


def test_request_with_too_many_documents_is_refused(serve: Serve, files: _Files) -> None:
    most = documents.MAX_DOCUMENTS
    assert answered(serve(), *["one"] * most).status == 200
    refused = answered(serve(), *["one"] * (most + 1))
    assert refused.status == 400
    assert f"more than {most} documents" in refused.body.decode()


def test_reading_has_a_budget_for_each_request(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[float]()

    def reads(path: Path, stop: threading.Event, limits: TaskLimits, encoding: str) -> Document:
        read.append(limits.cpu_s)
        current.get().busy_s += 100
        return Document(kind="text", unit="page", pages=("text",))

    monkeypatch.setattr(documents, "read_document", reads)
    server = serve()
    refused = answered(server, "one", "two", "three")
    assert refused.status == 400
    assert "took longer than 120 s" in refused.body.decode()
    assert read == [60, 20], "less is left for the second"
    known = answered(server, "one", "two", "three")
    assert known.status == 200, "two of them are known by then"


def test_texts_of_documents_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_KEPT_CHARACTERS", 10)
    texts = documents.DocumentTexts()
    texts.put("a", "1", "12345")
    texts.put("b", "2", ValueError("1234"))
    assert texts.get("a", "1") == "12345"
    texts.put("a", "3", "123")
    assert texts.get("b", "2") is None, "the one used longest ago goes"
    texts.forget("a")
    assert texts.get("a", "1") is texts.get("a", "3") is None

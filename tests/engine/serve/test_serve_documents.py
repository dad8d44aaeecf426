"""Documents in requests: queueing, limits and cancellation."""

from __future__ import annotations

import base64
import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
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


def body(*texts: str, **fields: Any) -> bytes:
    parts: list[dict[str, Any]] = [{"type": "text", "text": "hello"}]
    for text in texts:
        data = "data:text/plain;base64," + base64.b64encode(text.encode()).decode()
        parts.append({"type": "file", "file": {"filename": "a.txt", "file_data": data}})
    messages = [{"role": "user", "content": parts}]
    return json.dumps({"messages": messages, "max_tokens": 2, **fields}).encode()


def send(server: Server, content: bytes, key: str = "") -> socket.socket:
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
    )
    client = socket.create_connection(("127.0.0.1", server.port))
    client.sendall(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content)
    return client


def ask(server: Server, content: bytes, key: str = "", path: str = "") -> tuple[int, str]:
    client = HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        method = "GET" if path else "POST"
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        client.request(method, path or "/v1/chat/completions", content, headers)
        answer = client.getresponse()
        return answer.status, answer.read().decode()
    finally:
        client.close()


def test_documents_keep_no_other_key_waiting(serve: Serve, keys: Keys, files: _Files) -> None:
    mine, other = keys.make("mine"), keys.make("other")
    server = serve(keys=keys)
    clients = [send(server, body(f"slow {n}"), mine) for n in range(12)]
    assert all(files.began.acquire(timeout=60) for _ in range(documents.MAX_READ_AT_ONCE // 2))
    assert ask(server, b"", other, "/metrics")[0] == 200
    assert ask(server, body(metadata={"x": "y" * 70_000}), other)[0] == 200
    assert ask(server, body("short"), other)[0] == 200
    assert not files.ended.acquire(blocking=False), "theirs are still being read"
    for client in clients:
        client.close()


def test_reading_stops_when_its_client_disconnects(serve: Serve, files: _Files) -> None:
    server = serve()
    client = send(server, body("slow"))
    assert files.began.acquire(timeout=60)
    client.close()
    assert files.ended.acquire(timeout=60)
    assert ask(server, body("short"))[0] == 200


def test_server_stop_ends_reading_first(serve: Serve, files: _Files) -> None:
    server = serve()
    with send(server, body("slow")):
        assert files.began.acquire(timeout=60)
        server.stop()
        assert "serve" not in {thread.name for thread in threading.enumerate()}
        assert files.ended.acquire(timeout=60)


def test_document_is_read_once_for_each_key(serve: Serve, keys: Keys, files: _Files) -> None:
    mine, other = keys.make("mine"), keys.make("other")
    server = serve(keys=keys)
    for key in (mine, mine, other):
        assert ask(server, body("one", "two"), key)[0] == 200
    assert files.read == [b"one", b"two"] * 2


def test_request_with_too_many_documents_is_refused(serve: Serve, files: _Files) -> None:
    most = documents.MAX_DOCUMENTS
    assert ask(serve(), body(*["one"] * most))[0] == 200
    status, told = ask(serve(), body(*["one"] * (most + 1)))
    assert status == 400
    assert f"more than {most} documents" in told


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
    status, told = ask(server, body("one", "two", "three"))
    assert status == 400
    assert "took longer than 120 s" in told
    assert read == [60, 20], "less is left for the second"
    assert ask(server, body("one", "two", "three"))[0] == 200, "two of them are known by then"


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

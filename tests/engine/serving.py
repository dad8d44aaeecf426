"""Test servers, and raw socket clients that see every byte."""

from __future__ import annotations

import http.client
import json
import re
import socket
from contextlib import suppress
from typing import Any

from engine.serve.server import Server

NEVER_ENDS = {"2": -100}
"""Bias that suppresses the end-of-turn token of the tiny models."""
CHAT = "/v1/chat/completions"


class Answer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        error = self.json["error"]
        assert set(error) == {"message", "type", "param", "code"}
        assert error["message"].endswith(".")
        return str(error["code"])

    @property
    def text(self) -> str:
        if not self.body.startswith(b"{"):
            return "".join(deltas(self.body))
        return str(self.json["choices"][0]["message"]["content"])


def ask(server: Server, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    raw = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, raw, sent)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    got = {name.lower(): value for name, value in response.getheaders()}
    return Answer(response.status, got, content)


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def user(text: str) -> Any:
    return {"role": "user", "content": text}


def body(text: str = "hello", **fields: Any) -> dict[str, Any]:
    return {"messages": [user(text)], "max_tokens": 8, "temperature": 0, **fields}


def endless(**fields: Any) -> dict[str, Any]:
    return body(max_tokens=12_000, logit_bias=NEVER_ENDS, stream=True, **fields)


def raw(content: dict[str, Any], *headers: str, path: str = CHAT) -> bytes:
    data = json.dumps(content).encode()
    head = [f"POST {path} HTTP/1.1", "Host: localhost", "Connection: close", *headers]
    return "\r\n".join([*head, f"Content-Length: {len(data)}", "", ""]).encode() + data


def connect(server: Server, data: bytes = b"") -> socket.socket:
    client = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    client.sendall(data)
    return client


def until_said(client: socket.socket, what: bytes) -> bytes:
    out = b""
    while what not in out:
        piece = client.recv(65536)
        assert piece, out
        out += piece
    return out


def rest(client: socket.socket) -> bytes:
    out = b""
    with suppress(ConnectionResetError):
        while piece := client.recv(65536):
            out += piece
    return out


def status(answer: bytes) -> int:
    found = re.match(rb"HTTP/1\.1 (\d+) ", answer)
    assert found, answer
    return int(found[1])


def chunks(stream: bytes) -> list[Any]:
    lines = re.findall(rb"^data: (\{.*\})\r?$", stream, re.MULTILINE)
    return [json.loads(line) for line in lines]


def deltas(stream: bytes) -> list[str]:
    return [
        c["choices"][0]["delta"].get("content", "")
        for c in chunks(stream)
        if c.get("choices") and c["choices"][0]["delta"].get("content")
    ]


def running(server: Server) -> int:
    sessions = server.engine.stats()["sessions"].values()
    return sum(s["status"] not in ("idle", None) for s in sessions)

"""Servers for tests, and clients on raw sockets that see every byte."""

from __future__ import annotations

import http.client
import json
import re
import socket
from contextlib import suppress
from typing import Any

from engine.serve.server import Server

NEVER_ENDS = {"2": -100}
"""Bias against the token that ends the tiny models' turns."""
CHAT = "/v1/chat/completions"


class Answer:
    """What a server has answered: `status`, `headers` with small names, and the body."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """Of OpenAI's error shape, all of which must be there."""
        error = self.json["error"]
        assert set(error) == {"message", "type", "param", "code"}
        assert error["message"].endswith(".")
        return str(error["code"])

    @property
    def text(self) -> str:
        """Of a chat completion, whole or streamed."""
        if not self.body.startswith(b"{"):
            return "".join(deltas(self.body))
        return str(self.json["choices"][0]["message"]["content"])


def ask(server: Server, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    """One request on a connection of its own. Names of headers have _ for -."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    raw = None if body is None else json.dumps(body).encode()
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, raw, sent)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    got = {name.lower(): value for name, value in response.getheaders()}
    return Answer(response.status, got, content)


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def body(text: str = "hello", **fields: Any) -> dict[str, Any]:
    return {"messages": [user(text)], "max_tokens": 8, "temperature": 0, **fields}


def endless(**fields: Any) -> dict[str, Any]:
    """A body whose streamed answer goes on until it is stopped."""
    return body(max_tokens=12_000, logit_bias=NEVER_ENDS, stream=True, **fields)


def raw(content: dict[str, Any], *headers: str, path: str = CHAT) -> bytes:
    """A request as it goes over the line."""
    data = json.dumps(content).encode()
    head = [f"POST {path} HTTP/1.1", "Host: localhost", "Connection: close", *headers]
    return "\r\n".join([*head, f"Content-Length: {len(data)}", "", ""]).encode() + data


def connect(server: Server, data: bytes = b"") -> socket.socket:
    client = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    client.sendall(data)
    return client


def until_said(client: socket.socket, what: bytes) -> bytes:
    """Everything that a server sends until it has said that."""
    out = b""
    while what not in out:
        piece = client.recv(65536)
        assert piece, out
        out += piece
    return out


def rest(client: socket.socket) -> bytes:
    """Everything until the server closes."""
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
    """The objects of a streamed answer."""
    lines = re.findall(rb"^data: (\{.*\})\r?$", stream, re.MULTILINE)
    return [json.loads(line) for line in lines]


def deltas(stream: bytes) -> list[str]:
    """The pieces of a streamed answer."""
    return [
        c["choices"][0]["delta"].get("content", "")
        for c in chunks(stream)
        if c.get("choices") and c["choices"][0]["delta"].get("content")
    ]


def running(server: Server) -> int:
    """How many replies the engine has."""
    sessions = server.engine.stats()["sessions"].values()
    return sum(s["status"] not in ("idle", None) for s in sessions)

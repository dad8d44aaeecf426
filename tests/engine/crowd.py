"""Many concurrent clients on raw sockets, served in order of arrival."""

from __future__ import annotations

import selectors
import socket
import statistics
import time
from dataclasses import dataclass, field

from engine.serve.server import Server
from tests.engine.serving import body, raw

SECONDS = 300.0
"""Timeout for the last reply."""


@dataclass
class Client:
    begun: float = 0.0
    ended: float = 0.0
    answer: bytes = b""
    refused: bool = False


@dataclass
class Crowd:
    clients: list[Client] = field(default_factory=list)

    @property
    def refused(self) -> int:
        return sum(client.refused for client in self.clients)

    @property
    def failed(self) -> int:
        whole = (b"HTTP/1.1 200 ", b"data: [DONE]")
        return sum(not all(part in client.answer for part in whole) for client in self.clients)

    @property
    def overtaken(self) -> int:
        begun = [client.begun for client in self.clients]
        return max(
            sum(later < one for later in begun[number + 1 :]) for number, one in enumerate(begun)
        )

    def told(self) -> str:
        firsts = [client.begun for client in self.clients]
        return (
            f"{len(self.clients):4} clients: {self.refused} refused, {self.failed} failed, first "
            f"token after {statistics.median(firsts):.2f} s (median), {max(firsts):.2f} (longest), "
            f"all in {max(client.ended for client in self.clients):.2f} s; overtaken by at most "
            f"{self.overtaken}"
        )


def crowd(server: Server, count: int, tokens: int = 8) -> Crowd:
    found = Crowd()
    asked = body("hello", stream=True)
    asked |= {"max_tokens": tokens}
    data = raw(asked)
    begun = time.monotonic()
    with selectors.DefaultSelector() as watch:
        for _ in range(count):
            client = Client()
            found.clients.append(client)
            try:
                wire = socket.create_connection(("127.0.0.1", server.port), timeout=60)
                wire.sendall(data)
            except OSError:
                client.refused = True
                continue
            wire.setblocking(False)
            watch.register(wire, selectors.EVENT_READ, client)
        while watch.get_map() and time.monotonic() - begun < SECONDS:
            for key, _ in watch.select(1.0):
                _read(key, watch, begun)
        for key in list(watch.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
    return found


def _read(key: selectors.SelectorKey, watch: selectors.BaseSelector, begun: float) -> None:
    wire, client = key.fileobj, key.data
    assert isinstance(wire, socket.socket)
    try:
        piece = wire.recv(65536)
    except ConnectionResetError:
        piece = b""
    now = time.monotonic() - begun
    client.answer += piece
    if not client.begun and b"data: " in client.answer:
        client.begun = now
    if not piece:
        client.ended = now
        watch.unregister(wire)
        wire.close()

"""Process whose clients hold and read streams: `python -m … PORT COUNT KEY`.

It opens as many clients as its file descriptors allow. Once all of them have received response
headers it prints a JSON line, then another for each line on its stdin: the number still connected,
the number that received data since the last line, and the bytes. It closes them at the end of
stdin.
"""

from __future__ import annotations

import json
import resource
import select
import selectors
import socket
import sys
from typing import Any

SPARE = 32


def main(arguments: list[str]) -> int:
    port, count, key = int(arguments[0]), int(arguments[1]), arguments[2]
    content = json.loads(arguments[3])
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    holders = Holders(port, min(count, hard - SPARE), key, content)
    print(json.dumps(holders.told()), flush=True)
    while True:
        holders.read(0.2)
        if select.select([sys.stdin], [], [], 0)[0]:
            if not sys.stdin.readline():
                return 0
            print(json.dumps(holders.told()), flush=True)


class Holders:
    """Clients with an open request, each on its own connection.

    Args:
        count: number of clients. They connect in groups because the listen queue is limited.
    """

    def __init__(self, port: int, count: int, key: str, content: Any) -> None:
        data = json.dumps(content).encode()
        head = ["POST /v1/chat/completions HTTP/1.1", "Host: localhost"]
        head += [f"Authorization: Bearer {key}", f"Content-Length: {len(data)}", "", ""]
        self._watch = selectors.DefaultSelector()
        self._answered: set[int] = set()
        self._heard: set[int] = set()
        self._statuses: dict[str, int] = {}
        self._bytes = self._ended = self._refused = 0
        self._count = count
        for _ in range(count):
            try:
                client = socket.create_connection(("127.0.0.1", port), timeout=60)
                client.sendall("\r\n".join(head).encode() + data)
            except OSError:
                self._refused += 1
                continue
            client.setblocking(False)
            self._watch.register(client, selectors.EVENT_READ)
            self.read(0.0)
        while self._watch.get_map() and len(self._answered) < len(self._watch.get_map()):
            self.read(0.5)

    def read(self, seconds: float) -> None:
        """Read the available data."""
        for key, _ in self._watch.select(seconds):
            client: Any = key.fileobj
            try:
                piece = client.recv(65536)
            except OSError:
                piece = b""
            number = client.fileno()
            if piece and number not in self._answered:
                self._answered.add(number)
                status = piece[9:12].decode("ascii", "replace")
                self._statuses[status] = self._statuses.get(status, 0) + 1
            self._heard.add(number)
            self._bytes += len(piece)
            if not piece:
                self._ended += 1
                self._watch.unregister(client)
                self._answered.discard(number)
                self._heard.discard(number)
                client.close()

    def told(self) -> dict[str, Any]:
        """Return their status and what they have received since the last call."""
        told = {
            "wanted": self._count,
            "there": len(self._watch.get_map()),
            "refused": self._refused,
            "ended": self._ended,
            "statuses": self._statuses,
            "heard": len(self._heard),
            "bytes": self._bytes,
        }
        self._heard.clear()
        self._bytes = 0
        return told


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

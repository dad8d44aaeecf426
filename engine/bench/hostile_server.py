"""The robustness benchmark for `mlx_lm.server`, for comparison.

Only inputs that the server supports are sent: messages, and model folders, which it loads when a
request names them. Structured output isn't supported.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.bench.hostile_inputs import Input
from engine.bench.server import MLXServer
from engine.bench.subject import Subject, gaps

LIMIT = 30.0  # request timeout in seconds; after that, we kill and restart the server

MEMORY = 8 * 2**30
"""Address space limit of the server in bytes, not counting its model. Protects the machine."""

AFTERWARDS = 1.0
NEIGHBOURS = 3
_PROMPT = 64  # prompt length of the streaming clients in tokens
_STEADY = 24  # tokens that each client must have received before the input is sent
_PATIENCE = 120.0


class Rival(Struct, frozen=True):
    """Outcome of an input sent to `mlx_lm.server`. Times are in seconds."""

    # Delays in the streams of other clients, see `hostile.Ordeal`.
    median: float
    longest: float
    took: float  # duration of the request, at most `LIMIT`
    how: str  # how the request ended

    @property
    def ended(self) -> bool:
        """True if the request ended before the timeout."""
        return self.took < LIMIT


class Rivals:
    """Context manager for the server, which is restarted after we had to kill it."""

    def __init__(self, it: Subject) -> None:
        self._it = it
        self._server: MLXServer | None = None

    def __enter__(self) -> Rivals:
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()

    def __call__(self, given: Input, root: Path) -> Rival | None:
        """Send an input to the server. Returns None if the server doesn't support it.

        Args:
            root: folder with the input's files.
        """
        if given.request is None:
            return None
        body = {"max_tokens": 4, "temperature": 0.0, **given.request(root)}
        if self._server is None:
            self._server = MLXServer(self._it.model.path, MEMORY + 4 * self._it.model.nbytes)
            self._server.__enter__()
        with self._streaming(self._server.port) as neighbours:
            began = time.perf_counter()
            how = _ask(self._server.port, body)
            took = min(LIMIT, time.perf_counter() - began)
            time.sleep(AFTERWARDS)
            watched = time.perf_counter()
            broken = any(n.ended for n in neighbours)
        found: list[float] = []
        for neighbour in neighbours:
            moments = [m for m in neighbour.moments if m <= watched]
            before = [m for m in moments if m <= began][-1:]
            found += gaps([*before, *(m for m in moments if m > began), watched])
        if broken:
            how += "; its other answers ended"
        if not self._server.alive:
            how = "the server's process ended"
        if broken or took >= LIMIT or not self._server.alive:
            self._kill()
        return Rival(statistics.median(found), max(found), took, how)

    @contextlib.contextmanager
    def _streaming(self, port: int) -> Iterator[list[_Neighbour]]:
        neighbours = [_Neighbour(port, self._it.text(_PROMPT, n)) for n in range(NEIGHBOURS)]
        try:
            end = time.monotonic() + _PATIENCE
            while min(len(n.moments) for n in neighbours) < _STEADY:
                if time.monotonic() > end or any(n.ended for n in neighbours):
                    raise RuntimeError("mlx_lm.server does not stream to three clients")
                time.sleep(0.01)
            yield neighbours
        finally:
            for neighbour in neighbours:
                neighbour.stop()

    def _kill(self) -> None:
        if self._server is not None:
            self._server.__exit__()
            self._server = None


class _Neighbour:
    """Client that streams an answer until it's stopped."""

    def __init__(self, port: int, prompt: str) -> None:
        self.moments: list[float] = []
        self.ended = False
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
        # Keep the socket, because HTTPConnection drops its socket for responses without a length.
        self._socket = socket.create_connection(("127.0.0.1", port), _PATIENCE)
        self._connection.sock = self._socket
        self._body = json.dumps(
            {
                "messages": [{"role": "user", "content": prompt}],
                "max_tokens": 1_000_000,
                "temperature": 0.0,
                "logit_bias": {"2": -1e9},
                "stream": True,
            }
        )
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError, AttributeError):
            self._connection.request("POST", "/v1/chat/completions", self._body)
            for line in self._connection.getresponse():
                if line.startswith(b"data: {"):
                    self.moments.append(time.perf_counter())
        self.ended = True

    def stop(self) -> None:
        """Close the connection and join the thread."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(_PATIENCE)
        self._connection.close()


def _ask(port: int, body: dict[str, Any]) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(body))
        response = connection.getresponse()
        says = response.read(1000).decode(errors="replace")
        return f"{response.status} {' '.join(says.split())[:80]}"
    except TimeoutError:
        return f"more than {LIMIT:.0f} s"
    except (OSError, http.client.HTTPException) as error:
        return f"no answer ({type(error).__name__})"
    finally:
        connection.close()

"""A rank's connection to the relay: messages outside the collectives.

Both ends prove that they know the key (HMAC, by `multiprocessing.connection`), or are joined by
`ssh`: then the rank's end is its standard input and output. Messages are JSON. Only between the
relay and rank 0, which is its child on the same machine, objects are pickled.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import threading
from multiprocessing.connection import Client, Connection
from typing import Any

_JSON, _PICKLED = b"J", b"P"

MARK = b"\nstretto rank begins\n"
"""What a rank writes before its first message. A shell that starts it may have said something."""


class Link:
    """One end. Any thread may send, one receives."""

    def __init__(
        self, connection: Connection[Any, Any], sending: Connection[Any, Any] | None = None
    ) -> None:
        """``sending``: what messages go out by, where it is another one."""
        self._connection = connection
        self._out = sending or connection
        self._sending = threading.Lock()

    @classmethod
    def to(cls, address: tuple[str, int], key: bytes) -> Link:
        """A rank's end.

        Raises:
            OSError: nobody listens there.
            multiprocessing.AuthenticationError: with another key.
        """
        return cls(Client(address, "AF_INET", authkey=key))

    @classmethod
    def over_stdio(cls) -> Link:
        """A rank's end at its standard input and output, which are nobody else's from now on."""
        taken, given = os.dup(0), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        os.dup2(nowhere, 1)
        os.write(given, MARK)
        return cls(Connection(taken, writable=False), Connection(given, readable=False))

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message.

        Raises:
            OSError: the other end has gone.
        """
        self._send(_JSON + json.dumps(message).encode())

    def hand(self, value: object) -> None:
        """Send an object, between the relay and rank 0.

        Raises:
            OSError: the other end has gone.
        """
        self._send(_PICKLED + pickle.dumps(value))

    def _send(self, data: bytes) -> None:
        with self._sending:
            self._out.send_bytes(data)

    def take(self, trusted: bool) -> Any:
        """The next message: a `dict` that was told, or `(value,)` that was handed over.

        Args:
            trusted: the other end may hand over objects.

        Raises:
            EOFError, OSError: the other end has gone.
            ValueError: it has sent something else.
        """
        data = self._connection.recv_bytes()
        if data[:1] == _PICKLED and trusted:
            return (pickle.loads(data[1:]),)
        if data[:1] != _JSON:
            raise ValueError("a message of an unknown kind")
        told = json.loads(data[1:])
        if not isinstance(told, dict):
            raise ValueError("a message of an unknown kind")
        return told

    def waiting(self, seconds: float) -> bool:
        """Whether a message comes within so many seconds."""
        return self._connection.poll(seconds)

    def close(self) -> None:
        """Close it; who receives from it hears so."""
        for connection in {self._connection, self._out}:
            with contextlib.suppress(OSError):
                connection.close()

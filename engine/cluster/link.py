"""Connections between ranks: a link from each to the relay, and MLX's collectives.

A link is a rank's standard input and output: a socket on this machine, or `ssh` to another one.
Messages are JSON. Objects are pickled only between the relay and rank 0, its child process.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import pickle
import platform
import socket
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.cluster.hosts import Host
from engine.messages import Command

PROTOCOL = 5  # version of records and messages, equal in all ranks of a group

START_MARK = b"\nstretto rank begins\n"
"""Bytes that a rank writes before its first message, since its shell may print something first."""

LOOPBACK = "127.0.0.1"

_JSON, _PICKLED = b"J", b"P"


def versions() -> dict[str, str]:
    """Return the versions that must be equal on all ranks."""
    mlx, mlx_lm = (importlib.metadata.version(name) for name in ("mlx", "mlx-lm"))
    return {"protocol": str(PROTOCOL), "mlx": mlx, "mlx-lm": mlx_lm}


class Link:
    """One end of a connection. Any thread may send; only one receives."""

    def __init__(
        self, connection: Connection[Any, Any], sending: Connection[Any, Any] | None = None
    ) -> None:
        """``sending``: separate connection for outgoing messages."""
        self._connection = connection
        self._out = sending or connection
        self._sending = threading.Lock()

    @classmethod
    def over_stdio(cls) -> Link:
        """Return a rank's end, which takes over standard input and output."""
        taken, given = os.dup(0), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        os.dup2(nowhere, 1)
        os.write(given, START_MARK)
        return cls(Connection(taken, writable=False), Connection(given, readable=False))

    def send_message(self, message: dict[str, Any]) -> None:
        """Send a JSON message.

        Raises:
            OSError: the connection is closed.
        """
        self._send(_JSON + json.dumps(message).encode())

    def send_object(self, value: object) -> None:
        """Pickle and send an object, between the relay and rank 0.

        Raises:
            OSError: the connection is closed.
        """
        self._send(_PICKLED + pickle.dumps(value))

    def _send(self, data: bytes) -> None:
        with self._sending:
            self._out.send_bytes(data)

    def receive(self, trusted: bool) -> Any:
        """Return the next message: a `dict` from `send_message`, or `(value,)` from `send_object`.

        Args:
            trusted: accept pickled objects.

        Raises:
            EOFError, OSError: the connection is closed.
            ValueError: the message is invalid.
        """
        data = self._connection.recv_bytes()
        if data[:1] == _PICKLED and trusted:
            return (pickle.loads(data[1:]),)
        message = json.loads(data[1:]) if data[:1] == _JSON else None
        if not isinstance(message, dict):
            raise ValueError("unknown message type")
        return message

    def poll(self, seconds: float) -> bool:
        """Return True if a message arrives within `seconds`."""
        return self._connection.poll(seconds)

    def close(self) -> None:
        """Close the connection. A receiving thread gets an error."""
        for connection in {self._connection, self._out}:
            with contextlib.suppress(OSError):
                connection.close()


# -- commands between the relay and rank 0 --------------------------------------------------

CALLBACK_FIELDS = ("sink", "told")
"""Callback fields of commands, sent as True if set. The future in the field "answer" is sent as
None. The relay keeps the originals."""


class RelayedCommand(Struct, frozen=True):
    """A command for rank 0. `number` identifies its callbacks and result; 0 if it has none."""

    command: Command
    number: int = 0


class CommandCancelled(Struct, frozen=True):
    """The caller cancelled the command."""

    number: int


class CommandCallback(Struct, frozen=True):
    """Arguments of a callback: a reply's event, a load's progress, or an idle model's id."""

    number: int
    arguments: tuple[Any, ...]


class CommandResult(Struct, frozen=True):
    """A command's result, or the code and message of its error."""

    number: int
    result: Any = None
    error: tuple[str, str] | None = None


# -- rank discovery -------------------------------------------------------------------------


def reserve_port(ports: Sequence[int], number: int, count: int) -> socket.socket:
    """Return a socket bound to a free port. Close it just before MLX binds the port.

    Ranks of one machine try different ports, so that no two of them choose the same one.

    Args:
        ports: first and last allowed port; empty for any.

    Raises:
        OSError: no port is free.
    """
    for port in range(ports[0] + number, ports[1] + 1, count) if ports else (0,):
        held = socket.socket()
        if port:  # a group that has just ended may have used it
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            held.bind(("", port))
        except OSError:
            held.close()
        else:
            return held
    raise OSError("no free port in {}-{}".format(*ports))


def rank_address(held: socket.socket) -> dict[str, Any]:
    """Return this process's address for `rank_environments`."""
    # SSH_CONNECTION: client address, client port, server address, server port.
    connection = (os.environ.get("SSH_CONNECTION") or "").split()
    client, _, server, _ = connection if len(connection) == 4 else [""] * 4
    return {
        "port": held.getsockname()[1],
        "address": server,
        "seen": client,
        "machine": platform.node(),
    }


def rank_environments(
    hosts: Sequence[Host], places: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the environment variables and files of each rank, as `mlx.launch` would create them.

    Args:
        places: results of `rank_address` in each rank.
    """
    # This machine's address is the one that the others see. The address in its own
    # SSH_CONNECTION may belong to a different network.
    far = [told for host, told in zip(hosts, places, strict=True) if not host.is_local]
    seen = next((str(told["seen"]) for told in far if told.get("seen")), LOOPBACK)
    ends = []
    for host, told in zip(hosts, places, strict=True):
        address = host.ip or (seen if host.is_local else str(told.get("address") or LOOPBACK))
        ends.append(
            f"[{address}]:{told['port']}" if ":" in address else f"{address}:{told['port']}"
        )
    if hosts[0].backend == "jaccl":
        files = {"MLX_IBV_DEVICES": json.dumps([host.rdma for host in hosts])}
        shared = {"MLX_JACCL_COORDINATOR": ends[0]}
    else:
        files, shared = {"MLX_HOSTFILE": json.dumps([[end] for end in ends])}, {}
    return [
        {
            "backend": hosts[0].backend,
            "environment": {**shared, "MLX_RANK": str(number)},
            "files": files,
        }
        for number in range(len(hosts))
    ]


@contextlib.contextmanager
def mlx_environment(given: Mapping[str, Any]) -> Iterator[str]:
    """Set a rank's environment from `rank_environments` while MLX reads it. Yield the backend."""
    with tempfile.TemporaryDirectory(prefix="stretto-rank-") as folder:
        named = dict(given["environment"])
        for name, text in given["files"].items():
            file = Path(folder) / f"{name.lower()}.json"
            file.write_text(text)
            named[name] = str(file)
        for name in named:
            if not name.startswith("MLX_"):
                raise ValueError(f"{name} is not a variable of MLX")
        os.environ.update(named)
        yield str(given["backend"])

"""Connections between ranks: each rank's link to the relay, and MLX's collectives.

A link uses the rank's stdin and stdout: a socket on this machine, `ssh` on others. Messages are
JSON. Pickled objects are only exchanged between the relay and rank 0, which is its child process.
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

PROTOCOL = 6  # version of records and messages; must be the same on all ranks

START_MARK = b"\nstretto rank begins\n"
"""Mark before a rank's first message, because a shell may print something first."""

LOOPBACK = "127.0.0.1"

_JSON, _PICKLED = b"J", b"P"


def versions() -> dict[str, str]:
    mlx, mlx_lm = (importlib.metadata.version(name) for name in ("mlx", "mlx-lm"))
    return {"protocol": str(PROTOCOL), "mlx": mlx, "mlx-lm": mlx_lm}


class Link:
    """End of a connection. Any thread may send, but only one may receive."""

    def __init__(
        self, connection: Connection[Any, Any], sending: Connection[Any, Any] | None = None
    ) -> None:
        self._connection = connection
        self._outgoing = sending or connection
        self._sending = threading.Lock()

    @classmethod
    def over_stdio(cls) -> Link:
        """Return a rank's end, which takes over stdin and stdout."""
        input_fd, output_fd = os.dup(0), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        os.dup2(nowhere, 1)
        os.write(output_fd, START_MARK)
        return cls(Connection(input_fd, writable=False), Connection(output_fd, readable=False))

    def send_message(self, message: dict[str, Any]) -> None:
        self._send(_JSON + json.dumps(message).encode())

    def send_object(self, value: object) -> None:
        self._send(_PICKLED + pickle.dumps(value))

    def _send(self, data: bytes) -> None:
        with self._sending:
            self._outgoing.send_bytes(data)

    def receive(self, trusted: bool) -> Any:
        """Receive a message: a `dict` from `send_message`, or `(value,)` from `send_object`.

        Args:
            trusted: accept pickled objects, too.
        """
        data = self._connection.recv_bytes()
        if data[:1] == _PICKLED and trusted:
            return (pickle.loads(data[1:]),)
        message = json.loads(data[1:]) if data[:1] == _JSON else None
        if not isinstance(message, dict):
            raise ValueError("unknown message type")
        return message

    def poll(self, seconds: float) -> bool:
        return self._connection.poll(seconds)

    def close(self) -> None:
        """Close the connection. A thread that is receiving gets an error."""
        for connection in {self._connection, self._outgoing}:
            with contextlib.suppress(OSError):
                connection.close()


CALLBACK_FIELDS = ("sink", "callback")
"""Command fields with callbacks, which are sent as True if set. The future in "answer" is sent as
None.
"""


class RelayedCommand(Struct, frozen=True):
    """Command for rank 0.

    `number` identifies its callbacks and result, or is 0 if there are none.
    """

    command: Command
    number: int = 0


class CommandCancelled(Struct, frozen=True):
    number: int


class CommandCallback(Struct, frozen=True):
    """Arguments for a callback: an event of a reply, or progress of a load."""

    number: int
    arguments: tuple[Any, ...]


class CommandResult(Struct, frozen=True):
    number: int
    result: Any = None
    error: tuple[str, str] | None = None


def reserve_port(ports: Sequence[int], number: int, count: int) -> socket.socket:
    """Reserve a free port by binding a socket to it, until MLX binds it.

    Ranks on the same machine try different ports.
    """
    for port in range(ports[0] + number, ports[1] + 1, count) if ports else (0,):
        listener = socket.socket()
        if port:  # the port may have been used by a group that has just ended
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("", port))
        except OSError:
            listener.close()
        else:
            return listener
    raise OSError("no free port in {}-{}".format(*ports))


def rank_address(listener: socket.socket) -> dict[str, Any]:
    # SSH_CONNECTION: client address, client port, server address, server port.
    connection = (os.environ.get("SSH_CONNECTION") or "").split()
    client, _, server, _ = connection if len(connection) == 4 else [""] * 4
    return {
        "port": listener.getsockname()[1],
        "address": server,
        "seen": client,
        "machine": platform.node(),
    }


def rank_environments(
    hosts: Sequence[Host], places: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return each rank's environment variables and files, as `mlx.launch` sets them.

    Args:
        places: results of `rank_address` in each rank.
    """
    # Use the address that the other machines see. Our own SSH_CONNECTION could have an address on a
    # different network.
    far = [remote for host, remote in zip(hosts, places, strict=True) if not host.is_local]
    own_address = next((str(remote["seen"]) for remote in far if remote.get("seen")), LOOPBACK)
    ends = []
    for host, remote in zip(hosts, places, strict=True):
        address = host.ip or (
            own_address if host.is_local else str(remote.get("address") or LOOPBACK)
        )
        ends.append(
            f"[{address}]:{remote['port']}" if ":" in address else f"{address}:{remote['port']}"
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
def mlx_environment(setup: Mapping[str, Any]) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="stretto-rank-") as folder:
        named = dict(setup["environment"])
        for name, text in setup["files"].items():
            file = Path(folder) / f"{name.lower()}.json"
            file.write_text(text)
            named[name] = str(file)
        for name in named:
            if not name.startswith("MLX_"):
                raise ValueError(f"{name} is not a variable of MLX")
        os.environ.update(named)
        yield str(setup["backend"])

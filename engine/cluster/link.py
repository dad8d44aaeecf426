"""How ranks are connected: each by a link to the relay, and by MLX's collectives to each other.

A link is a rank's standard input and output: a socket here, an `ssh` to another machine. Messages
are JSON. Only between the relay and rank 0, its child on the same machine, objects are pickled.
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

PROTOCOL = 5  # of records and messages; ranks of another cannot be in one group

MARK = b"\nstretto rank begins\n"
"""What a rank writes before its first message. A shell that starts it may have said something."""

LOOPBACK = "127.0.0.1"

_JSON, _PICKLED = b"J", b"P"


def versions() -> dict[str, str]:
    """What must be the same on all ranks."""
    mlx, mlx_lm = (importlib.metadata.version(name) for name in ("mlx", "mlx-lm"))
    return {"protocol": str(PROTOCOL), "mlx": mlx, "mlx-lm": mlx_lm}


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
        """The next message: a `dict` that was sent by `tell`, or `(value,)` by `hand`.

        Args:
            trusted: the other end may hand over objects.

        Raises:
            EOFError, OSError: the other end has gone.
            ValueError: it has sent something else.
        """
        data = self._connection.recv_bytes()
        if data[:1] == _PICKLED and trusted:
            return (pickle.loads(data[1:]),)
        message = json.loads(data[1:]) if data[:1] == _JSON else None
        if not isinstance(message, dict):
            raise ValueError("a message of an unknown kind")
        return message

    def waiting(self, seconds: float) -> bool:
        """Whether a message comes within so many seconds."""
        return self._connection.poll(seconds)

    def close(self) -> None:
        """Close it; whoever receives from it gets an error."""
        for connection in {self._connection, self._out}:
            with contextlib.suppress(OSError):
                connection.close()


# -- what callers ask, between the relay and rank 0 -----------------------------------------

CALLED = ("sink", "told")
"""The fields of commands that are called, maybe often. On the way they are True where there is one.
The field "answer" is a future, and None on the way. The relay keeps all of them."""


class Asked(Struct, frozen=True):
    """A command on its way to rank 0."""

    command: Command
    number: int = 0  # of what comes back for it; 0 where nothing does


class Unasked(Struct, frozen=True):
    """The caller does not want an answer any more."""

    number: int


class Called(Struct, frozen=True):
    """A reply's event, how far a load is, or the id of a model that was unloaded for being idle."""

    number: int
    arguments: tuple[Any, ...]


class Answered(Struct, frozen=True):
    """A call's result, or its error's code and message."""

    number: int
    result: Any = None
    error: tuple[str, str] | None = None


# -- how the ranks of a group find each other -----------------------------------------------


def reserve(ports: Sequence[int], number: int, count: int) -> socket.socket:
    """A socket at a free port, to be closed just before MLX takes the port.

    Ranks of one machine look in turn, so that no two of them take the same one.

    Args:
        ports: the first and the last that may be taken; none for any.

    Raises:
        OSError: none of the ports is free.
    """
    for port in range(ports[0] + number, ports[1] + 1, count) if ports else (0,):
        held = socket.socket()
        if port:  # that of a group that has just ended may be taken again
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            held.bind(("", port))
        except OSError:
            held.close()
        else:
            return held
    raise OSError("none of the ports {}-{} is free".format(*ports))


def place(held: socket.socket) -> dict[str, Any]:
    """Where this process can be reached: what `joins` needs of each rank."""
    # "client port server port": who connected, and under which address it found this machine.
    connection = (os.environ.get("SSH_CONNECTION") or "").split()
    client, _, server, _ = connection if len(connection) == 4 else [""] * 4
    return {
        "port": held.getsockname()[1],
        "address": server,
        "seen": client,
        "machine": platform.node(),
    }


def joins(hosts: Sequence[Host], places: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For each rank its environment, and the files that it names: what `mlx.launch` makes.

    Args:
        places: what `place` gave in each rank.
    """
    # This machine has the address under which the others see it. That under which somebody who
    # is logged in here came to it is another.
    far = [told for host, told in zip(hosts, places, strict=True) if not host.here]
    seen = next((str(told["seen"]) for told in far if told.get("seen")), LOOPBACK)
    ends = []
    for host, told in zip(hosts, places, strict=True):
        address = host.ip or (seen if host.here else str(told.get("address") or LOOPBACK))
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
def joined(given: Mapping[str, Any]) -> Iterator[str]:
    """Sets what `joins` made for this rank, while MLX reads it; gives the backend."""
    with tempfile.TemporaryDirectory(prefix="stretto-rank-") as folder:
        named = dict(given["environment"])
        for name, text in given["files"].items():
            file = Path(folder) / f"{name.lower()}.json"
            file.write_text(text)
            named[name] = str(file)
        for name in named:
            if not name.startswith("MLX_"):
                raise ValueError(f"{name} is not MLX's")
        os.environ.update(named)
        yield str(given["backend"])

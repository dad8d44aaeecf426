"""What each rank of a group on several machines must know of the others, as MLX reads it.

A rank finds a port for itself and tells it with its first message. Of all of them the relay makes
what `mlx.launch` makes: `MLX_RANK` with `MLX_HOSTFILE`, or what JACCL wants.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.core.ranks.hosts.host import Host

LOOPBACK = "127.0.0.1"


def place(ports: Sequence[int], number: int, count: int) -> dict[str, Any]:
    """Where this process can be reached: what `joins` needs of each rank.

    Ranks of one machine look in turn, so that no two of them take the same port.

    Raises:
        OSError: none of the ports is free.
    """
    # "client port server port": who asked, and under which address it found this machine.
    client, *rest = (os.environ.get("SSH_CONNECTION") or "").split() or [""]
    return {
        "port": _free(range(ports[0] + number, ports[1] + 1, count)),
        "address": rest[1] if len(rest) == 3 else "",
        "seen": client,
        "machine": platform.node(),
    }


def _free(ports: range) -> int:
    for port in ports:
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("", port))
            except OSError:
                continue
            return port
    raise OSError(f"none of the ports {ports.start} to {ports.stop - 1} is free")


def joins(hosts: Sequence[Host], places: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For each rank its environment, and the files that it names.

    Args:
        places: what `place` told of each rank.
    """
    seen = next((str(told["seen"]) for told in places if told.get("seen")), LOOPBACK)
    addresses = [
        host.ip or (seen if host.here else str(told.get("address") or LOOPBACK))
        for host, told in zip(hosts, places, strict=True)
    ]
    ends = [f"{_ip(a)}:{told['port']}" for a, told in zip(addresses, places, strict=True)]
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


def _ip(address: str) -> str:
    return f"[{address}]" if ":" in address else address


@contextmanager
def joined(given: Mapping[str, Any] | None) -> Iterator[str]:
    """What `joins` made for this rank, while MLX reads it; gives the backend.

    None is a group on one machine, whose ranks were started with it.
    """
    if given is None:
        yield "ring"
        return
    with tempfile.TemporaryDirectory(prefix="stretto-rank-") as folder:
        for name, text in given["files"].items():
            file = Path(folder) / f"{name.lower()}.json"
            file.write_text(text)
            os.environ[_ours(name)] = str(file)
        for name, value in given["environment"].items():
            os.environ[_ours(name)] = value
        yield str(given["backend"])


def _ours(name: str) -> str:
    if not name.startswith("MLX_"):
        raise ValueError(f"{name} is not MLX's")
    return name

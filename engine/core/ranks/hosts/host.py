"""A machine that takes ranks, and the checks of what a person wrote about it."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

LOCAL = "local"
"""The address of this machine, and the name of the host that is always there."""

PORTS = (52100, 52199)
"""Where ranks listen for each other, unless a host has other ports."""

MODELS = "~/.stretto/models"
"""Where copies of models lie on another machine."""

BACKENDS = ("ring", "jaccl")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_ADDRESS = re.compile(
    r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9._-]{0,63})@)?"
    r"(?P<machine>[A-Za-z0-9_][A-Za-z0-9._-]{0,252})(?::(?P<port>\d{1,5}))?"
)
_PATH = re.compile(r"(~/)?[A-Za-z0-9._/ +-]{1,400}")
# rsync and scp hand a folder on the other side to a shell there: without anything it would read.
_FOLDER = re.compile(r"(~/|/)[A-Za-z0-9._/+-]{1,400}")
_DEVICE = re.compile(r"[A-Za-z0-9_]{1,40}")


class HostError(ValueError):
    """A host, or what was written of one, makes no sense; the words say what to write."""


@dataclass(frozen=True)
class Host:
    """One machine.

    Attributes:
        name: how the person calls it.
        address: where `ssh` reaches it, "user@machine:port"; `LOCAL` is this machine, without ssh.
        program: a Python that has Stretto, or the built program; "" for `stretto` on the other
            machine's path, and for what runs here on this one.
        source: the folder of Stretto's sources, for a Python that has not installed it.
        ip: under which the other ranks reach it; "" for the address by which ssh did.
        ports: first and last of those where its ranks may listen.
        models: the folder there for copies of models.
        backend: what carries the collectives: "ring" (TCP), or "jaccl" (RDMA over Thunderbolt).
        rdma: its RDMA devices to each host of the group in order, None to itself; for jaccl.
    """

    name: str
    address: str = LOCAL
    program: str = ""
    source: str = ""
    ip: str = ""
    ports: tuple[int, int] = PORTS
    models: str = MODELS
    backend: str = "ring"
    rdma: tuple[str | None, ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise HostError(
                f"{self.name!r} is no name for a host. Use letters, digits, '.', '_' and '-', "
                "at most 40."
            )
        if _parts(self.address) is None:
            raise HostError(
                f"{self.address!r} is no address for ssh. Write machine, user@machine or "
                "user@machine:port; whatever else it needs belongs into ~/.ssh/config."
            )
        for what, path in (("program", self.program), ("source", self.source)):
            if path and not _PATH.fullmatch(path):
                raise HostError(f"{path!r} is no path for the {what} of {self.name}.")
        if self.program.startswith("-") or self.source.startswith("-"):
            raise HostError(f"A path of {self.name} begins with '-'.")
        if not _FOLDER.fullmatch(self.models):
            raise HostError(
                f"{self.models!r} is no folder for the models of {self.name}. Begin with / or ~/, "
                "and use letters, digits, '.', '_', '+' and '-'."
            )
        first, last = self.ports
        if not 1024 <= first <= last <= 65535:
            raise HostError(f"The ports of {self.name} are {first}-{last}, not within 1024-65535.")
        if self.ip:
            try:
                ipaddress.ip_address(self.ip)
            except ValueError:
                raise HostError(f"{self.ip!r} is no IP address of {self.name}.") from None
        if self.backend not in BACKENDS:
            raise HostError(f"{self.backend!r} is no backend: {self.name} has ring or jaccl.")
        if any(device is not None and not _DEVICE.fullmatch(device) for device in self.rdma):
            raise HostError(f"The RDMA devices of {self.name} make no sense.")

    @property
    def here(self) -> bool:
        """Whether it is this machine."""
        return self.address == LOCAL

    @property
    def machine(self) -> str:
        """The address without user and port."""
        parts = _parts(self.address)
        assert parts is not None
        return str(parts["machine"])

    @property
    def destination(self) -> str:
        """What `ssh` is given."""
        parts = _parts(self.address)
        assert parts is not None
        user = f"{parts['user']}@" if parts["user"] else ""
        return user + self.machine

    @property
    def ssh_port(self) -> str:
        """The port of `ssh`; "" for the usual one."""
        parts = _parts(self.address)
        assert parts is not None
        return str(parts["port"] or "")


def _parts(address: str) -> Mapping[str, Any] | None:
    found = _ADDRESS.fullmatch(address)
    return found.groupdict() if found is not None else None


def local(count: int = 1) -> tuple[Host, ...]:
    """So many ranks on this machine."""
    return tuple(Host(LOCAL) for _ in range(count))


def from_json(told: object) -> Host:
    """A host as a file has it.

    Raises:
        HostError: it makes no sense.
    """
    known = {field.name for field in fields(Host)}
    if not isinstance(told, Mapping) or not isinstance(told.get("name"), str):
        raise HostError("A host in the file has no name.")
    given = {key: value for key, value in told.items() if key in known}
    for key in ("ports", "rdma"):
        if isinstance(given.get(key), list):
            given[key] = tuple(given[key])
    host = {**asdict(Host(LOCAL)), **given}
    ports = host["ports"]
    texts = all(isinstance(host[key], str) for key in known - {"ports", "rdma"})
    numbers = isinstance(ports, tuple) and len(ports) == 2 and all(type(n) is int for n in ports)
    devices = isinstance(host["rdma"], tuple) and all(
        device is None or isinstance(device, str) for device in host["rdma"]
    )
    if not (texts and numbers and devices):
        raise HostError(f"The host {told['name']!r} in the file makes no sense.")
    return Host(**host)


def check_group(hosts: Sequence[Host]) -> None:
    """Refuse hosts that cannot be one group.

    Raises:
        HostError: saying why.
    """
    if not hosts or not hosts[0].here:
        raise HostError(
            "The first host is this machine: it is the one that is asked. Put local first, or "
            "start it on the other machine."
        )
    backends = {host.backend for host in hosts}
    if "jaccl" in backends and (
        len(backends) > 1 or any(len(host.rdma) != len(hosts) for host in hosts)
    ):
        raise HostError(
            "jaccl wants all hosts of the file that mlx.distributed_config made, in its order. "
            "Add them by: cluster add --from FILE."
        )

"""The machines over which a model can be spread, as a person names them: one each, and the file."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import platformdirs
from msgspec import Struct, to_builtins

LOCAL = "local"  # the address of this machine, and the name of the host that is always there

PORTS = (52100, 52199)  # where ranks listen for each other, unless a host has other ports

MODELS = "~/.stretto/models"  # where copies of models lie on another machine

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
    """A host cannot be used, or what was written of it makes no sense; the words say what to do."""


class Host(Struct, frozen=True):
    """One machine."""

    name: str  # how the person calls it
    # where `ssh` reaches it, "user@machine:port"; `LOCAL` is this machine, without ssh
    address: str = LOCAL
    # a Python that has Stretto, or the built program; "" for `stretto` on the other machine's path,
    # and for what runs here on this one
    program: str = ""
    source: str = ""  # the folder of Stretto's sources, for a Python that has not installed it
    ip: str = ""  # under which the other ranks reach it; "" for the address by which ssh did
    ports: tuple[int, int] = PORTS  # first and last of those where its ranks may listen
    models: str = MODELS  # the folder there for copies of models
    # what carries the collectives: "ring" (TCP), or "jaccl" (RDMA over Thunderbolt)
    backend: str = "ring"
    # its RDMA devices to each host of the group in order, None to itself; for jaccl
    rdma: tuple[str | None, ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise HostError(
                f"{self.name!r} is no name for a host. Use letters, digits, '.', '_' and '-', "
                "at most 40."
            )
        if not _ADDRESS.fullmatch(self.address):
            raise HostError(
                f"{self.address!r} is no address for ssh. Write machine, user@machine or "
                "user@machine:port; whatever else it needs belongs into ~/.ssh/config."
            )
        for what, path in (("program", self.program), ("source", self.source)):
            if path.startswith("-"):
                raise HostError(f"A path of {self.name} begins with '-'.")
            if path and not _PATH.fullmatch(path):
                raise HostError(f"{path!r} is no path for the {what} of {self.name}.")
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
        return self._part("machine")

    @property
    def destination(self) -> str:
        """What `ssh` is given: the address without the port."""
        user = self._part("user")
        return f"{user}@{self.machine}" if user else self.machine

    @property
    def ssh_port(self) -> str:
        """The port of `ssh`; "" for the usual one."""
        return self._part("port")

    def _part(self, name: str) -> str:
        found = _ADDRESS.fullmatch(self.address)
        assert found is not None
        return found[name] or ""


def local(count: int = 1) -> tuple[Host, ...]:
    """So many ranks on this machine."""
    return tuple(Host(LOCAL) for _ in range(count))


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


# -- the file of a person's hosts -----------------------------------------------------------


def standard_file() -> Path:
    """Where the hosts lie if no other place is named."""
    return platformdirs.user_config_path("Stretto", appauthor=False) / "hosts.json"


class _File(Struct):
    hosts: list[Host]


class Hosts:
    """All hosts by name, as the file has them; `LOCAL` is always among them, first.

    Raises:
        HostError: the file cannot be read, or something in it makes no sense.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or standard_file()
        self._hosts = {LOCAL: Host(LOCAL), **{host.name: host for host in self._read()}}

    def _read(self) -> list[Host]:
        try:
            written = self.file.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise HostError(f"{self.file} cannot be read: {error}.") from None
        try:
            return msgspec.json.decode(written, type=_File).hosts
        except (ValueError, RecursionError) as error:
            raise HostError(
                f'{self.file} makes no sense ({error}). It is {{"hosts": […]}}.'
            ) from None

    def all(self) -> tuple[Host, ...]:
        """All of them, in the order in which they were added."""
        return tuple(self._hosts.values())

    def get(self, name: str) -> Host:
        """Raises HostError: there is none of that name."""
        if name not in self._hosts:
            raise HostError(
                f"There is no host {name!r}. There are: {', '.join(self._hosts)}. Add one by: "
                f"cluster add {name} user@machine."
            )
        return self._hosts[name]

    def group(self, names: Iterable[str]) -> tuple[Host, ...]:
        """The hosts of a group in this order. One that is named twice takes two ranks.

        Raises:
            HostError: one is not known, or they cannot be one group.
        """
        hosts = tuple(self.get(name.strip()) for name in names)
        check_group(hosts)
        return hosts

    def add(self, *hosts: Host) -> None:
        """Keep these, in the place of those with the same names.

        Raises:
            OSError: the file cannot be written.
        """
        self._hosts |= {host.name: host for host in hosts}
        self._write()

    def remove(self, name: str) -> None:
        """Forget one. `LOCAL` is then again as it was made.

        Raises:
            HostError: there is none of that name.
            OSError: the file cannot be written.
        """
        self.get(name)
        del self._hosts[name]
        self._hosts = {LOCAL: Host(LOCAL), **self._hosts}
        self._write()

    def _write(self) -> None:
        kept = [to_builtins(host) for host in self._hosts.values() if host != Host(LOCAL)]
        self.file.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=self.file.parent, prefix=".hosts-")
        try:
            with open(number, "w", encoding="utf-8") as stream:
                json.dump({"hosts": kept}, stream, indent=2)
                stream.write("\n")
            os.replace(name, self.file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def configured(file: Path, program: str = "", source: str = "") -> list[Host]:
    """The hosts of a file that `mlx.distributed_config` made, the first one as this machine.

    Args:
        program, source: of the hosts that are not this machine.

    Raises:
        HostError: it is no such file.
    """
    from mlx._distributed_utils.common import Hostfile

    try:
        listed = Hostfile.from_file(file)
        return [_configured(listed, number, program, source) for number in range(len(listed.hosts))]
    except HostError:
        raise
    except (ValueError, TypeError, AttributeError) as error:
        raise HostError(f"{file} is no hosts' file of mlx.distributed_config: {error}.") from None


def _configured(listed: Any, number: int, program: str, source: str) -> Host:
    host, jaccl = listed.hosts[number], listed.backend.startswith("jaccl")
    devices = [d[0] if isinstance(d, list) else d for d in host.rdma]
    others: dict[str, Any] = {
        "ip": str(next(iter(host.ips), "")),
        "backend": "jaccl" if jaccl else "ring",
        "rdma": tuple(devices) if jaccl else (),
    }
    if number == 0:
        return Host(LOCAL, **others)
    name = host.ssh_hostname.rpartition("@")[2].partition(":")[0]
    return Host(name, host.ssh_hostname, program, source, **others)

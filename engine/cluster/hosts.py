"""Machines over which a model can be sharded, and the file that lists them."""

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

LOCAL = "local"  # address of this machine, and name of the host that always exists

PORTS = (52100, 52199)  # default listening ports of ranks

MODELS = "~/.stretto/models"  # default folder for model copies on another machine

BACKENDS = ("ring", "jaccl")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_ADDRESS = re.compile(
    r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9._-]{0,63})@)?"
    r"(?P<machine>[A-Za-z0-9_][A-Za-z0-9._-]{0,252})(?::(?P<port>\d{1,5}))?"
)
_PATH = re.compile(r"(~/)?[A-Za-z0-9._/ +-]{1,400}")
# rsync and scp pass a remote folder to a shell, so it has no characters special to one.
_FOLDER = re.compile(r"(~/|/)[A-Za-z0-9._/+-]{1,400}")
_DEVICE = re.compile(r"[A-Za-z0-9_]{1,40}")


class HostError(ValueError):
    """A host cannot be used, or its description is invalid. The message suggests a remedy."""


class Host(Struct, frozen=True):
    """One machine.

    Attributes:
        name: the user's name for it.
        address: address for `ssh`, "user@machine:port"; `LOCAL` is this machine, without ssh.
        program: a Python with Stretto, or the packaged program; "" for `stretto` in the remote
            path, or for the running program on this machine.
        source: folder of Stretto's sources, for a Python in which it is not installed.
        ip: address for the other ranks; "" for the one that ssh used.
        ports: first and last port on which its ranks may listen.
        models: its folder for model copies.
        backend: "ring" (TCP), or "jaccl" (RDMA over Thunderbolt).
        rdma: for jaccl, its RDMA device for each host of the group in order, None for itself.
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
                f"Invalid host name {self.name!r}. Use up to 40 letters, digits, '.', '_' and '-'."
            )
        if not _ADDRESS.fullmatch(self.address):
            raise HostError(
                f"Invalid ssh address {self.address!r}. Use machine, user@machine or "
                "user@machine:port. Put other ssh options into ~/.ssh/config."
            )
        for what, path in (("program", self.program), ("source", self.source)):
            if path.startswith("-"):
                raise HostError(f"A path of {self.name} starts with '-'.")
            if path and not _PATH.fullmatch(path):
                raise HostError(f"Invalid {what} path of {self.name}: {path!r}.")
        if not _FOLDER.fullmatch(self.models):
            raise HostError(
                f"Invalid models folder of {self.name}: {self.models!r}. Start with / or ~/, "
                "and use letters, digits, '.', '_', '+' and '-'."
            )
        first, last = self.ports
        if not 1024 <= first <= last <= 65535:
            raise HostError(f"Invalid ports of {self.name}: {first}-{last}. Use 1024-65535.")
        if self.ip:
            try:
                ipaddress.ip_address(self.ip)
            except ValueError:
                raise HostError(f"Invalid IP address of {self.name}: {self.ip!r}.") from None
        if self.backend not in BACKENDS:
            raise HostError(f"Invalid backend of {self.name}: {self.backend!r}. Use ring or jaccl.")
        if any(device is not None and not _DEVICE.fullmatch(device) for device in self.rdma):
            raise HostError(f"Invalid RDMA devices of {self.name}.")

    @property
    def is_local(self) -> bool:
        return self.address == LOCAL

    @property
    def machine(self) -> str:
        """The address without user and port."""
        return self._part("machine")

    @property
    def destination(self) -> str:
        """The address for `ssh`, without the port."""
        user = self._part("user")
        return f"{user}@{self.machine}" if user else self.machine

    @property
    def ssh_port(self) -> str:
        """The port for `ssh`; "" for its default."""
        return self._part("port")

    def _part(self, name: str) -> str:
        found = _ADDRESS.fullmatch(self.address)
        assert found is not None
        return found[name] or ""


def local_hosts(count: int = 1) -> tuple[Host, ...]:
    """Return hosts for a number of ranks on this machine."""
    return tuple(Host(LOCAL) for _ in range(count))


def check_group(hosts: Sequence[Host]) -> None:
    """Reject hosts that cannot form a group.

    Raises:
        HostError: with the reason.
    """
    if not hosts or not hosts[0].is_local:
        raise HostError(
            "The first host must be this machine. Put local first, or run the command on the "
            "other machine."
        )
    backends = {host.backend for host in hosts}
    if "jaccl" in backends and (
        len(backends) > 1 or any(len(host.rdma) != len(hosts) for host in hosts)
    ):
        raise HostError(
            "jaccl needs all hosts of a file from mlx.distributed_config, in its order. "
            "Add them with: cluster add --from FILE."
        )


# -- the hosts file -------------------------------------------------------------------------


def default_file() -> Path:
    return platformdirs.user_config_path("Stretto", appauthor=False) / "hosts.json"


class _File(Struct):
    hosts: list[Host]


class HostsFile:
    """The hosts by name, stored in a file. `LOCAL` is always the first.

    Raises:
        HostError: the file cannot be read or is invalid.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or default_file()
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
                f'{self.file} is invalid ({error}). Expected {{"hosts": […]}}.'
            ) from None

    def all(self) -> tuple[Host, ...]:
        """Return all hosts in the order in which they were added."""
        return tuple(self._hosts.values())

    def get(self, name: str) -> Host:
        """Return a host. Raise `HostError` if the name is unknown."""
        if name not in self._hosts:
            raise HostError(
                f"Unknown host {name!r}. Known hosts: {', '.join(self._hosts)}. Add it with: "
                f"cluster add {name} user@machine."
            )
        return self._hosts[name]

    def group(self, names: Iterable[str]) -> tuple[Host, ...]:
        """Return the hosts of a group in order. A name given twice gets two ranks.

        Raises:
            HostError: a name is unknown, or the hosts cannot form a group.
        """
        hosts = tuple(self.get(name.strip()) for name in names)
        check_group(hosts)
        return hosts

    def add(self, *hosts: Host) -> None:
        """Add or replace hosts.

        Raises:
            OSError: the file cannot be written.
        """
        self._hosts |= {host.name: host for host in hosts}
        self._write()

    def remove(self, name: str) -> None:
        """Remove a host. `LOCAL` is reset to its defaults instead.

        Raises:
            HostError: the name is unknown.
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


def hosts_from_mlx_file(file: Path, program: str = "", source: str = "") -> list[Host]:
    """Return the hosts of a file from `mlx.distributed_config`, the first one as this machine.

    Args:
        program, source: of the hosts that are not this machine.

    Raises:
        HostError: the file is invalid.
    """
    from mlx._distributed_utils.common import Hostfile

    try:
        listed = Hostfile.from_file(file)
        return [
            _host_from_mlx(listed, number, program, source) for number in range(len(listed.hosts))
        ]
    except HostError:
        raise
    except (ValueError, TypeError, AttributeError) as error:
        raise HostError(f"{file} is not a hosts file of mlx.distributed_config: {error}.") from None


def _host_from_mlx(listed: Any, number: int, program: str, source: str) -> Host:
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

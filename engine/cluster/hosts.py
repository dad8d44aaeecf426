"""Machines that a model can be sharded over, and the file that lists them."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import platformdirs
from msgspec import Struct, to_builtins

from engine.files import replace_text

LOCAL = "local"  # address of this machine, and name of a host that always exists

PORTS = (52100, 52199)  # default ports for ranks to listen on

MODELS = "~/.stretto/models"  # default folder for model copies on other machines

BACKENDS = ("ring", "jaccl")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_ADDRESS = re.compile(
    r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9._-]{0,63})@)?"
    r"(?P<machine>[A-Za-z0-9_][A-Za-z0-9._-]{0,252})(?::(?P<port>\d{1,5}))?"
)
_PATH = re.compile(r"(~/)?[A-Za-z0-9._/ +-]{1,400}")
# rsync and scp pass a remote folder to a shell, so special characters aren't allowed.
_FOLDER = re.compile(r"(~/|/)[A-Za-z0-9._/+-]{1,400}")
_DEVICE = re.compile(r"[A-Za-z0-9_]{1,40}")


class HostError(ValueError):
    """Raised if a host can't be used or its description is invalid. The message says what to do."""


class Host(Struct, frozen=True):
    """Machine that can run ranks.

    Attributes:
        address: "user@machine:port" for `ssh`. `LOCAL` is this machine and doesn't need ssh.
        program: Python with Stretto installed, or the packaged program. "" means `stretto` in the
            remote path, or on this machine, the running program.
        source: folder with Stretto's source code, if it isn't installed in that Python.
        ip: address that other ranks connect to. "" for the address ssh used.
        ports: first and last port its ranks may listen on.
        backend: "ring" (TCP) or "jaccl" (RDMA over Thunderbolt).
        rdma: for jaccl, the RDMA device for reaching each host of the group, in order. None for the
            host itself.
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
        for kind, path in (("program", self.program), ("source", self.source)):
            if path.startswith("-"):
                raise HostError(f"A path of {self.name} starts with '-'.")
            if path and not _PATH.fullmatch(path):
                raise HostError(f"Invalid {kind} path of {self.name}: {path!r}.")
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
        return self._address_part("machine")

    @property
    def destination(self) -> str:
        user = self._address_part("user")
        return f"{user}@{self.machine}" if user else self.machine

    @property
    def ssh_port(self) -> str:
        return self._address_part("port")

    def _address_part(self, name: str) -> str:
        match = _ADDRESS.fullmatch(self.address)
        assert match is not None
        return match[name] or ""


def local_hosts(count: int = 1) -> tuple[Host, ...]:
    return tuple(Host(LOCAL) for _ in range(count))


def check_group(hosts: Sequence[Host]) -> None:
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


def default_file() -> Path:
    return platformdirs.user_config_path("Stretto", appauthor=False) / "hosts.json"


class _File(Struct):
    hosts: list[Host]


class HostsFile:
    """Hosts of the user, stored in a file. `LOCAL` always comes first.

    Raises:
        HostError: if the file can't be read or isn't valid.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or default_file()
        self._hosts = {LOCAL: Host(LOCAL), **{host.name: host for host in self._read()}}

    def _read(self) -> list[Host]:
        try:
            content = self.file.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise HostError(f"{self.file} cannot be read: {error}.") from None
        try:
            return msgspec.json.decode(content, type=_File).hosts
        except (ValueError, RecursionError) as error:
            raise HostError(
                f'{self.file} is invalid ({error}). Expected {{"hosts": […]}}.'
            ) from None

    def all(self) -> tuple[Host, ...]:
        return tuple(self._hosts.values())

    def get(self, name: str) -> Host:
        if name not in self._hosts:
            raise HostError(
                f"Unknown host {name!r}. Known hosts: {', '.join(self._hosts)}. Add it with: "
                f"cluster add {name} user@machine."
            )
        return self._hosts[name]

    def group(self, names: Iterable[str]) -> tuple[Host, ...]:
        """Return the hosts of a group. A host gets two ranks if its name is given twice.

        Raises:
            HostError: if a name is unknown, or the hosts can't form a group.
        """
        hosts = tuple(self.get(name.strip()) for name in names)
        check_group(hosts)
        return hosts

    def add(self, *hosts: Host) -> None:
        self._hosts |= {host.name: host for host in hosts}
        self._write()

    def remove(self, name: str) -> None:
        """Remove a host, or restore the defaults of `LOCAL`.

        Raises:
            HostError: if there's no such host.
        """
        self.get(name)
        del self._hosts[name]
        self._hosts = {LOCAL: Host(LOCAL), **self._hosts}
        self._write()

    def _write(self) -> None:
        hosts = [to_builtins(host) for host in self._hosts.values() if host != Host(LOCAL)]
        self.file.parent.mkdir(parents=True, exist_ok=True)
        replace_text(self.file, json.dumps({"hosts": hosts}, indent=2) + "\n")


def hosts_from_mlx_file(file: Path, program: str = "", source: str = "") -> list[Host]:
    """Return the hosts in a file written by `mlx.distributed_config`.

    The first host becomes this machine.

    Args:
        program, source: set for all hosts but this machine.

    Raises:
        HostError: if the file isn't valid.
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
    fields: dict[str, Any] = {
        "ip": str(next(iter(host.ips), "")),
        "backend": "jaccl" if jaccl else "ring",
        "rdma": tuple(devices) if jaccl else (),
    }
    if number == 0:
        return Host(LOCAL, **fields)
    name = host.ssh_hostname.rpartition("@")[2].partition(":")[0]
    return Host(name, host.ssh_hostname, program, source, **fields)

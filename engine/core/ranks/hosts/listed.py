"""The file of the person's hosts."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import platformdirs

from engine.core.ranks.hosts.host import LOCAL, Host, HostError, check_group, from_json


def standard_file() -> Path:
    """Where the hosts lie if no other place is named."""
    return platformdirs.user_config_path("Stretto", appauthor=False) / "hosts.json"


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
            told = json.loads(self.file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise HostError(f"{self.file} cannot be read: {error}.") from None
        listed = told.get("hosts") if isinstance(told, Mapping) else None
        if not isinstance(listed, list):
            raise HostError(f'{self.file} holds no hosts. It is {{"hosts": […]}}.')
        return [from_json(one) for one in listed]

    def all(self) -> tuple[Host, ...]:
        """All of them, in the order in which they were added."""
        return tuple(self._hosts.values())

    def get(self, name: str) -> Host:
        """The host of that name.

        Raises:
            HostError: there is none.
        """
        try:
            return self._hosts[name]
        except KeyError:
            known = ", ".join(self._hosts)
            raise HostError(
                f"There is no host {name!r}. There are: {known}. Add one by: cluster add {name} "
                "user@machine."
            ) from None

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
        kept = [asdict(host) for host in self._hosts.values() if host != Host(LOCAL)]
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
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        listed = told["hosts"] if isinstance(told, Mapping) else told
        backend = str(told.get("backend") or "ring") if isinstance(told, Mapping) else "ring"
        return [_configured(n, one, backend, program, source) for n, one in enumerate(listed)]
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        if isinstance(error, HostError):
            raise
        raise HostError(f"{file} is no hosts' file of mlx.distributed_config: {error!r}.") from None


def _configured(
    number: int, one: Mapping[str, object], backend: str, program: str, source: str
) -> Host:
    address, ips, rdma = str(one["ssh"]), one.get("ips") or [""], one.get("rdma") or []
    assert isinstance(ips, Sequence)
    assert isinstance(rdma, Sequence)
    devices = [device[0] if isinstance(device, list) else device for device in rdma]
    name = LOCAL if number == 0 else address.rpartition("@")[2].partition(":")[0]
    return Host(
        name,
        LOCAL if number == 0 else address,
        program="" if number == 0 else program,
        source="" if number == 0 else source,
        ip=str(ips[0]),
        backend="jaccl" if backend.startswith("jaccl") else "ring",
        rdma=tuple(devices) if backend.startswith("jaccl") else (),
    )

"""Brings a model to the other hosts, by `rsync` where both have it, else by `scp`."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.core.ranks.hosts import checking, copies, ssh
from engine.core.ranks.hosts.host import Host
from engine.model import fingerprint

_ASKING = 60.0  # seconds for a small command


class CopyError(Exception):
    """A model could not be brought to a host; the words say why."""


@dataclass(frozen=True)
class Copied:
    """Where a host has the model now.

    Attributes:
        folder: there.
        nbytes: of its files.
        by: "rsync" or "scp"; "" where it was there already.
    """

    host: Host
    folder: str
    nbytes: int
    by: str


def copy(folder: Path, name: str, host: Host, say: Callable[[str], None]) -> Copied:
    """Copy what a rank needs of a model. What a copy that broke off has brought is kept.

    Args:
        folder: the model's, on this machine.
        say: is told what is done.

    Raises:
        CopyError: it could not be done.
    """
    contents = fingerprint.contents(folder)
    target = f"{host.models.rstrip('/')}/{copies.copy_name(name, contents)}"
    files = copies.files(folder)
    nbytes = sum(file.stat().st_size for file in files)
    told = checking.ask(host, target)
    if isinstance(told, str):
        raise CopyError(told)
    if told.get("contents") == contents:
        return Copied(host, target, nbytes, "")
    if told["disk"] < nbytes:
        raise CopyError(
            f"{host.name} has {told['disk'] / 1e9:.1f} GB left, and {name} has {nbytes / 1e9:.1f}."
        )
    _ask(host, ["mkdir", "-p", target])
    by = "rsync" if shutil.which("rsync") and _has_rsync(host) else "scp"
    say(f"{name}, {nbytes / 1e9:.2f} GB, to {host.name} by {by} …")
    _run([*_command(by, host, files), f"{host.destination}:{target.removeprefix('~/')}/"], host)
    told = checking.ask(host, target)
    if isinstance(told, str) or told.get("contents") != contents:
        why = told if isinstance(told, str) else "Run the same command again."
        raise CopyError(f"What has come to {host.name} is not the same as here. {why}")
    return Copied(host, target, nbytes, by)


def _command(by: str, host: Host, files: list[Path]) -> list[str]:
    # Files by their real paths would have other names: a snapshot of the hub is made of links.
    port = ["-p", host.ssh_port] if host.ssh_port else []
    if by == "rsync":
        carried = shlex.join(["ssh", *ssh.OPTIONS, *port])
        return ["rsync", "-tL", "--partial", "-e", carried, "--", *map(str, files)]
    options = [part for part in ssh.OPTIONS if part not in ("-T", "-a", "-x")]
    return [
        "scp",
        "-q",
        "-p",
        *options,
        *(["-P", host.ssh_port] if port else []),
        "--",
        *map(str, files),
    ]


def _has_rsync(host: Host) -> bool:
    try:
        return ssh.run(host, ["rsync", "--version"], _ASKING).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _ask(host: Host, arguments: list[str]) -> None:
    try:
        ran = ssh.run(host, arguments, _ASKING)
    except subprocess.TimeoutExpired:
        raise CopyError(f"{host.name} has not answered within {_ASKING:.0f} seconds.") from None
    except OSError as error:
        raise CopyError(f"ssh could not be started here: {error}.") from None
    if ran.returncode:
        raise CopyError(ssh.fault(host, ran.returncode, ran.stderr))


def _run(command: list[str], host: Host) -> None:
    ran = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
        check=False,
    )  # fmt: skip
    if ran.returncode:
        words = (ran.stderr.strip().splitlines() or ["without a word"])[-1][:200]
        raise CopyError(
            f"The copy to {host.name} broke off ({words}). Run the same command again: it goes on "
            "from there."
        )

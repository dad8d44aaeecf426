"""The command lines that run something on another machine, by the system's own `ssh`.

No shell reads anything on this side. On the other one `sshd` gives the line to the account's
shell, so each part of it is quoted.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import PurePosixPath

from engine.core.ranks.hosts.host import Host

ALIVE = 2
"""Seconds between two signs of life that `ssh` wants of the other side. Three may be missing."""

OPTIONS = (
    *("-T", "-a", "-x"),
    *("-o", "BatchMode=yes"),
    *("-o", "ConnectTimeout=10"),
    *("-o", f"ServerAliveInterval={ALIVE}"),
    *("-o", "ServerAliveCountMax=3"),
    *("-o", "ClearAllForwardings=yes"),
    *("-o", "LogLevel=ERROR"),
)
"""Nothing is asked, nothing but the command goes over the connection, and a dead one is noticed."""

OVER_STDIO = "--over-stdio"
"""What tells a rank that the relay is at its standard input and output."""

KEPT = "--kept"
"""What makes the process one that starts such a rank, and kills it when the relay has gone."""


def command(host: Host, arguments: Sequence[str]) -> list[str]:
    """The command line that runs this one on a host."""
    port = ["-p", host.ssh_port] if host.ssh_port else []
    return ["ssh", *OPTIONS, *port, "--", host.destination, line(arguments, host.source)]


def line(arguments: Sequence[str], source: str = "") -> str:
    """What a shell on the other side reads; "~/" is the home of the account there."""
    path = ["env", "PYTHONDONTWRITEBYTECODE=1", f"PYTHONPATH={quoted(source)}"] if source else []
    return " ".join([*("exec", *path), *map(quoted, arguments)])


def quoted(text: str) -> str:
    """One word for a POSIX shell."""
    if text.startswith("~/"):
        return '"$HOME"/' + shlex.quote(text[2:])
    return shlex.quote(text)


def rank(host: Host) -> list[str]:
    """What runs a rank there, and keeps watch over it."""
    program = host.program or "stretto"
    module = ["-P", "-m", "engine.core.ranks"] if _is_python(program) else ["--rank-child"]
    return [program, *module, KEPT]


def engine(host: Host, *arguments: str) -> list[str]:
    """What runs one of the engine's commands there."""
    program = host.program or "stretto"
    return [program, *(["-P", "-m", "engine"] if _is_python(program) else []), *arguments]


def _is_python(program: str) -> bool:
    return PurePosixPath(program).name.lower().startswith("python")


def run(host: Host, arguments: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str]:
    """Run something on a host, and wait for it.

    Raises:
        OSError: there is no `ssh` here.
        subprocess.TimeoutExpired: it took longer.
    """
    return subprocess.run(
        command(host, arguments),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds,
        start_new_session=True,  # nothing of it may ask at a terminal
        check=False,
    )


def fault(host: Host, status: int | None, said: str) -> str:
    """Why `ssh`, or what it ran, has failed, and what to do: from its status and its words."""
    low, last = said.lower(), (said.strip().splitlines() or [""])[-1][:200]
    to = host.destination
    if "host key verification failed" in low or "host identification has changed" in low:
        return f"{host.name}: its key is not known here. Connect once in a terminal: ssh {to}"
    if "permission denied" in low and status == 255:
        return f"{host.name} wants a password. Let it know your key in a terminal: ssh-copy-id {to}"
    if status == 255:
        return (
            f"{host.name} cannot be reached at {host.address} ({last or 'no answer'}). Is it on, "
            "and may people log in remotely?"
        )
    if status in (126, 127) or "no module named" in low:
        return (
            f"{host.name} has no Stretto at {host.program or 'stretto'} ({last}). Name it by "
            f"--program, and its sources by --source: cluster add {host.name} {host.address} …"
        )
    return f"{host.name}: it has ended with status {status} ({last or 'without a word'})."

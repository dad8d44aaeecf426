"""The other machines: how to run something there by `ssh`, what they have, and models for them.

`ssh` is the system's own, which keeps the keys. No shell reads anything on this side. On the other
one `sshd` gives the line to the account's shell, so each part of it is quoted.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec import Struct, field

from engine.cluster.hosts import Host, HostError
from engine.cluster.link import versions
from engine.sandbox.process import FROZEN

ARGUMENT = "--rank-child"
"""What the packaged program is started with to be a rank. No one else is to use it."""

KEPT = "--kept"
"""What starts a rank with a process beside it that kills it when the connection has gone."""

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

SAME = ("protocol", "mlx", "mlx-lm", "stretto")  # the versions that must be the same on all hosts

SUFFIXES = (".json", ".jinja", ".model", ".tiktoken", ".txt", ".safetensors")
"""Of the files that a model is recognised by; see `engine.model.fingerprint.contents`. With tensor
parallelism each rank reads a slice of every tensor, so there is no file that it does not need."""

_CHECKING = 90.0  # seconds for one host: macOS looks at a program that was just built
_SMALL = 60.0  # seconds for a small command
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


# -- command lines --------------------------------------------------------------------------


def rank_command(host: Host) -> list[str]:
    """What runs a rank on a host: here this very program, or the interpreter that runs it."""
    if host.here:
        module = [ARGUMENT] if FROZEN else ["-P", "-m", "engine.cluster"]
        return [sys.executable, *module]
    program = host.program or "stretto"
    module = ["-P", "-m", "engine.cluster"] if _is_python(program) else [ARGUMENT]
    return [program, *module, KEPT]


def engine_command(host: Host, *arguments: str) -> list[str]:
    """What runs one of the engine's commands on another host."""
    program = host.program or "stretto"
    return [program, *(["-P", "-m", "engine"] if _is_python(program) else []), *arguments]


def _is_python(program: str) -> bool:
    return PurePosixPath(program).name.lower().startswith("python")


def ssh_command(host: Host, arguments: Sequence[str]) -> list[str]:
    """The command line that runs this one on another host."""
    line = shell_line(arguments, host.source)
    return ["ssh", *OPTIONS, *_port(host, "-p"), "--", host.destination, line]


def _port(host: Host, option: str) -> list[str]:
    return [option, host.ssh_port] if host.ssh_port else []


def shell_line(arguments: Sequence[str], source: str = "") -> str:
    """What a shell on the other side reads; "~/" is the home of the account there."""
    path = ["env", "PYTHONDONTWRITEBYTECODE=1", f"PYTHONPATH={_quoted(source)}"] if source else []
    return " ".join([*("exec", *path), *map(_quoted, arguments)])


def _quoted(text: str) -> str:
    return '"$HOME"/' + shlex.quote(text[2:]) if text.startswith("~/") else shlex.quote(text)


def run(host: Host, arguments: Sequence[str], seconds: float) -> str:
    """What a command on another host writes to its standard output.

    Raises:
        HostError: it could not be run, took longer, or failed.
    """
    try:
        ran = subprocess.run(
            ssh_command(host, arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            start_new_session=True,  # nothing of it may ask at a terminal
            check=False,
        )
    except OSError as error:
        raise HostError(f"ssh could not be started here: {error}.") from None
    except subprocess.TimeoutExpired:
        raise HostError(f"{host.name} has not answered within {seconds:.0f} seconds.") from None
    if ran.returncode:
        raise HostError(ssh_fault(host, ran.returncode, ran.stderr))
    return ran.stdout


def ssh_fault(host: Host, status: int | None, said: str) -> str:
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


# -- what a machine is ----------------------------------------------------------------------


def describe(models: str, folder: str = "") -> dict[str, Any]:
    """What this machine says of itself, for `check` on another one.

    Args:
        models: the folder for copies of models.
        folder: of a model, whose contents are wanted, too.

    Returns:
        "versions", by part; "system"; "memory" and "disk", bytes that are free; "device"; "jaccl",
        True if MLX has it here; "reached", by which address `ssh` came; "contents".
    """
    from engine.model import backend

    about = backend.start()
    import mlx.core as mx

    mac = platform.mac_ver()[0]
    system = f"macOS {mac}" if mac else f"{platform.system()} {platform.release()}"
    place = Path(models).expanduser()
    there = next(p for p in (place, *place.parents) if p.exists())
    found: dict[str, Any] = {
        "versions": {**versions(), "python": platform.python_version(), "stretto": _own_version()},
        "system": f"{system} {platform.machine()}",
        "device": about.device,
        "memory": about.memory,
        "disk": shutil.disk_usage(there).free,
        "jaccl": mx.distributed.is_available("jaccl"),
        "reached": ((os.environ.get("SSH_CONNECTION") or "").split() + [""] * 3)[2],
    }
    if folder:
        found["contents"] = _contents(Path(folder).expanduser())
    return found


def _own_version() -> str:
    try:
        return importlib.metadata.version("stretto")
    except importlib.metadata.PackageNotFoundError:
        return ""


def _contents(folder: Path) -> str:
    from engine.model import fingerprint
    from engine.sandbox.protocol import RefusedError

    try:
        return fingerprint.contents(folder)
    except (OSError, ValueError, RefusedError):  # a file is not whole yet
        return ""


# -- whether they can take a rank -----------------------------------------------------------


class Report(Struct, frozen=True):
    """What is known of a host."""

    host: Host
    # as `describe` gives it; {} where the host did not answer
    told: Mapping[str, Any] = field(default_factory=dict)
    faults: tuple[str, ...] = ()  # what keeps it from taking a rank, in sentences

    @property
    def good(self) -> bool:
        return not self.faults

    def lines(self) -> list[str]:
        """For people, the first line with the host's name."""
        told, head = self.told, self.host.name
        if told:
            address = self.host.ip or told.get("reached") or "127.0.0.1"
            head += (
                f": {told['system']}, {told['memory'] / 1e9:.1f} GB for models, "
                f"{told['disk'] / 1e9:.0f} GB of disk, {address}, "
                f"Python {told['versions'].get('python')}, mlx {told['versions'].get('mlx')}, "
                f"mlx-lm {told['versions'].get('mlx-lm')}"
            )
        return [head, *(f"  {line}" for line in self.faults)]


def check(hosts: Sequence[Host]) -> list[Report]:
    """Ask all of them; takes as long as the slowest. Versions are compared with this machine's."""
    here = describe(hosts[0].models if hosts else "")
    with ThreadPoolExecutor(max(1, len(hosts))) as threads:
        return list(threads.map(lambda host: _check(host, here), hosts))


def _check(host: Host, here: Mapping[str, Any]) -> Report:
    try:
        told = here if host.here else ask(host)
    except HostError as fault:
        return Report(host, {}, (str(fault),))
    faults = differing(host.name, here["versions"], told["versions"])
    if host.backend == "jaccl" and not told.get("jaccl"):
        faults.append(f"{host.name} has no JACCL: that is macOS 26.2 and Thunderbolt 5.")
    return Report(host, told, tuple(faults))


def ask(host: Host, folder: str = "") -> dict[str, Any]:
    """What another machine says of itself.

    Args:
        folder: of a model there, whose contents are wanted.

    Raises:
        HostError: it cannot be asked, or has no Stretto that knows the question.
    """
    asked = ["cluster", "here", "--models", host.models, *(["--folder", folder] if folder else [])]
    said = run(host, engine_command(host, *asked), _CHECKING)
    try:
        # A shell there may have said something before.
        told = json.loads(said.strip().splitlines()[-1])
        if isinstance(told, dict) and isinstance(told.get("versions"), dict):
            return told
    except (ValueError, IndexError):
        pass
    raise HostError(
        f"{host.name} has a Stretto that does not know of clusters. Install the same version."
    )


def differing(
    name: str, here: Mapping[str, Any], there: Mapping[str, Any], own: str = "this machine"
) -> list[str]:
    """A sentence for each part of which a host, or a rank, has another version."""
    return [
        f"{name} has {part} {there.get(part) or 'unknown'}, {own} has {here.get(part)}. "
        "Install the same version."
        for part in SAME
        if here.get(part) and here.get(part) != there.get(part)
    ]


# -- models for them ------------------------------------------------------------------------


def copy_name(name: str, contents: str) -> str:
    """The name of a copy's folder: no two models share one, and no shell reads anything in it."""
    plain = _UNSAFE.sub("-", name).strip("-.")[:60] or "model"
    return f"{plain}-{contents[:12]}"


def find_model(path: Path, contents: str, models: str) -> Path:
    """The folder of a model on this machine, or ``path`` where there is none.

    Args:
        path: where rank 0 has it.
        models: the folder for copies here; "" for none.
    """
    if path.is_dir():
        return path
    if models:
        copies = sorted(Path(models).expanduser().glob(f"*-{contents[:12]}"))
        if copies:
            return copies[0]
    parts = path.parts
    if len(parts) > 3 and parts[-2] == "snapshots" and parts[-3].startswith("models--"):
        from huggingface_hub.constants import HF_HUB_CACHE

        snapshot = Path(HF_HUB_CACHE, *parts[-3:])
        if snapshot.is_dir():
            return snapshot
    return path


class Copied(Struct, frozen=True):
    """Where a host has a model now."""

    host: Host
    folder: str  # there
    nbytes: int  # of its files
    by: str  # "rsync" or "scp"; "" where it was there already


def copy(folder: Path, name: str, host: Host, say: Callable[[str], None]) -> Copied:
    """Copy what a rank needs of a model, by `rsync` where both have it, else by `scp`.

    What a copy that broke off has brought is kept.

    Args:
        folder: the model's, on this machine.
        say: is called with a line before a copy begins.

    Raises:
        HostError: it could not be done.
    """
    from engine.model import fingerprint

    contents = fingerprint.contents(folder)
    target = f"{host.models.rstrip('/')}/{copy_name(name, contents)}"
    files = sorted(f for f in folder.iterdir() if f.suffix in SUFFIXES and f.is_file())
    nbytes = sum(file.stat().st_size for file in files)
    told = ask(host, target)
    if told.get("contents") == contents:
        return Copied(host, target, nbytes, "")
    if told["disk"] < nbytes:
        raise HostError(
            f"{host.name} has {told['disk'] / 1e9:.1f} GB left, and {name} has {nbytes / 1e9:.1f}."
        )
    run(host, ["mkdir", "-p", target], _SMALL)
    by = "rsync" if shutil.which("rsync") and _has_rsync(host) else "scp"
    say(f"{name}, {nbytes / 1e9:.2f} GB, to {host.name} by {by} …")
    _transfer(host, by, files, target)
    if ask(host, target).get("contents") != contents:
        raise HostError(
            f"What has come to {host.name} is not the same as here. Run the same command again."
        )
    return Copied(host, target, nbytes, by)


def _has_rsync(host: Host) -> bool:
    try:
        run(host, ["rsync", "--version"], _SMALL)
    except HostError:
        return False
    return True


def _transfer(host: Host, by: str, files: Sequence[Path], target: str) -> None:
    # Files by their real paths would have other names: a snapshot of the hub is made of links.
    if by == "rsync":
        carrier = shlex.join(["ssh", *OPTIONS, *_port(host, "-p")])
        command = ["rsync", "-tL", "--partial", "-e", carrier]
    else:
        command = ["scp", "-q", "-p", *OPTIONS[3:], *_port(host, "-P")]
    place = f"{host.destination}:{target.removeprefix('~/')}/"
    ran = subprocess.run(
        [*command, "--", *map(str, files), place],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if ran.returncode:
        words = (ran.stderr.strip().splitlines() or ["without a word"])[-1][:200]
        raise HostError(
            f"The copy to {host.name} broke off ({words}). Run the same command again: it goes on "
            "from there."
        )

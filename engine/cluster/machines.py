"""Access to other machines: commands over `ssh`, checks of their properties, and model copies.

`sshd` passes the command line to the account's shell, so every argument is quoted.
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

RANK_ARGUMENT = "--rank-child"
"""Command-line argument that turns the packaged program into a rank."""

GUARD_ARGUMENT = "--kept"
"""Command-line argument for running the rank under a guard process, which kills it when the
connection closes.
"""

SSH_ALIVE_S = 2
"""Interval of ssh's keep-alives. ssh closes the connection after three missing replies."""

SSH_OPTIONS = (
    *("-T", "-a", "-x"),
    *("-o", "BatchMode=yes"),
    *("-o", "ConnectTimeout=10"),
    *("-o", f"ServerAliveInterval={SSH_ALIVE_S}"),
    *("-o", "ServerAliveCountMax=3"),
    *("-o", "ClearAllForwardings=yes"),
    *("-o", "LogLevel=ERROR"),
)
"""Options of ssh: no prompts or forwarding, and dead connections are detected."""

COMPARED_VERSIONS = ("protocol", "mlx", "mlx-lm", "stretto")  # must match on all hosts

MODEL_SUFFIXES = (".json", ".jinja", ".model", ".tiktoken", ".txt", ".safetensors")
"""Suffixes of a model's files (see `engine.model.fingerprint.hash_contents`).

With tensor parallelism, each rank reads a slice of every tensor, so every rank needs all files.
"""

# Timeout per host, including the time for macOS to scan a newly built program.
_CHECK_TIMEOUT_S = 90.0
_COMMAND_TIMEOUT_S = 60.0  # timeout for short commands
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def rank_command(host: Host) -> list[str]:
    """Return the command that runs a rank on a host. Locally, it uses the running program."""
    if host.is_local:
        module = [RANK_ARGUMENT] if FROZEN else ["-P", "-m", "engine.cluster"]
        return [sys.executable, *module]
    program = host.program or "stretto"
    module = ["-P", "-m", "engine.cluster"] if _is_python(program) else [RANK_ARGUMENT]
    return [program, *module, GUARD_ARGUMENT]


def remote_engine_command(host: Host, *arguments: str) -> list[str]:
    program = host.program or "stretto"
    return [program, *(["-P", "-m", "engine"] if _is_python(program) else []), *arguments]


def _is_python(program: str) -> bool:
    return PurePosixPath(program).name.lower().startswith("python")


def ssh_command(host: Host, arguments: Sequence[str]) -> list[str]:
    line = shell_line(arguments, host.source)
    return ["ssh", *SSH_OPTIONS, *_port_options(host, "-p"), "--", host.destination, line]


def _port_options(host: Host, option: str) -> list[str]:
    return [option, host.ssh_port] if host.ssh_port else []


def shell_line(arguments: Sequence[str], source: str = "") -> str:
    """Quote a command line for the remote shell. "~/" means the remote account's home."""
    path = ["env", "PYTHONDONTWRITEBYTECODE=1", f"PYTHONPATH={_quote(source)}"] if source else []
    return " ".join([*("exec", *path), *map(_quote, arguments)])


def _quote(text: str) -> str:
    return '"$HOME"/' + shlex.quote(text[2:]) if text.startswith("~/") else shlex.quote(text)


def run_remote(host: Host, arguments: Sequence[str], seconds: float) -> str:
    """Run a command on another host and return its stdout.

    Raises:
        HostError: if it can't be run, fails, or takes too long.
    """
    try:
        ran = subprocess.run(
            ssh_command(host, arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            start_new_session=True,  # prevents prompts on the terminal
            check=False,
        )
    except OSError as error:
        raise HostError(f"ssh could not start: {error}.") from None
    except subprocess.TimeoutExpired:
        raise HostError(f"{host.name} did not answer within {seconds:.0f} seconds.") from None
    if ran.returncode:
        raise HostError(ssh_error_text(host, ran.returncode, ran.stderr))
    return ran.stdout


def ssh_error_text(host: Host, status: int | None, stderr: str) -> str:
    low, last = stderr.lower(), (stderr.strip().splitlines() or [""])[-1][:200]
    to = host.destination
    if "host key verification failed" in low or "host identification has changed" in low:
        return f"The key of {host.name} is unknown. Connect once in a terminal: ssh {to}"
    if "permission denied" in low and status == 255:
        return f"{host.name} asks for a password. Copy your key in a terminal: ssh-copy-id {to}"
    if status == 255:
        return (
            f"{host.name} cannot be reached at {host.address} ({last or 'no answer'}). Is it on, "
            "and is remote login enabled?"
        )
    if status in (126, 127) or "no module named" in low:
        return (
            f"{host.name} has no Stretto at {host.program or 'stretto'} ({last}). Set --program, "
            f"or --source for its sources: cluster add {host.name} {host.address} …"
        )
    return f"{host.name}: the command failed with status {status} ({last or 'no output'})."


def describe_machine(models: str, folder: str = "") -> dict[str, Any]:
    """Return properties of this machine, for `check_hosts` on another machine.

    Args:
        folder: a model folder whose fingerprint to include.

    Returns:
        "versions" by component; "system"; "memory" and "disk" (free bytes); "device"; "jaccl" (True
            if MLX supports it here); "reached" (the address `ssh` connected to); "contents" (the
            fingerprint).
    """
    from engine.model import backend

    backend_info = backend.start()
    import mlx.core as mx

    mac = platform.mac_ver()[0]
    system = f"macOS {mac}" if mac else f"{platform.system()} {platform.release()}"
    models_path = Path(models).expanduser()
    existing = next(p for p in (models_path, *models_path.parents) if p.exists())
    properties: dict[str, Any] = {
        "versions": {**versions(), "python": platform.python_version(), "stretto": _own_version()},
        "system": f"{system} {platform.machine()}",
        "device": backend_info.device,
        "memory": backend_info.memory,
        "disk": shutil.disk_usage(existing).free,
        "jaccl": mx.distributed.is_available("jaccl"),
        "reached": ((os.environ.get("SSH_CONNECTION") or "").split() + [""] * 3)[2],
    }
    if folder:
        properties["contents"] = _hash_contents(Path(folder).expanduser())
    return properties


def _own_version() -> str:
    try:
        return importlib.metadata.version("stretto")
    except importlib.metadata.PackageNotFoundError:
        return ""


def _hash_contents(folder: Path) -> str:
    from engine.model import fingerprint
    from engine.sandbox.protocol import RefusedError

    try:
        return fingerprint.hash_contents(folder)
    except (OSError, ValueError, RefusedError):  # the file may be incomplete
        return ""


class HostReport(Struct, frozen=True):
    """Result of checking a host.

    Attributes:
        facts: result of `describe_machine`, or {} without a response.
        problems: sentences that say why it can't run a rank.
    """

    host: Host
    facts: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    @property
    def is_usable(self) -> bool:
        return not self.problems

    def lines(self) -> list[str]:
        """Return lines for the terminal. The first line starts with the host's name."""
        facts, head = self.facts, self.host.name
        if facts:
            address = self.host.ip or facts.get("reached") or "127.0.0.1"
            head += (
                f": {facts['system']}, {facts['memory'] / 1e9:.1f} GB for models, "
                f"{facts['disk'] / 1e9:.0f} GB of disk, {address}, "
                f"Python {facts['versions'].get('python')}, mlx {facts['versions'].get('mlx')}, "
                f"mlx-lm {facts['versions'].get('mlx-lm')}"
            )
        return [head, *(f"  {line}" for line in self.problems)]


def check_hosts(hosts: Sequence[Host]) -> list[HostReport]:
    local = describe_machine(hosts[0].models if hosts else "")
    with ThreadPoolExecutor(max(1, len(hosts))) as threads:
        return list(threads.map(lambda host: _check_host(host, local), hosts))


def _check_host(host: Host, local: Mapping[str, Any]) -> HostReport:
    try:
        answer = local if host.is_local else ask_host(host)
    except HostError as fault:
        return HostReport(host, {}, (str(fault),))
    faults = version_differences(host.name, local["versions"], answer["versions"])
    if host.backend == "jaccl" and not answer.get("jaccl"):
        faults.append(f"{host.name} has no JACCL, which needs macOS 26.2 and Thunderbolt 5.")
    return HostReport(host, answer, tuple(faults))


def ask_host(host: Host, folder: str = "") -> dict[str, Any]:
    """Return the result of `describe_machine` on another machine.

    Args:
        folder: a model folder on that machine.
    """
    args = ["cluster", "here", "--models", host.models, *(["--folder", folder] if folder else [])]
    output = run_remote(host, remote_engine_command(host, *args), _CHECK_TIMEOUT_S)
    try:
        # The remote shell may have printed something first.
        answer = json.loads(output.strip().splitlines()[-1])
        if isinstance(answer, dict) and isinstance(answer.get("versions"), dict):
            return answer
    except (ValueError, IndexError):
        pass
    raise HostError(
        f"The Stretto on {host.name} does not support clusters. Install the same version."
    )


def version_differences(
    name: str,
    own_versions: Mapping[str, Any],
    other_versions: Mapping[str, Any],
    own_name: str = "this machine",
) -> list[str]:
    return [
        f"{name} has {part} {other_versions.get(part) or 'unknown'}, "
        f"{own_name} has {own_versions.get(part)}. Install the same version."
        for part in COMPARED_VERSIONS
        if own_versions.get(part) and own_versions.get(part) != other_versions.get(part)
    ]


def copy_name(name: str, contents: str) -> str:
    """Return a unique folder name for a model copy, without characters that are special to a
    shell.
    """
    plain = _UNSAFE.sub("-", name).strip("-.")[:60] or "model"
    return f"{plain}-{contents[:12]}"


def find_model(path: Path, contents: str, models: str) -> Path:
    """Return a model's copy on this machine, or ``path`` if there is none."""
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


class ModelCopy(Struct, frozen=True):
    host: Host
    folder: str  # path on the host
    nbytes: int  # total size
    method: str  # "rsync" or "scp", or "" if the copy already existed


def copy_model(folder: Path, name: str, host: Host, say: Callable[[str], None]) -> ModelCopy:
    """Copy a model to a host with `rsync`, or `scp` if one machine lacks `rsync`.

    Resumes an interrupted copy.

    Args:
        say: called with a line of text before copying starts.
    """
    from engine.model import fingerprint

    contents = fingerprint.hash_contents(folder)
    target = f"{host.models.rstrip('/')}/{copy_name(name, contents)}"
    files = sorted(f for f in folder.iterdir() if f.suffix in MODEL_SUFFIXES and f.is_file())
    nbytes = sum(file.stat().st_size for file in files)
    answer = ask_host(host, target)
    if answer.get("contents") == contents:
        return ModelCopy(host, target, nbytes, "")
    if answer["disk"] < nbytes:
        raise HostError(
            f"{host.name} has {answer['disk'] / 1e9:.1f} GB free, but {name} needs "
            f"{nbytes / 1e9:.1f} GB."
        )
    run_remote(host, ["mkdir", "-p", target], _COMMAND_TIMEOUT_S)
    method = "rsync" if shutil.which("rsync") and _has_rsync(host) else "scp"
    say(f"{name}, {nbytes / 1e9:.2f} GB, to {host.name} by {method} …")
    _transfer(host, method, files, target)
    if ask_host(host, target).get("contents") != contents:
        raise HostError(
            f"The copy on {host.name} differs from the original. Run the command again."
        )
    return ModelCopy(host, target, nbytes, method)


def _has_rsync(host: Host) -> bool:
    try:
        run_remote(host, ["rsync", "--version"], _COMMAND_TIMEOUT_S)
    except HostError:
        return False
    return True


def _transfer(host: Host, method: str, files: Sequence[Path], target: str) -> None:
    # Use the names of links, not their targets, because hub snapshots consist of links.
    if method == "rsync":
        carrier = shlex.join(["ssh", *SSH_OPTIONS, *_port_options(host, "-p")])
        command = ["rsync", "-tL", "--partial", "-e", carrier]
    else:
        command = ["scp", "-q", "-p", *SSH_OPTIONS[3:], *_port_options(host, "-P")]
    destination = f"{host.destination}:{target.removeprefix('~/')}/"
    ran = subprocess.run(
        [*command, "--", *map(str, files), destination],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if ran.returncode:
        words = (ran.stderr.strip().splitlines() or ["no output"])[-1][:200]
        raise HostError(
            f"Copying to {host.name} was interrupted ({words}). Run the command again to resume."
        )

"""Servers of models that this program spreads over machines, each a process here.

It runs the engine's `serve` on the loopback interface with a random private key, and ends with this
program. A failing machine therefore does not affect other chats.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct, field

from app.remote.address import named
from app.remote.remote_errors import NOT_STARTED, RemoteError
from app.settings.language import tr

_LEAVING = 3.0  # seconds for servers to end normally
_MOST_SAID = 2_000  # characters of a server's last message


class MachineGroup(Struct, frozen=True):
    """A model and its machines."""

    hosts: tuple[str, ...]  # names of the machines, this one first
    folder: str  # of the model on this machine
    file: str = ""  # of the hosts, "" for the default


class StartedServer(Struct, frozen=True):
    """Data of a server that has started."""

    port: int
    model: str  # its name of the model
    context: int  # tokens
    key: str  # required by the server


class ModelUnavailable(Struct, frozen=True):
    """Status of a model that cannot be asked: it is starting, or ``words`` has the reason."""

    starts: bool
    words: str


class GroupServer(Struct):
    """Process of a group."""

    process: subprocess.Popen[bytes]
    # its data once it is ready; fails with RemoteError
    started: Future[StartedServer] = field(default_factory=Future)
    ended: Future[str] = field(default_factory=Future)  # its last message, after its end
    watch: threading.Thread | None = None

    def close(self) -> None:
        """Ask it to end."""
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()


def _own(arguments: Sequence[str]) -> list[str]:
    from engine.sandbox.process import engine_command

    return engine_command(*arguments)


class MachineGroups:
    """Groups by their models' references. Used in one thread; futures end in others.

    Args:
        command: returns the command line of one of the engine's commands.
    """

    def __init__(self, command: Callable[[Sequence[str]], list[str]] = _own) -> None:
        self.known: dict[str, MachineGroup] = {}  # running or not
        self._command = command
        self._servers: dict[str, GroupServer] = {}
        self._new: list[GroupServer] = []  # of models without a reference yet
        self._said: dict[str, str] = {}  # last messages by reference

    def take(self, stored: Mapping[str, Mapping[str, Any]]) -> None:
        """Take the groups from the settings. Invalid ones are left out."""
        for ref, one in stored.items():
            hosts, folder, file = one.get("hosts"), one.get("folder"), one.get("hosts_file", "")
            if (
                isinstance(hosts, list)
                and all(isinstance(host, str) for host in hosts)
                and isinstance(folder, str)
                and isinstance(file, str)
            ):
                self.known[ref] = MachineGroup(tuple(hosts), folder, file)

    def to_json(self, ref: str) -> dict[str, Any]:
        """Return a model's group for the settings, or {}."""
        group = self.known.get(ref)
        if group is None:
            return {}
        return {"hosts": list(group.hosts), "folder": group.folder, "hosts_file": group.file}

    def why_not(self, ref: str) -> ModelUnavailable | None:
        """Return why a model cannot be asked, or None."""
        group = self.known.get(ref)
        if group is None:
            return None
        server = self._servers.get(ref)
        if server is not None and server.process.poll() is None:
            return None if server.started.done() else ModelUnavailable(True, "")
        hosts = ", ".join(group.hosts)
        words = tr("It runs on {hosts} and has not been started.", hosts=hosts)
        return ModelUnavailable(False, " ".join(filter(None, (self._said.get(ref, ""), words))))

    def start(self, group: MachineGroup, ref: str = "") -> GroupServer:
        """Start the server of a group.

        Args:
            ref: its model's reference, which includes the port. "" for a new model, which gets any
                port and its reference in `keep`.
        """
        from engine.serve.auth import Keys

        remote = named(ref) if ref else None
        port = (urlsplit(remote.address).port or 0) if remote is not None else 0
        folder = tempfile.TemporaryDirectory(prefix="stretto-group-")
        keys = Path(folder.name) / "keys.json"
        key = Keys(keys).make("window")
        file = ["--hosts-file", group.file] if group.file else []
        command = self._command(
            [
                *("serve", group.folder, "--hosts", ",".join(group.hosts), *file),
                *("--port", str(port), "--keys", str(keys), "--require-key"),
                *("--for-a-program", "--quiet"),
            ]
        )
        root = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH", ""))))
        log_path = Path(folder.name) / "said"
        with log_path.open("wb") as errors:
            server = GroupServer(
                subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env={**os.environ, "PYTHONPATH": path},
                    start_new_session=True,
                )
            )

        def watch() -> None:
            with folder:
                _watch(server, key, log_path)

        server.watch = threading.Thread(target=watch, name="stretto-group", daemon=True)
        server.watch.start()
        self._new.append(server)
        if ref:
            self.keep(ref, server)
        return server

    def keep(self, ref: str, server: GroupServer) -> None:
        """Assign a new server to its model."""
        self._new.remove(server)
        self._servers[ref] = server
        self._said.pop(ref, None)

    def ended(self, ref: str, message: str) -> None:
        """Store the last message of a model's server."""
        self._said[ref] = message

    def forget(self, ref: str) -> None:
        """End a model's server, and forget its group."""
        self.known.pop(ref, None)
        server = self._servers.pop(ref, None)
        if server is not None:
            server.close()

    def shut_down(self, timeout_s: float = _LEAVING) -> None:
        """End all servers and kill any that miss the deadline. Ranks end with their server."""
        give_up = monotonic() + timeout_s
        servers = [*self._servers.values(), *self._new]
        self._servers.clear()
        self._new.clear()
        for server in servers:
            server.close()
        for server in servers:
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.process.wait(max(0.0, give_up - monotonic()))
            server.process.kill()
            if server.watch is not None:
                server.watch.join(_LEAVING)


def _watch(server: GroupServer, key: str, log_path: Path) -> None:
    """Follow a server until its end. Blocks."""
    assert server.process.stdout is not None
    with server.process.stdout as output:
        line = output.readline(65_536)
        with contextlib.suppress(ValueError, KeyError, TypeError):
            one = json.loads(line)
            started = StartedServer(int(one["port"]), str(one["model"]), int(one["context"]), key)
            server.started.set_result(started)
        while output.read(65_536):
            pass
    server.process.wait()
    server.close()
    words = _last(log_path)
    if not server.started.done():
        server.started.set_exception(
            RemoteError(NOT_STARTED, words or tr("It quit without a message."))
        )
    server.ended.set_result(words)


def _last(log_path: Path) -> str:
    """Return the last line of a program's error output."""
    lines = log_path.read_text(errors="replace")[-_MOST_SAID:].strip().splitlines()
    words = (lines or [""])[-1].removeprefix("serve: ")
    head, _, code = words.rpartition(" [")
    return head if head and code.endswith("]") else words

"""Servers for models distributed over several machines. Each is a local process.

The process runs the engine's `serve` on the loopback interface with a random private key, and ends
with the app. In a separate process, a failing machine can't affect other chats.
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

from app.remote.address import parse_ref
from app.remote.remote_errors import NOT_STARTED, RemoteError
from app.settings.language import tr

_LEAVING = 3.0  # seconds for servers to shut down
_MOST_SAID = 2_000  # characters shown of a server's last output


class MachineGroup(Struct, frozen=True):
    hosts: tuple[str, ...]  # machine names, beginning with this machine
    folder: str
    file: str = ""


class StartedServer(Struct, frozen=True):
    port: int
    model: str
    context: int
    key: str


class ModelUnavailable(Struct, frozen=True):
    starts: bool
    words: str


class GroupServer(Struct):
    process: subprocess.Popen[bytes]
    # resolves when the server is ready, or fails with RemoteError
    started: Future[StartedServer] = field(default_factory=Future)
    # resolves to the last message when the process ends
    ended: Future[str] = field(default_factory=Future)
    watch: threading.Thread | None = None

    def close(self) -> None:
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()


def _own_arguments(arguments: Sequence[str]) -> list[str]:
    from engine.sandbox.process import engine_command

    return engine_command(*arguments)


class MachineGroups:
    """Groups by model reference, used from one thread. Other threads resolve their futures.

    ``command`` returns the command line of an engine command.
    """

    def __init__(self, command: Callable[[Sequence[str]], list[str]] = _own_arguments) -> None:
        self.known: dict[str, MachineGroup] = {}
        self._command = command
        self._servers: dict[str, GroupServer] = {}
        self._unnamed: list[GroupServer] = []  # groups of models that have no reference yet
        self._messages: dict[str, str] = {}  # by reference

    def load(self, stored: Mapping[str, Mapping[str, Any]]) -> None:
        for ref, data in stored.items():
            hosts, folder, file = data.get("hosts"), data.get("folder"), data.get("hosts_file", "")
            if (
                isinstance(hosts, list)
                and all(isinstance(host, str) for host in hosts)
                and isinstance(folder, str)
                and isinstance(file, str)
            ):
                self.known[ref] = MachineGroup(tuple(hosts), folder, file)

    def to_json(self, ref: str) -> dict[str, Any]:
        group = self.known.get(ref)
        if group is None:
            return {}
        return {"hosts": list(group.hosts), "folder": group.folder, "hosts_file": group.file}

    def unavailable_reason(self, ref: str) -> ModelUnavailable | None:
        group = self.known.get(ref)
        if group is None:
            return None
        server = self._servers.get(ref)
        if server is not None and server.process.poll() is None:
            return None if server.started.done() else ModelUnavailable(True, "")
        hosts = ", ".join(group.hosts)
        words = tr("It runs on {hosts} and hasn’t been started.", hosts=hosts)
        return ModelUnavailable(False, " ".join(filter(None, (self._messages.get(ref, ""), words))))

    def start(self, group: MachineGroup, ref: str = "") -> GroupServer:
        """Start a group's server.

        ``ref`` determines the port. For a new model, pass "" to use a free port, and set the
        reference later with `save`.
        """
        from engine.serve.auth import Keys

        remote = parse_ref(ref) if ref else None
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
        self._unnamed.append(server)
        if ref:
            self.save(ref, server)
        return server

    def save(self, ref: str, server: GroupServer) -> None:
        self._unnamed.remove(server)
        self._servers[ref] = server
        self._messages.pop(ref, None)

    def store_end_message(self, ref: str, message: str) -> None:
        self._messages[ref] = message

    def forget(self, ref: str) -> None:
        self.known.pop(ref, None)
        server = self._servers.pop(ref, None)
        if server is not None:
            server.close()

    def shut_down(self, timeout_s: float = _LEAVING) -> None:
        """Stop all servers, and kill any that miss the deadline. Ranks end with their server."""
        give_up = monotonic() + timeout_s
        servers = [*self._servers.values(), *self._unnamed]
        self._servers.clear()
        self._unnamed.clear()
        for server in servers:
            server.close()
        for server in servers:
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.process.wait(max(0.0, give_up - monotonic()))
            server.process.kill()
            if server.watch is not None:
                server.watch.join(_LEAVING)


def _watch(server: GroupServer, key: str, log_path: Path) -> None:
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
    words = _last_log_line(log_path)
    if not server.started.done():
        server.started.set_exception(
            RemoteError(NOT_STARTED, words or tr("It quit without a message."))
        )
    server.ended.set_result(words)


def _last_log_line(log_path: Path) -> str:
    lines = log_path.read_text(errors="replace")[-_MOST_SAID:].strip().splitlines()
    words = (lines or [""])[-1].removeprefix("serve: ")
    head, _, code = words.rpartition(" [")
    return head if head and code.endswith("]") else words

"""The ranks' processes, here and by `ssh`: started, joined to the relay, and killed whole."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Listener
from pathlib import Path
from typing import Any

from engine.core.ranks.hosts import joining
from engine.core.ranks.hosts.host import Host
from engine.core.ranks.link import Link
from engine.core.ranks.remote import RemoteStart, Signs
from engine.errors import RanksLostError

FROZEN = bool(getattr(sys, "frozen", False))
"""Whether this is the packaged program, which is its own interpreter."""

ARGUMENT = "--rank-child"
"""What the frozen program is started with to be a rank. No one else is to use it."""

STARTING = 300.0
"""Seconds for all ranks to say what they are. It takes two or three where nothing else runs."""

ORPHANED = 30.0
"""Seconds of silence after which a rank on another machine has no relay any more."""

_ENDING = 2.0  # seconds for an ssh whose other end has closed to say why
_LOOK = 0.1  # seconds between two looks whether a rank that starts has died


@dataclass
class Rank:
    """A rank that has said what it is.

    Attributes:
        hello: what `child` tells: versions, bytes of memory.
        process: None where it was not started by this program; the `ssh` of one elsewhere.
        host: the name of the machine, where it is not the one that all ranks are on.
        held: bytes that MLX holds there, as it last said.
    """

    number: int
    link: Link
    hello: dict[str, Any]
    process: subprocess.Popen[bytes] | None = None
    host: str = ""
    held: int = 0

    def place(self, count: int) -> str:
        """Which of so many it is, for people."""
        return f"Rank {self.number} of {count}" + (f" on {self.host}" if self.host else "")


def command(frozen: bool = FROZEN) -> list[str]:
    """The command line of a rank: this very program, or the interpreter that runs it."""
    return [sys.executable, *([ARGUMENT] if frozen else ["-P", "-m", "engine.core.ranks"])]


def _environment(number: int, count: int, hosts: Path) -> dict[str, str]:
    root = str(Path(__file__).resolve().parents[3])
    paths = [root, os.environ.get("PYTHONPATH", "")]
    threads = max(1, (os.cpu_count() or 1) // count)  # more would wait for each other
    return {
        "OPENBLAS_NUM_THREADS": str(threads),
        **os.environ,
        "PYTHONPATH": os.pathsep.join(p for p in paths if p),
        "MLX_RANK": str(number),
        "MLX_HOSTFILE": str(hosts),
    }


class Processes:
    """The processes of one group. Started, and waited for, by one thread; any may kill them.

    Args:
        hosts: where each rank is, rank 0 on this machine.
        stopping: whether nobody wants them any more.
    """

    def __init__(self, hosts: Sequence[Host], stopping: Callable[[], bool] = lambda: False) -> None:
        self._hosts = tuple(hosts)
        self._stopping = stopping
        self._folder = tempfile.TemporaryDirectory(prefix="stretto-ranks-")
        self._started: list[subprocess.Popen[bytes]] = []
        self._remote: dict[int, RemoteStart] = {}
        self.ranks: list[Rank] = []
        self._joins: list[dict[str, Any]] | None = None  # where not all were started with them
        self._signs: Signs | None = None

    def start(self) -> list[Rank]:
        """Start all ranks and wait until each has said what it is.

        Raises:
            RanksLostError: one of them has died, or does not answer.
        """
        hosts, count = Path(self._folder.name) / "hosts.json", len(self._hosts)
        together = all(host.here and host.backend == "ring" for host in self._hosts)
        if together:
            hosts.write_text(json.dumps(hosts_of(count)))
        key = secrets.token_bytes(32)
        with Listener(("127.0.0.1", 0), "AF_INET", backlog=count, authkey=key) as listener:
            given = {"address": list(listener.address), "key": key.hex()}
            for number, host in enumerate(self._hosts):
                if together:
                    self._started.append(_spawn(number, self._local(), hosts, given))
                    continue
                told = {"rank": number, "count": count, "ports": list(host.ports)}
                if host.here:
                    told |= given
                    self._started.append(_spawn(number, self._local(), hosts, told))
                else:
                    self._started.append(self._reach(number, host, told))
            self.ranks = self._join(listener)
        if not together:
            self._joins = joining.joins(self._hosts, [rank.hello for rank in self.ranks])
        return self.ranks

    def begin(self, given: dict[str, Any]) -> None:
        """Tell all ranks what they are to do, and how they find each other.

        Raises:
            OSError: one of them has gone.
        """
        for rank in self.ranks:
            join = {} if self._joins is None else {"join": self._joins[rank.number]}
            rank.link.tell({**given, **join})
        self._signs = Signs([rank.link for rank in self.ranks if rank.number in self._remote])

    def _local(self) -> int:
        return sum(host.here for host in self._hosts)

    def _reach(self, number: int, host: Host, told: dict[str, Any]) -> subprocess.Popen[bytes]:
        given = {**told, "models": host.models, "patience": ORPHANED}
        try:
            start = RemoteStart(host, given, Path(self._folder.name) / f"said-{number}")
        except OSError as error:
            raise RanksLostError(f"ssh could not be started here: {error}.") from None
        self._remote[number] = start
        return start.process

    def _join(self, listener: Listener) -> list[Rank]:
        deadline = time.monotonic() + STARTING
        joined: dict[int, Rank] = {}
        # The standard library's listener waits for ever, and so its socket is asked before it.
        waiting: socket.socket = listener._listener._socket  # type: ignore[attr-defined]
        waiting.settimeout(_LOOK)
        while len(joined) < len(self._hosts):
            self._check(deadline, joined)
            self._hear(joined)
            try:
                link = Link(listener.accept())
                hello = link.take(False) if link.waiting(STARTING) else {}
            except TimeoutError:
                continue
            except (AuthenticationError, OSError, EOFError, ValueError):
                continue  # it was none of ours, or has died, which is seen
            number = hello.get("rank")
            if type(number) is int and 0 <= number < len(self._hosts):
                joined[number] = self._rank(number, link, hello)
        return [joined[number] for number in range(len(self._hosts))]

    def _hear(self, joined: dict[int, Rank]) -> None:
        """Take the hellos that have come from other machines."""
        for number, start in self._remote.items():
            if number in joined:
                continue
            try:
                heard = start.hello()
            except (OSError, EOFError, ValueError):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    start.process.wait(_ENDING)
                raise RanksLostError(f"Rank {number} could not start. {start.fault()}") from None
            if heard is not None:
                link, hello = heard
                if "fault" in hello:
                    where, why = self._hosts[number].name, hello["fault"]
                    raise RanksLostError(f"Rank {number} could not start on {where}: {why}")
                joined[number] = self._rank(number, link, hello)

    def _rank(self, number: int, link: Link, hello: dict[str, Any]) -> Rank:
        name = self._hosts[number].name if self._remote else ""
        return Rank(number, link, hello, self._started[number], name)

    def _check(self, deadline: float, joined: dict[int, Rank]) -> None:
        if self._stopping():
            raise RanksLostError("The engine was stopped.")
        for number, process in enumerate(self._started):
            if process.poll() is not None:
                if number in self._remote:
                    why = self._remote[number].fault()
                    raise RanksLostError(f"Rank {number} could not start. {why}")
                raise RanksLostError(f"Rank {number} could not start: {ended(process)}.")
        if time.monotonic() > deadline:
            missing = next(n for n in range(len(self._hosts)) if n not in joined)
            raise RanksLostError(f"Rank {missing} did not start within {STARTING:.0f} seconds.")

    def kill(self) -> None:
        """End all of them now, and what they have started. Stopped ones too."""
        for process in self._started:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                process.kill()

    def close(self) -> None:
        """Kill and reap all of them."""
        self.kill()
        if self._signs is not None:
            self._signs.close()
        for rank in self.ranks:
            rank.link.close()
        for start in self._remote.values():
            start.close()
        for process in self._started:
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()
            process.wait()
        with contextlib.suppress(OSError):
            self._folder.cleanup()


def ended(process: subprocess.Popen[bytes]) -> str:
    """How a process has ended, in words."""
    code = process.poll()
    if code is not None and code < 0:
        return f"it was ended by signal {-code}"
    return f"it has ended with status {code}"


def _spawn(number: int, count: int, hosts: Path, given: dict[str, Any]) -> subprocess.Popen[bytes]:
    # A group of its own: whatever the rank starts is killed with it.
    process = subprocess.Popen(
        command(),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=None if os.environ.get("STRETTO_RANKS_TALK") else subprocess.DEVNULL,
        env=_environment(number, count, hosts),
        start_new_session=True,
    )
    assert process.stdin is not None
    with contextlib.suppress(OSError):  # it has died, which is seen
        process.stdin.write(json.dumps({**given, "rank": number}).encode() + b"\n")
        process.stdin.flush()
    return process


def hosts_of(count: int) -> list[list[str]]:
    """An `MLX_HOSTFILE` of so many ranks on this machine, at ports where nobody listens."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [[f"127.0.0.1:{each.getsockname()[1]}"] for each in sockets]

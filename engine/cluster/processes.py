"""Rank processes, started locally or over `ssh`, watched from outside, and killed as a group.

If a rank disappears, the other ranks spin forever in their MLX collective and can't be asked to
quit. Each rank therefore reports its progress twice per second from a separate thread, and the
whole group ends when one rank is lost.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from engine.cluster.hosts import Host
from engine.cluster.link import START_MARK, Link, rank_environments
from engine.cluster.machines import rank_command, ssh_command, ssh_error_text
from engine.errors import RanksLostError

START_TIMEOUT_S = 300.0
"""Time limit for ranks to say hello, which takes two or three seconds on an idle machine."""

ORPHAN_TIMEOUT_S = 30.0  # a remote rank that receives nothing for this long has lost its relay

SILENCE_S = 3.5
"""Silence after which a rank is lost. All replies then end within five seconds."""

LOADING_SILENCE_S = 60.0
"""Silence after which a starting or loading rank is lost. Libraries may hold the GIL for a long
time.
"""

STALL_S = 120.0
"""Maximum seconds between two steps of a busy rank. A step may be a prompt chunk on a large model,
or probing a model.
"""

_CHECK_S = 0.2  # interval between checks on the ranks
_ALIVE_S = 5.0  # interval of keep-alives to remote ranks
_EXIT_WAIT_S = 2.0  # time for ssh to exit after its connection is closed
DEATH_WAIT_S = 1.0  # time to find out whether a lost rank was killed
_MAX_BANNER_BYTES = 65_536  # maximum output of a shell before the rank starts


class Rank(Struct):
    """Rank that has said hello.

    Attributes:
        hello: the rank's first message: versions, memory in bytes, address.
        process: its process, or that of its `ssh`. None if it was started elsewhere.
        host: name of the machine, or "" if all ranks run on this machine.
    """

    number: int
    link: Link
    hello: dict[str, Any]
    process: subprocess.Popen[bytes] | None = None
    host: str = ""
    held_bytes: int = 0
    steps: int = 0
    busy: bool = False
    loading: bool = True
    last_message_at: float = field(default_factory=time.monotonic)
    last_progress_at: float = field(default_factory=time.monotonic)

    def label(self, count: int) -> str:
        """Return a label for messages, e.g. "Rank 1 of 2 on mini"."""
        return f"Rank {self.number} of {count}" + (f" on {self.host}" if self.host else "")

    def record_heartbeat(self, message: dict[str, Any]) -> None:
        now, steps, busy = time.monotonic(), int(message["beat"]), bool(message["busy"])
        if steps != self.steps or not (busy and self.busy):
            self.last_progress_at = now
        self.last_message_at, self.steps, self.busy = now, steps, busy
        self.loading, self.held_bytes = bool(message["loading"]), int(message["held"])


def dead_rank_text(ranks: Sequence[Rank], timeout_s: float = 0.0) -> str | None:
    """Return a sentence about a dead rank, preferably one killed by a signal, or None.

    After a rank is killed, the others exit as a consequence. The killed rank's sockets close before
    its process ends, so this may wait for `timeout_s` seconds.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        dead = [(r, r.process) for r in ranks if r.process and r.process.poll() is not None]
        dead.sort(key=lambda item: item[1].returncode >= 0)
        if (dead and dead[0][1].returncode < 0) or time.monotonic() >= deadline:
            break
        time.sleep(_CHECK_S / 10)
    for rank, process in dead:
        return f"{rank.label(len(ranks))} has died: {_exit_text(process)}."
    return None


class RankWatcher:
    """Thread that checks all ranks and reports the first problem.

    Args:
        on_lost: called on the watcher thread with a description of the problem. It must kill
            the group.
    """

    def __init__(self, ranks: Sequence[Rank], on_lost: Callable[[str], None]) -> None:
        self._ranks = ranks
        self._on_lost = on_lost
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stretto-ranks-watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        before = time.monotonic()
        while not self._stopped.wait(_CHECK_S):
            now = time.monotonic()
            if now - before > 5 * _CHECK_S:
                # This process was suspended, including the threads that read from the ranks.
                for rank in self._ranks:
                    rank.last_message_at = max(rank.last_message_at, now - SILENCE_S / 2)
            before = now
            wrong = dead_rank_text(self._ranks) or next(
                filter(None, (self._find_problem(rank, now) for rank in self._ranks)), None
            )
            if wrong is not None:
                self._on_lost(wrong)
                return

    def _find_problem(self, rank: Rank, now: float) -> str | None:
        name = rank.label(len(self._ranks))
        timeout_s = LOADING_SILENCE_S if rank.loading else SILENCE_S
        if now - rank.last_message_at > timeout_s:
            return f"{name} has not answered for {timeout_s:g} seconds."
        if now - rank.last_progress_at > STALL_S:
            return f"{name} has been in the same step for {STALL_S:.0f} seconds."
        return None


class RankProcesses:
    """Processes of a group. One thread starts and reaps them, but any thread may kill them.

    Args:
        hosts: host of each rank. Rank 0 is always on this machine.
        stopping: returns True to cancel the start.
    """

    def __init__(self, hosts: Sequence[Host], stopping: Callable[[], bool] = lambda: False) -> None:
        self._hosts = tuple(hosts)
        self._stopping = stopping
        self._folder = tempfile.TemporaryDirectory(prefix="stretto-ranks-")
        self._starts: list[RankStart] = []
        self._stopped = threading.Event()
        self.ranks: list[Rank] = []

    def start(self) -> list[Rank]:
        """Start all ranks and wait for their first messages.

        Raises:
            RanksLostError: if a rank dies or doesn't respond.
        """
        count, local_ranks = len(self._hosts), sum(host.is_local for host in self._hosts)
        for number, host in enumerate(self._hosts):
            setup: dict[str, Any] = {"rank": number, "count": count}
            setup["ports"] = list(host.ports) if local_ranks < count else []
            if not host.is_local:
                setup |= {"models": host.models, "patience": ORPHAN_TIMEOUT_S}
            stderr_file = Path(self._folder.name) / f"said-{number}"
            try:
                self._starts.append(RankStart(number, host, setup, stderr_file, local_ranks))
            except OSError as error:
                raise RanksLostError(f"Rank {number} could not be started: {error}.") from None
        self.ranks = self._wait_for_hellos()
        return self.ranks

    def _wait_for_hellos(self) -> list[Rank]:
        deadline = time.monotonic() + START_TIMEOUT_S
        joined: dict[int, Rank] = {}
        while len(joined) < len(self._starts):
            if self._stopping():
                raise RanksLostError("The engine was stopped.")
            missing = [start for start in self._starts if start.number not in joined]
            if time.monotonic() > deadline:
                raise RanksLostError(
                    f"Rank {missing[0].number} did not start within {START_TIMEOUT_S:.0f} seconds."
                )
            wait([start.connection for start in missing], _CHECK_S)
            for start in missing:
                hello = start.poll_hello()
                if hello is not None:
                    name = start.host.name if any(not host.is_local for host in self._hosts) else ""
                    joined[start.number] = Rank(start.number, *hello, start.process, name)
        return [joined[start.number] for start in self._starts]

    def send_setup(self, setup: dict[str, Any]) -> None:
        ways = rank_environments(self._hosts, [rank.hello for rank in self.ranks])
        for rank, way in zip(self.ranks, ways, strict=True):
            rank.link.send_message({**setup, "join": way})
        far = [r.link for r, host in zip(self.ranks, self._hosts, strict=True) if not host.is_local]
        if far:
            threading.Thread(
                target=self._send_alive, args=(far,), name="stretto-ranks-signs", daemon=True
            ).start()

    def _send_alive(self, links: Sequence[Link]) -> None:
        while not self._stopped.wait(_ALIVE_S):
            for link in links:
                with contextlib.suppress(OSError):  # the watcher will report the error
                    link.send_message({"alive": True})

    def kill(self) -> None:
        """Kill all ranks and their children, even if they're stopped."""
        for start in self._starts:
            with contextlib.suppress(OSError):
                os.killpg(start.process.pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                start.process.kill()

    def close(self) -> None:
        self._stopped.set()
        self.kill()
        for rank in self.ranks:
            rank.link.close()
        for start in self._starts:
            start.connection.close()
            start.process.wait()
        with contextlib.suppress(OSError):
            self._folder.cleanup()


class RankStart:
    """Started process that hasn't said hello yet."""

    def __init__(
        self, number: int, host: Host, setup: dict[str, Any], stderr_file: Path, local_ranks: int
    ) -> None:
        self.number, self.host = number, host
        self._setup, self._stderr_file = setup, stderr_file
        self._banner = b""
        self._link: Link | None = None
        command = rank_command(host)
        own_socket, child_socket = socket.socketpair()
        with (
            child_socket,
            (Path(os.devnull) if host.is_local else stderr_file).open("wb") as errors,
        ):
            # Use a separate process group, so that the children are killed along with the rank.
            self.process = subprocess.Popen(
                command if host.is_local else ssh_command(host, command),
                stdin=child_socket.fileno(),
                stdout=child_socket.fileno(),
                stderr=errors,
                env=_environment(local_ranks) if host.is_local else None,
                start_new_session=True,
            )
        self.connection: Connection[Any, Any] = Connection(own_socket.detach())

    def poll_hello(self) -> tuple[Link, dict[str, Any]] | None:
        """Return the hello message and the link, or None if it isn't there yet."""
        try:
            if self._link is None and not self._read_banner():
                return None
            assert self._link is not None
            hello = self._link.receive(False) if self._link.poll(0) else None
        except (OSError, EOFError, ValueError):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(_EXIT_WAIT_S)
            raise RanksLostError(
                f"Rank {self.number} could not start. {self._exit_reason()}"
            ) from None
        if hello is None:
            return None
        if "fault" in hello:
            prefix = f"Rank {self.number} could not start on {self.host.name}"
            raise RanksLostError(f"{prefix}: {hello['fault']}")
        return self._link, hello

    def _read_banner(self) -> bool:
        # Read byte by byte, because everything after the mark belongs to the link.
        while not self._banner.endswith(START_MARK):
            if not self.connection.poll(0):
                return False
            byte = os.read(self.connection.fileno(), 1)
            self._banner += byte
            if not byte:
                raise EOFError
            if len(self._banner) > _MAX_BANNER_BYTES:
                raise ValueError("no start mark")
        self._link = Link(self.connection)
        self._link.send_message(self._setup)
        return True

    def _exit_reason(self) -> str:
        if self.host.is_local:
            return f"{_exit_text(self.process).capitalize()}."
        stderr = ""
        with contextlib.suppress(OSError):
            stderr = self._stderr_file.read_text(errors="replace")[-4000:]
        return ssh_error_text(self.host, self.process.poll(), stderr)


def _exit_text(process: subprocess.Popen[bytes]) -> str:
    code = process.poll()
    if code is not None and code < 0:
        return f"it was killed by signal {-code}"
    return f"it exited with status {code}"


def _environment(ranks: int) -> dict[str, str]:
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, os.environ.get("PYTHONPATH", "")]
    threads = max(1, (os.cpu_count() or 1) // ranks)
    return {
        "OPENBLAS_NUM_THREADS": str(threads),
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
    }

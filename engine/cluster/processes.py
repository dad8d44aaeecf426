"""The ranks' processes, here and by `ssh`: started, watched from outside, and killed whole.

A rank in one of MLX's collectives waits for ever, and spins, once another rank is gone: it cannot
be asked to end, and nothing in it notices. So each says twice a second how far it is, from a thread
of its own, and the first that is lost ends the group.
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
from engine.cluster.link import MARK, Link, joins
from engine.cluster.machines import rank_command, ssh_command, ssh_fault
from engine.errors import RanksLostError

STARTING = 300.0
"""Seconds for all ranks to say what they are. It takes two or three where nothing else runs."""

ORPHANED = 30.0  # seconds of silence after which a rank on another machine has no relay any more

SILENCE = 3.5
"""Seconds without a word after which a rank counts as lost: all replies end within five."""

SILENCE_LOADING = 60.0
"""The same while it starts or loads: libraries hold Python's lock for long then."""

STALL = 120.0
"""Seconds for which a rank that is busy may be in the same turn. The longest turn is a piece of a
prompt on a large model, or the try-out of one that was loaded."""

TALK = "STRETTO_RANKS_TALK"
"""Names a variable that lets ranks write to this program's standard error."""

_LOOK = 0.2  # seconds between two looks at the ranks
_ALIVE = 5.0  # seconds between two signs of life for ranks on other machines
_ENDING = 2.0  # seconds for an ssh whose other end has closed to say why
DYING = 1.0  # seconds after a rank's silence for another to be seen to have been killed
_MOST_SAID = 65_536  # bytes that a shell may say before the rank begins


class Rank(Struct):
    """A rank that has said what it is."""

    number: int
    link: Link
    hello: dict[str, Any]  # what it said: versions, bytes of memory, where it can be reached
    # None where it was not started by this program; the `ssh` of one elsewhere
    process: subprocess.Popen[bytes] | None = None
    host: str = ""  # the name of the machine, where it is not the one that all ranks are on
    held: int = 0  # bytes that MLX holds there, as it last said
    steps: int = 0  # how far it is; grows while it works
    busy: bool = False
    loading: bool = True
    # heard_at, moved_at: when it was last heard of, and when it was last seen to go on
    heard_at: float = field(default_factory=time.monotonic)
    moved_at: float = field(default_factory=time.monotonic)

    def place(self, count: int) -> str:
        """Which of so many it is, for people."""
        return f"Rank {self.number} of {count}" + (f" on {self.host}" if self.host else "")

    def beat(self, message: dict[str, Any]) -> None:
        """Take what it says of itself."""
        now, steps, busy = time.monotonic(), int(message["beat"]), bool(message["busy"])
        if steps != self.steps or not (busy and self.busy):
            self.moved_at = now
        self.heard_at, self.steps, self.busy = now, steps, busy
        self.loading, self.held = bool(message["loading"]), int(message["held"])


def died(ranks: Sequence[Rank], within: float = 0.0) -> str | None:
    """Which of them has no process any more, in words: one that was killed before all others.

    It took them with it, and what it had open is closed before it is seen to be gone.

    Args:
        within: seconds to wait for one that was killed.
    """
    deadline = time.monotonic() + within
    while True:
        gone = [(r, r.process) for r in ranks if r.process and r.process.poll() is not None]
        gone.sort(key=lambda each: each[1].returncode >= 0)
        if (gone and gone[0][1].returncode < 0) or time.monotonic() >= deadline:
            break
        time.sleep(_LOOK / 10)
    for rank, process in gone:
        return f"{rank.place(len(ranks))} has died: {_ended(process)}."
    return None


class Watch:
    """A thread that looks at all ranks, and reports once what is wrong.

    Args:
        lost: is called, on that thread, with a sentence. It kills the group.
    """

    def __init__(self, ranks: Sequence[Rank], lost: Callable[[str], None]) -> None:
        self._ranks = ranks
        self._lost = lost
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="stretto-ranks-watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        before = time.monotonic()
        while not self._over.wait(_LOOK):
            now = time.monotonic()
            if now - before > 5 * _LOOK:
                # This process has been held up itself, and so have the threads that listen.
                for rank in self._ranks:
                    rank.heard_at = max(rank.heard_at, now - SILENCE / 2)
            before = now
            wrong = died(self._ranks) or next(
                filter(None, (self._wrong(rank, now) for rank in self._ranks)), None
            )
            if wrong is not None:
                self._lost(wrong)
                return

    def _wrong(self, rank: Rank, now: float) -> str | None:
        name = rank.place(len(self._ranks))
        patience = SILENCE_LOADING if rank.loading else SILENCE
        if now - rank.heard_at > patience:
            return f"{name} has not answered for {patience:g} seconds."
        if now - rank.moved_at > STALL:
            return f"{name} has been in the same step for {STALL:.0f} seconds."
        return None


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
        self._starts: list[_Start] = []
        self._over = threading.Event()
        self.ranks: list[Rank] = []

    def start(self) -> list[Rank]:
        """Start all ranks and wait until each has said what it is.

        Raises:
            RanksLostError: one of them has died, or does not answer.
        """
        count, here = len(self._hosts), sum(host.here for host in self._hosts)
        for number, host in enumerate(self._hosts):
            given: dict[str, Any] = {"rank": number, "count": count}
            given["ports"] = list(host.ports) if here < count else []
            if not host.here:
                given |= {"models": host.models, "patience": ORPHANED}
            said = Path(self._folder.name) / f"said-{number}"
            try:
                self._starts.append(_Start(number, host, given, said, here))
            except OSError as error:
                raise RanksLostError(f"Rank {number} could not be started: {error}.") from None
        self.ranks = self._wait()
        return self.ranks

    def _wait(self) -> list[Rank]:
        deadline = time.monotonic() + STARTING
        joined: dict[int, Rank] = {}
        while len(joined) < len(self._starts):
            if self._stopping():
                raise RanksLostError("The engine was stopped.")
            missing = [start for start in self._starts if start.number not in joined]
            if time.monotonic() > deadline:
                raise RanksLostError(
                    f"Rank {missing[0].number} did not start within {STARTING:.0f} seconds."
                )
            wait([start.connection for start in missing], _LOOK)
            for start in missing:
                heard = start.hello()
                if heard is not None:
                    name = start.host.name if any(not host.here for host in self._hosts) else ""
                    joined[start.number] = Rank(start.number, *heard, start.process, name)
        return [joined[start.number] for start in self._starts]

    def begin(self, given: dict[str, Any]) -> None:
        """Tell all ranks what they are to do, and how they find each other.

        Raises:
            OSError: one of them has gone.
        """
        ways = joins(self._hosts, [rank.hello for rank in self.ranks])
        for rank, way in zip(self.ranks, ways, strict=True):
            rank.link.tell({**given, "join": way})
        far = [r.link for r, host in zip(self.ranks, self._hosts, strict=True) if not host.here]
        if far:
            threading.Thread(
                target=self._sign, args=(far,), name="stretto-ranks-signs", daemon=True
            ).start()

    def _sign(self, links: Sequence[Link]) -> None:
        """On a thread of its own: tell ranks on other machines that this one is alive."""
        while not self._over.wait(_ALIVE):
            for link in links:
                with contextlib.suppress(OSError):  # it has gone, which is seen
                    link.tell({"alive": True})

    def kill(self) -> None:
        """End all of them now, and what they have started. Stopped ones too."""
        for start in self._starts:
            with contextlib.suppress(OSError):
                os.killpg(start.process.pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                start.process.kill()

    def close(self) -> None:
        """Kill and reap all of them."""
        self._over.set()
        self.kill()
        for rank in self.ranks:
            rank.link.close()
        for start in self._starts:
            start.connection.close()
            start.process.wait()
        with contextlib.suppress(OSError):
            self._folder.cleanup()


class _Start:
    """A process that has been started, until its rank has said what it is.

    Args:
        given: the rank's first message.
        said: a file for what it, or its `ssh`, writes to its standard error.
        here: how many ranks there are on this machine.

    Raises:
        OSError: the program cannot be run.
    """

    def __init__(
        self, number: int, host: Host, given: dict[str, Any], said: Path, here: int
    ) -> None:
        self.number, self.host = number, host
        self._given, self._said = given, said
        self._before = b""
        self._link: Link | None = None
        command = rank_command(host)
        ours, theirs = socket.socketpair()
        with theirs, self._errors() as errors:
            # A group of its own: whatever it starts is killed with it.
            self.process = subprocess.Popen(
                command if host.here else ssh_command(host, command),
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=errors,
                env=_environment(here) if host.here else None,
                start_new_session=True,
            )
        self.connection: Connection[Any, Any] = Connection(ours.detach())

    def _errors(self) -> contextlib.AbstractContextManager[Any]:
        if os.environ.get(TALK):
            return contextlib.nullcontext()
        return Path(os.devnull).open("wb") if self.host.here else self._said.open("wb")

    def hello(self) -> tuple[Link, dict[str, Any]] | None:
        """The link and the rank's hello, once both are there. Does not wait.

        Raises:
            RanksLostError: there will be none.
        """
        try:
            if self._link is None and not self._begun():
                return None
            assert self._link is not None
            hello = self._link.take(False) if self._link.waiting(0) else None
        except (OSError, EOFError, ValueError):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(_ENDING)
            raise RanksLostError(f"Rank {self.number} could not start. {self._fault()}") from None
        if hello is None:
            return None
        if "fault" in hello:
            where = f"Rank {self.number} could not start on {self.host.name}"
            raise RanksLostError(f"{where}: {hello['fault']}")
        return self._link, hello

    def _begun(self) -> bool:
        # One byte at a time: what comes after the mark belongs to the link.
        while not self._before.endswith(MARK):
            if not self.connection.poll(0):
                return False
            byte = os.read(self.connection.fileno(), 1)
            self._before += byte
            if not byte:
                raise EOFError
            if len(self._before) > _MOST_SAID:
                raise ValueError("it says something else")
        self._link = Link(self.connection)
        self._link.tell(self._given)
        return True

    def _fault(self) -> str:
        """Why it has ended, in words."""
        if self.host.here:
            return f"{_ended(self.process).capitalize()}."
        said = ""
        with contextlib.suppress(OSError):
            said = self._said.read_text(errors="replace")[-4000:]
        return ssh_fault(self.host, self.process.poll(), said)


def _ended(process: subprocess.Popen[bytes]) -> str:
    """How a process has ended, in words."""
    code = process.poll()
    if code is not None and code < 0:
        return f"it was ended by signal {-code}"
    return f"it has ended with status {code}"


def _environment(ranks: int) -> dict[str, str]:
    """Of a rank on this machine, where there are so many."""
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, os.environ.get("PYTHONPATH", "")]
    threads = max(1, (os.cpu_count() or 1) // ranks)  # more would wait for each other
    return {
        "OPENBLAS_NUM_THREADS": str(threads),
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
    }

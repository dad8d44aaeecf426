"""The parent's side of one confined child."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

from engine.core.confined import pacing, wire
from engine.core.confined.limits import Limits
from engine.core.confined.memory import resident
from engine.core.confined.refusing import DEVICE, WARM, WRITES

FROZEN = bool(getattr(sys, "frozen", False))
"""Whether this is the packaged program, which is its own interpreter."""

ARGUMENT = "--confined-child"
"""What the frozen program is started with to be a child. No one else is to use it."""

_STARTING = 60.0  # seconds; it takes 0.3 when nothing else runs
_PIECE = 2**20
_LOOK = 0.1  # seconds between two looks at a busy child's memory
_READY_SIZE = 4096


class OverrunError(Exception):
    """The child was killed because it took more than it may: "time", "memory" or "output"."""


class CrashError(Exception):
    """The child ended by itself: the signal's number, or 0."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.signal = signal_number


def command(
    warm: bool = False, frozen: bool = FROZEN, device: bool = False, writes: bool = False
) -> list[str]:
    """The command line of a child: this very program, or the interpreter that runs it.

    `-P`: the folder that the program happens to be started in is no place to import from.
    """
    how = [ARGUMENT] if frozen else ["-P", "-m", "engine.core.confined"]
    kinds = ((WARM, warm), (DEVICE, device), (WRITES, writes))
    return [sys.executable, *how, *(word for word, wanted in kinds if wanted)]


def _environment() -> dict[str, str]:
    root = str(Path(__file__).resolve().parents[3])
    paths = [root, os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(p for p in paths if p),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TOKENIZERS_PARALLELISM": "false",  # threads would count their stacks as memory
        "RAYON_NUM_THREADS": "1",
        "RUST_BACKTRACE": "0",  # nobody reads it, and with little memory it ends the child
        "MALLOC_ARENA_MAX": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_VERBOSITY": "error",
    }


class Child:
    """A running child. Started by one thread that lives as long as it; asked by one at a time.

    Attributes:
        known: keys of the models that it has in memory, the one used last at the end.

    Args:
        warm: it is to check tokenizers.
        long: its work takes seconds, and is paced.
        device: it is to use the GPU.
        writes: it is to write files, as large as the limits of a request allow.
    """

    def __init__(
        self, warm: bool = False, long: bool = False, device: bool = False, writes: bool = False
    ) -> None:
        # No `preexec_fn`: between fork and exec a process with threads must not run Python.
        self._process = subprocess.Popen(
            command(warm, device=device, writes=writes),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._to, False)
        os.set_blocking(self._from, False)
        self._ready = False
        self._long = long
        self.known: OrderedDict[str, None] = OrderedDict()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def memory(self) -> int:
        """Bytes of memory that it holds now, 0 where that cannot be told."""
        return resident(self.pid)

    def ask(
        self, do: str, arguments: dict[str, Any], blobs: tuple[bytes, ...], limits: Limits
    ) -> tuple[dict[str, Any], list[bytes]]:
        """Have something done. After an exception the child is dead.

        Raises:
            OverrunError: it was killed.
            CrashError: it crashed, or was killed by somebody else.
        """
        limit = limits.memory
        # Its own timer runs on while it is stopped. It is there for when the parent has died.
        alarm = limits.seconds * (pacing.SLOWER if self._long else 1)
        request = {
            "do": do,
            "arguments": arguments,
            "seconds": alarm,
            "memory": limit,
            "written": limits.written,
        }
        try:
            if not self._ready:
                wire.unpack(_Reader(self, time.monotonic() + _STARTING, 0), _READY_SIZE)
                self._ready = True
            deadline = time.monotonic() + limits.seconds
            self._write(wire.pack(request, blobs), deadline)
            return wire.unpack(_Reader(self, deadline, limit), limits.output)
        except wire.DamagedError:
            self.kill()
            raise OverrunError("output") from None
        except BaseException:
            self.kill()
            raise

    def kill(self) -> None:
        """End it now."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def reap(self) -> int:
        """Wait for the end of a child that was killed; returns the signal that ended it, or 0."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return max(0, -self._process.wait())

    def died(self) -> CrashError:
        """What is to be raised for a child whose pipe has closed."""
        try:
            return CrashError(max(0, -self._process.wait(timeout=5.0)))
        except subprocess.TimeoutExpired:
            return CrashError(0)

    def _write(self, pieces: list[bytes], deadline: float) -> None:
        poll = select.poll()
        poll.register(self._to, select.POLLOUT)
        for piece in pieces:
            rest = memoryview(piece)
            while rest:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise OverrunError("time")
                poll.poll(left * 1000)
                try:
                    rest = rest[os.write(self._to, rest[:_PIECE]) :]
                except BlockingIOError:
                    continue
                except OSError:
                    raise self.died() from None


class _Reader:
    """Reads from a child until a deadline, and looks at its memory meanwhile."""

    def __init__(self, child: Child, deadline: float, memory: int) -> None:
        self._child, self._deadline, self._memory = child, deadline, memory
        self._poll = select.poll()
        self._poll.register(child._from, select.POLLIN)

    def __call__(self, count: int) -> bytes:
        parts: list[bytes] = []
        while count:
            left = self._deadline - time.monotonic()
            if left <= 0:
                raise OverrunError("time")
            paced = self._child._long and pacing.wanted()
            if not self._poll.poll(min(left, pacing.RUN if paced else _LOOK) * 1000):
                if paced:
                    self._deadline += pacing.pause(self._child.pid)
                if self._memory and self._child.memory() > self._memory:
                    raise OverrunError("memory")
                continue
            try:
                part = os.read(self._child._from, min(count, _PIECE))
            except BlockingIOError:
                continue
            if not part:
                raise self._child.died()
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

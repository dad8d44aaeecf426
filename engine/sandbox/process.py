"""One child: started, asked, paced beside chats that stream, and ended. The parent's side.

Pacing: on a CPU each product of a decode step is computed by as many threads as there are cores,
and ends with the last of them. Those threads yield while they wait for each other, and Linux then
gives a whole time slice to whatever else can run: beside one busy child a step of 60 ms took 400 to
900, whatever the child's priority. So a child with long work is stopped for three quarters of the
time, as long as a chat streams.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

from engine.sandbox.protocol import (
    PATIENCE,
    DamagedError,
    Kind,
    Limits,
    RefusedError,
    Reply,
    TaskError,
    pack,
    unpack,
)

FROZEN = bool(getattr(sys, "frozen", False))
"""Whether this is the packaged program, which is its own interpreter."""

ARGUMENT = "--confined-child"
"""What the frozen program is started with to be a child. No one else is to use it."""

RUN = 0.01  # seconds that a paced child works before it is stopped

PAUSE = 0.03  # seconds that it is stopped for

_SLOWER = (RUN + PAUSE) / RUN
_STREAMS = 1.0  # seconds since the last token after which no chat counts as streaming

_STARTING = 60.0  # seconds; it takes 0.3 when nothing else runs
_PIECE = 2**20
_LOOK = 0.1  # seconds between two looks at a busy child's memory, and whether it is cancelled
_READY_SIZE = 4096

_PROC_PIDTASKINFO = 4  # sys/proc_info.h
_TASKINFO_SIZE = 96  # of struct proc_taskinfo; its second number is the resident size
_RUSAGE_SIZE = 96  # of struct rusage_info_v0 (sys/resource.h)
_FOOTPRINT = 9  # the place of ri_phys_footprint in it, in steps of eight bytes
_LIBPROC = "/usr/lib/libproc.dylib"

_last_token = float("-inf")  # when a chat's token was computed, in any engine of this process


def command(kind: Kind, frozen: bool = FROZEN) -> list[str]:
    """The command line of a child: this very program, or the interpreter that runs it.

    `-P`: the folder that the program happens to be started in is no place to import from.
    """
    how = [ARGUMENT] if frozen else ["-P", "-m", "engine.sandbox"]
    return [sys.executable, *how, kind.value]


def own_command(*arguments: str) -> list[str]:
    """The command line that runs one of the engine's commands in another process."""
    return [sys.executable, *([] if FROZEN else ["-m", "engine"]), *arguments]


def _environment() -> dict[str, str]:
    root = str(Path(__file__).resolve().parents[2])
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
    """A running child, to be asked by one thread at a time. As a context it is ended after it.

    On Linux the kernel ends it with the *thread* that started it.
    """

    def __init__(self, kind: Kind = Kind.PROMPTS) -> None:
        # No `preexec_fn`: between fork and exec a process with threads must not run Python.
        self._process = subprocess.Popen(
            command(kind),
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
        self._paced = kind.takes_seconds
        # keys of the models that it has in memory, the one used last at the end
        self.known: OrderedDict[str, None] = OrderedDict()
        self.spent = False  # it was killed, or is about to end by itself: it takes no other request

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.reap()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def memory(self) -> int:
        """Bytes of memory that it holds now, 0 where unknown."""
        return resident(self.pid)

    def ask(
        self,
        do: str,
        arguments: dict[str, Any],
        blobs: tuple[bytes, ...],
        limits: Limits,
        stop: threading.Event | None = None,
    ) -> Reply:
        """Have a task done (`child.TASKS`).

        Args:
            stop: cancels it, within a tenth of a second.

        Raises:
            RefusedError: the task's own answer.
            TaskError: what happened instead; see `spent`.
        """
        # The clock runs on while it is stopped. That timer is there for when the parent has died.
        alarm = limits.seconds * PATIENCE * (_SLOWER if self._paced else 1)
        request = {
            "do": do,
            "arguments": arguments,
            "seconds": limits.seconds,
            "alarm": alarm,
            "memory": limits.memory,
            "written": limits.written,
        }
        try:
            if not self._ready:
                start = Limits(_STARTING, 0, _READY_SIZE)
                unpack(_Pipe(self, start, stop).read, _READY_SIZE)
                self._ready = True
            pipe = _Pipe(self, limits, stop)
            pipe.write(pack(request, blobs))
            reply, out = unpack(pipe.read, limits.output)
        except DamagedError:
            self.kill()
            raise limits.exceeded("output") from None
        except BaseException:
            self.kill()
            raise
        self.spent = "memory" in reply or "panic" in reply
        if "refused" in reply:
            raise RefusedError(str(reply["refused"]))
        if "memory" in reply:
            raise limits.exceeded("memory")
        result = reply.get("result")
        if not isinstance(result, dict):
            why = reply.get("error") or reply.get("panic") or "no answer"
            raise TaskError("fault", f"failed: {why}")
        return result, out

    def kill(self) -> None:
        """End it now; `reap` waits for that."""
        self.spent = True
        with contextlib.suppress(OSError):
            self._process.kill()

    def reap(self) -> None:
        """Wait for the end of a child that was killed."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._process.wait()

    def died(self, limits: Limits) -> TaskError:
        """The error for a child whose pipe has closed."""
        try:
            ended_by = max(0, -self._process.wait(timeout=5.0))
        except subprocess.TimeoutExpired:
            ended_by = 0
        if ended_by in (signal.SIGPROF, signal.SIGALRM):  # one of its own timers
            return limits.exceeded("time")
        text = f"made the process that does it crash (signal {ended_by})"
        return TaskError("crash", text, ended_by)


class _Pipe:
    """Writes to a child and reads from it until a deadline, and looks at its memory meanwhile."""

    def __init__(self, child: Child, limits: Limits, stop: threading.Event | None) -> None:
        self._child, self._limits, self._stop = child, limits, stop
        self._deadline = time.monotonic() + limits.seconds * PATIENCE
        self._writable, self._readable = select.poll(), select.poll()
        self._writable.register(child._to, select.POLLOUT)
        self._readable.register(child._from, select.POLLIN)

    def write(self, pieces: list[bytes]) -> None:
        for piece in pieces:
            rest = memoryview(piece)
            while rest:
                self._writable.poll(min(self._left(), _LOOK) * 1000)
                try:
                    rest = rest[os.write(self._child._to, rest[:_PIECE]) :]
                except BlockingIOError:
                    continue
                except OSError:
                    raise self._child.died(self._limits) from None

    def read(self, count: int) -> bytes:
        """Exactly so many bytes."""
        parts: list[bytes] = []
        while count:
            paced = self._child._paced and streaming()
            if not self._readable.poll(min(self._left(), RUN if paced else _LOOK) * 1000):
                if paced:
                    self._deadline += pause(self._child.pid)
                if self._limits.memory and self._child.memory() > self._limits.memory:
                    raise self._limits.exceeded("memory")
                continue
            try:
                part = os.read(self._child._from, min(count, _PIECE))
            except BlockingIOError:
                continue
            if not part:
                raise self._child.died(self._limits)
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _left(self) -> float:
        """Seconds until the deadline."""
        if self._stop is not None and self._stop.is_set():
            raise TaskError("cancelled", "was cancelled")
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise self._limits.exceeded("time")
        return left


def streamed() -> None:
    """A chat's token was computed, by OpenBLAS. For the engine's loop."""
    global _last_token
    _last_token = time.monotonic()


def streaming() -> bool:
    """Whether a child with long work is to be stopped now and then."""
    return time.monotonic() - _last_token < _STREAMS


def pause(pid: int) -> float:
    """Stop a child for a moment; returns for how many seconds."""
    began = time.monotonic()
    with contextlib.suppress(OSError):  # it has ended
        os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(PAUSE)
    finally:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGCONT)
    return time.monotonic() - began


def resident(pid: int) -> int:
    """Bytes of memory that a process of ours holds, 0 where unknown."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    elif sys.platform == "darwin":
        import ctypes  # there alone: it takes 3 ms of each start of the program

        with contextlib.suppress(OSError, AttributeError):
            info = (ctypes.c_uint64 * (_TASKINFO_SIZE // 8))()
            size = ctypes.CDLL(_LIBPROC).proc_pidinfo(
                pid, _PROC_PIDTASKINFO, ctypes.c_uint64(0), info, _TASKINFO_SIZE
            )
            if size == _TASKINFO_SIZE:
                return int(info[1])
    return 0


def own_memory() -> int:
    """Bytes of memory that this process holds, MLX's buffers among them; 0 where unknown.

    On macOS that is the footprint, which Activity Monitor shows too: it counts what the GPU uses.
    """
    if sys.platform == "darwin":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            info = (ctypes.c_uint64 * (_RUSAGE_SIZE // 8))()
            if ctypes.CDLL(_LIBPROC).proc_pid_rusage(os.getpid(), 0, info) == 0:
                return int(info[_FOOTPRINT])
    return resident(os.getpid())

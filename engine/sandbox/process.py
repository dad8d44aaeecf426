"""Parent's side of a child process: starting, requests, pacing and killing.

On a CPU, each matrix product of a decode step uses one thread per core, and the slowest thread
determines its time. Waiting threads yield, and Linux gives another process a whole time slice.
Next to a busy child, a 60 ms step took 400 to 900 ms, whatever the priorities. While a chat is
streaming, a child with long-running work is therefore paused for three quarters of the time.
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
    WALL_TIME_FACTOR,
    ChildKind,
    MalformedMessageError,
    RefusedError,
    TaskError,
    TaskLimits,
    TaskReply,
    pack,
    unpack,
)

FROZEN = bool(getattr(sys, "frozen", False))
"""True in the packaged program, whose executable is its own interpreter."""

CHILD_ARGUMENT = "--confined-child"
"""Command-line argument that turns the packaged program into a child."""

RUN_S = 0.01  # how long a paced child runs between pauses

PAUSE_S = 0.03

_SLOWDOWN = (RUN_S + PAUSE_S) / RUN_S
_STREAMING_S = 1.0  # seconds after the last token during which chats count as streaming

_START_TIMEOUT_S = 60.0  # timeout for a start, which takes 0.3 s on an idle machine
_CHUNK_BYTES = 2**20
_CHECK_S = 0.1  # interval between checks for memory and cancellation
_READY_BYTES = 4096

_PROC_PIDTASKINFO = 4  # sys/proc_info.h
_TASKINFO_SIZE = 96  # bytes of struct proc_taskinfo, whose second field is the resident size
_RUSAGE_SIZE = 96  # bytes of struct rusage_info_v0 (sys/resource.h)
_FOOTPRINT = 9  # index of ri_phys_footprint in 8-byte units
_LIBPROC = "/usr/lib/libproc.dylib"

_last_token_time = float("-inf")  # shared by all engines in this process


def child_command(kind: ChildKind, frozen: bool = FROZEN) -> list[str]:
    """Return a child's command line. `-P` keeps the current directory out of the import path."""
    options = [CHILD_ARGUMENT] if frozen else ["-P", "-m", "engine.sandbox"]
    return [sys.executable, *options, kind.value]


def engine_command(*arguments: str) -> list[str]:
    return [sys.executable, *([] if FROZEN else ["-m", "engine"]), *arguments]


def _environment() -> dict[str, str]:
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(p for p in paths if p),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TOKENIZERS_PARALLELISM": "false",  # each thread's stack counts as memory
        "RAYON_NUM_THREADS": "1",
        # Not needed, and printing a backtrace when memory is low kills the child.
        "RUST_BACKTRACE": "0",
        "MALLOC_ARENA_MAX": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_VERBOSITY": "error",
    }


class Child:
    """Child process, for one thread at a time. As a context manager, kills it on exit.

    On Linux, the kernel kills it if the *thread* that started it exits.
    """

    def __init__(self, kind: ChildKind = ChildKind.PROMPTS) -> None:
        # Avoid `preexec_fn`, which would run Python between fork and exec in a threaded process.
        self._process = subprocess.Popen(
            child_command(kind),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
        self.pid = self._process.pid
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._to, False)
        os.set_blocking(self._from, False)
        self._ready = False
        self._paced = kind.is_paced
        self.loaded: OrderedDict[str, None] = OrderedDict()  # model keys, most recently used last
        # The child was killed or is about to exit, so it accepts no more requests.
        self.is_spent = False

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.reap()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def run_task(
        self,
        do: str,
        arguments: dict[str, Any],
        blobs: tuple[bytes, ...],
        limits: TaskLimits,
        stop: threading.Event | None = None,
    ) -> TaskReply:
        """Run a task of `child.TASKS`, and return its result.

        Args:
            stop: set it to cancel within 0.1 s.

        Raises:
            TaskError: if the task fails. The child may be unusable afterwards (see `is_spent`).
        """
        # This timer keeps running while the child is paused. It only matters if the parent dies.
        alarm = limits.cpu_s * WALL_TIME_FACTOR * (_SLOWDOWN if self._paced else 1)
        request = {
            "do": do,
            "arguments": arguments,
            "seconds": limits.cpu_s,
            "alarm": alarm,
            "memory": limits.memory_bytes,
            "written": limits.file_bytes,
        }
        try:
            if not self._ready:
                start = TaskLimits(_START_TIMEOUT_S, 0, _READY_BYTES)
                unpack(_Pipe(self, start, stop).read, _READY_BYTES)
                self._ready = True
            pipe = _Pipe(self, limits, stop)
            pipe.write(pack(request, blobs))
            reply, out = unpack(pipe.read, limits.output_bytes)
        except MalformedMessageError:
            self.kill()
            raise limits.exceeded_error("output") from None
        except BaseException:
            self.kill()
            raise
        self.is_spent = "memory" in reply or "panic" in reply
        if "refused" in reply:
            raise RefusedError(str(reply["refused"]))
        if "memory" in reply:
            raise limits.exceeded_error("memory")
        result = reply.get("result")
        if not isinstance(result, dict):
            fault = reply.get("error") or reply.get("panic") or "no answer"
            raise TaskError("fault", f"failed: {fault}")
        return result, out

    def kill(self) -> None:
        self.is_spent = True
        with contextlib.suppress(OSError):
            self._process.kill()

    def reap(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._process.wait()

    def exit_error(self, limits: TaskLimits) -> TaskError:
        try:
            ended_by = max(0, -self._process.wait(timeout=5.0))
        except subprocess.TimeoutExpired:
            ended_by = 0
        if ended_by in (signal.SIGPROF, signal.SIGALRM):  # the child was killed by its own timer
            return limits.exceeded_error("time")
        text = f"crashed its process (signal {ended_by})"
        return TaskError("crash", text, ended_by)


class _Pipe:
    """Non-blocking I/O with a child, with a deadline and a memory limit."""

    def __init__(self, child: Child, limits: TaskLimits, stop: threading.Event | None) -> None:
        self._child, self._limits, self._stop = child, limits, stop
        self._deadline = time.monotonic() + limits.cpu_s * WALL_TIME_FACTOR
        self._writable, self._readable = select.poll(), select.poll()
        self._writable.register(child._to, select.POLLOUT)
        self._readable.register(child._from, select.POLLIN)

    def write(self, pieces: list[bytes]) -> None:
        for piece in pieces:
            rest = memoryview(piece)
            while rest:
                self._writable.poll(min(self._seconds_left(), _CHECK_S) * 1000)
                try:
                    rest = rest[os.write(self._child._to, rest[:_CHUNK_BYTES]) :]
                except BlockingIOError:
                    continue
                except OSError:
                    raise self._child.exit_error(self._limits) from None

    def read(self, count: int) -> bytes:
        parts: list[bytes] = []
        while count:
            paced = self._child._paced and is_streaming()
            if not self._readable.poll(
                min(self._seconds_left(), RUN_S if paced else _CHECK_S) * 1000
            ):
                if paced:
                    self._deadline += pause_process(self._child.pid)
                max_bytes = self._limits.memory_bytes
                if max_bytes and resident_bytes(self._child.pid) > max_bytes:
                    raise self._limits.exceeded_error("memory")
                continue
            try:
                part = os.read(self._child._from, min(count, _CHUNK_BYTES))
            except BlockingIOError:
                continue
            if not part:
                raise self._child.exit_error(self._limits)
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _seconds_left(self) -> float:
        if self._stop is not None and self._stop.is_set():
            raise TaskError("cancelled", "was cancelled")
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise self._limits.exceeded_error("time")
        return seconds


def record_token() -> None:
    global _last_token_time
    _last_token_time = time.monotonic()


def is_streaming() -> bool:
    """Return True while a chat is streaming, which paces children with long-running work."""
    return time.monotonic() - _last_token_time < _STREAMING_S


def pause_process(pid: int) -> float:
    """Stop a process for `PAUSE_S`. Return the actual seconds."""
    started_at = time.monotonic()
    with contextlib.suppress(OSError):  # the process has already exited
        os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(PAUSE_S)
    finally:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGCONT)
    return time.monotonic() - started_at


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process in bytes, or 0 if unknown."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    elif sys.platform == "darwin":
        import ctypes  # imported lazily, because it would add 3 ms to every start

        with contextlib.suppress(OSError, AttributeError):
            info = (ctypes.c_uint64 * (_TASKINFO_SIZE // 8))()
            size = ctypes.CDLL(_LIBPROC).proc_pidinfo(
                pid, _PROC_PIDTASKINFO, ctypes.c_uint64(0), info, _TASKINFO_SIZE
            )
            if size == _TASKINFO_SIZE:
                return int(info[1])
    return 0


def own_memory_bytes() -> int:
    """Return the memory of this process in bytes, or 0 if unknown.

    On macOS, this is the footprint shown by Activity Monitor, which includes GPU memory.
    """
    if sys.platform == "darwin":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            info = (ctypes.c_uint64 * (_RUSAGE_SIZE // 8))()
            if ctypes.CDLL(_LIBPROC).proc_pid_rusage(os.getpid(), 0, info) == 0:
                return int(info[_FOOTPRINT])
    return resident_bytes(os.getpid())

"""Runner for Python code from models, without access to the network or the user's files.

On Linux, a seccomp filter blocks system calls that would bypass the limits: user namespaces (in
which the code would be root), memory that doesn't belong to a process or folder, and all non-local
sockets. The code may be running as root (containers, CI, WSL), so file permissions don't protect
anything: ``/proc`` is read-only, and all capabilities are dropped.

Only available with bubblewrap on Linux or sandbox-exec on macOS.
"""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from engine.sandbox.protocol import RefusedError

_LOAD, _EQUAL, _AT_LEAST, _ANY_OF, _END = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS = 1, 38
# Offsets in `struct seccomp_data`. The last three are arguments.
_NUMBER, _ARCH, _FIRST, _SECOND, _THIRD = 0, 4, 16, 24, 32
_NEW_NAMESPACE = 0x7E020000
_OTHER_ABI = 0x40000000  # x32 calls, which have different numbers

_ARCHS = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435
_REFUSED = {
    # unshare setns mount umount2 pivot_root chroot memfd_create shmget msgget userfaultfd bpf
    # perf_event_open keyctl add_key request_key ptrace semget
    "x86_64": (272, 308, 165, 166, 155, 161, 319, 29, 68, 323, 321, 298, 250, 248, 249, 101, 64),
    "aarch64": (97, 268, 40, 39, 41, 51, 279, 194, 186, 282, 280, 241, 219, 217, 218, 117, 190),
}
# io_uring_setup open_tree move_mount fsopen fsmount mount_setattr memfd_secret
_REFUSED_EVERYWHERE = (425, 428, 429, 430, 432, 442, 447)
_SOCKET = {"x86_64": (41, 53), "aarch64": (198, 199)}  # socket socketpair
_AF_UNIX = 1
# System calls that enlarge kernel buffers, as (call, argument, values). They are blocked, because
# `_process_usage` assumes the default size.
_ENLARGING = {
    "x86_64": ((54, _THIRD, (7, 32)), (72, _SECOND, (1031,))),  # setsockopt fcntl
    "aarch64": ((208, _THIRD, (7, 32)), (25, _SECOND, (1031,))),
}
"""SO_SNDBUF, SO_SNDBUFFORCE and F_SETPIPE_SZ."""


def system_call_rules(machine: str) -> bytes:
    if machine not in _ARCHS or struct.pack("=H", 1) != struct.pack("<H", 1):
        return b""
    refused_calls = (*_REFUSED[machine], *_REFUSED_EVERYWHERE)
    steps = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, _ARCHS[machine]),
        (_END, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    for kind, number, end in (
        (_AT_LEAST, _OTHER_ABI, _ERROR | _EPERM),
        # A filter can't see the flags of clone3. libc falls back to clone.
        (_EQUAL, _CLONE3, _ERROR | _ENOSYS),
        *((_EQUAL, number, _ERROR | _EPERM) for number in refused_calls),
    ):
        steps += [(kind, 0, 1, number), (_END, 0, 0, end)]
    for number in _SOCKET[machine]:
        steps += [
            (_EQUAL, 0, 4, number),
            (_LOAD, 0, 0, _FIRST),
            (_EQUAL, 0, 1, _AF_UNIX),
            (_END, 0, 0, _ALLOW),
            (_END, 0, 0, _ERROR | _EPERM),
        ]
    for number, argument, values in _ENLARGING[machine]:
        steps += [(_EQUAL, 0, 2 * len(values) + 2, number), (_LOAD, 0, 0, argument)]
        for value in values:
            steps += [(_EQUAL, 0, 1, value), (_END, 0, 0, _ERROR | _EPERM)]
        steps += [(_END, 0, 0, _ALLOW)]
    steps += [
        (_EQUAL, 0, 3, _CLONE[machine]),
        (_LOAD, 0, 0, _FIRST),
        (_ANY_OF, 0, 1, _NEW_NAMESPACE),
        (_END, 0, 0, _ERROR | _EPERM),
        (_END, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("<HBBI", *step) for step in steps)


TIMEOUT_S = 20.0
MAX_MEMORY_BYTES = 1_000_000_000  # limit per process, and for all processes together
MAX_PROCESSES = 64
MAX_DESCRIPTORS = 64  # limit per process, because each descriptor may have a kernel buffer
TMP_BYTES = 64_000_000  # size of /tmp
SHM_BYTES = 16_000_000  # size of /dev/shm
# Interval between usage checks, since the kernel can't limit several processes together.
CHECK_S = 0.1
MAX_OUTPUT_BYTES = 100_000
_PROFILE = (
    "(version 1)(deny default)(allow process-fork)(allow process-exec)(allow sysctl-read)"
    "(allow mach-lookup)(allow signal (target self))"
    '(allow file-read* (subpath "/usr") (subpath "/System") (subpath "/Library/Developer")'
    ' (subpath "/Applications/Xcode.app") (subpath "/private/var/db") (literal "/")'
    ' (literal "/dev/null") (literal "/dev/random") (literal "/dev/urandom"))'
    '(allow file-write-data (literal "/dev/null"))'
)


def _prelude(own_processes: bool) -> str:
    """Return the Python code that sets limits and then runs the code from stdin.

    A process can't raise its limits again. `preexec_fn` would run Python between fork and exec in
    a threaded process.

    Args:
        own_processes: True if the process limit only counts processes in the sandbox.
    """
    return f"""
import os, resource, sys
limits = [(resource.RLIMIT_CPU, {int(TIMEOUT_S)}), (resource.RLIMIT_FSIZE, 10_000_000)]
limits.append((resource.RLIMIT_NOFILE, {MAX_DESCRIPTORS}))
if sys.platform != "darwin":
    limits.append((resource.RLIMIT_AS, {MAX_MEMORY_BYTES}))
if {own_processes}:
    limits.append((resource.RLIMIT_NPROC, {MAX_PROCESSES}))
for kind, most in limits:
    resource.setrlimit(kind, (most, most))
os.nice(10)
code = sys.stdin.read()
sys.stdin = open("/dev/null")
exec(compile(code, "cell", "exec"), {{"__name__": "__main__"}})
"""


_PRELUDE = _prelude(own_processes=False)


def sandbox_command() -> list[str] | None:
    """Return the command for running Python code from stdin in the sandbox, or None if unavailable.

    Only small in-memory folders are writable.
    """
    python = "/usr/bin/python3"
    tool = _sandbox_tool()
    if tool is None or not os.path.exists(python):
        return None
    if sys.platform == "darwin":
        return [tool, "-p", _PROFILE, python, "-I", "-c", _PRELUDE]
    options = _bwrap_options(tool)
    binds = [
        part
        for folder in ("/lib", "/lib64", "/bin", "/etc/alternatives", "/etc/ld.so.cache")
        if os.path.exists(folder)
        for part in ("--ro-bind", folder, folder)
    ]
    # Old versions can't limit the size of in-memory folders, so the folder isn't writable in this
    # case.
    shared, temporary = (
        ("--size", str(size), "--tmpfs", folder) if "--size" in options else ("--dir", folder)
        for folder, size in (("/dev/shm", SHM_BYTES), ("/tmp", TMP_BYTES))
    )
    alone = ("--unshare-user", "--disable-userns") if "--disable-userns" in options else ()
    return [
        *(tool, "--unshare-all", *alone, "--die-with-parent", "--new-session", "--clearenv"),
        *("--cap-drop", "ALL", "--ro-bind", "/usr", "/usr", *binds),
        *("--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"),
        *(*shared, "--remount-ro", "/dev", *temporary, "--remount-ro", "/"),
        *("--chdir", "/tmp", "--setenv", "HOME", "/tmp"),
        *(python, "-I", "-c", _prelude(own_processes=True)),
    ]


def is_available() -> bool:
    return _sandbox_tool() is not None and os.path.exists("/usr/bin/python3")


def _sandbox_tool() -> str | None:
    return shutil.which("sandbox-exec" if sys.platform == "darwin" else "bwrap")


@functools.cache
def _bwrap_options(tool: str) -> frozenset[str]:
    try:
        process = subprocess.run([tool, "--help"], capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return frozenset()
    return frozenset((process.stdout + process.stderr).decode(errors="replace").split())


def run_python(code: str, command: list[str] | None = None) -> str:
    """Run code and return its output.

    Raises:
        RefusedError: if the code can't be confined, exceeds a limit or fails.
    """
    command = command or sandbox_command()
    if command is None:
        raise RefusedError("This system cannot run Python safely.")
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as rules:
        rules.write(system_call_rules(platform.machine()))
        rules.seek(0)
        if os.path.basename(command[0]) == "bwrap" and os.fstat(rules.fileno()).st_size:
            command = [command[0], "--seccomp", str(rules.fileno()), *command[1:]]
        # Use a file instead of a pipe, so that the file size limit applies.
        try:
            child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
                env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
                start_new_session=True,
                pass_fds=(rules.fileno(),),
            )
        except OSError as error:
            raise RefusedError(f"Python could not be started: {error.strerror}.") from error
        _wait(child, code)
        out.seek(0)
        output = out.read(MAX_OUTPUT_BYTES + 1)
    text = output[:MAX_OUTPUT_BYTES].decode(errors="replace")
    if len(output) > MAX_OUTPUT_BYTES:
        text += "\n[… output truncated …]"
    if child.returncode:
        raise RefusedError(f"It ended with status {child.returncode}.\n{text}")
    return text


def _wait(child: subprocess.Popen[bytes], code: str) -> None:
    end = time.monotonic() + TIMEOUT_S
    source: bytes | None = code.encode(errors="replace")
    while True:
        try:
            child.communicate(source, timeout=CHECK_S)
            return
        except subprocess.TimeoutExpired:
            source = None
        processes, memory = _process_usage(child.pid)
        if time.monotonic() > end:
            limit = f"{TIMEOUT_S:.0f} s"
        elif memory > MAX_MEMORY_BYTES:
            limit = f"{MAX_MEMORY_BYTES // 10**6:,} MB of memory"
        elif processes > MAX_PROCESSES:
            limit = f"{MAX_PROCESSES} processes"
        else:
            continue
        os.killpg(child.pid, 9)
        child.communicate()
        raise RefusedError(f"It used more than {limit} and was stopped.")


def _process_usage(pid: int) -> tuple[int, int]:
    """Return the number of processes in a tree and their memory in bytes.

    Socket and pipe buffers don't belong to any process, so each descriptor is counted as a full
    buffer.
    """
    if sys.platform == "darwin":
        return _usage_from_ps(pid)
    waiting, count, pages, descriptors = [pid], 0, 0, 0
    while waiting:
        current = waiting.pop()
        count += 1
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{current}/statm") as file:
                pages += int(file.read().split()[1])
            for task in os.listdir(f"/proc/{current}/task"):
                with open(f"/proc/{current}/task/{task}/children") as file:
                    waiting += map(int, file.read().split())
        with contextlib.suppress(OSError):
            descriptors += len(os.listdir(f"/proc/{current}/fd"))
    return count, pages * os.sysconf("SC_PAGE_SIZE") + descriptors * _buffer_bytes()


@functools.cache
def _buffer_bytes() -> int:
    with contextlib.suppress(OSError, ValueError), open("/proc/sys/net/core/wmem_default") as file:
        return int(file.read())
    return 212_992


def _usage_from_ps(pid: int) -> tuple[int, int]:
    process = subprocess.run(["ps", "-axo", "pid=,ppid=,rss="], capture_output=True, check=False)
    sizes: dict[int, int] = {}
    below: dict[int, list[int]] = {}
    for line in process.stdout.splitlines():
        child_pid, parent, size = map(int, line.split())
        sizes[child_pid] = size * 1024
        below.setdefault(parent, []).append(child_pid)
    waiting, process_ids = [pid], list[int]()
    while waiting:
        process_ids.append(waiting.pop())
        waiting += below.get(process_ids[-1], [])
    return len(process_ids), sum(sizes.get(descendant, 0) for descendant in process_ids)

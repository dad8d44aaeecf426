"""Sandboxed Python for models and checks: inaccessible resources, and limits."""

from __future__ import annotations

import shutil
import struct
import sys
from pathlib import Path

import pytest

from engine.sandbox import python_cell
from engine.sandbox.protocol import RefusedError


def test_python_is_refused_without_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(RefusedError, match="safely"):
        python_cell.run_python("print(1)")


@pytest.mark.skipif(python_cell.sandbox_command() is None, reason="this system has no bubblewrap")
def test_confined_python_cannot_reach_system(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    assert python_cell.run_python("print(6 * 7)") == "42\n"
    with pytest.raises(RefusedError):
        python_cell.run_python(f"print(open({str(tmp_path / 'secret')!r}).read())")
    with pytest.raises(RefusedError):
        python_cell.run_python("import socket; socket.create_connection(('1.1.1.1', 80), 3)")


NEEDS_BWRAP = pytest.mark.skipif(
    sys.platform == "darwin" or python_cell.sandbox_command() is None,
    reason="this system has no bubblewrap",
)


@NEEDS_BWRAP
@pytest.mark.parametrize(
    "code",
    [
        "open('/more', 'w')",
        "open('/dev/more', 'w')",
        "[open(f'/tmp/{n}', 'wb').write(b'x' * 9_000_000) for n in range(8)]",
        "[open(f'/dev/shm/{n}', 'wb').write(b'x' * 9_000_000) for n in range(3)]",
        "import os; os.memfd_create('more')",
        "import os; os.setuid(0) if os.getuid() else None; os.chroot('/tmp')",
        "import ctypes; c = ctypes.CDLL(None, use_errno=True); assert c.unshare(0x10000000) == 0",
        "import ctypes; c = ctypes.CDLL(None, use_errno=True); assert c.shmget(0, 4096, 512) >= 0",
        "import subprocess; subprocess.run(['unshare', '-Ur', 'true'], check=True)",
        "import os; os.open('/proc/sys/kernel/hostname', os.O_WRONLY)",
        "import os; os.open('/proc/sys/vm/drop_caches', os.O_WRONLY)",
        "import os; os.open('/proc/self/oom_score_adj', os.O_WRONLY)",
        "import socket; socket.socket(40)",  # AF_VSOCK
        "import socket; socket.socket()",
        "import socket; a, b = socket.socketpair(); a.setsockopt(1, 7, 10**8)",
        "import os, fcntl; fcntl.fcntl(os.pipe()[0], 1031, 2**20)",
        "import ctypes; c = ctypes.CDLL(None, use_errno=True); assert c.semget(0, 99, 512) >= 0",
    ],
)
def test_confined_python_cannot_escape_limits(code: str) -> None:
    """The kernel refuses memory that no limit covers, and namespaces."""
    with pytest.raises(RefusedError, match="Error"):
        python_cell.run_python(code)


@NEEDS_BWRAP
def test_confined_python_can_compute() -> None:
    code = (
        "import subprocess, tempfile, threading, sys, multiprocessing as m\n"
        "with tempfile.TemporaryFile() as file: file.write(b'x' * 1000)\n"
        "t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()\n"
        "print(subprocess.check_output([sys.executable, '-c', 'print(1)']).decode().strip())\n"
        "with m.Pool(2) as pool: print(pool.map(abs, [-1, -2]))\n"
        "import asyncio; print(asyncio.run(asyncio.sleep(0, 'loop')))\n"
    )
    assert python_cell.run_python(code).split("\n") == ["thread", "1", "[1, 2]", "loop", ""]


@NEEDS_BWRAP
def test_confined_python_has_no_capabilities() -> None:
    """This includes root, whose capabilities bubblewrap would keep."""
    code = "print([x.split()[1] for x in open('/proc/self/status') if x.startswith('Cap')])"
    assert python_cell.run_python(code) == f"{['0' * 16] * 5}\n"


@NEEDS_BWRAP
def test_socket_buffers_count_as_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Socket buffers don't belong to any process, so 2 GB could be allocated unnoticed."""
    monkeypatch.setattr(python_cell, "MAX_MEMORY_BYTES", 160_000_000)
    code = (
        "import os, socket, time\n"
        "for _ in range(8):\n"
        "    if os.fork() == 0:\n"
        "        pairs = [socket.socketpair() for _ in range(25)]\n"
        "        for one in [one for pair in pairs for one in pair]:\n"
        "            one.setblocking(False)\n"
        "            try:\n"
        "                while True: one.send(b'x' * 60_000)\n"
        "            except BlockingIOError: pass\n"
        "        break\n"
        "time.sleep(60)\n"
    )
    with pytest.raises(RefusedError, match="160 MB of memory"):
        python_cell.run_python(code)


def _forks(count: int, size: int) -> str:
    return (
        "import os, time\n"
        f"for _ in range({count}):\n"
        "    if os.fork() == 0:\n"
        f"        held = b'x' * {size}\n"
        "        time.sleep(60)\n"
        "time.sleep(60)\n"
    )


@pytest.mark.skipif(sys.platform == "darwin", reason="a Mac has no limit of address space")
def test_processes_share_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process stays within its own limit, but together they exceed it and are all killed."""
    plain = ["/usr/bin/env", "python3", "-I", "-c", python_cell._PRELUDE]
    monkeypatch.setattr(python_cell, "MAX_MEMORY_BYTES", 200_000_000)
    with pytest.raises(RefusedError, match="200 MB of memory"):
        python_cell.run_python(_forks(8, 60_000_000), plain)
    monkeypatch.setattr(python_cell, "MAX_PROCESSES", 10)
    with pytest.raises(RefusedError, match="10 processes"):
        python_cell.run_python(_forks(20, 1), plain)
    monkeypatch.setattr(python_cell, "TIMEOUT_S", 0.3)
    with pytest.raises(RefusedError, match="more than 0 s"):
        python_cell.run_python("import time; time.sleep(60)", plain)


def test_system_call_filter_is_well_formed() -> None:
    """Each jump reaches an end, and each architecture has its own system call numbers."""
    for machine in ("x86_64", "aarch64"):
        told = python_cell.system_call_rules(machine)
        steps = [struct.unpack("<HBBI", told[at : at + 8]) for at in range(0, len(told), 8)]
        for place, (kind, yes, no, _) in enumerate(steps):
            if kind & 7 == 5:
                assert place + 1 + max(yes, no) < len(steps)
        assert steps[-1] == (0x06, 0, 0, 0x7FFF0000)
        assert len({step[3] for step in steps if step[0] == 0x15}) > 24
    assert python_cell.system_call_rules("riscv64") == b""


def test_child_limits_are_set() -> None:
    begin = python_cell._PRELUDE
    plain = ["/usr/bin/env", "python3", "-I", "-c", begin]
    assert python_cell.run_python("print(6 * 7)", plain) == "42\n"
    with pytest.raises(RefusedError, match="MemoryError"):
        python_cell.run_python("x = bytearray(2_000_000_000)", plain)
    with pytest.raises(RefusedError):
        python_cell.run_python("while True: print('x' * 1_000_000)", plain)

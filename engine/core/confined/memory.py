"""How much memory a process holds."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys

_PROC_PIDTASKINFO = 4  # sys/proc_info.h
_TASKINFO_SIZE = 96  # of struct proc_taskinfo; its second number is the resident size
_RUSAGE_SIZE = 96  # of struct rusage_info_v0 (sys/resource.h)
_FOOTPRINT = 9  # the place of ri_phys_footprint in it, in steps of eight bytes
_LIBPROC = "/usr/lib/libproc.dylib"


def resident(pid: int) -> int:
    """Bytes of memory that a process of ours holds, 0 where that cannot be told."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    elif sys.platform == "darwin":
        with contextlib.suppress(OSError, AttributeError):
            info = (ctypes.c_uint64 * (_TASKINFO_SIZE // 8))()
            told = ctypes.CDLL(_LIBPROC).proc_pidinfo(
                pid, _PROC_PIDTASKINFO, ctypes.c_uint64(0), info, _TASKINFO_SIZE
            )
            if told == _TASKINFO_SIZE:
                return int(info[1])
    return 0


def of_this_process() -> int:
    """Bytes of memory that this process holds, MLX's buffers among them; 0 where unknown.

    On macOS that is the footprint, which Activity Monitor shows too: it counts what the GPU uses.
    """
    if sys.platform == "darwin":
        with contextlib.suppress(OSError, AttributeError):
            info = (ctypes.c_uint64 * (_RUSAGE_SIZE // 8))()
            if ctypes.CDLL(_LIBPROC).proc_pid_rusage(os.getpid(), 0, info) == 0:
                return int(info[_FOOTPRINT])
    return resident(os.getpid())

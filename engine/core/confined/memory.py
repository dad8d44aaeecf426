"""How much memory another process holds."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys

_PROC_PIDTASKINFO = 4  # sys/proc_info.h
_TASKINFO_SIZE = 96  # of struct proc_taskinfo; its second number is the resident size


def resident(pid: int) -> int:
    """Bytes of memory that a process of ours holds, 0 where that cannot be told."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    elif sys.platform == "darwin":
        with contextlib.suppress(OSError, AttributeError):
            info = (ctypes.c_uint64 * (_TASKINFO_SIZE // 8))()
            told = ctypes.CDLL("/usr/lib/libproc.dylib").proc_pidinfo(
                pid, _PROC_PIDTASKINFO, ctypes.c_uint64(0), info, _TASKINFO_SIZE
            )
            if told == _TASKINFO_SIZE:
                return int(info[1])
    return 0

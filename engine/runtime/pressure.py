"""Memory pressure reported by the system, and what to free in response.

A query takes microseconds.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from enum import IntEnum
from pathlib import Path


class Pressure(IntEnum):
    NONE = 0
    SOME = 1  # free memory that can be recreated
    HIGH = 2  # the system is swapping, or is about to


_MEMORY = Path("/proc/meminfo")
_LEFT = (0.04, 0.02)  # fraction of memory available without swapping, for SOME and HIGH
_LEVEL = b"kern.memorystatus_vm_pressure_level"  # macOS levels: 1 normal, 2 warning, 4 critical


def pressure() -> Pressure:
    if sys.platform == "darwin":
        level = _system_level()
        return Pressure.HIGH if level >= 4 else Pressure.SOME if level >= 2 else Pressure.NONE
    with suppress(OSError, KeyError, ValueError, IndexError, ZeroDivisionError):
        # Lines like "MemTotal:       24544912 kB".
        sizes = dict(line.partition(":")[::2] for line in _MEMORY.read_text().splitlines())
        available, total = (int(sizes[n].split()[0]) for n in ("MemAvailable", "MemTotal"))
        return Pressure(sum(available / total <= limit for limit in _LEFT))
    return Pressure.NONE


def _system_level() -> int:
    import ctypes  # imported here because only macOS needs it

    level = ctypes.c_int(0)
    size = ctypes.c_size_t(ctypes.sizeof(level))
    with suppress(OSError, AttributeError):
        ask = ctypes.CDLL(None).sysctlbyname
        ask(_LEVEL, ctypes.byref(level), ctypes.byref(size), None, ctypes.c_size_t(0))
    return level.value


class ReliefStep(IntEnum):
    NOTHING = 0
    CACHES = 1
    MODEL = 2  # an unused model, if freeing caches wasn't enough


PAUSE = 10.0
"""Seconds until freeing memory has a visible effect, because the system averages over the last ten
seconds."""


class Relief:
    def __init__(self) -> None:
        self._caches_gone = False  # caches have been freed since the pressure began
        self._next = float("-inf")

    def need(self, level: Pressure, now: float) -> ReliefStep:
        if level is Pressure.NONE:
            if now >= self._next:
                self._caches_gone = False
            return ReliefStep.NOTHING
        if now < self._next:
            return ReliefStep.NOTHING
        self._next = now + PAUSE
        if not self._caches_gone or level is not Pressure.HIGH:
            self._caches_gone = True
            return ReliefStep.CACHES
        return ReliefStep.MODEL

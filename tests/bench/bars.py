"""Figures against their bars, and where they come from."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One measured value; held if it is at most the bar, where there is one."""

    name: str
    value: float
    unit: str
    bar: float | None = None

    @property
    def held(self) -> bool:
        return self.bar is None or self.value <= self.bar

    def __str__(self) -> str:
        line = f"{self.name:<40} {self.value:>9,.2f} {self.unit:<3}"
        if self.bar is None:
            return line.rstrip()
        return f"{line}  bar {self.bar:g}: {'held' if self.held else 'missed'}"


def percentile(ordered: list[float], share: float) -> float:
    """The value below which ``share`` of the ordered values lie (nearest rank)."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def lateness(
    name: str, late_ms: list[float], p99: float | None, most: float | None
) -> list[Figure]:
    """p50, p99 and the most of some latenesses in ms."""
    late = sorted(late_ms)
    return [
        Figure(f"{name}, p50", percentile(late, 0.5), "ms"),
        Figure(f"{name}, p99", percentile(late, 0.99), "ms", p99),
        Figure(f"{name}, max", late[-1] if late else 0.0, "ms", most),
    ]


def resident_mb() -> float:
    """What of this process is in memory, in MB."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:  # macOS
        told = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(os.getpid())], check=True, capture_output=True, text=True
        )
        return int(told.stdout) * 1024 / 1e6

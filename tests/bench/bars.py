"""Measured values with their limits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
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
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def lateness(
    name: str, late_ms: list[float], p99: float | None, most: float | None
) -> list[Figure]:
    late = sorted(late_ms)
    return [
        Figure(f"{name}, p50", percentile(late, 0.5), "ms"),
        Figure(f"{name}, p99", percentile(late, 0.99), "ms", p99),
        Figure(f"{name}, max", late[-1] if late else 0.0, "ms", most),
    ]

"""`python -m engine report MODEL …`: ten-minute benchmark whose results users can send as a file.

For models and expected results, see `packaging/QA.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from engine.bench import latency, throughput
from engine.bench.subject import Subject, subject
from engine.cli.arguments import GUIDE

CHATS = (1, 4, 8, 16)
LARGE = 4_000_000_000  # size of the weights in bytes from which `LARGE_TARGETS` apply
LARGE_TARGETS = {1: 0.97, 4: 2.3, 8: 3.0}
SMALL_TARGETS = {1: 0.97, 16: 4.0}  # throughput by number of chats, relative to one mlx-lm chat

FILE = "stretto-report.json"

_GAP_PROMPT = 10_000
_ROUNDS = 2
_TOKENS = 64
_PROMPT = 64


class Figure(Struct, frozen=True):
    name: str
    value: float
    unit: str
    wanted: float | None = None  # target value
    more: bool = True  # True if more is better

    @property
    def is_met(self) -> bool:
        if self.wanted is None:
            return True
        return self.value >= self.wanted if self.more else self.value <= self.wanted

    def __str__(self) -> str:
        expectation = ""
        if self.wanted is not None:
            side = "at least" if self.more else "at most"
            verdict = "held" if self.is_met else "MISSED"
            expectation = f"   ({side} {self.wanted:g}: {verdict})"
        return f"  {self.name:<46} {self.value:>9.2f} {self.unit}{expectation}"


def machine() -> dict[str, Any]:
    chip = platform.processor()
    if sys.platform == "darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        chip = process.stdout.strip() or chip
    return {
        "system": platform.platform(),
        "chip": chip,
        "cores": os.cpu_count(),
        "load_before": os.getloadavg()[0],
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "models",
        nargs="*",
        default=[str(GUIDE)],
        help="model folders or hub ids (default: the Guide)",
    )
    parser.add_argument(
        "--minutes", type=float, default=10.0, help="total time in minutes (default: 10)"
    )
    parser.add_argument(
        "--out", type=Path, default=Path(FILE), help=f"output file (default: {FILE})"
    )


def main(options: argparse.Namespace) -> int:
    met = run(options.models, options.minutes, options.out, print)
    print(f"\n{options.out.resolve()} has all of it. It names no person and no chat.")
    return 0 if met else 1


def run(models: list[str], minutes: float, file: Path, say: Callable[[str], None]) -> bool:
    """Benchmark the models, sharing the time equally. Return True if all targets were met.

    The file is rewritten after each part. The error of a failed part is recorded.
    """
    report: dict[str, Any] = {"machine": machine(), "models": []}
    met = True
    for path in models:
        end = time.monotonic() + minutes * 60 / len(models)
        entry: dict[str, Any] = {"path": Path(path).name, "figures": [], "errors": []}
        report["models"].append(entry)
        try:
            with subject(path) as it:
                entry["model"] = {**to_builtins(it.model), "path": Path(it.model.path).name}
                report["machine"]["backend"] = it.engine.stats()["backend"]
                say(f"\n{it.model.name}, {it.model.nbytes / 1e9:.2f} GB")
                for figure in _figures(it, end, entry["errors"]):
                    say(str(figure))
                    met &= figure.is_met
                    entry["figures"].append({**to_builtins(figure), "held": figure.is_met})
                    _write(report, file)
        except Exception as error:  # continue with the next model
            entry["errors"].append(_error_text(error))
        for line in entry["errors"]:
            say(f"  {line}")
            met = False
        _write(report, file)
    return met


def _figures(running: Subject, end: float, errors: list[str]) -> Iterator[Figure]:
    parts: list[Callable[[Subject], Iterator[Figure]]] = [
        _measure_prefill,
        _long_prompt,
        *(_measure_throughput(chats) for chats in CHATS),
    ]
    for part in parts:
        if time.monotonic() >= end:
            errors.append("The time was over before everything was measured.")
            return
        try:
            yield from part(running)
        except Exception as error:  # continue with the next part
            errors.append(_error_text(error))


def _measure_prefill(running: Subject) -> Iterator[Figure]:
    length = min(4000, running.model.context_length // 2)
    turn = latency.follow_up(running, length)
    rate = turn.history_tokens / turn.first_turn
    yield Figure(f"reading {turn.history_tokens:,} tokens", rate, "tokens/s")
    name = "first token of the next turn"
    yield Figure(name, turn.second_turn * 1e3, "ms", 200.0, more=False)


def _long_prompt(running: Subject) -> Iterator[Figure]:
    gap = latency.long_prompt(running, min(_GAP_PROMPT, running.model.context_length * 3 // 4))
    name = f"gaps while {gap.prompt_tokens:,} tokens are read"
    yield Figure("gap between two tokens of three chats, p50", gap.median_before * 1e3, "ms")
    max_gap_ms = round(gap.budgeted_before * 1e3, 1)
    yield Figure(f"{name}, p99", gap.p99 * 1e3, "ms", max_gap_ms, more=False)
    yield Figure(f"{name}, longest", gap.longest * 1e3, "ms")


def _measure_throughput(chats: int) -> Callable[[Subject], Iterator[Figure]]:
    targets = {True: LARGE_TARGETS, False: SMALL_TARGETS}

    def measure(running: Subject) -> Iterator[Figure]:
        prompts = [running.text(_PROMPT, salt=i) for i in range(chats)]
        rates: list[float] = []
        alone: list[float] = []
        for _ in range(_ROUNDS):  # alternate between them, so that a slow phase affects both
            rates.append(throughput.stretto_rate(running, prompts, _TOKENS))
            alone.append(throughput.alone_rate(running, prompts[:1], _TOKENS))
        rate, rate_alone = statistics.median(rates), statistics.median(alone)
        target = targets[running.model.nbytes >= LARGE].get(chats)
        yield Figure(f"{chats} chats together", rate, "tokens/s")
        if chats == 1:
            yield Figure("one chat by mlx-lm alone", rate_alone, "tokens/s")
        yield Figure(f"{chats} chats, times mlx-lm's one chat", rate / rate_alone, "x", target)

    return measure


def _error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".replace(str(Path.home()), "~")


def _write(report: dict[str, Any], file: Path) -> None:
    file.write_text(json.dumps(report, indent=2, default=str) + "\n", encoding="utf-8")

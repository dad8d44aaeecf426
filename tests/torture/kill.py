"""`kill -9` at random moments, followed by checks of the database."""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.settings.paths import Paths
from tests.torture.killing import run_child
from tests.torture.ledger import Found, Ledger

_START_S = 60.0  # a timeout for busy machines, not a measurement


@dataclass
class KillReport:
    """Results of the kills.

    Attributes:
        early: kills before the chats were open.
        changes: number of changes that the killed programs reported, over all rounds.
        messages: number of messages in the file at the end.
        lost_ms: age of the oldest lost change in each round.
        faults: errors, with the number of their round.
    """

    kills: int = 0
    early: int = 0
    changes: int = 0
    messages: int = 0
    lost_ms: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture kill", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.5, help="the longest life of a program")
    options = parser.parse_args(arguments)
    report = measure(options.rounds, options.seed, options.seconds)
    lost = sorted(report.lost_ms)
    print(
        f"{report.kills} kills ({report.early} while starting), {len(report.faults)} faults\n"
        f"{report.changes:,} changes made, {report.messages:,} messages at the end\n"
        f"the oldest change lost: {lost[-1]:,.0f} ms old when killed "
        f"(half the rounds: at most {lost[len(lost) // 2]:,.0f} ms)"
    )
    return 1 if report.faults else 0


def measure(rounds: int, seed: int, longest_s: float) -> KillReport:
    dice = random.Random(seed)
    report = KillReport()
    with tempfile.TemporaryDirectory(prefix="stretto-kill-") as folder:
        profile = Path(folder)
        file = Paths.for_profile(profile).chats
        found = Found()
        for number in range(rounds):
            ledger = Ledger(found)
            killed = _run_and_kill(profile, seed * 10_000 + number, dice, longest_s, ledger)
            verdict, found = ledger.verdict(file, killed)
            report.kills += 1
            report.early += not ledger.ready
            report.changes += verdict.changes
            report.lost_ms.append(verdict.lost_ms)
            for fault in verdict.faults:
                report.faults.append(f"round {number}: {fault}")
                print(report.faults[-1], flush=True)
        report.messages = len(found.messages)
    return report


def _run_and_kill(
    profile: Path, seed: int, dice: random.Random, longest_s: float, ledger: Ledger
) -> float:
    ready, acted, aiming = threading.Event(), threading.Event(), threading.Event()

    def on_line(line: list[Any]) -> None:
        ledger.take(line)
        if line[0] == "ready":
            ready.set()
        elif line[0] == "do" and aiming.is_set():
            acted.set()

    def wait(_: subprocess.Popen[bytes]) -> None:
        if dice.random() < 0.05:
            time.sleep(dice.random() * 0.5)  # kill during startup
            return
        if not ready.wait(_START_S):
            raise TimeoutError("The program that is to be killed did not start.")
        time.sleep(dice.random() * longest_s)
        if dice.random() < 0.5:  # kill at the start of an action
            aiming.set()
            acted.wait(1.0)
            time.sleep(dice.random() * 0.012)

    return run_child("tests.torture.scribbler", [str(profile), str(seed)], on_line, wait)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

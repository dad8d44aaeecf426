"""``python -m tests.bench kill``: `kill -9` at random moments, followed by checks of the
database.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from app.settings.paths import Paths
from tests.bench.ledger import Found, Ledger, Verdict

_START_S = 60.0  # a timeout for busy machines, not a measurement


@dataclass
class KillReport:
    """Results of the kills.

    Attributes:
        early: kills before the chats were open.
        changes: number of changes that the killed programs reported, over all rounds.
        messages: number of messages in the file at the end.
        lost_ms: age of the oldest lost change.
        faults: errors, with the number of their round.
    """

    rounds: int = 0
    kills: int = 0
    early: int = 0
    changes: int = 0
    messages: int = 0
    lost_ms: float = 0.0
    p50_lost_ms: float = 0.0
    faults: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("kill", help="kill -9 at random moments: is anything lost?")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.5, help="the longest life of a program")
    parser.add_argument("--json", action="store_true", help="figures for machines")


def run(options: argparse.Namespace) -> int:
    def on_round(number: int, verdict: Verdict) -> None:
        for fault in verdict.faults:
            print(f"round {number}: {fault}", file=sys.stderr, flush=True)

    report = measure(options.rounds, options.seed, options.seconds, on_round)
    if options.json:
        print(json.dumps(report.as_dict()))
    else:
        print(
            f"{report.rounds} rounds, {report.kills} kills ({report.early} while starting), "
            f"{len(report.faults)} faults\n"
            f"{report.changes:,} changes made, {report.messages:,} messages at the end\n"
            f"the oldest change lost: {report.lost_ms:,.0f} ms old when killed "
            f"(half the rounds: at most {report.p50_lost_ms:,.0f} ms)"
        )
    return 1 if report.faults else 0


def measure(
    rounds: int, seed: int, longest_s: float, on_round: Callable[[int, Verdict], None] | None = None
) -> KillReport:
    dice = random.Random(seed)
    report = KillReport(rounds=rounds)
    losses = []
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
            losses.append(verdict.lost_ms)
            report.faults += [f"round {number}: {fault}" for fault in verdict.faults]
            if on_round is not None:
                on_round(number, verdict)
        report.messages = len(found.messages)
    report.lost_ms = round(max(losses, default=0.0), 1)
    report.p50_lost_ms = round(sorted(losses)[len(losses) // 2], 1) if losses else 0.0
    return report


def _run_and_kill(
    profile: Path, seed: int, dice: random.Random, longest_s: float, ledger: Ledger
) -> float:
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.scribbler", str(profile), str(seed)],
        stdout=subprocess.PIPE,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    stream = child.stdout
    assert stream is not None
    ready, acted, aiming = threading.Event(), threading.Event(), threading.Event()

    def listen() -> None:
        for line in stream:
            if not line.endswith(b"\n"):  # truncated by the kill
                continue
            said = json.loads(line)
            ledger.take(said)
            if said[0] == "ready":
                ready.set()
            elif said[0] == "do" and aiming.is_set():
                acted.set()

    listener = threading.Thread(target=listen, name="listener")
    listener.start()
    try:
        if dice.random() < 0.05:
            time.sleep(dice.random() * 0.5)  # kill during startup
        else:
            if not ready.wait(_START_S):
                raise TimeoutError("The program that is to be killed did not start.")
            time.sleep(dice.random() * longest_s)
            if dice.random() < 0.5:  # kill at the start of an action
                aiming.set()
                acted.wait(1.0)
                time.sleep(dice.random() * 0.012)
        if child.poll() is not None:
            raise RuntimeError(f"The program ended by itself, with status {child.returncode}.")
    finally:
        killed = time.monotonic()
        child.kill()
        listener.join()
        stream.close()
        child.wait()
    return killed

"""Proofs that take longer than the suite may: `python -m tests.torture [COMMAND …]`.

Without a command, or with `all`, all of them, in the time that `SHARES` gives each.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def faults(arguments: list[str]) -> int:
    """Let every function of the engine raise, in every state of a reply; see who is hurt."""
    parser = argparse.ArgumentParser(prog="tests.torture faults", description=faults.__doc__)
    parser.add_argument("--once", action="store_true", help="one fault for each function")
    parser.add_argument("--only", default="", help="faults whose name contains this")
    parser.add_argument("--seconds", type=float, default=1e9, help="then no more are begun")
    parser.add_argument("--jobs", type=int, default=2, help="processes that share the faults")
    parser.add_argument("--part", default="", help="K/N: each N-th fault, from the K-th on")
    parser.add_argument("--each", action="store_true", help="print a line for each fault")
    chosen = parser.parse_args(arguments)
    if not chosen.part and chosen.jobs > 1:
        return _in_parts(arguments, chosen.jobs)
    first, of = (int(n) for n in (chosen.part or "1/1").split("/"))
    from tests.engine.injection import for_children, install

    switch = install()  # before anything imports the engine
    logging.disable(logging.CRITICAL)
    from engine.model import backend

    backend.take_openblas()
    from tests.engine import fault_run

    with tempfile.TemporaryDirectory() as folder:
        child = for_children(Path(folder))
        part = (first - 1, of)
        whole, only, seconds = not chosen.once, chosen.only, chosen.seconds
        return fault_run.run(switch, child, whole, only, seconds, part, chosen.each)


def _in_parts(arguments: list[str], jobs: int) -> int:
    """The faults in several processes, and the sums of their figures."""
    command = [sys.executable, "-m", "tests.torture", "faults", *arguments, "--part"]
    parts = [
        subprocess.Popen([*command, f"{k + 1}/{jobs}"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for k in range(jobs)
    ]
    began, status = time.monotonic(), 0
    counts, places = Counter[str](), Counter[str]()
    for part in parts:
        assert part.stdout is not None
        for line in part.stdout:
            with contextlib.suppress(ValueError):
                told = json.loads(line)
                counts.update(told["counts"])
                places.update(told["by place"])
                continue
            print(line, end="", flush=True)
        status = part.wait() or status
    print(", ".join(f"{places[name]} {name}" for name in sorted(places)))
    of = ("with problems", "ended replies", "ended the engine thread", "not reached", "left out")
    told = ", ".join(f"{counts[name]} {name}" for name in of)
    print(f"{counts['faults']} faults in {time.monotonic() - began:.0f} s: {told}")
    return status


def hostile(arguments: list[str]) -> int:
    """Hostile input beside three streaming chats: their longest gaps, and how it ended."""
    from engine.cli.main import main

    model = arguments[0] if arguments else "random:tiny"
    return main(["bench", model, "--parts", "hostile", *arguments[1:]])


def doors(arguments: list[str]) -> int:
    """Random and damaged input for the native libraries, in children: no signal, no hang."""
    return subprocess.call([sys.executable, "-m", "tests.fuzz_doors", *arguments], cwd=ROOT)


def kill(arguments: list[str]) -> int:
    """`kill -9` while chats, trash, backups and settings are worked: nothing lost or broken."""
    return subprocess.call([sys.executable, "-m", "app.bench", "kill", *arguments], cwd=ROOT)


def person(arguments: list[str]) -> int:
    """Random actions of a person at the window; after each, screen, store and engine agree."""
    from tests.app.person import main

    return main(arguments)


def serve(arguments: list[str]) -> int:
    """Requests, sessions and disconnects at the server; what it holds afterwards."""
    from engine.model import backend

    backend.take_openblas()  # before anything imports MLX
    from tests.torture_serve import main

    return main(arguments)


COMMANDS = {
    "serve": serve,
    "hostile": hostile,
    "faults": faults,
    "doors": doors,
    "kill": kill,
    "person": person,
}

STAGES: list[list[tuple[str, ...]]] = [
    # Gaps are measured, so nothing else runs meanwhile.
    [("hostile",)],
    [("faults", "--seconds", "500")],
    [("doors", "--seconds", "60"), ("kill", "--rounds", "200", "--seconds", "2.0")],
]
"""What `all` runs: one stage after the other, the commands of a stage beside each other.

Two cores take about 1 + 9 + 7 minutes. `faults` uses two processes.
"""


def everything(_: list[str]) -> int:
    """All of these, in at most twenty minutes on two cores."""
    began, failed = time.monotonic(), list[str]()
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    for stage in STAGES:
        running = []
        for command in stage:
            output = tempfile.TemporaryFile("w+")
            asked = [sys.executable, "-m", "tests.torture", *command]
            process = subprocess.Popen(
                asked, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, env=environment
            )
            running.append((command, process, output))
        for command, process, output in running:
            if process.wait():
                failed.append(command[0])
            output.seek(0)
            took = time.monotonic() - began
            print(f"=== {' '.join(command)} (ended at {took:.0f} s)\n{output.read()}", flush=True)
            output.close()
    took = time.monotonic() - began
    print(f"{took / 60:.1f} minutes: {'failed: ' + ', '.join(failed) if failed else 'all held'}")
    return 1 if failed else 0


def main(arguments: list[str]) -> int:
    """Run the command that is named first."""
    if not arguments or arguments[0] == "all":
        return everything(arguments[1:])
    if arguments[0] not in COMMANDS:
        print(f"python -m tests.torture all      {everything.__doc__}")
        for name, command in COMMANDS.items():
            print(f"python -m tests.torture {name:8} {command.__doc__}")
        return 2
    return COMMANDS[arguments[0]](arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Checks that take longer than the test suite: `python -m tests.torture [COMMAND …]`.

Without a command or with `all`, each check runs for its time in `STAGES`.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tests.torture import ROOT


def faults(arguments: list[str]) -> int:
    """Raise an error in each engine function in each state of a reply; check all other replies."""
    parser = argparse.ArgumentParser(prog="tests.torture faults", description=faults.__doc__)
    parser.add_argument("--once", action="store_true", help="one fault for each function")
    parser.add_argument("--only", default="", help="faults whose name contains this")
    parser.add_argument("--seconds", type=float, default=1e9, help="then no more are begun")
    parser.add_argument("--jobs", type=int, default=2, help="processes that share the faults")
    parser.add_argument("--each", action="store_true", help="print a line for each fault")
    parser.add_argument("--part", default="", help=argparse.SUPPRESS)
    parser.add_argument("--skip", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--inject", action="append", default=[], help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if not chosen.part:
        from tests.torture import fault_parts

        options = ["--once"] * chosen.once + ["--only", chosen.only]
        return fault_parts.run(options, chosen.jobs, chosen.seconds, chosen.each)
    from tests.torture.injection import for_children, install

    switch = install()  # before anything imports the engine
    logging.disable(logging.CRITICAL)
    from engine.model import backend

    backend.load_openblas()
    from tests.torture import fault_run

    with tempfile.TemporaryDirectory() as folder:
        child = for_children(Path(folder))
        whole, only, seconds = not chosen.once, chosen.only, chosen.seconds
        part, skip = chosen.part, chosen.skip
        fault_run.run(switch, child, whole, only, seconds, part, skip, chosen.inject)
    return 0


def published(_: list[str]) -> int:
    """Use a tool server from PyPI, installed separately, with keys on a screen."""
    from tests.environments import python_of

    python_of("mcp_time")
    file = "tests/desktop/published_server.py"
    return subprocess.call([sys.executable, "-m", "pytest", "-q", file], cwd=ROOT)


def turns(arguments: list[str]) -> int:
    """Run all cases of the tests that the suite runs in part (a quarter of an hour)."""
    marked = [
        str(path)
        for path in sorted(ROOT.glob("tests/**/test_*.py"))
        if any(mark in path.read_text("utf-8") for mark in ("mark.turns(", "import examples"))
    ]
    command = [sys.executable, "-m", "pytest", "-q", *marked, *arguments]
    return subprocess.call(command, cwd=ROOT, env={**os.environ, "STRETTO_TURN": "all"})


def screens(_: list[str]) -> int:
    """Open every screen in each language and look for clipped texts."""
    from app.settings.language import LANGUAGES

    spoken = [*LANGUAGES, "xx", "ar-xx"]  # each part of the screens uses another one
    rounds = ([*spoken[n:], *spoken[:n]] for n in range(len(spoken)))
    command, env = (
        [sys.executable, "-m", "tests.app.ui.measuring"],
        {"QT_QPA_PLATFORM": "offscreen"},
    )
    return max(
        subprocess.call([*command, *each], cwd=ROOT, env=os.environ | env) for each in rounds
    )


FUNCTIONS = {
    "faults": faults,
    "published": published,
    "screens": screens,
    "turns": turns,
}
MODULES = {
    "hostile": "Send hostile input while three chats stream; measure their longest gaps.",
    "sees": "Compare vision models with mlx-vlm, and run random schedules of chats with images.",
    "tools": "Use tools in eight chats in random order; expect no effect on other chats.",
    "mcp": "Run malicious tool servers next to an honest one, and names that change their address.",
    "serve": "Send requests to the server with sessions and disconnects; check what it keeps.",
    "bodies": "Send bad bodies of up to 100 MB; expect errors, little memory, a live neighbor.",
    "races": "Send random conflicting requests to the server; print the schedules that fail.",
    "clients": "Run litellm, langchain and an agent, installed separately, against a real server.",
    "agents": "Run coding agents from their packages through whole sessions; measure the prefill.",
    "http": "Send bad requests by schemathesis and raw sockets; expect no status 500 and no hang.",
    "hub": "Use the program's client with a hub that misreports, drips and redirects in circles.",
    "gguf": "Load damaged GGUF files while chats stream; expect messages and unchanged replies.",
    "doors": "Fuzz formulas and Markdown in child processes; expect no signal and no hang.",
    "kill": "Kill the program during work on chats, trash, backups, settings; expect no loss.",
    "queue": "Queue, steer, edit, remove, stop and kill messages; expect each one once, in order.",
    "person": "Do random actions at the window; compare the screen, the store and the engine.",
    "exchange": "Export and import chats without loss; stream a huge export of another program.",
    "profile": "Open damaged chat files and profiles in the window; expect no error and no loss.",
    "calls": "Constrain 200 random calls of 20 schemas per dialect; expect valid ones.",
    "ranks": "Compare engines of several ranks with one rank; let ranks die, hang or slow down.",
    "drafts": "Compare answers with and without drafts for all types of caches.",
    "real": "Check a real quantized model: batches, grammars, seeds, perplexity, sampling, drafts.",
    "schedules": "Compare quantized models in random schedules with chats that run alone.",
    "folders": "Damage models, adapters and cache files at random next to a replying chat.",
    "memory": "Run forks, evictions, a slow disk and faults in little memory; check what is held.",
}
"""Commands in modules with a `main`."""
ELSEWHERE = {
    "tools": "tests.torture.tool_chats",
    "person": "tests.torture.person",
    "exchange": "tests.torture.round_trip",
    "calls": "tests.torture.bound_calls",
}
"""Modules not named like their commands."""
SEPARATE = {"doors": ["tests.torture.doors"], "kill": ["tests.bench", "kill"]}
"""Commands that need a process without the engine or with other settings."""


def run(command: str, arguments: list[str]) -> int:
    if command in FUNCTIONS:
        return FUNCTIONS[command](arguments)
    if command in SEPARATE:
        return subprocess.call([sys.executable, "-m", *SEPARATE[command], *arguments], cwd=ROOT)
    from engine.model import backend

    backend.load_openblas()  # before anything imports MLX
    with backend.preserved_file_limit():  # mlx-lm would lower the limit of descriptors
        module = importlib.import_module(ELSEWHERE.get(command, f"tests.torture.{command}"))
    status: int = module.main(arguments)
    return status


@dataclass(frozen=True)
class Share:
    """A command with its arguments, and a time limit in minutes."""

    minutes: float
    command: str
    arguments: tuple[str, ...] = ()


STAGES: list[list[list[Share]]] = [
    [[Share(5.0, "hostile")]],  # separate because gaps are measured
    [[Share(8.5, "faults", ("--seconds", "420"))]],  # in two processes
    [
        [
            Share(8.0, "kill", ("--rounds", "200", "--seconds", "1.5")),
            Share(2.5, "gguf", ("--seconds", "45")),
        ],
        [Share(4.0, "doors", ("--seconds", "60")), Share(7.5, "person", ("--actions", "2500"))],
    ],
    [
        [Share(3.5, "memory", ("--minutes", "2")), Share(2.0, "hub", ("--seconds", "60"))],
        [Share(3.0, "folders", ("--seconds", "75")), Share(3.0, "mcp", ("7",))],
    ],
]
"""Stages of `all`, which run in sequence. The lanes of a stage run in parallel."""


def everything(_: list[str]) -> int:
    """Run all checks, in at most twenty-five minutes on two cores."""
    began, failed = time.monotonic(), list[str]()
    for stage in STAGES:
        lanes = [threading.Thread(target=_lane, args=(lane, began, failed)) for lane in stage]
        for thread in lanes:
            thread.start()
        for thread in lanes:
            thread.join()
    took = (time.monotonic() - began) / 60
    print(f"{took:.1f} minutes: {'failed: ' + ', '.join(failed) if failed else 'all held'}")
    return 1 if failed else 0


def _lane(shares: list[Share], began: float, failed: list[str]) -> None:
    for share in shares:
        asked = [sys.executable, "-m", "tests.torture", share.command, *share.arguments]
        process = subprocess.Popen(
            asked,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=share.minutes * 60)
            ended = f"ended with {process.returncode}"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            ended = f"took longer than its {share.minutes:g} minutes"
        if process.returncode:
            failed.append(share.command)
        at = time.monotonic() - began
        told = " ".join([share.command, *share.arguments])
        print(f"=== {told}: {ended}, {at:.0f} s after the beginning\n{output}", flush=True)


def main(arguments: list[str]) -> int:
    """Run the command named first."""
    command, *rest = arguments or ["all"]
    if command == "all":
        return everything(rest)
    if command in FUNCTIONS or command in MODULES:
        return run(command, rest)
    print(f"python -m tests.torture all        {everything.__doc__}")
    about = MODULES | {name: str(function.__doc__) for name, function in FUNCTIONS.items()}
    for name, text in sorted(about.items()):
        print(f"python -m tests.torture {name:10} {text}")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

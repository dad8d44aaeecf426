"""Proofs that take longer than the suite may: `python -m tests.torture [COMMAND …]`.

Without a command, or with `all`, all of them, in the time that `STAGES` gives each.
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

ROOT = Path(__file__).resolve().parents[1]


def faults(arguments: list[str]) -> int:
    """Let every function of the engine raise, in every state of a reply; see who is hurt."""
    parser = argparse.ArgumentParser(prog="tests.torture faults", description=faults.__doc__)
    parser.add_argument("--once", action="store_true", help="one fault for each function")
    parser.add_argument("--only", default="", help="faults whose name contains this")
    parser.add_argument("--seconds", type=float, default=1e9, help="then no more are begun")
    parser.add_argument("--jobs", type=int, default=2, help="processes that share the faults")
    parser.add_argument("--each", action="store_true", help="print a line for each fault")
    parser.add_argument("--part", default="", help=argparse.SUPPRESS)
    parser.add_argument("--skip", type=int, default=0, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if not chosen.part:
        from tests.engine import fault_parts

        options = ["--once"] * chosen.once + ["--only", chosen.only]
        return fault_parts.run(options, chosen.jobs, chosen.seconds, chosen.each)
    from tests.engine.injection import for_children, install

    switch = install()  # before anything imports the engine
    logging.disable(logging.CRITICAL)
    from engine.model import backend

    backend.take_openblas()
    from tests.engine import fault_run

    with tempfile.TemporaryDirectory() as folder:
        child = for_children(Path(folder))
        whole, only, seconds = not chosen.once, chosen.only, chosen.seconds
        fault_run.run(switch, child, whole, only, seconds, chosen.part, chosen.skip)
    return 0


def hostile(arguments: list[str]) -> int:
    """Hostile input beside three streaming chats: their longest gaps, and how it ended."""
    from engine.cli.main import main

    model = arguments[0] if arguments else "random:tiny"
    return main(["bench", model, "--parts", "hostile", *arguments[1:]])


def gguf(arguments: list[str]) -> int:
    """Damaged GGUF files beside streaming chats: sentences, and no chat says another word."""
    return _with_openblas("torture_gguf", arguments)


def doors(arguments: list[str]) -> int:
    """Random and damaged input for the native libraries, in children: no signal, no hang."""
    return subprocess.call([sys.executable, "-m", "tests.fuzz_doors", *arguments], cwd=ROOT)


def _with_openblas(part: str, arguments: list[str]) -> int:
    """Run a part that has a module of its own; OpenBLAS goes in before anything imports MLX."""
    from engine.model import backend

    backend.take_openblas()
    with backend.file_limit_kept():  # mlx-lm would take most of the descriptors away
        module = importlib.import_module(f"tests.{part}")
    status: int = module.main(arguments)
    return status


def kill(arguments: list[str]) -> int:
    """`kill -9` while chats, trash, backups and settings are worked: nothing lost or broken."""
    return subprocess.call([sys.executable, "-m", "tests.bench", "kill", *arguments], cwd=ROOT)


def queue(arguments: list[str]) -> int:
    """Messages queued, steered, edited, removed, stopped and killed: each once, in order."""
    from tests.torture_queue import main

    return main(arguments)


def person(arguments: list[str]) -> int:
    """Random actions of a person at the window; after each, screen, store and engine agree."""
    from tests.app.person import main

    return main(arguments)


def serve(arguments: list[str]) -> int:
    """Requests, sessions and disconnects at the server; what it holds afterwards."""
    return _with_openblas("torture_serve", arguments)


def bodies(arguments: list[str]) -> int:
    """Bodies that nobody should send, of 100 MB and less: a sentence each, memory, a neighbour."""
    return _with_openblas("torture_bodies", arguments)


def races(arguments: list[str]) -> int:
    """Clients that get in each other's way at the server, at random; what fails is made short."""
    return _with_openblas("torture_races", arguments)


def http(arguments: list[str]) -> int:
    """Requests that nobody should send: schemathesis, then raw sockets; no 500 and no hang."""
    return _with_openblas("torture_http", arguments)


def hub(arguments: list[str]) -> int:
    """A hub that lies, drips and leads round in circles, and the program's own client."""
    return _with_openblas("torture_hub", arguments)


def clients(arguments: list[str]) -> int:
    """litellm, langchain and an agent, in an environment of their own, against a real server."""
    return _with_openblas("torture_clients", arguments)


def agents(arguments: list[str]) -> int:
    """Coding agents from their packages, through whole sessions; what is read again."""
    return _with_openblas("torture_agents", arguments)


def calls(_: list[str]) -> int:
    """Tool calls that are bound: 200 of 20 schemas in each dialect, at random, all valid."""
    from tests.torture_calls import main

    return main()


def tools(arguments: list[str]) -> int:
    """Eight chats with tools in random order: no call, consent or result reaches another chat."""
    from tests.app.tool_chats import main

    return main(arguments)


def mcp(arguments: list[str]) -> int:
    """Servers of tools that mean harm, beside an honest one; names that change their address."""
    from tests.torture_mcp import main

    return main(arguments)


def published(_: list[str]) -> int:
    """A server of tools from PyPI, in an environment of its own, used by keys on a screen."""
    from tests.environments import python_of

    python_of("mcp_time")
    file = "tests/desktop/test_published_server.py"
    return subprocess.call([sys.executable, "-m", "pytest", "-q", file], cwd=ROOT)


def exchange(arguments: list[str]) -> int:
    """Chats out as JSON and in again, identical; a huge export of another program, as a stream."""
    from tests.app.round_trip import main

    return main(arguments)


def profile(arguments: list[str]) -> int:
    """Damaged files of chats and tampered profiles, given to the window: nothing raised or lost."""
    return subprocess.call([sys.executable, "-m", "tests.torture_profile", *arguments], cwd=ROOT)


def ranks(arguments: list[str]) -> int:
    """Engines of several ranks against one rank; ranks that die, hang or drag at random."""
    return _with_openblas("torture_ranks", arguments)


def elsewhere(arguments: list[str]) -> int:
    """A local tab, one on two ranks and one elsewhere at once; a rank dies; and what turns cost."""
    return _with_openblas("torture_elsewhere", arguments)


def machines(arguments: list[str]) -> int:
    """A model over machines of their own (namespaces): links slowed, cut and healed in answers."""
    return _with_openblas("torture_machines", arguments)


def drafts(arguments: list[str]) -> int:
    """Answers with drafts, over all kinds of caches, against those without: the same."""
    return _with_openblas("torture_drafts", arguments)


def sees(arguments: list[str]) -> int:
    """Models that see: mlx-vlm's own answers, and random schedules of chats with images."""
    return _with_openblas("torture_sees", arguments)


def real(arguments: list[str]) -> int:
    """A real model of few bits: alone and together, forms, seeds, perplexity, odds, drafts."""
    return _with_openblas("torture_real", arguments)


def schedules(arguments: list[str]) -> int:
    """Random schedules of models in few bits: tokens and logits of each chat are those alone."""
    return _with_openblas("torture_schedules", arguments)


def folders(arguments: list[str]) -> int:
    """Models, adapters and chats' caches damaged at random, beside a chat that answers."""
    return _with_openblas("torture_folders", arguments)


def turns(arguments: list[str]) -> int:
    """All cases of the tests that play some of theirs in each run of the suite (a quarter hour)."""
    marked = [
        str(path) for path in sorted(ROOT.glob("tests/**/test_*.py"))
        if "mark.turns(" in path.read_text("utf-8")
    ]  # fmt: skip
    command = [sys.executable, "-m", "pytest", "-q", *marked, *arguments]
    return subprocess.call(command, cwd=ROOT, env={**os.environ, "STRETTO_TURN": "all"})


def memory(arguments: list[str]) -> int:
    """Forks, evictions, a slow disk and faults with little memory: what is held in every turn."""
    return _with_openblas("torture_memory", arguments)


COMMANDS = {
    "sees": sees,
    "tools": tools,
    "mcp": mcp,
    "published": published,
    "serve": serve,
    "bodies": bodies,
    "races": races,
    "clients": clients,
    "agents": agents,
    "http": http,
    "hub": hub,
    "hostile": hostile,
    "gguf": gguf,
    "faults": faults,
    "doors": doors,
    "kill": kill,
    "queue": queue,
    "person": person,
    "exchange": exchange,
    "profile": profile,
    "calls": calls,
    "ranks": ranks,
    "elsewhere": elsewhere,
    "machines": machines,
    "drafts": drafts,
    "real": real,
    "schedules": schedules,
    "folders": folders,
    "memory": memory,
    "turns": turns,
}


@dataclass(frozen=True)
class Share:
    """A command with its arguments, and the minutes after which it is ended."""

    minutes: float
    command: str
    arguments: tuple[str, ...] = ()


STAGES: list[list[list[Share]]] = [
    # gaps are measured, so nothing else runs meanwhile; mlx_lm.server takes minutes more
    [[Share(5.0, "hostile", ("random:tiny", "--against", "alone"))]],
    [[Share(8.5, "faults", ("--seconds", "420"))]],  # in two processes
    [
        [
            Share(8.0, "kill", ("--rounds", "200", "--seconds", "1.5")),
            Share(2.5, "gguf", ("--seconds", "45")),
        ],
        [Share(4.0, "doors", ("--seconds", "30")), Share(7.5, "person", ("--actions", "2500"))],
    ],
    [
        [Share(3.5, "memory", ("--minutes", "2")), Share(2.0, "hub", ("--seconds", "60"))],
        [Share(3.0, "folders", ("--seconds", "75")), Share(3.0, "mcp", ("7",))],
    ],
]
"""What `all` runs: stage after stage, in each of them lanes beside each other."""


def everything(_: list[str]) -> int:
    """All of these, in at most twenty-five minutes on two cores."""
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
    """One command after the other; each is printed when it has ended."""
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

"""Checks that take longer than the test suite: `python -m tests.torture [COMMAND …]`.

Without a command or with `all`, each check runs for its time in `STAGES`.
"""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import threading
import time

from tests.torture import ROOT


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


FUNCTIONS = {"published": published, "screens": screens, "turns": turns}
SEPARATE = {"doors", "faults", "kill"}
"""Commands that need a process without the engine."""


def commands() -> dict[str, str]:
    """Return each command with the first line of its documentation."""
    found = {name: str(function.__doc__) for name, function in FUNCTIONS.items()}
    for file in ROOT.glob("tests/torture/[a-z]*.py"):
        source = file.read_text("utf-8")
        if "\ndef main(arguments: list[str]) -> int:\n" in source:
            found[file.stem] = source.removeprefix('"""').partition("\n")[0].removesuffix('"""')
    return found


def run(command: str, arguments: list[str]) -> int:
    if command in FUNCTIONS:
        return FUNCTIONS[command](arguments)
    name = f"tests.torture.{command}"
    if command in SEPARATE:
        return subprocess.call([sys.executable, "-m", name, *arguments], cwd=ROOT)
    from engine.model import backend

    backend.load_openblas()  # before anything imports MLX
    with backend.preserved_file_limit():  # mlx-lm would lower the limit of descriptors
        module = importlib.import_module(name)
    status: int = module.main(arguments)
    return status


STAGES = [
    [[(5.0, "hostile")]],  # separate because gaps are measured
    [[(8.5, "faults --seconds 420")]],  # in two processes
    [
        [(8.0, "kill --rounds 200 --seconds 1.5"), (2.5, "gguf --seconds 45")],
        [(4.0, "doors --seconds 60"), (7.5, "person --actions 2500")],
    ],
    [
        [(3.5, "memory --minutes 2"), (2.0, "hub --seconds 60")],
        [(3.0, "folders --seconds 75"), (3.0, "mcp 7")],
    ],
]
"""Stages of `all`, which run in sequence: time limits in minutes, and commands.

The lanes of a stage run in parallel.
"""


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


def _lane(shares: list[tuple[float, str]], began: float, failed: list[str]) -> None:
    for minutes, command in shares:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.torture", *command.split()],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=minutes * 60)
            ended = f"ended with {process.returncode}"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            ended = f"took longer than its {minutes:g} minutes"
        if process.returncode:
            failed.append(command)
        at = time.monotonic() - began
        print(f"=== {command}: {ended}, {at:.0f} s after the beginning\n{output}", flush=True)


def main(arguments: list[str]) -> int:
    """Run the command named first."""
    command, *rest = arguments or ["all"]
    if command == "all":
        return everything(rest)
    known = commands()
    if command in known:
        return run(command, rest)
    for name, text in {"all": str(everything.__doc__), **dict(sorted(known.items()))}.items():
        print(f"python -m tests.torture {name:10} {text}")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

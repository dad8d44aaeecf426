"""Tests that take longer than the suite may: ``python -m tests.torture WHAT``."""

from __future__ import annotations

import argparse
import logging
import sys


def faults(arguments: list[str]) -> int:
    """Let every function of the engine raise, in every state of a reply; see who is hurt."""
    parser = argparse.ArgumentParser(prog="tests.torture faults", description=faults.__doc__)
    parser.add_argument("--once", action="store_true", help="one fault for each function")
    parser.add_argument("--only", default="", help="functions whose name contains this")
    parser.add_argument("--seconds", type=float, default=1e9, help="then no more are begun")
    chosen = parser.parse_args(arguments)
    from tests.engine.injection import install

    switch = install()  # before anything imports the engine
    logging.disable(logging.CRITICAL)
    from engine.model import backend

    backend.take_openblas()
    from tests.engine import fault_scenes

    return fault_scenes.run(switch, not chosen.once, chosen.only, chosen.seconds)


def hostile(arguments: list[str]) -> int:
    """Hostile input beside three streaming chats: their longest gaps, and how it ended."""
    from engine.cli.main import main

    model = arguments[0] if arguments else "random:tiny"
    return main(["bench", model, "--parts", "hostile", *arguments[1:]])


def person(arguments: list[str]) -> int:
    """Random actions of a person at the window; after each, screen, store and engine agree."""
    from tests.app.person import main

    return main(arguments)


COMMANDS = {"faults": faults, "hostile": hostile, "person": person}


def main(arguments: list[str]) -> int:
    """Run the command that is named first."""
    if not arguments or arguments[0] not in COMMANDS:
        for name, command in COMMANDS.items():
            print(f"python -m tests.torture {name:8} {command.__doc__}")
        return 2
    return COMMANDS[arguments[0]](arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

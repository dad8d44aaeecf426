"""Tests that take longer than the suite may: ``python -m tests.torture WHAT``."""

from __future__ import annotations

import sys


def hostile(arguments: list[str]) -> int:
    """Hostile input beside three streaming chats: their longest gaps, and how it ended."""
    from engine.cli.main import main

    model = arguments[0] if arguments else "random:tiny"
    return main(["bench", model, "--parts", "hostile", *arguments[1:]])


COMMANDS = {"hostile": hostile}


def main(arguments: list[str]) -> int:
    """Run the command that is named first."""
    if not arguments or arguments[0] not in COMMANDS:
        for name, command in COMMANDS.items():
            print(f"python -m tests.torture {name:8} {command.__doc__}")
        return 2
    return COMMANDS[arguments[0]](arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

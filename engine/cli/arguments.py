"""What the commands' arguments have in common."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

FROZEN = bool(getattr(sys, "frozen", False))
"""Whether this is the packaged program, which is its own interpreter."""

GUIDE = Path(__file__).resolve().parents[2] / "resources" / "guide"
"""The bundled model."""


def positive(text: str) -> int:
    """A whole number of at least 1, for `argparse`."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {number}")
    return number


def own_command(*arguments: str) -> list[str]:
    """The command line of one of the engine's commands in a process of its own."""
    if FROZEN:
        return [sys.executable, *arguments]
    return [sys.executable, "-m", "engine", *arguments]

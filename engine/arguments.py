"""What the commands' arguments have in common."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """A whole number of at least 1, for `argparse`."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {number}")
    return number

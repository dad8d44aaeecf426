"""Sizes of randomized tests: a small seeded part in `make test`, everything in `tests.torture`."""

from __future__ import annotations

import os

WHOLE = os.environ.get("STRETTO_TURN") == "all"
_SHARE = 10


def examples(count: int) -> int:
    """Return the number of examples to run: `count` in a whole run, else a tenth of it."""
    return count if WHOLE else -(-count // _SHARE)

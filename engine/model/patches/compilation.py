"""Switches off `mx.compile` on CPUs.

There it runs g++ for every new shape: half a second in which nobody gets a token, memory that is
never given back (a hundred megabytes for phi3small), and an exception where there is no g++. It
would save the dispatch of a few operations.
"""

from __future__ import annotations

import mlx.core as mx


def install() -> None:
    """Switch it off for the whole process."""
    mx.disable_compile()

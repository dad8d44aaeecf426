"""How a child says no, and what it is started for; known to the parent too."""

from __future__ import annotations


class RefusedError(Exception):
    """The work was done, and the answer is no: a sentence for people."""


WARM = "warm"
"""The argument of a child that is to check tokenizers."""

DEVICE = "device"
"""The argument of a child that is to use the GPU, whose drivers map much and write files."""

WRITES = "writes"
"""The argument of a child that is to write files into a folder that it is given."""

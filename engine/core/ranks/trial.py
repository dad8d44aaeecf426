"""What the connection between the ranks gives: how long a collective takes, and how much it moves.

Run by each rank of a group that was started for nothing else; rank 0 tells the figures.
"""

from __future__ import annotations

import os
import time
from typing import Any

import mlx.core as mx

from engine.core.ranks.group import Group
from engine.core.ranks.link import Link

STEP_BYTES = 16_384
"""Of one row's activations in a large model: what each of its collectives moves in a step."""

LARGE_BYTES = 16 * 2**20


def measure(group: Group, link: Link, given: dict[str, Any]) -> None:
    """Measure, tell, and end this process.

    Args:
        given: "rounds" of small collectives; a fiftieth of them are large.
    """
    rounds = int(given["rounds"])
    few = max(2, rounds // 50)
    found = {
        "latency_s": _sums(group, 4, rounds),
        "step_s": _sums(group, STEP_BYTES, rounds),
        "large_s": _sums(group, LARGE_BYTES, few),
    }
    if group.rank == 0:
        link.tell({"figures": {**found, "large_bytes": LARGE_BYTES, "backend": given["backend"]}})
    else:
        link.tell({"done": True})
    link.waiting(60)  # until the relay closes the link, which ends all ranks
    os._exit(0)


def _sums(group: Group, nbytes: int, rounds: int) -> float:
    """Seconds of one sum over all ranks of an array of that size."""
    array = mx.zeros(nbytes // 4, mx.float32)
    mx.eval(array)
    for _ in range(3):
        mx.eval(mx.distributed.all_sum(array, group=group.mlx))
    began = time.perf_counter()
    for _ in range(rounds):
        mx.eval(mx.distributed.all_sum(array, group=group.mlx))
    return (time.perf_counter() - began) / rounds

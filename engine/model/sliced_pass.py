"""Sliced evaluation of a forward pass, so that other chats can stream.

A pass only builds a graph. Evaluating a layer's cache computes everything up to that layer and
nothing beyond it, so a pass can be interrupted after each layer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

import mlx.core as mx

from engine.cache.cache_objects import iterate_arrays

T = TypeVar("T")

SLICE = 0.01
"""Seconds of evaluation per slice, unless a single layer takes longer."""

_MAX_GROWTH = 2
"""Maximum growth of the number of layers per evaluation. Later layers may be slower."""


def evaluate_in_slices(layers: Iterable[Any], *last: mx.array) -> Generator[None, None, None]:
    """Evaluate a pass, yielding between slices.

    The number of layers per evaluation adapts to the measured time. A GPU idles between
    evaluations.
    """
    steps = [*(list(iterate_arrays(layer)) for layer in layers), list(last)]
    count, started_at = 1, time.perf_counter()
    at = 0
    while at < len(steps):
        before = time.perf_counter()
        part = steps[at : at + count]
        mx.eval([array for arrays in part for array in arrays])
        at += count
        now = time.perf_counter()
        step_s, slice_left_s = (now - before) / len(part), SLICE - (now - started_at)
        if slice_left_s < step_s and at < len(steps):
            yield
            started_at, slice_left_s = time.perf_counter(), SLICE
        fitting = int(slice_left_s / step_s) if step_s > 0 else len(steps)
        count = max(1, min(_MAX_GROWTH * count, fitting))


def run_to_end(pieces: Generator[Any, None, T], after: Callable[[], object] = lambda: None) -> T:
    """Exhaust a generator and return its result.

    Args:
        after: called after each yield.
    """
    while True:
        try:
            next(pieces)
        except StopIteration as stop:
            result: T = stop.value
            return result
        after()

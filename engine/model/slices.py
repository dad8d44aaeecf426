"""Forward passes that are evaluated a few layers at a time, so that chats stream on meanwhile.

A pass only builds a graph. Evaluating what one layer has put into its cache computes all that
comes before it, and nothing after it; so the caches are places where a pass can be interrupted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, TypeVar

import mlx.core as mx

from engine.cache.cache_objects import leaves

T = TypeVar("T")

SLICE = 0.01
"""Seconds of a pass that are computed at a time, as far as single layers take no longer."""

_MOST_AT_ONCE = 2
"""Times as many layers as before are evaluated at once, at most: the next ones may take longer."""


def in_slices(layers: Iterable[Any], *last: mx.array) -> Generator[None, None, None]:
    """Evaluate a pass; yields between slices, and not at the end.

    How many layers are evaluated at once follows from how long those before them took. Single
    layers would be slow on a GPU, which waits for nothing within an evaluation.

    Args:
        layers: what holds the caches of each layer, in the order of the layers.
        last: what the pass gives, evaluated at the end.
    """
    steps = [*(list(leaves(layer)) for layer in layers), list(last)]
    count, began = 1, time.perf_counter()
    at = 0
    while at < len(steps):
        before = time.perf_counter()
        part = steps[at : at + count]
        mx.eval([array for arrays in part for array in arrays])
        at += count
        now = time.perf_counter()
        each, left = (now - before) / len(part), SLICE - (now - began)
        if left < each and at < len(steps):
            yield
            began, left = time.perf_counter(), SLICE
        fitting = int(left / each) if each > 0 else len(steps)
        count = max(1, min(_MOST_AT_ONCE * count, fitting))


def at_once(pieces: Generator[Any, None, T], after: Callable[[], object] = lambda: None) -> T:
    """What a generator returns, done without a break.

    Args:
        after: called after each of its pieces.
    """
    while True:
        try:
            next(pieces)
        except StopIteration as done:
            result: T = done.value
            return result
        after()


def batches(arrays: list[mx.array], least: int) -> Iterator[list[mx.array]]:
    """Arrays of `least` bytes or more together; one that is as large by itself comes alone."""
    batch: list[mx.array] = []
    nbytes = 0
    for array in arrays:
        if batch and array.nbytes >= least:
            yield batch
            batch, nbytes = [], 0
        batch.append(array)
        nbytes += array.nbytes
        if nbytes >= least:
            yield batch
            batch, nbytes = [], 0
    if batch:
        yield batch

"""What a model was found to be by running it, just after its weights have been read."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from engine.kv.cache_objects import Caches
from engine.kv.config_estimate import MemoryEstimate
from engine.kv.slot_policy import policy_for
from engine.kv.slots import Slots
from engine.model import chunk_invariance, hidden, output_rows, probe, vocabulary
from engine.model.backend import device_here
from engine.model.slices import in_slices

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Measured:
    """What was found. The attributes are `LoadedModel`'s."""

    make_cache: Callable[[], Caches]
    estimate: MemoryEstimate
    ways: probe.Ways
    token_by_token: bool
    leaves_out_rows: bool
    rows: int | None
    body: Any

    def slots(self) -> Slots | None:
        """Where its chats sit together, if they can."""
        return Slots(policy_for(device_here())) if self.ways.slots else None


def measure(
    net: Any, words: int, known: probe.Ways | None = None
) -> Generator[None, None, Measured]:
    """All passes that find out what a model can do. Engine thread only.

    Args:
        words: token ids below this are fed.
        known: the ways that it can take; None has them tried out.
    """
    from mlx_lm.models.cache import make_prompt_cache

    make_cache = chunk_invariance.wide_enough(net, lambda: make_prompt_cache(net))
    yield
    leaves_out_rows = yield from _leaves_out_rows(net, make_cache, words)
    yield
    estimate, ways = yield from probe.explore(net, make_cache, words, known)
    token_by_token = yield from chunk_invariance.sees_ahead(net, make_cache, words)
    rows = vocabulary.embedding_rows(net, make_cache)
    yield
    body = hidden.body(net, make_cache)
    yield
    return Measured(make_cache, estimate, ways, token_by_token, leaves_out_rows, rows, body)


def _leaves_out_rows(
    net: Any, make_cache: Callable[[], Caches], words: int
) -> Generator[None, None, bool]:
    """Let the output layer leave out rows, if the logits of one are the same without the others.

    Another layer may be as wide by chance. What follows it would then have one row for all.

    Returns:
        Whether it does.
    """
    ids, row = mx.array([[(7 * i + 3) % words for i in range(5)]]), (2,)
    undo, off, computed = None, math.inf, 0
    try:
        caches = make_cache()
        whole = net(ids, cache=caches)
        yield from in_slices(caches, whole)
        yield
        undo = output_rows.install(net, whole.shape[-1])
        caches = make_cache()
        with output_rows.only(row):
            some = net(ids, cache=caches)
        yield from in_slices(caches, some)
        computed = some.size // some.shape[-1]
        off = probe.apart(output_rows.of(some, row), output_rows.of(whole, row))
    except Exception as error:  # whatever a model raises; the probe meets it again
        log.debug("the output layer cannot leave out rows: %s", error)
    if undo is not None and not off < probe.TOLERANCE:
        undo()
    return computed == len(row) and off < probe.TOLERANCE

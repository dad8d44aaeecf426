"""Chunk invariance: a model must answer alike wherever its prompt is cut into chunks.

Where it is cut depends on the other sessions, and those must not show. Two faults in models' code
make the answer depend on the cuts. Both are found by trying, on a freshly loaded model:

- A layer's mask looks further back than its cache keeps. A token then sees tokens of its own chunk
  that it would not see in the chunk before. The caches of such layers are made larger.
- A token sees tokens that come after it in the same chunk. The prompts of such a model are read
  token by token, as its answers are, which is slow.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator
from typing import Any

import mlx.core as mx

from engine.kv.cache_objects import Caches
from engine.model.slices import in_slices

log = logging.getLogger(__name__)

SEES_AHEAD = 0.01
"""A token whose logits change by more, in their standard deviation, sees the tokens after it.
Passes of the same shape do not even round differently, and what such a token sees changes its
logits by about 1."""


def wide_enough(net: Any, make_cache: Callable[[], Caches]) -> Callable[[], Caches]:
    """`make_cache`, but with windows as large as the model's masks look back.

    Builds a forward pass of two tokens; what it would give is not computed.
    """
    caches = make_cache()
    windows = [c for c in _flat(caches) if hasattr(c, "max_size") and hasattr(c, "make_mask")]
    asked: dict[int, int] = {}
    for cache in windows:
        cache.make_mask = _Noting(cache, asked)
    try:
        net(mx.array([[1, 1]]), cache=caches)
    except Exception as error:  # the probe will meet it again and tell it
        log.debug("two tokens: %s: %s", type(error).__name__, error)
    finally:
        for cache in windows:  # breaks a reference cycle
            del cache.make_mask
    wider = {size: window for size, window in asked.items() if window > size}
    if not wider:
        return make_cache
    log.debug("windows that look back further than their caches keep: %s", wider)

    def make() -> Caches:
        made = make_cache()
        for cache in _flat(made):
            size = getattr(cache, "max_size", None)
            if size in wider:
                cache.max_size = wider[size]
        return made

    return make


class _Noting:
    """In place of a cache's `make_mask`: notes how far back it is asked to look, in tokens."""

    def __init__(self, cache: Any, asked: dict[int, int]) -> None:
        self._cache = cache
        self._asked = asked

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        window = kwargs.get("window_size", args[1] if len(args) > 1 else None)
        if window is not None:
            size = self._cache.max_size
            self._asked[size] = max(window, self._asked.get(size, 0))
        return type(self._cache).make_mask(self._cache, *args, **kwargs)


def sees_ahead(
    net: Any, make_cache: Callable[[], Caches], vocab: int
) -> Generator[None, None, bool]:
    """Whether tokens see those after them, from two prompts that differ at the end.

    Yields after each of two forward passes, and within them.

    Args:
        vocab: token ids below this are fed.
    """
    half = [(7 * i + 3) % vocab for i in range(8)]
    ends = [[(5 * i + first) % vocab for i in range(8)] for first in (11, 29)]
    found = []
    for end in ends:
        caches = make_cache()
        logits = net(mx.array([[*half, *end]]), cache=caches)
        found.append(logits[0, :8].astype(mx.float32))
        yield from in_slices(caches, *found)
        yield
    first, second = found
    # Some models give -inf to tokens that they never say.
    spread = mx.std(mx.where(mx.isfinite(first), first, 0))
    apart = mx.where(first == second, 0, mx.abs(first - second)).max()
    return bool((apart > SEES_AHEAD * spread).item())


def _flat(caches: Any) -> Iterator[Any]:
    for cache in caches:
        yield cache
        yield from _flat(getattr(cache, "caches", ()))

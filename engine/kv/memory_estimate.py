"""What a session's caches cost in bytes, measured on real ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.kv.cache_objects import Caches, leaves, may_not_trim, nbytes
from engine.kv.config_estimate import STEP, UNLIMITED, MemoryEstimate


def grows_unseen(caches: Caches, longer: Caches) -> bool:
    """Whether some cache grows in a way that its shape does not tell.

    `longer` are the same caches after more tokens. Caches with `keys` tell by their shape. Others
    may grow in steps, so whatever is not mlx-lm's cache for recurrent states is taken to grow.
    """
    from mlx_lm.models.cache import ArraysCache

    return any(
        type(cache) is not ArraysCache or nbytes(cache) != nbytes(more)
        for (cache, _), (more, _) in zip(_parts(caches), _parts(longer), strict=True)
        if not hasattr(cache, "keys")
    )


def measure(caches: Caches, longer: Caches | None = None, more: int = 0) -> MemoryEstimate:
    """The `MemoryEstimate` of a model from caches that have been fed some tokens.

    Args:
        longer: the same caches after `more` further tokens. What grows in a way that its shape
            does not tell is measured by the difference; without it, it is taken to be fixed.
    """
    fixed = 0
    layers: list[tuple[int, int]] = []
    after = _parts(longer) if longer is not None else [(None, 1)] * len(_parts(caches))
    for (cache, copies), (grown, _) in zip(_parts(caches), after, strict=True):
        if hasattr(cache, "keys"):
            if cache.keys is None:
                continue
            arrays = [a for a in leaves([cache.keys, cache.values]) if a.ndim > 2]
            per_token = copies * sum(a.nbytes // a.shape[2] for a in arrays)
            limit = getattr(cache, "max_size", None) or getattr(cache, "chunk_size", None)
            layers.append((per_token, limit + STEP if limit else UNLIMITED))
            continue
        fixed += copies * nbytes(cache)
        growth = nbytes(grown) - nbytes(cache) if grown is not None else 0
        if growth > 0:
            layers.append((copies * -(-growth // more), UNLIMITED))
    return MemoryEstimate(fixed, tuple(layers))


def _parts(caches: Caches) -> list[tuple[Any, int]]:
    """The single caches, and how often a session holds each.

    Those that cannot be trimmed are held twice: a snapshot has a copy.
    """
    return [pair for cache in caches for pair in _within(cache, 2 if may_not_trim(cache) else 1)]


def _within(cache: Any, copies: int) -> Iterator[tuple[Any, int]]:
    # No function within a function that calls itself: that cycle would keep the caches alive.
    if hasattr(cache, "caches"):
        for inner in cache.caches:
            yield from _within(inner, copies)
    elif cache is not None:
        yield cache, copies

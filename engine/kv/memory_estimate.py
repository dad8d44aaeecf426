"""What a session's caches cost in bytes, measured on real ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.kv.cache_objects import STEP, Caches, leaves, may_not_trim, nbytes


@dataclass(frozen=True)
class MemoryEstimate:
    """What a session's caches of one model cost, measured on a real one.

    Attributes:
        fixed: bytes that do not grow (recurrent states).
        layers: for each growing layer, bytes per token and the most tokens it keeps.
    """

    fixed: int
    layers: tuple[tuple[int, int], ...]

    def bytes(self, tokens: int) -> int:
        """Bytes for a session of `tokens` tokens."""
        grown = (tokens + STEP - 1) // STEP * STEP
        return self.fixed + sum(per * min(grown, most) for per, most in self.layers)


def measure(caches: Caches) -> MemoryEstimate:
    """The `MemoryEstimate` of a model from caches that have been fed a few tokens."""
    fixed = 0
    layers: list[tuple[int, int]] = []

    def visit(cache: Any, copies: int) -> None:
        nonlocal fixed
        if hasattr(cache, "caches"):
            for inner in cache.caches:
                visit(inner, copies)
        elif hasattr(cache, "keys") and cache.keys is not None:
            arrays = [a for a in leaves([cache.keys, cache.values]) if a.ndim > 2]
            per_token = copies * sum(a.nbytes // a.shape[2] for a in arrays)
            limit = getattr(cache, "max_size", None) or getattr(cache, "chunk_size", None)
            layers.append((per_token, limit + STEP if limit else 1 << 62))
        elif cache is not None:
            fixed += copies * nbytes(cache)

    for cache in caches:
        # What cannot be trimmed has a copy in the snapshot beside the session's own.
        visit(cache, 2 if may_not_trim(cache) else 1)
    return MemoryEstimate(fixed, tuple(layers))

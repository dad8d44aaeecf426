"""The hidden states of a model's last layer, from which embeddings are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx

from engine.kv.cache_objects import Caches, leaves
from engine.model import cpu
from engine.model.loaded import LoadedModel

_NAMES = ("model", "transformer", "backbone")
"""What mlx-lm's models call all of themselves but the output layer."""


def body(net: Any, make_cache: Callable[[], Caches]) -> Any:
    """The part of a model that gives hidden states `[1, tokens, width]`; None where none does.

    Nothing is evaluated: the shape of what it gives is known without.
    """
    for outer in (net, getattr(net, "language_model", None)):
        for name in _NAMES:
            inner = getattr(outer, name, None)
            if callable(inner) and _is_hidden(inner, net, make_cache):
                return inner
    return None


def _is_hidden(inner: Any, net: Any, make_cache: Callable[[], Caches]) -> bool:
    ids = mx.array([[0, 1]])
    try:
        found = inner(ids, cache=make_cache())
        logits = net(ids, cache=make_cache())
    except Exception:  # whatever a model's module does with arguments that it does not know
        return False
    return (
        isinstance(found, mx.array)
        and found.ndim == 3
        and found.shape[:2] == (1, 2)
        and found.shape[-1] != logits.shape[-1]
    )


def add_up(model: LoadedModel, caches: Caches, tokens: list[int], before: Any) -> mx.array:
    """The sum of the hidden states of the next `tokens`, added to the sum `before` (None: 0)."""
    assert model.body is not None
    pieces = [[t] for t in tokens] if model.token_by_token else [tokens]
    total = before
    for piece in pieces:
        with cpu.engaged():
            states = model.body(mx.array([piece]), cache=caches)[0].astype(mx.float32)
            summed = states.sum(axis=0)
            total = summed if total is None else total + summed
            mx.eval([total, *leaves(caches)])
    found: mx.array = total
    return found


def vector(total: mx.array) -> bytes:
    """The mean's direction, of length 1, as little-endian float32."""
    import numpy as np

    sums = np.array(total, np.float64)
    length = float(np.sqrt((sums * sums).sum()))
    return (sums / (length or 1.0)).astype("<f4").tobytes()

"""Linear layers for numbers of rows that OpenBLAS's kernels have no tiles for.

They work on tiles of sixteen rows, and what is left over costs more than a whole tile. Measured on
two cores with AVX2 kernels, milliseconds for sixty matrices of 1,536 x 576 (212 MB):

    rows             1     2     4     6     8    12    15    16    20    24    28    32
    x @ W.T         11.2  13.7  20.3  19.4  20.8  33.9  20.9  15.1  29.8  29.8  39.8  22.8
    (W @ x.T).T     12.5  12.9  16.5  20.1  18.0  24.6  27.3  18.1  26.6  24.9  30.4  27.9
    x, zeros below  18.0  17.9  17.7  17.4  18.1  17.6  17.9  17.2  29.4  23.7  24.1  24.7

So two to four rows go with the roles exchanged, and whatever leaves more than two over is filled up
with rows of zeros. For the matrix of a vocabulary (49,152 x 576, 4 rows) it is 10.6, 12.3 and 8.0
ms, so it is never exchanged. AVX-512 kernels have better edges: there filling up pays from nine
left over (12 rows: 21.1 against 16.6 ms), and exchanging does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.model import cpu

TILE = 16
EXCHANGED = range(2, 5)
VOCABULARY = 16_384
"""Outputs from which on a matrix counts as a vocabulary's."""
MOST_ROWS = 256
"""From there on the left over part is too small a share to copy all for."""

_linear: Callable[..., mx.array] | None = None
_embedding: Callable[..., mx.array] | None = None
_wide = False


def install(wide_kernels: bool) -> None:
    """Teach MLX's plain linear layers. Does nothing the second time."""
    global _linear, _embedding, _wide
    if _linear is not None:
        return
    _wide = wide_kernels
    _linear, _embedding = nn.Linear.__call__, nn.Embedding.as_linear
    nn.Linear.__call__ = _call
    nn.Embedding.as_linear = _as_linear


def _call(self: Any, x: mx.array) -> mx.array:
    assert _linear is not None
    y = product(x, self["weight"]) if cpu.is_engaged(x) else None
    if y is None:
        return _linear(self, x)
    return y + self["bias"] if "bias" in self else y


def _as_linear(self: Any, x: mx.array) -> mx.array:
    assert _embedding is not None
    y = product(x, self["weight"]) if cpu.is_engaged(x) else None
    return _embedding(self, x) if y is None else y


def product(x: mx.array, weight: mx.array) -> mx.array | None:
    """`x @ weight.T` for a weight `[outputs, inputs]`; None where that is best as it is.

    A vocabulary's is computed for the rows that are wanted, and no others.
    """
    outputs, inputs = weight.shape
    if outputs >= VOCABULARY and 0 < cpu.wanted() < x.shape[0]:
        x = x[: cpu.wanted()]
        y = product(x, weight)
        return x @ weight.T if y is None else y
    rows = x.size // inputs
    over = rows % TILE
    if not _wide and rows in EXCHANGED and outputs < VOCABULARY:
        return (weight @ x.reshape(rows, inputs).T).T.reshape(*x.shape[:-1], outputs)
    if over < (9 if _wide else 3) or rows > MOST_ROWS:
        return None
    return (_filled_up(x, rows, TILE - over) @ weight.T)[:rows].reshape(*x.shape[:-1], outputs)


def _filled_up(x: mx.array, rows: int, more: int) -> mx.array:
    """`x` as `[rows + more, inputs]`; the layers that are given the same `x` share it."""
    last = cpu.memo().get("filled up")
    if last is None or last[0] is not x:
        zeros = mx.zeros((more, x.shape[-1]))
        last = cpu.memo()["filled up"] = x, mx.concatenate([x.reshape(rows, -1), zeros])
    filled: mx.array = last[1]
    return filled

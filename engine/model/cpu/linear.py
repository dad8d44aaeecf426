"""Products with weights for numbers of rows that OpenBLAS's kernels have no tiles for.

The kernels work on tiles of sixteen rows. A few rows beyond whole tiles cost more than another
whole tile. Measured on two cores with AVX2 kernels, milliseconds for sixty matrices of
1,536 x 576 (212 MB):

    rows             1     2     4     6     8    12    15    16    20    24    28    32
    x @ W.T         11.2  13.7  20.3  19.4  20.8  33.9  20.9  15.1  29.8  29.8  39.8  22.8
    x, zeros below  18.0  17.9  17.7  17.4  18.1  17.6  17.9  17.2  29.4  23.7  24.1  24.7

So numbers with more than two rows beyond whole tiles are filled up with rows of zeros, where
`matvec` does not take them one by one. AVX-512 kernels handle such rows better: filling up pays
from nine rows on (12 rows: 21.1 against 16.6 ms).
"""

from __future__ import annotations

import mlx.core as mx

from engine.model import cpu
from engine.model.cpu import matvec

TILE = 16
"""Rows in a tile of OpenBLAS's kernels."""
MAX_ROWS = 256
"""With more rows, what filling up saves is less than copying them costs."""


def product(x: mx.array, weight: mx.array) -> mx.array | None:
    """`x @ weight.T`, or None where MLX's own product is the best way.

    Args:
        x: `[..., inputs]`.
        weight: `[outputs, inputs]`.

    Returns:
        `[..., outputs]`.
    """
    outputs, inputs = weight.shape
    few = matvec.product(x, weight)
    if few is not None:
        return few
    rows = x.size // inputs
    over, wide = rows % TILE, cpu.wide_kernels()
    if over < (9 if wide else 3) or rows > MAX_ROWS:
        return None
    return (_filled_up(x, rows, TILE - over) @ weight.T)[:rows].reshape(*x.shape[:-1], outputs)


def _filled_up(x: mx.array, rows: int, more: int) -> mx.array:
    """`x` as `[rows + more, inputs]`, zero in the last rows.

    Layers that are given the same `x` one after the other share the result.
    """
    last = cpu.memo().get("filled up")
    if last is None or last[0] is not x:
        zeros = mx.zeros((more, x.shape[-1]))
        last = cpu.memo()["filled up"] = x, mx.concatenate([x.reshape(rows, -1), zeros])
    filled: mx.array = last[1]
    return filled

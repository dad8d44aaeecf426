"""Softmax attention with cheaper exponentials.

The query heads that share a key head are taken as its rows, so a key is read once for all of them.
Shapes as in `mx.fast.scaled_dot_product_attention`: queries `[batch, heads, n, dim]`, keys and
values `[batch, key heads, length, dim]`.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np

from engine import cpu

BLOCK = 32_768
"""Scores that numpy works on at a time: they stay in a core's own cache."""

SHORT = 4096
"""Scores up to which MLX's softmax is quicker than the operations that take its place."""


def attend(
    queries: mx.array, keys: mx.array, values: mx.array, scale: float, mask: Any
) -> mx.array | None:
    """Attention under any of mlx-lm's masks; None where it is better left to MLX."""
    batch, heads, n, dim = queries.shape
    shared, length = keys.shape[1], keys.shape[2]
    if mask is None and n == 1:
        return one_query(queries * scale, keys, values)
    if batch * heads * n * length < cpu.AT_ONCE or not _plain(mask):
        return None
    if not cpu.evaluated(queries, keys, values):
        return None
    rows = (queries * scale).reshape(batch, shared, heads // shared * n, dim)
    scores = rows @ keys.swapaxes(-1, -2)
    if isinstance(mask, mx.array):
        scores = _masked(scores.reshape(batch, heads, n, length), mask)
    mx.eval(scores)
    # The array is this function's own, so it may be written to behind MLX's back.
    table = np.asarray(scores).reshape(batch, heads, n, length)
    if mask == "causal":
        table[..., length - n :] += np.triu(np.full((n, n), -np.inf, np.float32), 1)
    sums = _exponentials(table.reshape(-1, length)).reshape(batch, shared, -1, 1)
    weights = scores.reshape(batch, shared, heads // shared * n, length)
    out = (weights @ values) / mx.array(sums)
    return out.reshape(batch, heads, n, -1)


def _plain(mask: Any) -> bool:
    if isinstance(mask, mx.array):
        return mask.dtype == mx.bool_ or mask.dtype == mx.float32
    return mask is None or mask == "causal"


def _masked(scores: mx.array, mask: mx.array) -> mx.array:
    if mask.dtype == mx.bool_:
        return mx.where(mask, scores, float("-inf"))
    return scores + mask


def _exponentials(table: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Turn `scores [rows, length]` into `exp(score - the row's largest)`; the sums of the rows."""
    rows, length = table.shape
    sums = np.empty(rows, np.float32)
    step = max(1, BLOCK // length)
    for begin in range(0, rows, step):
        some = table[begin : begin + step]
        np.subtract(some, some.max(-1, keepdims=True), out=some)
        np.exp(some, out=some)
        some.sum(-1, out=sums[begin : begin + step])
    return sums


def one_query(
    queries: mx.array, keys: mx.array, values: mx.array, beyond: mx.array | None = None
) -> mx.array:
    """Attention of one query a row, `[batch, heads, 1, dim]`, the queries scaled already.

    `beyond` is added to the scores `[batch, key heads, heads a key head, length]`. In three
    operations, or six with many scores, where MLX's own attention takes twice as many: each costs
    some microseconds to dispatch, whatever it does.
    """
    batch, heads, _, dim = queries.shape
    shared = keys.shape[1]
    scores = queries.reshape(batch, shared, heads // shared, dim) @ keys.swapaxes(-1, -2)
    if beyond is not None:
        scores = scores + beyond
    if scores.size < SHORT:
        out = mx.softmax(scores, axis=-1) @ values
    else:
        weights = mx.power(cpu.E, scores - mx.max(scores, axis=-1, keepdims=True))
        out = (weights @ values) / mx.sum(weights, axis=-1, keepdims=True)
    return out.reshape(batch, heads, 1, -1)

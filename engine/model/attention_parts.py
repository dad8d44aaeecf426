"""Softmax attention with cheaper exponentials.

Query heads that share a key head are stacked into one matrix product, so each key is read only
once. Shapes are those of `mx.fast.scaled_dot_product_attention`: queries `[batch, heads, n, dim]`,
keys and values `[batch, key heads, length, dim]`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mlx.core as mx
import numpy as np

from engine.model.patches import dense

BLOCK_SCORES = 32_768
"""Number of scores per numpy operation, small enough for the CPU cache."""

SOFTMAX_UP_TO = 4096
"""Maximum number of scores for which MLX's softmax is faster than `_exponentiate`."""

MIN_SCORE = -1e30
"""Lower bound for the maximum score of a row. If a mask hides all keys, the maximum is -inf, and
subtracting it from other infinities would give NaN."""
MIN_SUM = 1e-30  # lower bound for the sum of a row's weights, to avoid dividing by zero
MIN_PART_SCORE = -3e4
"""Lower bound for the combined score of a part. Fits in float16, and exp() of it is 0."""


def attend(
    queries: mx.array, keys: mx.array, values: mx.array, scale: float, mask: Any
) -> mx.array | None:
    """Compute attention, or return None if MLX's function is faster or required."""
    batch, heads, n, dim = queries.shape
    shared, length = keys.shape[1], keys.shape[2]
    if mask is None and n == 1:
        return attend_one_query(queries * scale, keys, values)
    if batch * heads * n * length < dense.MIN_NUMPY_SIZE or not _is_supported_mask(mask):
        return None
    rows = (queries * scale).reshape(batch, shared, heads // shared * n, dim)
    part = _attend_with_numpy([(rows, keys)], values, n, mask)
    return None if part is None else part.out.reshape(batch, heads, n, -1)


class PartialAttention(NamedTuple):
    """Attention over a part of the keys, with the weight for merging it with other parts."""

    out: mx.array  # `[batch, key heads, rows, head dim]`
    # Log-sum-exp of the scores, `[batch, key heads, rows, 1]`, float32.
    weight: mx.array


def merge(a: PartialAttention, b: PartialAttention, sinks: mx.array | None = None) -> mx.array:
    """Merge attention over two parts of the keys. The result has the dtype of `a.out`.

    Args:
        sinks: attention sinks, `[1, key heads, rows, 1]`.
    """
    if sinks is None:
        share = mx.sigmoid(a.weight - b.weight)
        return (a.out * share + b.out * (1 - share)).astype(a.out.dtype)
    sinks = sinks.astype(mx.float32)
    max_weight = mx.maximum(mx.maximum(a.weight, b.weight), sinks)
    from_a, from_b = mx.exp(a.weight - max_weight), mx.exp(b.weight - max_weight)
    total = from_a + from_b + mx.exp(sinks - max_weight)
    return ((a.out * from_a + b.out * from_b) / total).astype(a.out.dtype)


def combined_score(suffix: PartialAttention, sinks: mx.array | None, like: mx.array) -> mx.array:
    """Return the combined score of a part's keys and the sinks, with the dtype of `like`."""
    if sinks is None and like.dtype == mx.float32:
        return suffix.weight
    return _compile(_combine_scores)(suffix.weight, like, *([] if sinks is None else [sinks]))


def _combine_scores(weight: mx.array, like: mx.array, *sinks: mx.array) -> mx.array:
    for sink in sinks:
        weight = mx.logaddexp(weight, sink.astype(mx.float32))
    return mx.maximum(weight, MIN_PART_SCORE).astype(like.dtype)


def attend_with_score(
    pairs: Pairs, values: mx.array, n: int, mask: Any, score: mx.array
) -> PartialAttention:
    """Compute attention over some of the keys, normalized over all keys.

    Args:
        pairs: see `partial_attention`. The keys need an extra position at the end. Its score is
            overwritten with `score`.
        score: combined score of all other keys, `[batch, key heads, rows, 1]` (`combined_score`).

    Returns:
        The attention, with the softmax weight of `score` as its weight.
    """
    scores = _compute_scores(pairs)
    if mask is not None:
        shape, score_column = scores.shape, mx.ones((n, 1), mx.bool_)
        mask = mx.concatenate([mask, score_column], axis=1)
        scores = _apply_mask(scores.reshape(*shape[:2], -1, n, shape[3]), mask).reshape(shape)
    scores[..., -1:] = score
    weights = mx.softmax(scores, axis=-1, precise=True)
    return PartialAttention(weights[..., :-1] @ values, weights[..., -1:])


def merge_by_score(
    prefix_part: PartialAttention,
    own_part: PartialAttention,
    score: mx.array,
    sinks: mx.array | None = None,
) -> mx.array:
    """Merge attention over two parts of the keys. `prefix_part` is from `attend_with_score`."""
    return _compile(_merge_by_score)(
        *prefix_part, *own_part, score, *([] if sinks is None else [sinks])
    )


def _merge_by_score(
    a: mx.array, share: mx.array, b: mx.array, weight: mx.array, score: mx.array, *sinks: mx.array
) -> mx.array:
    score, share = score.astype(mx.float32), share.astype(mx.float32)
    from_b = share * mx.exp(weight - score)
    for sink in sinks:
        weight = mx.logaddexp(weight, sink.astype(mx.float32))
    # `score` was rounded to 16 bits, so the weights don't add up to exactly 1.
    scale = 1 + share * (mx.exp(weight - score) - 1)
    return ((a + b * from_b) / scale).astype(a.dtype)


def _softmax_weights(scores: mx.array, weight: mx.array, like: mx.array) -> mx.array:
    return mx.exp(scores.astype(mx.float32) - weight).astype(like.dtype)


@functools.cache
def _compile(function: Callable[..., mx.array]) -> Callable[..., mx.array]:
    """Fuse a function into a single GPU kernel. Compilation is disabled on CPUs."""
    compiled: Callable[..., mx.array] = mx.compile(function, shapeless=True)
    return compiled


Pairs = Sequence[tuple[mx.array, mx.array]]
"""Pairs of scaled queries `[batch, key heads, rows, dim]` and keys `[.., length, dim]`. The scores
are the sum of their products. There are two pairs for latent attention, otherwise one."""


def partial_attention(pairs: Pairs, values: mx.array, n: int, mask: Any) -> PartialAttention:
    """Compute attention over a part of the keys.

    Args:
        pairs: for each key head, the rows are `n` queries per query head that shares it.
        mask: None, "causal" or boolean `[n, length]`.
    """
    queries, length = pairs[0][0], values.shape[2]
    engaged = dense.is_engaged(queries)
    if engaged and queries.size // queries.shape[-1] * length >= dense.MIN_NUMPY_SIZE:
        part = _attend_with_numpy(pairs, values, n, mask)
        if part is not None:
            return part
    scores = _compute_scores(pairs)
    if mask is not None:
        if isinstance(mask, str):
            mask = mx.arange(length - n, length)[:, None] >= mx.arange(length)
        scores = _apply_mask(scores.reshape(*scores.shape[:2], -1, n, length), mask)
        scores = scores.reshape(*queries.shape[:3], length)
    if engaged:
        max_score = mx.maximum(mx.max(scores, axis=-1, keepdims=True), MIN_SCORE)
        weights = mx.power(dense.E, scores - max_score)
        total = mx.maximum(mx.sum(weights, axis=-1, keepdims=True), MIN_SUM)
        return PartialAttention((weights @ values) / total, max_score + mx.log(total))
    weight = mx.logsumexp(scores.astype(mx.float32), axis=-1, keepdims=True)
    if mask is not None:
        weight = mx.maximum(weight, MIN_SCORE)
    return PartialAttention(_compile(_softmax_weights)(scores, weight, values) @ values, weight)


def _compute_scores(pairs: Pairs) -> mx.array:
    (queries, keys), *other_pairs = pairs
    scores = queries @ keys.swapaxes(-1, -2)
    for queries, keys in other_pairs:
        scores = mx.addmm(scores, queries, keys.swapaxes(-1, -2))
    return scores


def _attend_with_numpy(
    pairs: Pairs, values: mx.array, n: int, mask: Any
) -> PartialAttention | None:
    batch, shared, rows, _ = pairs[0][0].shape
    length = values.shape[2]
    scores = _compute_scores(pairs)
    if isinstance(mask, mx.array):
        scores = _apply_mask(scores.reshape(batch, shared, rows // n, n, length), mask)
    if not dense.try_evaluate(scores):
        return None
    # No other code uses `scores`, so numpy can write to MLX's memory.
    table = np.asarray(scores).reshape(-1, n, length)
    if isinstance(mask, str):
        table[..., length - n :] += np.triu(np.full((n, n), -np.inf, np.float32), 1)
    sums, maxima = _exponentiate(table.reshape(-1, length))
    total = mx.array(np.maximum(sums, MIN_SUM)).reshape(batch, shared, rows, 1)
    out = (scores.reshape(batch, shared, rows, length) @ values) / total
    return PartialAttention(out, mx.array(maxima).reshape(total.shape) + mx.log(total))


def _is_supported_mask(mask: Any) -> bool:
    if isinstance(mask, mx.array):
        return mask.ndim == 2 and mask.dtype in (mx.bool_, mx.float32)
    return mask is None or mask == "causal"


def _apply_mask(scores: mx.array, mask: mx.array) -> mx.array:
    if mask.dtype == mx.bool_:
        return mx.where(mask, scores, float("-inf"))
    return scores + mask


Table = np.ndarray[Any, Any]


def _exponentiate(table: Table) -> tuple[Table, Table]:
    """Replace scores `[rows, length]` with `exp(score - max(row))`.

    Returns the row sums `[rows]` and row maximums `[rows, 1]`.
    """
    rows, length = table.shape
    sums, maxima = np.empty(rows, np.float32), np.empty((rows, 1), np.float32)
    step = max(1, BLOCK_SCORES // length)
    for begin in range(0, rows, step):
        part, largest = table[begin : begin + step], maxima[begin : begin + step]
        part.max(-1, keepdims=True, out=largest)
        np.maximum(largest, MIN_SCORE, out=largest)
        np.subtract(part, largest, out=part)
        np.exp(part, out=part)
        part.sum(-1, out=sums[begin : begin + step])
    return sums, maxima


def attend_one_query(
    queries: mx.array, keys: mx.array, values: mx.array, bias: mx.array | None = None
) -> mx.array:
    """Compute attention for one scaled query per row, `[batch, heads, 1, dim]`.

    This takes three operations, or six if there are many scores. MLX's attention takes twice as
    many, at a few microseconds each.

    Args:
        bias: added to the scores, `[batch, key heads, heads per key head, length]`.
    """
    batch, heads, _, dim = queries.shape
    shared = keys.shape[1]
    scores = queries.reshape(batch, shared, heads // shared, dim) @ keys.swapaxes(-1, -2)
    if bias is not None:
        scores = scores + bias
    if scores.size >= dense.MIN_NUMPY_SIZE and dense.try_evaluate(scores):
        table = np.asarray(scores).reshape(-1, scores.shape[-1])
        sums, _ = _exponentiate(table)
        out = (scores @ values) / mx.array(sums).reshape(batch, shared, -1, 1)
    elif scores.size < SOFTMAX_UP_TO:
        out = mx.softmax(scores, axis=-1) @ values
    else:
        weights = mx.power(dense.E, scores - mx.max(scores, axis=-1, keepdims=True))
        out = (weights @ values) / mx.sum(weights, axis=-1, keepdims=True)
    return out.reshape(batch, heads, 1, -1)

"""The smallest set of tokens that holds a given share of the probability.

Sorting 150,000 tokens takes 12 ms on a CPU, longer than a small model's forward pass. Their order
is not needed, only the score at which the sum is reached. Two histograms find it in a third of
that time.
"""

from __future__ import annotations

import mlx.core as mx

_SORT_UP_TO = 4096
"""Tokens up to which sorting is quicker than the histograms."""
_BUCKETS = 4096
_DEPTH = 32.0
"""Tokens whose scores are further below the best one have probabilities that are 0 in `_ONE`s."""
_ONE = 1 << 30
"""Probabilities are counted in whole parts of this size. Their sum does not depend on the order,
so a device that adds in any order gives the same set."""


def smallest_set(scores: mx.array, probs: mx.array, mass: mx.array) -> mx.array:
    """The tokens of the best scores whose probabilities reach `mass`.

    Top-p (Holtzman et al. 2020, arXiv:1904.09751) scores tokens by their probability, typical
    sampling (Meister et al. 2022, arXiv:2202.00666) by how close they are to the entropy. All
    tokens with the last one's score (to about 1e-5) are in the set.

    Args:
        scores: `[rows, width]`, -inf for tokens that have been dropped already.
        probs: `[rows, width]`, each row of sum 1.
        mass: `[rows, 1]`, above 0.

    Returns:
        `[rows, width]` of bool.
    """
    if scores.shape[-1] <= _SORT_UP_TO:
        return _by_sorting(scores, probs, mass)
    return _by_histogram(scores, probs, mass)


def _by_sorting(scores: mx.array, probs: mx.array, mass: mx.array) -> mx.array:
    order = mx.argsort(-scores, axis=-1)
    sorted_probs = mx.take_along_axis(probs, order, axis=-1)
    before = mx.cumsum(sorted_probs, axis=-1) - sorted_probs
    # At least the first, also where rounding makes `mass` 0.
    last = mx.maximum((before < mass).sum(axis=-1, keepdims=True) - 1, 0)
    boundary = mx.take_along_axis(mx.take_along_axis(scores, order, axis=-1), last, axis=-1)
    return (scores >= boundary) & (scores > -mx.inf)


def _by_histogram(scores: mx.array, probs: mx.array, mass: mx.array) -> mx.array:
    units = mx.round(probs * _ONE).astype(mx.int32)
    goal = (mass * _ONE).astype(mx.int32)
    best = scores.max(axis=-1, keepdims=True)
    place = mx.minimum((best - scores) * (_BUCKETS / _DEPTH), _BUCKETS - 1.0)
    coarse = place.astype(mx.int32)
    fine = ((place - coarse) * _BUCKETS).astype(mx.int32)
    boundary, reached = _crossing(coarse, units, goal)
    at_boundary = coarse == boundary
    fine_boundary, _ = _crossing(fine, mx.where(at_boundary, units, 0), goal - reached)
    inside = (coarse < boundary) | (at_boundary & (fine <= fine_boundary))
    return inside & (scores > -mx.inf)


def _crossing(buckets: mx.array, units: mx.array, goal: mx.array) -> tuple[mx.array, mx.array]:
    """The last bucket needed to reach `goal`, and the sum of those before it; both `[rows, 1]`."""
    rows = buckets.shape[0]
    offsets = mx.arange(rows, dtype=mx.int32)[:, None] * _BUCKETS
    filled = mx.zeros((rows * _BUCKETS,), mx.int32)
    filled = filled.at[(buckets + offsets).reshape(-1)].add(units.reshape(-1))
    sums = filled.reshape(rows, _BUCKETS)
    before = mx.cumsum(sums, axis=-1) - sums
    last = mx.maximum((before < goal).sum(axis=-1, keepdims=True) - 1, 0)
    return last, mx.take_along_axis(before, last, axis=-1)

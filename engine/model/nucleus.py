"""The smallest set of tokens that holds a given share of the probability.

Sorting 150,000 tokens takes 12 ms on a CPU, more than many a model's forward pass. Nobody needs
their order, only the score at which the sum is reached; two histograms find it in a third of that.
"""

from __future__ import annotations

import mlx.core as mx

# Up to here sorting is quicker.
_SORTED = 4096
_BUCKETS = 4096
# Scores this far below the best belong to probabilities that count as nothing in 30 bits.
_DEPTH = 32.0
# Whole numbers add up to the same in any order, so a device with atomic adds gives the same set.
_ONE = 1 << 30


def smallest_set(scores: mx.array, probs: mx.array, mass: mx.array) -> mx.array:
    """Which tokens, best score first, it takes to reach `mass`; `[rows, width]` of bool.

    Top-p (Holtzman et al. 2020, arXiv:1904.09751) scores by probability, typical sampling
    (Meister et al. 2022, arXiv:2202.00666) by closeness to the entropy. Tokens whose scores are
    the same (to about 1e-5) as the last one's are kept with it.

    Args:
        scores: `[rows, width]`, `-inf` for what has been dropped already.
        probs: `[rows, width]`, of sum 1.
        mass: `[rows, 1]`, above 0.
    """
    if scores.shape[-1] <= _SORTED:
        return _by_sorting(scores, probs, mass)
    return _by_histogram(scores, probs, mass)


def _by_sorting(scores: mx.array, probs: mx.array, mass: mx.array) -> mx.array:
    order = mx.argsort(-scores, axis=-1)
    sorted_probs = mx.take_along_axis(probs, order, axis=-1)
    before = mx.cumsum(sorted_probs, axis=-1) - sorted_probs
    # The first has nothing before it, whatever the rounding.
    last = mx.maximum((before < mass).sum(axis=-1, keepdims=True) - 1, 0)
    border = mx.take_along_axis(mx.take_along_axis(scores, order, axis=-1), last, axis=-1)
    return (scores >= border) & (scores > -mx.inf)


def _by_histogram(scores: mx.array, probs: mx.array, mass: mx.array) -> mx.array:
    units = mx.round(probs * _ONE).astype(mx.int32)
    goal = (mass * _ONE).astype(mx.int32)
    best = scores.max(axis=-1, keepdims=True)
    place = mx.minimum((best - scores) * (_BUCKETS / _DEPTH), _BUCKETS - 1.0)
    coarse = place.astype(mx.int32)
    fine = ((place - coarse) * _BUCKETS).astype(mx.int32)
    border, reached = _crossing(coarse, units, goal)
    at_border = coarse == border
    fine_border, _ = _crossing(fine, mx.where(at_border, units, 0), goal - reached)
    inside = (coarse < border) | (at_border & (fine <= fine_border))
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

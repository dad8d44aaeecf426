"""From logits to the next token, every reply with its own randomness.

No global random state is touched and nothing is compiled: `mlx_lm`'s samplers share one RNG, so a
neighbour would change a seeded row. Token `i` of a reply is drawn with a key made from the reply's
seed and `i` alone, so it does not matter when, beside whom, or how often it is drawn.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from typing import Any

import mlx.core as mx

from engine.params import SamplingParams

_MASK = (1 << 64) - 1


def token_key(seed: int, index: int) -> mx.array:
    """The RNG key of token `index` under `seed` (SplitMix64's mixing, Steele et al. 2014)."""
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    key: mx.array = mx.random.key(z ^ (z >> 31))
    return key


class Sampler:
    """Chooses the tokens of one reply."""

    def __init__(self, params: SamplingParams) -> None:
        self._params = params
        # Dividing by less would overflow; the most probable token is the limit.
        self._hot = params.temperature >= 1e-6
        self._seed = secrets.randbits(63) if params.seed is None else params.seed
        self.greedy = not self._hot and not params.uses_history and not params.logit_bias

    def __call__(self, logits: mx.array, index: int, recent: Any = None) -> mx.array:
        """The lazy token id, shape `[1]`, for `logits` of shape `[1, vocab]`.

        `index` counts the reply's tokens from 0; `recent` holds the ids that penalties look at.
        """
        params = self._params
        if self.greedy:
            return mx.argmax(logits, axis=-1)
        logits = logits.astype(mx.float32)
        if params.uses_history and recent is not None and recent.size:
            logits = _penalise(logits, recent, params)
        if params.logit_bias:
            logits = _bias(logits, params.logit_bias)
        if not self._hot:
            return mx.argmax(logits, axis=-1)
        logits = logits / params.temperature
        if params.top_k and params.top_k < logits.shape[-1]:
            kept = mx.topk(logits, params.top_k, axis=-1)
            logits = mx.where(logits < kept.min(axis=-1, keepdims=True), -mx.inf, logits)
        if params.min_p:
            best = logits.max(axis=-1, keepdims=True)
            logits = mx.where(logits < best + math.log(params.min_p), -mx.inf, logits)
        if params.top_p < 1.0:
            logits = _nucleus(logits, params.top_p)
        return mx.random.categorical(logits, key=token_key(self._seed, index))


def sample_rows(
    logits: mx.array, samplers: Sequence[Sampler], indices: Sequence[int], recent: Sequence[Any]
) -> list[mx.array | Exception]:
    """One token of shape `[1]` for each row of `logits` `[rows, vocab]`.

    A row whose sampler raises gets its exception in place of a token; the others are unharmed.
    """
    if len(samplers) > 1 and all(s.greedy for s in samplers):
        return list(mx.split(mx.argmax(logits, axis=-1), len(samplers)))
    tokens: list[mx.array | Exception] = []
    for row, (sampler, index, seen) in enumerate(zip(samplers, indices, recent, strict=True)):
        try:
            tokens.append(sampler(logits[row : row + 1], index, seen))
        except Exception as error:
            tokens.append(error.with_traceback(None))
    return tokens


def _penalise(logits: mx.array, recent: mx.array, params: SamplingParams) -> mx.array:
    """Repetition penalty on all recent tokens, presence and frequency penalties by their count."""
    counts = mx.zeros((logits.shape[-1],), mx.float32).at[recent].add(1.0)[None]
    seen = counts > 0
    if params.repetition_penalty != 1.0:
        scaled = mx.where(
            logits > 0, logits / params.repetition_penalty, logits * params.repetition_penalty
        )
        logits = mx.where(seen, scaled, logits)
    if params.presence_penalty:
        logits = mx.where(seen, logits - params.presence_penalty, logits)
    if params.frequency_penalty:
        logits = logits - params.frequency_penalty * counts
    return logits


def _bias(logits: mx.array, bias: Any) -> mx.array:
    ids = mx.array([t for t in bias if t < logits.shape[-1]])
    if not ids.size:
        return logits
    values = mx.array([float(bias[t]) for t in bias if t < logits.shape[-1]])
    return logits.at[..., ids].add(values[None])


def _nucleus(logits: mx.array, top_p: float) -> mx.array:
    """Top-p (Holtzman et al. 2020, arXiv:1904.09751): keep what comes before the sum is enough."""
    order = mx.argsort(-logits, axis=-1)
    sorted_logits = mx.take_along_axis(logits, order, axis=-1)
    probs = mx.softmax(sorted_logits, axis=-1)
    before = mx.cumsum(probs, axis=-1) - probs
    cut = mx.where(before < top_p, sorted_logits, -mx.inf)
    return mx.put_along_axis(mx.zeros_like(logits), order, cut, axis=-1)

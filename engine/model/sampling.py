"""From logits to the next token, each reply with its own randomness.

mlx-lm's samplers share one random state, so one reply would change another's seeded tokens. Here
token `i` of a reply is drawn with a key made from the reply's seed and `i` alone. It does not
matter when it is drawn, beside which others, or how often.

Rows that take the same steps are drawn in one stacked call, with their parameters as columns.
Every operation works along a row, so a row's token is the same bits as if it were drawn alone.

The order of the steps: penalties, logit bias, the constraint's mask, temperature. Then each
filter that is set keeps some of the tokens that are left: top-k, min-p, typical-p, top-p, XTC.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mlx.core as mx

from engine.model.nucleus import smallest_set
from engine.params import SamplingParams

_MASK = (1 << 64) - 1
_XTC_SALT = 0x58544331
"""Mixed into the seed for XTC's decision, which must be independent of the draw after it."""

Shape = tuple[int | bool, ...]
"""Which steps a sampler takes: top-k, then whether each other filter is set. Samplers of one
shape can be stacked."""


def _mix(seed: int, index: int) -> int:
    """64 random bits for token `index` under `seed` (SplitMix64, Steele et al. 2014)."""
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def token_keys(seeds: Sequence[int], indices: Sequence[int]) -> mx.array:
    """The RNG keys `[rows, 2]` of the tokens `indices` under `seeds`."""
    mixed = [_mix(seed, index) for seed, index in zip(seeds, indices, strict=True)]
    return mx.array([[z >> 32, z & 0xFFFFFFFF] for z in mixed], mx.uint32)


class Sampler:
    """Chooses the tokens of one reply.

    Attributes:
        params: the reply's.
        seed: theirs, or one from the system's entropy.
        shape: the steps that it takes; None when it takes the most probable token.
        changes_logits: whether `change` does anything without a constraint's mask.
    """

    def __init__(self, params: SamplingParams) -> None:
        self.params = params
        self.seed = secrets.randbits(63) if params.seed is None else params.seed
        self.shape: Shape | None = None
        # Dividing by a smaller temperature would overflow; its limit is the most probable token.
        if params.temperature >= 1e-6:
            self.shape = (
                params.top_k,
                params.min_p > 0.0,
                params.typical_p < 1.0,
                params.top_p < 1.0,
                params.xtc_probability > 0.0,
            )
        self.changes_logits = params.uses_history or bool(params.logit_bias)

    def __call__(
        self, logits: mx.array, index: int, recent: Any = None, allowed: mx.array | None = None
    ) -> mx.array:
        """The lazy token id, shape `[1]`.

        Args:
            logits: `[1, vocab]`.
            index: of the token in its reply, from 0.
            recent: the ids that penalties look at, `[tokens]`.
            allowed: the tokens to choose from, `[vocab]` of bool; None for all.
        """
        return draw([self], self.change(logits, recent, allowed), [index])

    def change(
        self, logits: mx.array, recent: Any = None, allowed: mx.array | None = None
    ) -> mx.array:
        """`logits` after the steps that are not stacked: penalties, bias and mask."""
        params = self.params
        if self.changes_logits:
            logits = logits.astype(mx.float32)
        if params.uses_history and recent is not None and recent.size:
            logits = _penalise(logits, recent, params)
        if params.logit_bias:
            logits = _bias(logits, params.logit_bias)
        if allowed is not None:
            logits = mx.where(allowed, logits, -mx.inf)
        return logits


def sample_rows(
    logits: mx.array, samplers: Sequence[Sampler], indices: Sequence[int], recent: Sequence[Any]
) -> list[mx.array | Exception]:
    """A lazy token id `[1]` for each row of `logits` `[rows, vocab]`.

    A row whose sampler raises gets the exception in place of a token; the others get their tokens.
    """
    tokens: list[mx.array | Exception] = [mx.array([0])] * len(samplers)
    groups: dict[Shape | None, list[int]] = {}
    changed: dict[int, mx.array] = {}
    for row, sampler in enumerate(samplers):
        try:
            if sampler.changes_logits:
                changed[row] = sampler.change(logits[row : row + 1], recent[row])
            groups.setdefault(sampler.shape, []).append(row)
        except Exception as error:
            tokens[row] = error.with_traceback(None)
    for rows in groups.values():
        if len(rows) == logits.shape[0] and not changed:
            together = logits
        else:
            parts = [changed.get(row, logits[row : row + 1]) for row in rows]
            together = mx.concatenate([part.astype(mx.float32) for part in parts])
        drawn = draw([samplers[r] for r in rows], together, [indices[r] for r in rows])
        for row, token in zip(rows, mx.split(drawn, len(rows)), strict=True):
            tokens[row] = token
    return tokens


def draw(samplers: Sequence[Sampler], logits: mx.array, indices: Sequence[int]) -> mx.array:
    """The lazy ids `[rows]` for `logits` `[rows, vocab]`; all samplers are of one shape."""
    if samplers[0].shape is None:
        return mx.argmax(logits, axis=-1)
    seeds = [s.seed for s in samplers]
    values, ids = candidates(samplers, logits, indices)
    noise = _gumbel(token_keys(seeds, indices), values.shape[-1])
    best = mx.argmax(values + noise, axis=-1)  # the Gumbel-max trick: a draw from the softmax
    if ids is None:
        return best
    return mx.take_along_axis(ids, best[:, None], axis=-1).reshape(-1)


def candidates(
    samplers: Sequence[Sampler], logits: mx.array, indices: Sequence[int]
) -> tuple[mx.array, mx.array | None]:
    """The tokens that may be drawn, as log weights and their ids.

    With a top-k both are `[rows, top_k]`, the largest weight first, so that the filters after it
    work on few tokens. Otherwise the weights are `[rows, vocab]` and the ids are None. A token
    that a filter has dropped has the weight -inf.
    """
    shape = samplers[0].shape
    assert shape is not None
    top_k, min_p, typical_p, top_p, xtc = shape

    def column(of: Callable[[SamplingParams], float]) -> mx.array:
        return mx.array([[of(s.params)] for s in samplers], mx.float32)

    values = logits.astype(mx.float32) / column(lambda p: p.temperature)
    ids = None
    if 0 < top_k < values.shape[-1]:
        kept = mx.argpartition(values, values.shape[-1] - top_k, axis=-1)[:, -top_k:]
        some = mx.take_along_axis(values, kept, axis=-1)
        order = mx.argsort(-some, axis=-1)
        ids = mx.take_along_axis(kept, order, axis=-1)
        values = mx.take_along_axis(some, order, axis=-1)
    if min_p:
        floor = values.max(axis=-1, keepdims=True) + column(lambda p: _log(p.min_p))
        values = mx.where(values < floor, -mx.inf, values)
    if typical_p:
        logs = values - mx.logsumexp(values, axis=-1, keepdims=True)
        probs = mx.exp(logs)
        entropy = -mx.where(probs > 0, probs * logs, 0.0).sum(axis=-1, keepdims=True)
        keep = smallest_set(-mx.abs(-logs - entropy), probs, column(lambda p: p.typical_p))
        values = mx.where(keep, values, -mx.inf)
    if top_p:
        probs = mx.softmax(values, axis=-1)
        keep = smallest_set(values, probs, column(lambda p: p.top_p))
        values = mx.where(keep, values, -mx.inf)
    if xtc:
        tossed = token_keys([s.seed ^ _XTC_SALT for s in samplers], indices)
        coin = mx.vmap(lambda key: mx.random.uniform(shape=(1,), key=key))(tossed)
        values = mx.where(
            coin < column(lambda p: p.xtc_probability),
            _without_top_choices(values, column(lambda p: p.xtc_threshold)),
            values,
        )
    return values, ids


def _log(number: float) -> float:
    return math.log(number) if number > 0 else -math.inf


def _gumbel(keys: mx.array, width: int) -> mx.array:
    """Gumbel noise `[rows, width]`, each row from its own key, the same as if it were alone."""
    if keys.shape[0] == 1:
        return mx.random.gumbel((1, width), key=keys[0])
    noise: mx.array = mx.vmap(lambda key: mx.random.gumbel((width,), key=key))(keys)
    return noise


def _without_top_choices(values: mx.array, threshold: mx.array) -> mx.array:
    """XTC ("exclude top choices"): of the tokens above the threshold only the last one stays."""
    probs = mx.softmax(values, axis=-1)
    # What a form or a filter has dropped is no choice, also where the threshold is 0.
    last = mx.where((probs >= threshold) & (probs > 0), probs, mx.inf).min(axis=-1, keepdims=True)
    return mx.where(probs > last, -mx.inf, values)


def _penalise(logits: mx.array, recent: mx.array, params: SamplingParams) -> mx.array:
    """`logits` `[1, vocab]` with repetition, presence and frequency penalties on `recent`."""
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


def _bias(logits: mx.array, bias: Mapping[int, float]) -> mx.array:
    ids = mx.array([t for t in bias if t < logits.shape[-1]])
    if not ids.size:
        return logits
    values = mx.array([float(bias[t]) for t in bias if t < logits.shape[-1]])
    return logits.at[..., ids].add(values[None])

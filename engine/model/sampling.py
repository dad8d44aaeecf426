"""Sampling of the next token, with separate randomness for each reply.

mlx-lm's samplers share one random state. Here, token `i` of a reply is sampled with a key that
only depends on the reply's seed and `i`.

Rows with the same steps are sampled in one batched call. All operations work along a row, so a
row's token is the same as if it were sampled alone, bit by bit. On a Linux CPU, the CPU kernels
sample all rows in one call, because sampling with MLX takes longer than a forward pass of a small
model. The kernels implement the same steps with other random numbers.

Order of the steps: penalties, logit bias, the mask of a constraint, temperature. Then each enabled
filter removes some of the remaining tokens: top-k, min-p, typical-p, top-p, XTC.
"""

from __future__ import annotations

import functools
import math
import secrets
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mlx.core as mx
import numpy as np

from engine.errors import MODEL_LOAD_FAILED, EngineError
from engine.kernels import library as kernels
from engine.kernels.library import Library, sample_tokens
from engine.kernels.matrices import Array
from engine.messages import TokenOdds
from engine.params import SamplingParams

Token = mx.array | int
"""Lazy id `[1]`, or the id if it was sampled by the CPU kernels."""


def token_id(token: Token) -> int:
    return token if isinstance(token, int) else int(token.item())  # type: ignore[arg-type]


_MASK = (1 << 64) - 1
_CLAMP = 1 << 40  # larger numbers have no further effect and don't fit the kernels' types
_XTC_SALT = 0x58544331
"""Mixed into the seed for XTC's decision, which must not correlate with the choice of the token."""

Shape = tuple[int | bool, ...]
"""Steps of a sampler: the value of top-k, and a flag for each of the other filters. Only samplers
with equal shapes can be batched.
"""


def _random_bits(seed: int, index: int) -> int:
    """Return 64 random bits for token `index` (SplitMix64, Steele et al. 2014)."""
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def token_keys(seeds: Sequence[int], indices: Sequence[int]) -> mx.array:
    mixed = [_random_bits(seed, index) for seed, index in zip(seeds, indices, strict=True)]
    return mx.array([[z >> 32, z & 0xFFFFFFFF] for z in mixed], mx.uint32)


def _uniform(seed: int, index: int) -> float:
    return (_random_bits(seed, index) >> 11) * 2.0**-53


class Sampler:
    def __init__(self, params: SamplingParams) -> None:
        self.params = params
        # Seed of the reply, or a random seed from the operating system.
        self.seed = secrets.randbits(63) if params.seed is None else params.seed
        # Sampling steps, or None to select the most probable token.
        self.shape: Shape | None = None
        # Dividing by a smaller temperature would overflow, so treat it as greedy decoding.
        if params.temperature >= 1e-6:
            self.shape = (
                params.top_k,
                params.min_p > 0.0,
                params.typical_p < 1.0,
                params.top_p < 1.0,
                params.xtc_probability > 0.0,
            )
        penalties = params.presence_penalty or params.frequency_penalty
        penalizes = params.repetition_penalty != 1.0 or penalties != 0.0
        self.uses_history = penalizes and params.penalty_window > 0
        # True if `adjust_logits` has an effect even without a mask.
        self.changes_logits = self.uses_history or bool(params.logit_bias)

    def __call__(
        self,
        logits: mx.array,
        index: int,
        recent: Any = None,
        allowed_tokens: mx.array | None = None,
    ) -> Token:
        """Sample a token from `logits` `[1, vocab]`.

        Args:
            recent: token ids for penalties, `[tokens]`.
            allowed_tokens: boolean mask `[vocab]` of allowed tokens, or None for all.
        """
        (token,) = draw([self], self.adjust_logits(logits, recent, allowed_tokens), [index])
        return token

    def kernel_choice(self, index: int) -> tuple[Any, ...]:
        """Return the fields of `ChoiceStruct` for a token, except for `logits` and `token`."""
        p = self.params
        tossed = self.shape is not None and p.xtc_probability > 0.0
        has_xtc = tossed and _uniform(self.seed ^ _XTC_SALT, index) < p.xtc_probability
        return (
            _uniform(self.seed, index),
            min(p.top_k, _CLAMP),
            0.0 if self.shape is None else min(p.temperature, float(_CLAMP)),
            *(p.min_p, p.typical_p, p.top_p),
            p.xtc_threshold if has_xtc else -1.0,
        )

    def adjust_logits(
        self, logits: mx.array, recent: Any = None, allowed_tokens: mx.array | None = None
    ) -> mx.array:
        """Apply the steps that aren't batched: penalties, bias and mask."""
        params = self.params
        if self.changes_logits:
            logits = logits.astype(mx.float32)
        if self.uses_history and recent is not None and recent.size:
            logits = _penalize(logits, recent, params)
        if params.logit_bias:
            logits = _bias(logits, params.logit_bias)
        if allowed_tokens is not None:
            logits = mx.where(allowed_tokens, logits, -mx.inf)
        return logits


def sample_rows(
    logits: mx.array | Array,
    samplers: Sequence[Sampler],
    indices: Sequence[int],
    recent: Sequence[Any],
) -> list[Token | Exception]:
    """Sample a token from each row of `logits` `[rows, vocab]`.

    A row's result is an exception if its sampler raises, or if the CPU kernels find NaNs.
    """
    tokens: list[Token | Exception] = [0] * len(samplers)
    groups: dict[Shape | None, list[int]] = {}
    changed: dict[int, Any] = {}
    on_cpu = _cpu_kernels() is not None
    if on_cpu:
        logits = evaluate_rows(logits)
    for row, sampler in enumerate(samplers):
        try:
            if sampler.changes_logits:
                lazy = sampler.adjust_logits(as_mlx(logits[row : row + 1]), recent[row])
                changed[row] = evaluate_rows(lazy) if on_cpu else lazy
            groups.setdefault(None if on_cpu else sampler.shape, []).append(row)
        except Exception as error:
            tokens[row] = error.with_traceback(None)
    for rows in groups.values():
        together: Any
        if len(rows) == logits.shape[0] and not changed:
            together = logits
        elif on_cpu:
            together = [changed.get(row, logits[row : row + 1])[0] for row in rows]
        else:
            parts: list[Any] = [changed.get(row, logits[row : row + 1]) for row in rows]
            together = mx.concatenate([part.astype(mx.float32) for part in parts])
        drawn_tokens = draw([samplers[r] for r in rows], together, [indices[r] for r in rows])
        for row, token in zip(rows, drawn_tokens, strict=True):
            is_nan = isinstance(token, int) and math.isnan(logits[row, token])
            tokens[row] = nan_error() if is_nan else token
    return tokens


def nan_error() -> EngineError:
    return EngineError(
        MODEL_LOAD_FAILED,
        "The model computed invalid numbers (NaN). Its files may be damaged. Download it again, or "
        "choose another model.",
    )


def draw(
    samplers: Sequence[Sampler], logits: mx.array | Sequence[Array], indices: Sequence[int]
) -> Sequence[Token]:
    """Sample tokens from `logits` `[rows, vocab]`.

    Without the CPU kernels, all samplers must have the same shape.
    """
    if (library := _cpu_kernels()) is not None:
        choices = [s.kernel_choice(index) for s, index in zip(samplers, indices, strict=True)]
        return sample_tokens(library, list(evaluate_rows(logits)), choices)
    assert isinstance(logits, mx.array)
    if samplers[0].shape is None:
        return list(mx.split(mx.argmax(logits, axis=-1), len(samplers)))
    seeds = [s.seed for s in samplers]
    values, ids = candidates(samplers, logits, indices)
    noise = _gumbel(token_keys(seeds, indices), values.shape[-1])
    best = mx.argmax(values + noise, axis=-1)  # Gumbel-max trick: a draw from the softmax
    if ids is not None:
        best = mx.take_along_axis(ids, best[:, None], axis=-1).reshape(-1)
    return list(mx.split(best, len(samplers)))


def as_mlx(logits: mx.array | Array) -> mx.array:
    return logits if isinstance(logits, mx.array) else mx.array(logits)


def evaluate_rows(logits: Any) -> Any:
    if isinstance(logits, mx.array):
        logits = logits.astype(mx.float32)
        mx.eval(logits)  # NumPy would ignore an error here and read undefined numbers
        return np.array(logits, copy=False)
    return logits


@functools.cache
def _cpu_kernels() -> Library | None:
    on_cpu = sys.platform == "linux" and mx.default_device() == mx.Device(mx.cpu)
    return kernels.load() if on_cpu else None


def candidates(
    samplers: Sequence[Sampler], logits: mx.array, indices: Sequence[int]
) -> tuple[mx.array, mx.array | None]:
    """Apply the temperature and all filters. Return log weights and ids of the candidates.

    With top-k, both have the shape `[rows, top_k]` and are sorted by descending weight, so that
    the remaining filters have less to do. Otherwise, the weights are `[rows, vocab]` and the ids
    are None. Removed tokens have the weight -inf.
    """
    shape = samplers[0].shape
    assert shape is not None
    top_k, min_p, typical_p, top_p, xtc = shape

    def column(get_param: Callable[[SamplingParams], float]) -> mx.array:
        return mx.array([[get_param(s.params)] for s in samplers], mx.float32)

    values = logits.astype(mx.float32) / column(lambda p: p.temperature)
    ids = None
    if 0 < top_k < values.shape[-1]:
        top_indices = mx.argpartition(values, values.shape[-1] - top_k, axis=-1)[:, -top_k:]
        top_values = mx.take_along_axis(values, top_indices, axis=-1)
        order = mx.argsort(-top_values, axis=-1)
        ids = mx.take_along_axis(top_indices, order, axis=-1)
        values = mx.take_along_axis(top_values, order, axis=-1)
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
            _exclude_top_choices(values, column(lambda p: p.xtc_threshold)),
            values,
        )
    return values, ids


def _log(number: float) -> float:
    return math.log(number) if number > 0 else -math.inf


def _gumbel(keys: mx.array, width: int) -> mx.array:
    if keys.shape[0] == 1:
        return mx.random.gumbel((1, width), key=keys[0])
    noise: mx.array = mx.vmap(lambda key: mx.random.gumbel((width,), key=key))(keys)
    return noise


def _exclude_top_choices(values: mx.array, threshold: mx.array) -> mx.array:
    """Apply XTC ("exclude top choices"): keep only the least likely token above the threshold."""
    probs = mx.softmax(values, axis=-1)
    # Ignore tokens that were removed before, even if the threshold is 0.
    last = mx.where((probs >= threshold) & (probs > 0), probs, mx.inf).min(axis=-1, keepdims=True)
    return mx.where(probs > last, -mx.inf, values)


def _penalize(logits: mx.array, recent: mx.array, params: SamplingParams) -> mx.array:
    counts = mx.zeros((logits.shape[-1],), mx.float32).at[recent].add(1.0)[None]
    is_recent = counts > 0
    if params.repetition_penalty != 1.0:
        scaled = mx.where(
            logits > 0, logits / params.repetition_penalty, logits * params.repetition_penalty
        )
        logits = mx.where(is_recent, scaled, logits)
    if params.presence_penalty:
        logits = mx.where(is_recent, logits - params.presence_penalty, logits)
    if params.frequency_penalty:
        logits = logits - params.frequency_penalty * counts
    return logits


def _bias(logits: mx.array, bias: Mapping[int, float]) -> mx.array:
    ids = mx.array([t for t in bias if t < logits.shape[-1]])
    if not ids.size:
        return logits
    values = mx.array([float(bias[t]) for t in bias if t < logits.shape[-1]])
    return logits.at[..., ids].add(values[None])


def smallest_set(scores: mx.array, probs: mx.array, mass: mx.array) -> mx.array:
    """Select the tokens with the best scores whose probabilities add up to `mass`.

    For top-p (Holtzman et al. 2020, arXiv:1904.09751), scores are probabilities. For typical
    sampling (Meister et al. 2022, arXiv:2202.00666), they measure closeness to the entropy. The
    set includes all tokens whose score equals the last selected score.

    Args:
        scores: `[rows, width]`, -inf for tokens that were already removed.
        probs: `[rows, width]`, the sum of each row is 1.
        mass: `[rows, 1]`, above 0.

    Returns:
        Boolean mask `[rows, width]`.
    """
    order = mx.argsort(-scores, axis=-1)
    sorted_probs = mx.take_along_axis(probs, order, axis=-1)
    before = mx.cumsum(sorted_probs, axis=-1) - sorted_probs
    # Always select at least one token, because `mass` may be rounded to 0.
    last = mx.maximum((before < mass).sum(axis=-1, keepdims=True) - 1, 0)
    boundary = mx.take_along_axis(mx.take_along_axis(scores, order, axis=-1), last, axis=-1)
    return (scores >= boundary) & (scores > -mx.inf)


# ---------------------------------------------------------------- odds


class Odds:
    """Log probabilities of a reply's tokens, before any of the sampling steps.

    Computed when a token is sampled, and returned when it is processed.

    Args:
        top_count: number of most likely tokens to report for each token.
    """

    def __init__(self, top_count: int) -> None:
        self._top_count = top_count
        self._recorded: deque[tuple[mx.array, mx.array]] = deque()

    def record(self, logits: mx.array, token: mx.array) -> list[mx.array]:
        """Compute the odds of a lazy `token` sampled from `logits` `[1, vocab]`. Return the arrays
        to evaluate.
        """
        row = logits[0].astype(mx.float32)
        ids = token.reshape(-1).astype(mx.uint32)
        top_count = min(self._top_count, row.shape[-1])
        if top_count:
            top = mx.argpartition(-row, top_count - 1)[:top_count].astype(mx.uint32)
            ids = mx.concatenate([ids, top])
        pair = (ids, row[ids] - mx.logsumexp(row))
        self._recorded.append(pair)
        return list(pair)

    def clear(self) -> None:
        """Drop the log-probabilities of sampled tokens that aren't used."""
        self._recorded.clear()

    def pop_odds(self, token: int, detokenizer: Any) -> TokenOdds:
        id_array, logs = self._recorded.popleft()
        ids, values = np.array(id_array).tolist(), np.array(logs).tolist()
        pairs: list[tuple[int, float]] = list(zip(ids, values, strict=True))
        ranked = sorted(pairs[1:], key=lambda pair: (-pair[1], pair[0]))
        top = tuple(TokenOdds(i, token_bytes(i, detokenizer), log) for i, log in ranked)
        return TokenOdds(token, token_bytes(token, detokenizer), pairs[0][1], top)


def token_bytes(token: int, detokenizer: Any) -> bytes:
    from mlx_lm.tokenizer_utils import _byte_decoder

    token_map = getattr(detokenizer, "tokenmap", None)
    if token_map is None:
        return str(detokenizer._tokenizer.decode([token])).encode("utf-8", "replace")
    if token >= len(token_map) or token_map[token] is None:
        return b""
    piece = token_map[token]
    if isinstance(piece, bytes):
        return piece.replace("\u2581".encode(), b" ")
    values = _byte_decoder()
    out = bytearray()
    for character in piece:
        value = values.get(character)
        out += bytes([value]) if value is not None else character.encode()
    return bytes(out)

"""Each sampling parameter has its documented effect and no global state changes."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import SamplingParams
from engine.model import sampling
from engine.model.sampling import (
    Sampler,
    candidates,
    sample_rows,
    smallest_set,
    token_id,
    token_keys,
)


def draw(params: SamplingParams, logits: list[float], recent: list[int] | None = None) -> Counter:
    sampler = Sampler(params)
    seen = mx.array(recent) if recent else None
    row = mx.array([logits])
    return Counter(token_id(sampler(row, i, seen)) for i in range(200))


def test_greedy_picks_the_maximum() -> None:
    assert draw(SamplingParams(temperature=0.0), [0.0, 3.0, 1.0]) == {1: 200}


def test_top_k_keeps_k_tokens() -> None:
    assert set(draw(SamplingParams(temperature=5.0, top_k=2, seed=1), [0.0, 3.0, 1.0])) == {1, 2}


def test_top_p_keeps_the_smallest_sufficient_set() -> None:
    logits = [float(mx.log(mx.array(p)).item()) for p in (0.5, 0.3, 0.15, 0.05)]
    assert set(draw(SamplingParams(temperature=1.0, top_p=0.5, seed=1), logits)) == {0}
    assert set(draw(SamplingParams(temperature=1.0, top_p=0.81, seed=1), logits)) == {0, 1, 2}


def test_min_p_drops_the_improbable() -> None:
    logits = [float(mx.log(mx.array(p)).item()) for p in (0.6, 0.35, 0.05)]
    assert set(draw(SamplingParams(temperature=1.0, min_p=0.2, seed=1), logits)) == {0, 1}


def test_frequencies_follow_the_probabilities() -> None:
    counts = draw(SamplingParams(temperature=1.0, seed=3), [0.0, float(mx.log(mx.array(3.0)))])
    assert 120 < counts[1] < 180


@pytest.mark.parametrize(
    "penalty",
    [{"repetition_penalty": 5.0}, {"presence_penalty": 2.0}, {"frequency_penalty": 2.0}],
)
def test_penalties_reduce_repetition(penalty: dict[str, float]) -> None:
    params = SamplingParams(temperature=0.0, **penalty)
    assert draw(params, [2.0, 2.5, 0.1]) == {1: 200}
    assert draw(params, [2.0, 2.5, 0.1], recent=[1, 1]) == {0: 200}


def test_logit_bias() -> None:
    params = SamplingParams(temperature=0.0, logit_bias={0: 10.0, 9999: 1.0})
    assert draw(params, [0.0, 3.0, 1.0]) == {0: 200}


@pytest.mark.parametrize("is_lazy", [False, True])
def test_failing_row_leaves_the_others(is_lazy: bool) -> None:
    class Faulty(Sampler):
        def adjust_logits(self, logits: mx.array, *_: object) -> mx.array:  # type: ignore[override]
            if is_lazy:  # only its evaluation raises
                return mx.linalg.inv(mx.zeros((2, 2)), stream=mx.cpu)[:1]
            raise RuntimeError("injected")

    if is_lazy and sampling._cpu_kernels() is None:
        pytest.skip("rows are evaluated by the kernels")
    good = Sampler(SamplingParams(temperature=1.0, seed=1))
    rows = [good, Faulty(SamplingParams(logit_bias={0: 1.0})), good]
    logits = mx.array([[0.0, 9.0], [0.0, 9.0], [9.0, 0.0]])
    first, second, third = sample_rows(logits, rows, [0, 0, 0], [None] * 3)
    assert not isinstance(first, Exception)
    assert token_id(first) == 1
    assert isinstance(second, RuntimeError)
    assert not isinstance(third, Exception)
    assert token_id(third) == 0


def test_global_random_state_is_unused() -> None:
    mx.random.seed(1)
    expected = mx.random.uniform().item()
    mx.random.seed(1)
    draw(SamplingParams(temperature=1.0), [0.0, 1.0])
    assert mx.random.uniform().item() == expected


def test_keys_differ_by_seed_and_index() -> None:
    keys = {
        tuple(key) for s in (0, 1, 2, -1, 2**63) for key in token_keys([s] * 50, range(50)).tolist()
    }
    assert len(keys) == 250


def test_defaults_and_stop_forms() -> None:
    assert SamplingParams(stop="x").stop == ("x",)
    assert SamplingParams(stop=["x", "y"]).stop == ("x", "y")
    assert SamplingParams(stop=None).stop == ()


SETTINGS = st.fixed_dictionaries(
    {
        "temperature": st.sampled_from([0.3, 1.0, 2.0]),
        "top_k": st.sampled_from([0, 1, 5, 40]),
        "min_p": st.sampled_from([0.0, 0.02, 0.3]),
        "typical_p": st.sampled_from([1.0, 0.9, 0.3]),
        "top_p": st.sampled_from([1.0, 0.95, 0.4]),
        "repetition_penalty": st.sampled_from([1.0, 1.3]),
        "presence_penalty": st.sampled_from([0.0, 0.5]),
        "frequency_penalty": st.sampled_from([0.0, -0.7]),
        "logit_bias": st.sampled_from([{}, {3: 2.0, 7: -5.0, 10**6: 1.0}]),
    }
)
WIDTHS = st.sampled_from([50, 6000])


def reference(params: SamplingParams, logits: np.ndarray, recent: list[int]) -> set[int]:
    values = logits.astype(np.float64)
    for token in set(recent):
        scale = params.repetition_penalty
        values[token] = values[token] / scale if values[token] > 0 else values[token] * scale
        values[token] -= params.presence_penalty
        values[token] -= params.frequency_penalty * recent.count(token)
    for token, number in params.logit_bias.items():
        if token < len(values):
            values[token] += number
    values /= params.temperature
    kept = sorted(range(len(values)), key=lambda t: -values[t])
    if params.top_k:
        kept = kept[: params.top_k]
    if params.min_p:
        kept = [t for t in kept if values[t] >= values[kept[0]] + np.log(params.min_p)]

    def enough(order: list[int], mass: float) -> list[int]:
        total, out = 0.0, []
        for token in order:
            if total >= mass:
                break
            out.append(token)
            total += probs[token]
        return out

    def weights() -> dict[int, float]:
        exps = {t: np.exp(values[t] - max(values[k] for k in kept)) for t in kept}
        return {t: e / sum(exps.values()) for t, e in exps.items()}

    probs = weights()
    if params.typical_p < 1:
        entropy = -sum(p * np.log(p) for p in probs.values() if p > 0)
        by_surprise = sorted(kept, key=lambda t: abs(-np.log(max(probs[t], 1e-300)) - entropy))
        kept = enough(by_surprise, params.typical_p)
        probs = weights()
    if params.top_p < 1:
        kept = enough(sorted(kept, key=lambda t: -values[t]), params.top_p)
    return set(kept)


def spread(width: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 4, width).astype(np.float32)


def may_be_drawn(params: SamplingParams, logits: np.ndarray, recent: list[int]) -> set[int]:
    sampler = Sampler(params)
    row = sampler.adjust_logits(mx.array(logits)[None], mx.array(recent) if recent else None)
    values, ids = candidates([sampler], row, [0])
    kept = np.flatnonzero(np.array(values[0]) > -np.inf)
    return set((kept if ids is None else np.array(ids[0])[kept]).tolist())


@settings(max_examples=40, deadline=None)
@given(SETTINGS, WIDTHS, st.integers(0, 2**16), st.lists(st.integers(0, 49), max_size=9))
def test_the_same_tokens_are_kept_as_by_the_plain_way(
    chosen: dict[str, Any], width: int, seed: int, recent: list[int]
) -> None:
    params, logits = SamplingParams(**chosen), spread(width, seed)
    ours, plain = may_be_drawn(params, logits, recent), reference(params, logits, recent)
    # Sums in float32 and float64 may differ at the last token.
    assert len(ours ^ plain) <= 1


@settings(max_examples=40, deadline=None)
@given(st.lists(SETTINGS, min_size=2, max_size=8), WIDTHS, st.integers(0, 2**16))
def test_a_row_is_drawn_as_if_alone(chosen: list[dict[str, Any]], width: int, seed: int) -> None:
    """Rows match bit for bit alone, stacked with rows of the same kind, and next to others."""
    samplers = [
        Sampler(SamplingParams(seed=n, xtc_probability=0.5 * (n % 2), **c))
        for n, c in enumerate([*chosen, *chosen])
    ]
    logits = mx.array(np.stack([spread(width, seed + n) for n in range(len(samplers))]))
    recent = [mx.array([n, 3, 3]) for n in range(len(samplers))]
    indices = list(range(5, 5 + len(samplers)))
    together = sample_rows(logits, samplers, indices, recent)
    for n, sampler in enumerate(samplers):
        assert token_id(sampler(logits[n : n + 1], indices[n], recent[n])) == token_id(together[n])  # type: ignore[arg-type]
        beside = mx.concatenate([logits[n : n + 1]] + [logits[:1]] * 2)
        peers = [sampler, *[Sampler(sampler.params)] * 2]
        row = [sampler.adjust_logits(beside[:1], recent[n]), beside[1:]]
        if sampler.shape is not None:
            stacked = candidates(peers, mx.concatenate(row), [indices[n], 0, 1])[0][0]
            alone = candidates([sampler], row[0], [indices[n]])[0][0]
            assert np.array_equal(np.array(stacked), np.array(alone))


def test_typical_prefers_the_usual_surprise() -> None:
    logits = [float(np.log(p)) for p in (0.5, 0.2, 0.15, 0.15)]
    assert 0 not in draw(SamplingParams(temperature=1.0, typical_p=0.15, seed=1), logits)


def test_xtc_leaves_the_last_of_the_top_choices() -> None:
    logits = [float(np.log(p)) for p in (0.5, 0.3, 0.15, 0.05)]
    always = SamplingParams(temperature=1.0, xtc_probability=1.0, xtc_threshold=0.1, seed=1)
    assert set(draw(always, logits)) == {2, 3}
    half = SamplingParams(temperature=1.0, xtc_probability=0.5, xtc_threshold=0.1, seed=1)
    assert set(draw(half, logits)) == {0, 1, 2, 3}
    one = SamplingParams(temperature=1.0, xtc_probability=1.0, xtc_threshold=0.4, seed=1)
    assert 0 in draw(one, logits)


def test_xtc_leaves_a_token_allowed_by_grammar() -> None:
    params = SamplingParams(temperature=1.0, xtc_probability=1.0, xtc_threshold=0.0, seed=1)
    logits = [-math.inf, -math.inf, 1.0, 0.5, -math.inf]
    assert set(draw(params, logits)) == {3}


def test_ties_are_kept_together() -> None:
    scores = mx.zeros((1, 8))
    keep = smallest_set(scores, mx.softmax(scores, axis=-1), mx.array([[0.3]]))
    assert keep.all().item()

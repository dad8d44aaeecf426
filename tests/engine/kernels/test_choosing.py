"""Sampling in the kernels, compared with float64 and between levels."""

from __future__ import annotations

import math
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernels.library import Library, sample_tokens
from engine.model import sampling
from engine.model.sampling import Sampler, token_id
from engine.params import SamplingParams
from tests.engine.model.test_sampling import reference, spread

WIDTHS = (1, 7, 16, 50, 6000)
FILTERS = st.fixed_dictionaries(
    {
        "temperature": st.sampled_from([0.3, 1.0, 2.0]),
        "top_k": st.sampled_from([0, 1, 5, 40]),
        "min_p": st.sampled_from([0.0, 0.02, 0.3]),
        "typical_p": st.sampled_from([1.0, 0.9, 0.3]),
        "top_p": st.sampled_from([1.0, 0.95, 0.4]),
    }
)
UNIFORMS = (0.0, *np.linspace(0.001, 0.999, 97), 1.0 - 2.0**-53)


def choices(params: SamplingParams, uniforms: tuple[float, ...] = UNIFORMS) -> list[Any]:
    _, *rest = Sampler(params).kernel_choice(0)
    return [(uniform, *rest) for uniform in uniforms]


def chosen(library: Library, row: np.ndarray, params: SamplingParams) -> list[int]:
    return sample_tokens(library, [row] * len(UNIFORMS), choices(params))


@settings(max_examples=25, deadline=None)
@given(FILTERS, st.sampled_from(WIDTHS), st.integers(0, 2**16))
def test_tokens_divide_the_uniform_numbers_by_their_probabilities(
    built: Library, filters: dict[str, Any], width: int, seed: int
) -> None:
    params, logits = SamplingParams(**filters), spread(width, seed)
    kept = sorted(reference(params, logits, []))
    weights = np.exp((logits[kept].astype(np.float64) - logits.max()) / params.temperature)
    ends = np.cumsum(weights) / weights.sum()
    for uniform, token in zip(UNIFORMS, chosen(built, logits, params), strict=True):
        place = kept.index(token)
        before = ends[place - 1] if place else 0.0
        assert before - 1e-5 <= uniform <= ends[place] + 1e-5


@settings(max_examples=20, deadline=None)
@given(FILTERS, st.sampled_from(WIDTHS), st.integers(0, 2**16))
def test_every_level_chooses_the_same_tokens(
    built: Library, filters: dict[str, Any], width: int, seed: int
) -> None:
    params, logits = SamplingParams(**filters, xtc_probability=1.0), spread(width, seed)
    found = []
    for level in built.levels:
        built.use_level(level)
        found.append(chosen(built, logits, params))
    built.use_level(built.levels[-1])
    assert found == [found[0]] * len(found)


def test_row_among_others_is_sampled_as_alone(library: Library) -> None:
    rows = [spread(6000, seed) for seed in range(24)]
    ways = [
        Sampler(
            SamplingParams(seed=n, temperature=n % 3 / 2, top_k=n % 5 * 10, top_p=0.9)
        ).kernel_choice(n)
        for n in range(len(rows))
    ]
    together = sample_tokens(library, rows, ways)
    assert together == [
        sample_tokens(library, [row], [way])[0] for row, way in zip(rows, ways, strict=True)
    ]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("top_k", [0, 2, 4])
def test_dropped_and_invalid_logits_are_not_chosen(
    library: Library, temperature: float, top_k: int
) -> None:
    row = np.array([math.nan, -math.inf, 2.0, -math.inf, 1.0, math.nan], np.float32)
    for filters in ({}, {"top_p": 0.99}, {"typical_p": 0.99}, {"min_p": 0.01}):
        params = SamplingParams(temperature=temperature, top_k=top_k, **filters)
        assert set(chosen(library, row, params)) <= {2, 4}


@pytest.mark.parametrize("number", [math.nan, -math.inf, math.inf, 0.0])
def test_rows_of_one_number_give_a_token(library: Library, number: float) -> None:
    row = np.full(40, number, np.float32)
    for filters in ({"top_k": 3}, {"top_p": 0.5}, {"typical_p": 0.5}, {"xtc_probability": 1.0}):
        tokens = chosen(library, row, SamplingParams(temperature=1.0, **filters))
        assert all(0 <= token < 40 for token in tokens)


USED = {"temperature": 1.0, "xtc_probability": 0.5, "xtc_threshold": 0.05}
CHANGED: dict[str, Any] = {
    "temperature": 0.0,
    "top_k": 1,
    "min_p": 0.9,
    **dict.fromkeys(("typical_p", "top_p"), 0.1),
    "xtc_probability": 0.0,
    "xtc_threshold": 1.0,
    "logit_bias": {3: 9.0},
    "repetition_penalty": 9.0,
    **dict.fromkeys(("presence_penalty", "frequency_penalty"), 2.0),
}
"""Each parameter that changes the probabilities, with a value that shows."""
ELSEWHERE = {"max_tokens", "seed", "stop", "logprobs", "penalty_window", "stop_repetition"}
FORMS = {"json_schema", "regex", "choices", "grammar", "form_limits"}
TOOLS = {"tools", "tool_choice", "parallel_tool_calls"}


@pytest.mark.parametrize("in_c", [False, True])
def test_no_parameter_is_ignored(
    library: Library, monkeypatch: pytest.MonkeyPatch, in_c: bool
) -> None:
    """A parameter needs its step twice, in MLX and in the kernels."""
    known = {*CHANGED, *ELSEWHERE, *FORMS, *TOOLS}
    assert known == set(SamplingParams.__struct_fields__)
    monkeypatch.setattr(sampling, "_cpu_kernels", lambda: library if in_c else None)

    def drawn(**changed: Any) -> list[int]:
        sampler, logits = (
            Sampler(SamplingParams(seed=1, **{**USED, **changed})),
            [[2.0, 1.5, 1.0, 0.5]],
        )
        return [token_id(sampler(mx.array(logits), n, mx.array([0, 0]))) for n in range(60)]

    usual = drawn()
    assert [name for name, value in CHANGED.items() if drawn(**{name: value}) == usual] == []


def test_equal_logits_within_top_k_are_the_first(library: Library) -> None:
    row = np.array([1.0, 5.0, 1.0, 1.0, 5.0, 0.0], np.float32)
    assert set(chosen(library, row, SamplingParams(temperature=9.0, top_k=3))) == {0, 1, 4}


def test_huge_parameters_act_like_large_ones(library: Library) -> None:
    params = SamplingParams(temperature=1.0, top_k=10**30)
    row = np.array([1.0, 2.0, 3.0], np.float32)
    assert chosen(library, row, params) == chosen(library, row, SamplingParams(temperature=1.0))


def test_rows_of_different_widths_are_refused(library: Library) -> None:
    rows = [np.zeros(4, np.float32), np.zeros(5, np.float32)]
    with pytest.raises(ValueError, match="width"):
        sample_tokens(library, rows, choices(SamplingParams(), (0.5, 0.5)))


def test_rows_of_another_type_are_refused(library: Library) -> None:
    rows: list[Any] = [np.zeros(4, np.int32)]
    with pytest.raises(ValueError, match="float32"):
        sample_tokens(library, rows, choices(SamplingParams(), (0.5,)))

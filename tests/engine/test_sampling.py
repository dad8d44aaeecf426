"""Every parameter does what its name says, and nothing global is touched."""

from __future__ import annotations

from collections import Counter

import mlx.core as mx
import pytest

from engine import SamplingParams
from engine.sampling import Sampler, sample_rows, token_key


def draw(params: SamplingParams, logits: list[float], recent: list[int] | None = None) -> Counter:
    sampler = Sampler(params)
    seen = mx.array(recent) if recent else None
    row = mx.array([logits])
    return Counter(int(sampler(row, i, seen).item()) for i in range(200))


def test_greedy_takes_the_best() -> None:
    assert draw(SamplingParams(temperature=0.0), [0.0, 3.0, 1.0]) == {1: 200}


def test_top_k_keeps_so_many() -> None:
    assert set(draw(SamplingParams(temperature=5.0, top_k=2, seed=1), [0.0, 3.0, 1.0])) == {1, 2}


def test_top_p_keeps_the_smallest_set_that_is_enough() -> None:
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
def test_penalties_push_away_from_what_was_said(penalty: dict[str, float]) -> None:
    params = SamplingParams(temperature=0.0, **penalty)
    assert draw(params, [2.0, 2.5, 0.1]) == {1: 200}
    assert draw(params, [2.0, 2.5, 0.1], recent=[1, 1]) == {0: 200}


def test_logit_bias() -> None:
    params = SamplingParams(temperature=0.0, logit_bias={0: 10.0, 9999: 1.0})
    assert draw(params, [0.0, 3.0, 1.0]) == {0: 200}


def test_a_row_that_fails_leaves_the_others() -> None:
    class Faulty(Sampler):
        def __call__(self, logits: mx.array, index: int, recent: object = None) -> mx.array:
            raise RuntimeError("injected")

    good = Sampler(SamplingParams(temperature=1.0, seed=1))
    rows = [good, Faulty(SamplingParams()), good]
    logits = mx.array([[0.0, 9.0], [0.0, 9.0], [9.0, 0.0]])
    first, second, third = sample_rows(logits, rows, [0, 0, 0], [None] * 3)
    assert first.item() == 1
    assert isinstance(second, RuntimeError)
    assert third.item() == 0


def test_nothing_global_is_drawn_from() -> None:
    mx.random.seed(1)
    expected = mx.random.uniform().item()
    mx.random.seed(1)
    draw(SamplingParams(temperature=1.0), [0.0, 1.0])
    assert mx.random.uniform().item() == expected


def test_keys_differ_by_seed_and_index() -> None:
    keys = {tuple(token_key(s, i).tolist()) for s in (0, 1, 2, -1, 2**63) for i in range(50)}
    assert len(keys) == 250


def test_defaults_and_stop_forms() -> None:
    assert SamplingParams(stop="x").stop == ("x",)
    assert SamplingParams(stop=["x", "y"]).stop == ("x", "y")
    assert SamplingParams(stop=None).stop == ()

"""`python -m engine.bench.sampling`: measure how long sampling takes in a step of eight chats."""

from __future__ import annotations

import statistics
import time
from typing import Any

import mlx.core as mx

from engine.model.backend import start
from engine.model.sampling import Sampler, sample_rows
from engine.params import SamplingParams

ROWS = 8
VOCABS = (512, 32_000, 150_000)
SETTINGS: dict[str, dict[str, Any]] = {
    "greedy": {"temperature": 0.0},
    "temperature": {},
    "top_k 20, top_p 0.95": {"top_k": 20, "top_p": 0.95},
    "min_p 0.05": {"min_p": 0.05},
    "top_p 0.95": {"top_p": 0.95},
    "top_p 0.95, repetition 1.1": {"top_p": 0.95, "repetition_penalty": 1.1},
}


def seconds(samplers: list[Sampler], logits: mx.array, rounds: int) -> float:
    recent = [mx.array([1, 2, 3])] * len(samplers)
    times = []
    for index in range(rounds):
        started = time.perf_counter()
        tokens = sample_rows(logits, samplers, [index] * len(samplers), recent)
        mx.eval([t for t in tokens if isinstance(t, mx.array)])
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main() -> None:
    print(f"{ROWS} rows, ms a step, on {start().device}")
    print(f"{'':<28}" + "".join(f"{vocab:>10,}" for vocab in VOCABS))
    for name, settings in SETTINGS.items():
        cells = []
        for vocab in VOCABS:
            logits = 3 * mx.random.normal((ROWS, vocab), key=mx.random.key(vocab))
            mx.eval(logits)
            params = {"temperature": 0.7, **settings}
            samplers = [Sampler(SamplingParams(seed=n, **params)) for n in range(ROWS)]
            cells.append(seconds(samplers, logits, 15))
        print(f"{name:<28}" + "".join(f"{cell * 1e3:>10.2f}" for cell in cells))


if __name__ == "__main__":
    main()

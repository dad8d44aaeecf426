"""Other ways to compute what MLX computes slowly on a Linux CPU.

`dense` multiplies with float32 weights: few rows one by one, more in numbers that suit OpenBLAS's
kernels. It and `attention` take their exponentials from where they are cheap. (Weights in few bits
have kernels of their own, `engine.kernels`.)
The functions that are replaced (`engine.model.patches`) use these within `engaged`, which surrounds
the engine's own forward passes and concerns their thread only.

Most of it is about exponentials. In nanoseconds a number, on one core: MLX's `exp` 10, softmax 10
and sigmoid 15, all without vector instructions; its `power` 3.5; numpy's `exp` 0.4. Numpy needs
evaluated numbers, and evaluating costs 60 microseconds, so numpy computes many at a time and
`power` computes few. A chunk of 64 tokens after 3,000 takes 3.5 instead of 20 ms of attention a
layer. Waiting in the midst of a pass costs nothing more: on a CPU MLX runs only some operations
ahead of Python, so 85 of a step's 93 ms had passed before its launch was done.

Imports: nothing.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import mlx.core as mx

E = math.e

NUMPY_FROM = 16_384
"""From so many exponentials on, numpy is quicker in spite of the evaluation that it needs."""

_state = threading.local()
_enabled = False

has_wide_kernels = False  # whether matrix products use AVX-512

matrix_vector: Callable[..., None] | None = None  # OpenBLAS's `cblas_sgemv`, where it was taken


def enable(wide_kernels: bool, sgemv: Callable[..., None] | None = None) -> None:
    """Let `engaged` have an effect in this process."""
    global _enabled, has_wide_kernels, matrix_vector
    _enabled, has_wide_kernels, matrix_vector = True, wide_kernels, sgemv


@contextmanager
def engaged() -> Iterator[None]:
    """Within this block, on this thread, the ways of this package are taken where they fit."""
    before = vars(_state).copy()
    _state.on, _state.memo = _enabled, {}
    try:
        yield
    finally:
        vars(_state).clear()
        vars(_state).update(before)


def is_engaged(x: mx.array) -> bool:
    """Whether the engine runs a model on this thread, and `x` is of the type that this is for."""
    return getattr(_state, "on", False) and x.dtype == mx.float32


def memo() -> dict[str, Any]:
    """What functions of this package keep until the pass ends; nothing where it is not engaged."""
    kept: dict[str, Any] = getattr(_state, "memo", {})
    return kept


def evaluated(*arrays: mx.array) -> bool:
    """Evaluate what numpy is to read; False in a function that is being compiled."""
    try:
        mx.eval(*arrays)
    except ValueError:
        return False
    return True

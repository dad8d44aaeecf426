"""Products with float32 weights, and cheaper exponentials, on a Linux CPU.

`product` multiplies few rows one by one, and more in numbers that suit OpenBLAS's kernels. The
functions that are replaced (`on_cpu`) use these within `engaged`, which surrounds the engine's own
forward passes and concerns their thread only. (Weights in few bits have kernels of their own,
`engine.kernels`.)

In nanoseconds a number, on one core: MLX's `exp` 10, softmax 10 and sigmoid 15, all without vector
instructions; its `power` 3.5; numpy's `exp` 0.4. Numpy needs evaluated numbers, and evaluating
costs 60 microseconds, so numpy computes many at a time and `power` computes few. A chunk of 64
tokens after 3,000 takes 3.5 instead of 20 ms of attention a layer. Waiting within a pass costs
nothing more: on a CPU MLX runs only some operations ahead of Python, so 85 of a step's 93 ms had
passed before its launch was done.
"""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import mlx.core as mx
import numpy as np

E = math.e

NUMPY_FROM = 16_384
"""Exponentials from which numpy is quicker in spite of the evaluation that it needs."""

TILE = 16  # rows in a tile of OpenBLAS's kernels

MAX_ROWS = 256  # with more rows, what filling up saves is less than copying them costs

MOST_VECTORS = 4
"""Up to so many rows are multiplied one by one. With more the product of two matrices is as fast,
or nearly."""

LEAST_WEIGHTS = 65_536  # for smaller matrices the evaluation takes longer than what is saved

_ROW_MAJOR, _NO_TRANSPOSE = 101, 111  # cblas.h


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
    """Compute by this module on this thread within the block, where it fits."""
    before = vars(_state).copy()
    _state.on, _state.memo = _enabled, {}
    try:
        yield
    finally:
        vars(_state).clear()
        vars(_state).update(before)


def is_engaged(x: mx.array) -> bool:
    """Return True if the engine runs a model on this thread and `x` is float32."""
    return getattr(_state, "on", False) and x.dtype == mx.float32


def memo() -> dict[str, Any]:
    """Return what is kept until the pass ends; empty if this module is not engaged."""
    kept: dict[str, Any] = getattr(_state, "memo", {})
    return kept


def evaluated(*arrays: mx.array) -> bool:
    """Evaluate arrays for numpy; return False in a function that is being compiled."""
    try:
        mx.eval(*arrays)
    except ValueError:
        return False
    return True


def product(x: mx.array, weight: mx.array) -> mx.array | None:
    """`x @ weight.T`, or None where MLX's own product is the best way.

    The kernels of OpenBLAS work on tiles of sixteen rows. A few rows beyond whole tiles cost more
    than another whole tile. Measured on two cores with AVX2 kernels, milliseconds for sixty
    matrices of 1,536 x 576 (212 MB):

        rows             1     2     4     6     8    12    15    16    20    24    28    32
        x @ W.T         11.2  13.7  20.3  19.4  20.8  33.9  20.9  15.1  29.8  29.8  39.8  22.8
        x, zeros below  18.0  17.9  17.7  17.4  18.1  17.6  17.9  17.2  29.4  23.7  24.1  24.7

    So numbers with more than two rows beyond whole tiles are filled up with rows of zeros, where
    `by_rows` does not take them one by one. AVX-512 kernels handle such rows better: filling up
    pays from nine rows on (12 rows: 21.1 against 16.6 ms).

    Args:
        x: `[..., inputs]`.
        weight: `[outputs, inputs]`.

    Returns:
        `[..., outputs]`.
    """
    few = by_rows(x, weight)
    if few is not None:
        return few
    outputs, inputs = weight.shape
    rows = x.size // inputs
    over = rows % TILE
    if over < (9 if has_wide_kernels else 3) or rows > MAX_ROWS:
        return None
    return (_filled_up(x, rows, TILE - over) @ weight.T)[:rows].reshape(*x.shape[:-1], outputs)


def _filled_up(x: mx.array, rows: int, more: int) -> mx.array:
    """`x` as `[rows + more, inputs]`, zero in the last rows.

    Layers that are given the same `x` one after the other share the result.
    """
    last = memo().get("filled up")
    if last is None or last[0] is not x:
        zeros = mx.zeros((more, x.shape[-1]))
        last = memo()["filled up"] = x, mx.concatenate([x.reshape(rows, -1), zeros])
    filled: mx.array = last[1]
    return filled


def by_rows(x: mx.array, weight: mx.array) -> mx.array | None:
    """`x @ weight.T` of a few rows, evaluated; None where another way is better.

    Row by row, by OpenBLAS's product of matrix and vector. MLX's product of any number of rows is
    OpenBLAS's of two matrices, which copies the weights into tiles first: for a single row that
    takes more than twice as long as reading them. What a row comes to does not depend on the
    others. Measured on two cores with AVX-512 kernels, milliseconds for sixty matrices of
    1,536 x 576 that follow each other, with the evaluation that each needs:

        rows                1     2     3     4     6     8
        x @ W.T          16.3  19.4  20.4  22.3  21.1  23.0
        row by row        7.3  10.8  13.2  15.5  19.4  25.1

    Args:
        x: `[..., inputs]`.
        weight: `[outputs, inputs]`, neither of them 0.
    """
    multiply, (outputs, inputs) = matrix_vector, weight.shape
    rows = x.size // inputs
    if multiply is None or not 0 < rows <= MOST_VECTORS or weight.size < LEAST_WEIGHTS:
        return None
    if x.dtype != mx.float32 or weight.dtype != mx.float32 or not evaluated(x, weight):
        return None
    matrix, given = np.asarray(weight), np.ascontiguousarray(x)
    if not matrix.flags.c_contiguous:
        return None
    out = np.empty((rows, outputs), np.float32)
    read, write = given.ctypes.data, out.ctypes.data
    for row in range(rows):
        multiply(
            *(_ROW_MAJOR, _NO_TRANSPOSE, outputs, inputs, 1.0, matrix.ctypes.data, inputs),
            *(read + 4 * row * inputs, 1, 0.0, write + 4 * row * outputs, 1),
        )
    return mx.array(out).reshape(*x.shape[:-1], outputs)


def declare(blas: ctypes.CDLL | None) -> Any:
    """OpenBLAS's `cblas_sgemv` as a function that Python can call; None where there is none."""
    function: Any = getattr(blas, "cblas_sgemv", None)
    if function is None:
        return None
    whole, real, place = ctypes.c_int, ctypes.c_float, ctypes.c_void_p
    function.argtypes = [whole] * 4 + [real] + [place, whole] * 2 + [real, place, whole]
    function.restype = None
    return function


def swiglu(gate: mx.array, x: mx.array) -> mx.array:
    """`gate * sigmoid(gate) * x`, of float32 arrays of one shape, with cheaper exponentials."""
    if gate.size < NUMPY_FROM or not evaluated(gate, x):
        return gate / (1 + mx.power(1 / E, gate)) * x
    g = np.asarray(gate)
    out = np.negative(g)
    with np.errstate(over="ignore"):  # for a gate far below zero: divided by infinity it is zero
        np.exp(out, out=out)
    out += 1
    np.divide(g, out, out=out)
    out *= np.asarray(x)
    return mx.array(out)

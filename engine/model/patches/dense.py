"""Products with float32 weights, and cheaper exponentials, on a Linux CPU.

`product` multiplies few rows one by one, and pads more rows to a number that suits OpenBLAS's
kernels. The replaced functions (`on_cpu`) use these inside `engaged`, which surrounds the engine's
forward passes and affects only their thread. (Quantized weights have their own kernels,
`engine.kernels`.)

Nanoseconds per number on one core: MLX's `exp` 10, softmax 10 and sigmoid 15, all without vector
instructions; its `power` 3.5; numpy's `exp` 0.4. Numpy needs evaluated arrays, and evaluation costs
60 microseconds, so numpy computes many numbers and `power` few. For a chunk of 64 tokens after
3,000, attention takes 3.5 instead of 20 ms per layer. Waiting inside a pass costs nothing extra,
because on a CPU, MLX only runs a few operations ahead of Python: 85 of a step's 93 ms had passed
when its launch was done.
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

MIN_NUMPY_SIZE = 16_384
"""Number of exponentials from which numpy is faster, including the evaluation it needs."""

TILE = 16  # rows per tile in OpenBLAS's kernels

MAX_ROWS = 256  # with more rows, padding saves less than it costs to copy them

MAX_VECTOR_ROWS = 4
"""Number of rows up to which they are multiplied one by one. With more, a matrix product is about
as fast."""

MIN_WEIGHTS = 65_536  # for smaller matrices, evaluation takes longer than what is saved

_ROW_MAJOR, _NO_TRANSPOSE = 101, 111  # cblas.h


_state = threading.local()
_enabled = False

has_wide_kernels = False  # True if matrix products use AVX-512

matrix_vector: Callable[..., None] | None = None  # OpenBLAS's `cblas_sgemv`, or None


def enable(wide_kernels: bool, sgemv: Callable[..., None] | None = None) -> None:
    """Enable `engaged` in this process."""
    global _enabled, has_wide_kernels, matrix_vector
    _enabled, has_wide_kernels, matrix_vector = True, wide_kernels, sgemv


@contextmanager
def engaged() -> Iterator[None]:
    """Use this module's functions on this thread inside the block."""
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
    """Return a dictionary that lasts until the pass ends, or an empty one if not engaged."""
    kept: dict[str, Any] = getattr(_state, "memo", {})
    return kept


def evaluated(*arrays: mx.array) -> bool:
    """Evaluate arrays for numpy. Return False in a function that is being compiled."""
    try:
        mx.eval(*arrays)
    except ValueError:
        return False
    return True


def product(x: mx.array, weight: mx.array) -> mx.array | None:
    """Return `x @ weight.T`, or None if MLX's own product is fastest.

    OpenBLAS's kernels work on tiles of 16 rows. A few rows beyond whole tiles cost more than
    another whole tile. Milliseconds for sixty matrices of 1,536 x 576 (212 MB), on two cores with
    AVX2 kernels:

        rows             1     2     4     6     8    12    15    16    20    24    28    32
        x @ W.T         11.2  13.7  20.3  19.4  20.8  33.9  20.9  15.1  29.8  29.8  39.8  22.8
        x, zeros below  18.0  17.9  17.7  17.4  18.1  17.6  17.9  17.2  29.4  23.7  24.1  24.7

    So more than two rows beyond whole tiles are padded with zeros, unless `by_rows` takes them one
    by one. AVX-512 kernels handle such rows better: padding pays off from nine rows on (12 rows:
    21.1 against 16.6 ms).

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
    return (_padded(x, rows, TILE - over) @ weight.T)[:rows].reshape(*x.shape[:-1], outputs)


def _padded(x: mx.array, rows: int, more: int) -> mx.array:
    """Return `x` as `[rows + more, inputs]`, padded with zeros.

    Consecutive layers with the same `x` share the result.
    """
    last = memo().get("filled up")
    if last is None or last[0] is not x:
        zeros = mx.zeros((more, x.shape[-1]))
        last = memo()["filled up"] = x, mx.concatenate([x.reshape(rows, -1), zeros])
    filled: mx.array = last[1]
    return filled


def by_rows(x: mx.array, weight: mx.array) -> mx.array | None:
    """Return `x @ weight.T` of a few rows, evaluated, or None if another way is faster.

    The rows are multiplied one by one, with OpenBLAS's matrix-vector product. MLX always uses
    OpenBLAS's matrix product, which first copies the weights into tiles: for a single row that
    takes more than twice as long as reading them. A row's result does not depend on the others.
    Milliseconds for sixty consecutive matrices of 1,536 x 576, including the evaluation of each, on
    two cores with AVX-512 kernels:

        rows                1     2     3     4     6     8
        x @ W.T          16.3  19.4  20.4  22.3  21.1  23.0
        row by row        7.3  10.8  13.2  15.5  19.4  25.1

    Args:
        x: `[..., inputs]`.
        weight: `[outputs, inputs]`, neither 0.
    """
    multiply, (outputs, inputs) = matrix_vector, weight.shape
    rows = x.size // inputs
    if multiply is None or not 0 < rows <= MAX_VECTOR_ROWS or weight.size < MIN_WEIGHTS:
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


def bind_sgemv(blas: ctypes.CDLL | None) -> Any:
    """Return OpenBLAS's `cblas_sgemv` as a Python function, or None without OpenBLAS."""
    function: Any = getattr(blas, "cblas_sgemv", None)
    if function is None:
        return None
    whole, real, place = ctypes.c_int, ctypes.c_float, ctypes.c_void_p
    function.argtypes = [whole] * 4 + [real] + [place, whole] * 2 + [real, place, whole]
    function.restype = None
    return function


def swiglu(gate: mx.array, x: mx.array) -> mx.array:
    """Return `gate * sigmoid(gate) * x` of float32 arrays, with cheaper exponentials."""
    if gate.size < MIN_NUMPY_SIZE or not evaluated(gate, x):
        return gate / (1 + mx.power(1 / E, gate)) * x
    g = np.asarray(gate)
    out = np.negative(g)
    with np.errstate(over="ignore"):  # for a very negative gate, dividing by infinity gives zero
        np.exp(out, out=out)
    out += 1
    np.divide(g, out, out=out)
    out *= np.asarray(x)
    return mx.array(out)

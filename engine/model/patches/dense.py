"""Faster float32 matrix products and exponentials for Linux CPUs.

The patched functions use this module inside of `engage`, which wraps the engine's forward passes
and only affects the calling thread. (For quantized weights, see `engine.kernels`.)

Time per element on one core: 10 ns for MLX's `exp` and softmax and 15 ns for its sigmoid, which
aren't vectorized; 3.5 ns for its `power`; and 0.4 ns for numpy's `exp`. numpy needs evaluated
arrays, and each evaluation takes 60 µs, so only large arrays use numpy, and small arrays use
`power`. For a chunk of 64 tokens after 3,000 tokens, attention takes 3.5 ms per layer instead of
20 ms. Evaluating inside of a pass doesn't reduce parallelism: on a CPU, MLX only runs a few
operations ahead of Python, and 85 of a step's 93 ms had passed when its launch returned.
"""

from __future__ import annotations

import ctypes
import importlib
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.model.patches import replace

E = math.e

MIN_NUMPY_SIZE = 16_384
"""Minimum number of exponentials for which numpy is faster, including the evaluation."""

TILE = 16  # rows per tile in OpenBLAS's kernels

MAX_ROWS = 256  # with more rows, copying costs more than padding saves

MAX_VECTOR_ROWS = 4
"""Maximum number of rows to multiply one by one. Beyond that, a matrix product is about as fast."""
MIN_WEIGHTS = 65_536  # for smaller matrices, the extra evaluation costs more than padding saves

_ROW_MAJOR, _NO_TRANSPOSE = 101, 111  # values from cblas.h


_state = threading.local()
_enabled = False

has_wide_kernels = False  # True if matrix products use AVX-512

matrix_vector: Callable[..., None] | None = None  # OpenBLAS's `cblas_sgemv` if available

_openblas: ctypes.CDLL | None = None


def enable(wide_kernels: bool, openblas: ctypes.CDLL | None = None) -> None:
    """Enable this module in the process. Otherwise, `engage` has no effect."""
    global _enabled, has_wide_kernels, matrix_vector, _openblas
    _enabled, has_wide_kernels, _openblas = True, wide_kernels, openblas
    matrix_vector = _bind_sgemv(openblas)


@contextmanager
def engage() -> Iterator[None]:
    """Use this module's functions on this thread inside the block."""
    before = vars(_state).copy()
    _state.on, _state.memo = _enabled, {}  # until the end of the pass
    try:
        yield
    finally:
        vars(_state).clear()
        vars(_state).update(before)


def is_engaged(x: mx.array) -> bool:
    """Return True if `x` is float32 and this thread is inside of `engage`."""
    return getattr(_state, "on", False) and x.dtype == mx.float32


def try_evaluate(*arrays: mx.array) -> bool:
    """Evaluate arrays so that numpy can read them. Return False inside of `mx.compile`."""
    try:
        mx.eval(*arrays)
    except ValueError:
        return False
    return True


def multiply_padded(x: mx.array, weight: mx.array) -> mx.array | None:
    """Compute `x @ weight.T`, or return None if MLX's own product is faster.

    OpenBLAS's kernels work on tiles of 16 rows, and a partial tile with a few rows is slower than
    a full tile. Times in milliseconds for 60 matrices of 1,536 x 576 (212 MB) on two cores with
    AVX2 kernels:

        rows             1     2     4     6     8    12    15    16    20    24    28    32
        x @ W.T         11.2  13.7  20.3  19.4  20.8  33.9  20.9  15.1  29.8  29.8  39.8  22.8
        x, zeros below  18.0  17.9  17.7  17.4  18.1  17.6  17.9  17.2  29.4  23.7  24.1  24.7

    Partial tiles of more than two rows are therefore padded with zeros. AVX-512 kernels are better
    at partial tiles: padding only pays off from nine rows on (12 rows: 21.1 ms without, 16.6 ms
    with padding).

    Args:
        x: `[..., inputs]`.
        weight: `[outputs, inputs]`.

    Returns:
        `[..., outputs]`.
    """
    product = multiply_rows(x, weight)
    if product is not None:
        return product
    outputs, inputs = weight.shape
    rows = x.size // inputs
    surplus_rows = rows % TILE
    if surplus_rows < (9 if has_wide_kernels else 3) or rows > MAX_ROWS:
        return None
    # The padded input is cached for the next layer, which often has the same input.
    memo: dict[str, Any] = getattr(_state, "memo", {})
    last = memo.get("padded")
    if last is None or last[0] is not x:
        zeros = mx.zeros((TILE - surplus_rows, inputs))
        last = memo["padded"] = x, mx.concatenate([x.reshape(rows, inputs), zeros])
    product = (last[1] @ weight.T)[:rows]
    return product.reshape(*x.shape[:-1], outputs)


def multiply_rows(x: mx.array, weight: mx.array) -> mx.array | None:
    """Compute `x @ weight.T` for a few rows, or return None if that wouldn't be faster.

    Multiplies the rows one by one with OpenBLAS's matrix-vector product, so that a row's result
    doesn't depend on the other rows. MLX's matrix-matrix product first copies the weights into
    tiles, which takes more than twice as long for a single row. The result is evaluated.

    Times in milliseconds for 60 consecutive matrices of 1,536 x 576 on two cores with AVX-512
    kernels, including evaluation:

        rows                1     2     3     4     6     8
        x @ W.T          16.3  19.4  20.4  22.3  21.1  23.0
        row by row        7.3  10.8  13.2  15.5  19.4  25.1

    Args:
        x: `[..., inputs]`.
        weight: `[outputs, inputs]`, must not be empty.
    """
    multiply, (outputs, inputs) = matrix_vector, weight.shape
    rows = x.size // inputs
    if multiply is None or not 0 < rows <= MAX_VECTOR_ROWS or weight.size < MIN_WEIGHTS:
        return None
    if x.dtype != mx.float32 or weight.dtype != mx.float32 or not try_evaluate(x, weight):
        return None
    matrix, vector = np.asarray(weight), np.ascontiguousarray(x)
    if not matrix.flags.c_contiguous:
        return None
    out = np.empty((rows, outputs), np.float32)
    read, write = vector.ctypes.data, out.ctypes.data
    for row in range(rows):
        multiply(
            *(_ROW_MAJOR, _NO_TRANSPOSE, outputs, inputs, 1.0, matrix.ctypes.data, inputs),
            *(read + 4 * row * inputs, 1, 0.0, write + 4 * row * outputs, 1),
        )
    return mx.array(out).reshape(*x.shape[:-1], outputs)


def _bind_sgemv(blas: ctypes.CDLL | None) -> Any:
    function: Any = getattr(blas, "cblas_sgemv", None)
    if function is None:
        return None
    integer, real, pointer = ctypes.c_int, ctypes.c_float, ctypes.c_void_p
    function.argtypes = [integer] * 4 + [real] + [pointer, integer] * 2 + [real, pointer, integer]
    function.restype = None
    return function


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit OpenBLAS to one thread inside the block.

    OpenBLAS synchronizes its threads after each product. For many small products, this takes 1.7
    times the CPU time, and seconds on a busy machine.
    """
    if _openblas is None:
        yield
        return
    threads = _openblas.openblas_get_num_threads()
    _openblas.openblas_set_num_threads(1)
    try:
        yield
    finally:
        _openblas.openblas_set_num_threads(threads)


def install() -> None:
    """Replace mlx-lm's SwiGLU and the matrix products of MLX's dense layers."""
    global original_swiglu
    home = importlib.import_module("mlx_lm.models.activations")
    original_swiglu = home.swiglu
    replace(home, "swiglu", swiglu)
    replace(nn.Linear, "__call__", _wrap_product(nn.Linear.__call__))
    replace(nn.Embedding, "as_linear", _wrap_product(nn.Embedding.as_linear))


original_swiglu: Callable[..., mx.array]


def swiglu(gate: mx.array, x: mx.array) -> mx.array:
    """Compute `silu(gate) * x` for arrays of the same shape, with cheaper exponentials."""
    if not is_engaged(gate):
        return original_swiglu(gate, x)
    if gate.size < MIN_NUMPY_SIZE or not try_evaluate(gate, x):
        return gate / (1 + mx.power(1 / E, gate)) * x
    g = np.asarray(gate)
    out = np.negative(g)
    with np.errstate(over="ignore"):  # overflow is fine, because dividing by infinity gives zero
        np.exp(out, out=out)
    out += 1
    np.divide(g, out, out=out)
    out *= np.asarray(x)
    return mx.array(out)


def _wrap_product(original: Callable[[Any, mx.array], mx.array]) -> Callable[..., mx.array]:
    def multiplied(self: Any, x: mx.array) -> mx.array:
        y = multiply_padded(x, self["weight"]) if is_engaged(x) else None
        if y is None:
            return original(self, x)
        return y + self["bias"] if "bias" in self else y

    return multiplied

"""Products of a few rows with weights, row by row, by OpenBLAS's product of matrix and vector.

MLX's product of any number of rows is OpenBLAS's of two matrices, which copies the weights into
tiles first: for a single row that takes more than twice as long as reading them. Its product with a
vector reads them as they lie, on all cores, so what a row comes to does not depend on the others.

Measured on two cores with AVX-512 kernels, milliseconds for sixty matrices of 1,536 x 576 (212 MB)
that follow each other, with the evaluation that each needs:

    rows                1     2     3     4     6     8
    x @ W.T          16.3  19.4  20.4  22.3  21.1  23.0
    row by row        7.3  10.8  13.2  15.5  19.4  25.1
"""

from __future__ import annotations

import ctypes
from typing import Any

import mlx.core as mx
import numpy as np

from engine.model import cpu

MOST_ROWS = 4
"""With more rows the product of two matrices is as fast, or nearly."""

LEAST_WEIGHTS = 65_536
"""For smaller matrices the evaluation takes longer than what is saved."""

_ROW_MAJOR, _NO_TRANSPOSE = 101, 111  # cblas.h


def declare(blas: ctypes.CDLL | None) -> Any:
    """OpenBLAS's `cblas_sgemv` as a function that Python can call; None where there is none."""
    function: Any = getattr(blas, "cblas_sgemv", None)
    if function is None:
        return None
    whole, real, place = ctypes.c_int, ctypes.c_float, ctypes.c_void_p
    function.argtypes = [whole] * 4 + [real] + [place, whole] * 2 + [real, place, whole]
    function.restype = None
    return function


def product(x: mx.array, weight: mx.array) -> mx.array | None:
    """`x @ weight.T` of a few rows, evaluated; None where another way is better.

    Args:
        x: `[..., inputs]`.
        weight: `[outputs, inputs]`, neither of them 0.
    """
    multiply, (outputs, inputs) = cpu.matrix_vector(), weight.shape
    rows = x.size // inputs
    if multiply is None or not 0 < rows <= MOST_ROWS or weight.size < LEAST_WEIGHTS:
        return None
    if x.dtype != mx.float32 or weight.dtype != mx.float32 or not cpu.evaluated(x, weight):
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

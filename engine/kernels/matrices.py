"""Quantized matrices in the kernels' layout, and matrix products."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import mlx.core as mx
import numpy as np
from msgspec import Struct

from engine.kernels.library import Library
from engine.kernels.structs import MatrixStruct

Array = np.ndarray[Any, Any]

GROUPS = (32, 64, 128)  # supported group sizes
AFFINE_BITS = (1, 2, 3, 4, 5, 6, 8)
MAX_INPUTS = 1 << 24
MAX_OUTPUTS = 1 << 30

TILE, BLOCK = 16, 32  # must match layout.h

_FLOAT16, _BFLOAT16, _FLOAT32 = 0, 1, 2  # `SCALE_FLOAT16`, … in layout.h

_MXFP4_TABLE = bytes(12 + sign * half for sign in (1, -1) for half in (0, 1, 2, 3, 4, 6, 8, 12))
"""FP4 values (±0, 0.5, 1, 1.5, 2, 3, 4, 6) as unsigned integers: doubled, then offset by 12."""


class Format(Struct, frozen=True):
    mode: str
    bits: int
    group: int

    @classmethod
    def of(cls, layer: Any) -> Format:
        return cls(layer.mode, layer.bits, layer.group_size)


class PackedMatrix:
    """Matrix `[outputs, inputs]` in the kernels' layout."""

    def __init__(self, matrix: MatrixStruct, arrays: Sequence[Array]) -> None:
        self._matrix = matrix
        self._arrays = tuple(arrays)  # keeps the arrays alive that `_matrix` points to
        self.outputs, self.inputs = int(matrix.outputs), int(matrix.inputs)
        self.nbytes = sum(array.nbytes for array in arrays)

    @property
    def address(self) -> int:
        return ctypes.addressof(self._matrix)


def can_pack(form: Format) -> bool:
    if form.mode == "affine":
        return form.bits in AFFINE_BITS and form.group in GROUPS
    return form == Format("mxfp4", 4, 32)


def pack(library: Library, arrays: Mapping[str, mx.array], form: Format) -> PackedMatrix:
    """Convert a quantized matrix to the kernels' layout, without loss.

    Codes of 1 to 3 bits are widened to 4 bits, and codes of 5 or 6 bits to 8 bits. Scales are
    stored in 16 bits if that is exact. Biases are omitted if they are a constant multiple of the
    scales.

    Args:
        arrays: parameters of an MLX quantized layer: "weight", "scales", "biases" for affine
            formats, and optionally "bias".

    Raises:
        ValueError: if the format isn't supported, or the arrays don't match.
    """
    if not can_pack(form):
        raise ValueError(
            f"Unsupported format: {form.mode}, {form.bits} bits, groups of {form.group}."
        )
    weight, scales = arrays["weight"], arrays["scales"]
    biases = arrays.get("biases")
    _check(weight, scales, biases, arrays.get("bias"), form)
    mx.eval(dict(arrays))  # reads all arrays from the file together
    has_table = form.mode == "mxfp4"
    if has_table:
        # The scale is 2^(e - 127). Halve the scale, because the table's values are doubled.
        scales = mx.power(2.0, scales.astype(mx.float32) - 128)
        biases = -12 * scales
    assert biases is not None
    outputs, inputs = int(weight.shape[0]), int(scales.shape[1]) * form.group
    bits = 4 if form.bits <= 4 else 8
    tiles = -(-outputs // TILE)
    codes = _memory.allocate(tiles * TILE * inputs * bits // 8)
    words = np.ascontiguousarray(np.array(weight, copy=False))
    library.pack(words.ctypes.data, outputs, inputs, form.bits, bits, codes.ctypes.data)
    offset = _find_offset(scales, biases)
    kind, raw = _convert_losslessly([scales] if offset is not None else [scales, biases])
    packed = []
    for values in raw:
        size = values.dtype.itemsize
        buffer = _memory.allocate(tiles * TILE * values.shape[1] * size)
        library.pack_scales(values.ctypes.data, outputs, values.shape[1], size, buffer.ctypes.data)
        packed.append(buffer)
    added = None
    if "bias" in arrays:
        added = np.array(arrays["bias"].astype(mx.float32))
    matrix = MatrixStruct(
        *(outputs, inputs, form.group, bits, kind, has_table),
        (ctypes.c_uint8 * 16)(*(_MXFP4_TABLE if has_table else ())),
        offset or 0.0,
        *(codes.ctypes.data, packed[0].ctypes.data),
        packed[1].ctypes.data if offset is None else None,
        None if added is None else added.ctypes.data,
    )
    return PackedMatrix(matrix, [codes, *packed, *([] if added is None else [added])])


def _check(
    weight: mx.array, scales: mx.array, biases: mx.array | None, bias: mx.array | None, form: Format
) -> None:
    description = (
        f"weight {weight.shape} and scales {scales.shape} ({form.bits} bits, {form.group} each)"
    )
    if weight.ndim != 2 or scales.ndim != 2 or weight.dtype != mx.uint32:
        raise ValueError(f"Not a quantized matrix: {description}.")
    outputs, groups = scales.shape
    inputs = groups * form.group
    if weight.shape[0] != outputs or weight.shape[1] * 32 != inputs * form.bits:
        raise ValueError(f"Shapes do not match: {description}.")
    if not 0 < outputs <= MAX_OUTPUTS or not 0 < inputs <= MAX_INPUTS:
        raise ValueError(f"Matrix is too large or empty: {description}.")
    expected = mx.uint8 if form.mode == "mxfp4" else scales.dtype
    if scales.dtype != expected or (expected != mx.uint8 and not _is_float(scales)):
        raise ValueError(f"Scales are of type {scales.dtype}: {description}.")
    if form.mode == "affine" and (
        biases is None or biases.shape != scales.shape or not _is_float(biases)
    ):
        raise ValueError(f"Biases do not match: {description}.")
    if bias is not None and (bias.shape != (outputs,) or not _is_float(bias)):
        raise ValueError(f"The layer's bias {bias.shape} does not match: {description}.")


def _is_float(array: mx.array) -> bool:
    return array.dtype in (mx.float16, mx.bfloat16, mx.float32)


def _find_offset(scales: mx.array, biases: mx.array) -> float | None:
    numbers, bias_values = (
        np.array(array.astype(mx.float32), copy=False) for array in (scales, biases)
    )
    largest = int(np.abs(numbers).argmax())
    with np.errstate(all="ignore"):
        offset = bias_values.flat[largest] / numbers.flat[largest]
        is_exact = np.isfinite(offset) and np.array_equal(numbers * offset, bias_values)
    return float(offset) if is_exact else None


def _convert_losslessly(numbers: Sequence[mx.array]) -> tuple[int, list[Array]]:
    for kind, dtype in ((_FLOAT16, mx.float16), (_BFLOAT16, mx.bfloat16)):
        if all(_is_lossless(array, dtype) for array in numbers):
            halves = [np.array(array.astype(dtype).view(mx.uint16)) for array in numbers]
            return kind, [np.ascontiguousarray(array) for array in halves]
    wide = [np.array(array.astype(mx.float32), copy=False) for array in numbers]
    return _FLOAT32, [np.ascontiguousarray(array) for array in wide]


def _is_lossless(array: mx.array, dtype: mx.Dtype) -> bool:
    if array.dtype == dtype:
        return True
    wide = array.astype(mx.float32)
    return bool(mx.array_equal(wide.astype(dtype).astype(mx.float32), wide, equal_nan=True))


class _Memory:
    """Allocator for packed matrices, with huge pages if available.

    A decode step reads all weights once, and with small pages it spends about a third of its time
    on address translation. A block is freed with the last array in it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._piece: weakref.ref[Array] | None = None  # current block
        self._used_bytes = 0

    def allocate(self, nbytes: int) -> Array:
        nbytes = -(-nbytes // _LINE_BYTES) * _LINE_BYTES
        with self._lock:
            piece = None if self._piece is None else self._piece()
            if piece is None or self._used_bytes + nbytes > len(piece):
                piece, self._used_bytes = _map_block(max(nbytes, _PIECE_BYTES)), 0
                self._piece = weakref.ref(piece)
            self._used_bytes += nbytes
            return piece[self._used_bytes - nbytes : self._used_bytes]


_LINE_BYTES = 64
_HUGE_PAGE_BYTES = 2 << 20
_PIECE_BYTES = 32 << 20  # an unused tail takes up address space but no memory

_memory = _Memory()


def _map_block(nbytes: int) -> Array:
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    mapped = mmap.mmap(-1, nbytes + _HUGE_PAGE_BYTES, flags=flags)
    with contextlib.suppress(OSError, AttributeError):  # huge pages aren't supported
        mapped.madvise(mmap.MADV_HUGEPAGE)
    address = np.frombuffer(mapped, np.uint8, 1).ctypes.data
    return np.frombuffer(mapped, np.uint8, nbytes, -address % _HUGE_PAGE_BYTES)


def unpack(library: Library, matrix: PackedMatrix, outputs: Array) -> Array:
    """Dequantize some rows of a matrix, `[count, inputs]`. Used for embedding lookups.

    Args:
        outputs: row indices `[count]`.
    """
    rows = np.ascontiguousarray(outputs, np.int64)
    if rows.size and not 0 <= rows.min() <= rows.max() < matrix.outputs:
        raise ValueError(f"Rows {rows.min()} to {rows.max()} of {matrix.outputs}.")
    result = np.empty((rows.size, matrix.inputs), np.float32)
    library.unpack(matrix.address, rows.ctypes.data, rows.size, result.ctypes.data)
    return result


def multiply(library: Library, rows: Array, matrices: Sequence[PackedMatrix]) -> Array:
    """Compute `rows @ matrix.T` for several matrices, and concatenate the results.

    The result for a row doesn't depend on the other rows.

    Args:
        rows: `[rows, inputs]`, float32.
        matrices: matrices with the same number of inputs.

    Returns:
        `[rows, total outputs]`, float32.

    Raises:
        ValueError: if shapes or types don't match.
    """
    inputs = {matrix.inputs for matrix in matrices}
    if rows.ndim != 2 or rows.dtype != np.float32 or inputs != {rows.shape[1]}:
        raise ValueError(
            f"Rows {rows.shape} of {rows.dtype} do not match matrices of {sorted(inputs)} inputs."
        )
    rows = np.ascontiguousarray(rows)
    out = np.empty((len(rows), sum(matrix.outputs for matrix in matrices)), np.float32)
    data = rows.ctypes.data, len(rows), out.ctypes.data
    if library.multiply(_addresses(matrices), len(matrices), *data):
        raise MemoryError("Not enough memory for a product.")
    return out


def gated_mlp(
    library: Library, rows: Array, gate_up: Sequence[PackedMatrix], down: PackedMatrix
) -> Array:
    """Compute `down(silu(gate(rows)) * up(rows))`, `[rows, outputs]`.

    Args:
        rows: `[rows, inputs]`, float32.
        gate_up: gate and up matrices, in this order.

    Raises:
        ValueError: if shapes or types don't match.
    """
    sizes = [(matrix.outputs, matrix.inputs) for matrix in gate_up]
    if rows.ndim != 2 or rows.dtype != np.float32 or sizes != 2 * [(down.inputs, rows.shape[1])]:
        raise ValueError(
            f"Rows {rows.shape} of {rows.dtype} do not match {sizes} and {down.inputs} inputs."
        )
    rows = np.ascontiguousarray(rows)
    out = np.empty((len(rows), down.outputs), np.float32)
    data = rows.ctypes.data, len(rows), out.ctypes.data
    if library.mlp(_addresses(gate_up), down.address, *data):
        raise MemoryError("Not enough memory for a product.")
    return out


def _addresses(matrices: Sequence[PackedMatrix]) -> Any:
    return (ctypes.c_void_p * len(matrices))(*(matrix.address for matrix in matrices))

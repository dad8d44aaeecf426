"""Repacking of GGUF's quantized weights in MLX's format, in numpy.

Both formats store groups of small integers with a scale and an offset (`scale * q + bias`). MLX's
groups have at least 32 values, so GGUF types with groups of 32 can be repacked without loss: Q4_0,
Q4_1, Q5_0, Q5_1 and Q8_0. In Q4_K and Q5_K, a group's scale is a product, which is rounded once.
Q6_K has a scale per 16 values and is requantized to 8 bits per 32 values, with an error of at most
half of 1/255 of the group's range.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import Struct

Numbers = np.ndarray[Any, Any]

GROUP = 32  # values per scale in the output

SUPER = 256  # values per block in the K types


class Groups(Struct, frozen=True):
    """Rows of weights in groups of 32, with value `scales * numbers + biases`."""

    numbers: Numbers  # uint8, one column per weight
    # One column per group, like `biases`. Both are float32, rounded to the type they will be stored
    # in.
    scales: Numbers
    biases: Numbers


class FloatType(Struct, frozen=True):
    name: str  # "float16", "bfloat16" or "float32"
    label: str  # name in safetensors
    nbytes: int
    precision: float  # relative rounding error

    def round(self, numbers: Numbers) -> Numbers:
        if self.name == "float16":
            with np.errstate(over="ignore"):
                return numbers.astype(np.float16).astype(np.float32)
        if self.name == "float32":
            return numbers
        return (self._upper_bits(numbers).astype(np.uint32) << 16).view(np.float32)

    def encode(self, numbers: Numbers) -> bytes:
        if self.name == "bfloat16":
            return self._upper_bits(numbers).tobytes()
        kind = np.float16 if self.name == "float16" else np.float32
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(numbers, kind).tobytes()

    @staticmethod
    def _upper_bits(numbers: Numbers) -> Numbers:
        """Return the upper 16 bits, rounded to even. NaN stays NaN."""
        bits = np.ascontiguousarray(numbers, np.float32).view(np.uint32)
        rounded = (bits + np.uint32(0x7FFF) + ((bits >> 16) & np.uint32(1))) >> 16
        quiet = (bits >> 16) | np.uint32(0x40)
        return np.where(np.isnan(numbers), quiet, rounded).astype(np.uint16)


FLOAT16 = FloatType("float16", "F16", 2, 2**-11)
BFLOAT16 = FloatType("bfloat16", "BF16", 2, 2**-8)
FLOAT32 = FloatType("float32", "F32", 4, 2**-24)

Unpack = Callable[[Numbers, FloatType], Groups]


class BlockType(Struct, frozen=True):
    """Number format of GGUF."""

    name: str
    numbers: int  # values per block of `nbytes`
    nbytes: int
    # Bits per value in MLX's format, or 0 if values stay floating point.
    bits: int = 0
    groups: Unpack | None = None  # converts rows of blocks to groups
    floats: Callable[[Numbers], Numbers] | None = None  # converts rows of blocks to float32


def pack_numbers(numbers: Numbers, bits: int) -> bytes:
    """Pack rows of small integers as MLX does: as a bit stream, lowest bits first."""
    if bits == 8:
        return numbers.tobytes()
    if bits == 4:
        pairs: Numbers = numbers[:, 0::2] | (numbers[:, 1::2] << 4)
        return pairs.tobytes()
    eight = numbers.reshape(-1, 8).astype(np.uint64)
    shifts = np.arange(8, dtype=np.uint64) * np.uint64(bits)
    packed = np.bitwise_or.reduce(eight << shifts, axis=1)
    return np.ascontiguousarray(packed[:, None].view(np.uint8)[:, :bits]).tobytes()


def _read_float16(blocks: Numbers, at: int) -> Numbers:
    """Return the float16 at an offset of each block, as float32 with a trailing axis."""
    return np.ascontiguousarray(blocks[..., at : at + 2]).view("<f2").astype(np.float32)


def _split_nibbles(bytes_: Numbers) -> Numbers:
    """Split each run of bytes into nibbles, first all lower nibbles, then all upper nibbles."""
    return np.concatenate([bytes_ & 0x0F, bytes_ >> 4], axis=-1)


def _split_blocks(rows: Numbers, nbytes: int) -> Numbers:
    return rows.reshape(len(rows), -1, nbytes)


def _flatten(numbers: Numbers) -> Numbers:
    return numbers.reshape(len(numbers), -1)


def _centered_groups(numbers: Numbers, scales: Numbers, middle: int, dtype: FloatType) -> Groups:
    """Return groups for `scale * (number - middle)`.

    The middle is a power of two, so there's no second rounding.
    """
    scales = dtype.round(_flatten(scales))
    return Groups(_flatten(numbers), scales, scales * np.float32(-middle))


def _shifted_groups(
    numbers: Numbers, scales: Numbers, minimums: Numbers, dtype: FloatType
) -> Groups:
    return Groups(_flatten(numbers), dtype.round(_flatten(scales)), dtype.round(_flatten(minimums)))


def _q4_0(rows: Numbers, dtype: FloatType) -> Groups:
    blocks = _split_blocks(rows, 18)
    return _centered_groups(_split_nibbles(blocks[..., 2:]), _read_float16(blocks, 0), 8, dtype)


def _q4_1(rows: Numbers, dtype: FloatType) -> Groups:
    blocks = _split_blocks(rows, 20)
    return _shifted_groups(
        _split_nibbles(blocks[..., 4:]),
        _read_float16(blocks, 0),
        _read_float16(blocks, 2),
        dtype,
    )


def _unpack_fifth_bits(words: Numbers) -> Numbers:
    """Unpack every four bytes into 32 bits, each shifted to be the fifth bit of a value."""
    return np.unpackbits(words, axis=-1, bitorder="little") << 4


def _q5_0(rows: Numbers, dtype: FloatType) -> Groups:
    blocks = _split_blocks(rows, 22)
    numbers = _split_nibbles(blocks[..., 6:]) | _unpack_fifth_bits(blocks[..., 2:6])
    return _centered_groups(numbers, _read_float16(blocks, 0), 16, dtype)


def _q5_1(rows: Numbers, dtype: FloatType) -> Groups:
    blocks = _split_blocks(rows, 24)
    numbers = _split_nibbles(blocks[..., 8:]) | _unpack_fifth_bits(blocks[..., 4:8])
    return _shifted_groups(numbers, _read_float16(blocks, 0), _read_float16(blocks, 2), dtype)


def _q8_0(rows: Numbers, dtype: FloatType) -> Groups:
    blocks = _split_blocks(rows, 34)
    numbers = blocks[..., 2:] ^ 0x80  # signed to unsigned
    return _centered_groups(numbers, _read_float16(blocks, 0), 128, dtype)


def _unpack_k_scales(blocks: Numbers, at: int) -> tuple[Numbers, Numbers]:
    """Unpack eight scales and eight minimums, six bits each, from twelve bytes."""
    first, second, third = (blocks[..., at + n : at + n + 4] for n in (0, 4, 8))
    scales = [first & 0x3F, (third & 0x0F) | ((first >> 6) << 4)]
    minimums = [second & 0x3F, (third >> 4) | ((second >> 6) << 4)]
    return np.concatenate(scales, axis=-1), np.concatenate(minimums, axis=-1)


def _k_groups(blocks: Numbers, numbers: Numbers, dtype: FloatType) -> Groups:
    scales, minimums = _unpack_k_scales(blocks, 4)
    return _shifted_groups(
        numbers,
        _read_float16(blocks, 0) * scales,
        _read_float16(blocks, 2) * -minimums.astype(np.float32),
        dtype,
    )


def _split_quarters(bytes_: Numbers) -> Numbers:
    """Split four runs of 32 bytes into groups of nibbles: lower, then upper, for each run."""
    runs = bytes_.reshape(*bytes_.shape[:-1], 4, 1, GROUP)
    return np.concatenate([runs & 0x0F, runs >> 4], axis=-2).reshape(*bytes_.shape[:-1], 8, GROUP)


def _q4_k(rows: Numbers, dtype: FloatType) -> Groups:
    blocks = _split_blocks(rows, 144)
    return _k_groups(blocks, _split_quarters(blocks[..., 16:]), dtype)


def _q5_k(rows: Numbers, dtype: FloatType) -> Groups:
    blocks = _split_blocks(rows, 176)
    high = blocks[..., None, 16:48] >> np.arange(8, dtype=np.uint8)[:, None]
    return _k_groups(blocks, _split_quarters(blocks[..., 48:]) | ((high & 1) << 4), dtype)


def _q6_k_floats(rows: Numbers) -> Numbers:
    blocks = _split_blocks(rows, 210)
    # Two halves of 128 values, each with runs of 32.
    low = blocks[..., :128].reshape(*blocks.shape[:-1], 2, 2, GROUP)
    low = np.concatenate([low & 0x0F, low >> 4], axis=-2)  # four runs per half
    high = blocks[..., 128:192].reshape(*blocks.shape[:-1], 2, 1, GROUP)
    high = (high >> np.array([0, 2, 4, 6], np.uint8)[:, None]) & 3
    numbers = (low | (high << 4)).astype(np.int8) - np.int8(32)
    scales = blocks[..., 192:208].view(np.int8).astype(np.float32) * _read_float16(blocks, 208)
    sixteens = numbers.reshape(*blocks.shape[:-1], 16, 16).astype(np.float32)
    return _flatten(sixteens * scales[..., None])


def quantize_to_8_bits(numbers: Numbers, dtype: FloatType) -> Groups:
    """Quantize arbitrary rows to 8 bits.

    The error is at most half of 1/255 of the group's range. To avoid clipping, the minimum is
    rounded down and the step up.
    """
    groups = numbers.reshape(len(numbers), -1, GROUP)
    minimums, maximums = groups.min(-1), groups.max(-1)
    # NaN in the input gives NaN here, which is rejected later.
    with np.errstate(invalid="ignore", over="ignore"):
        biases = dtype.round(minimums - np.abs(minimums) * dtype.precision)
        step = (maximums - biases) / np.float32(255) * (1 + 2 * dtype.precision)
        scales = dtype.round(np.maximum(step, np.float32(2**-24)))
        near = np.rint((groups - biases[..., None]) / scales[..., None])
        rounded = np.nan_to_num(near).clip(0, 255).astype(np.uint8)
    return Groups(_flatten(rounded), scales, biases)


def _q6_k(rows: Numbers, dtype: FloatType) -> Groups:
    return quantize_to_8_bits(_q6_k_floats(rows), dtype)


def _f32(rows: Numbers) -> Numbers:
    return np.ascontiguousarray(rows).view("<f4")


def _f16(rows: Numbers) -> Numbers:
    return np.ascontiguousarray(rows).view("<f2").astype(np.float32)


def _bf16(rows: Numbers) -> Numbers:
    return (np.ascontiguousarray(rows).view("<u2").astype(np.uint32) << 16).view(np.float32)


TYPES: dict[int, BlockType] = {
    0: BlockType("F32", 1, 4, floats=_f32),
    1: BlockType("F16", 1, 2, floats=_f16),
    2: BlockType("Q4_0", 32, 18, 4, _q4_0),
    3: BlockType("Q4_1", 32, 20, 4, _q4_1),
    6: BlockType("Q5_0", 32, 22, 5, _q5_0),
    7: BlockType("Q5_1", 32, 24, 5, _q5_1),
    8: BlockType("Q8_0", 32, 34, 8, _q8_0),
    12: BlockType("Q4_K", SUPER, 144, 4, _q4_k),
    13: BlockType("Q5_K", SUPER, 176, 5, _q5_k),
    14: BlockType("Q6_K", SUPER, 210, 8, _q6_k),
    30: BlockType("BF16", 1, 2, floats=_bf16),
}
"""Supported formats by type number in the file."""

"""Patches for CUDA: products with quantized weights, which are slow in MLX 0.32.4 (E166).

MLX treats the rows of several chats as separate products of one row, and multiplies fewer rows than
a tile one by one. Kernels for tiles dequantize the weights again for each tile.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.model.patches import expect

MIN_PADDED_ROWS, TILE = 4, 8
"""`MIN_PADDED_ROWS` to `TILE` rows are padded to `TILE`. With fewer, the extra launch takes as
long."""

MIN_PADDED_WEIGHT = 2**21  # minimum size of a weight for which padding pays off

MIN_DEQUANTIZED_ROWS = 256  # number of rows from which weights are dequantized first

MAX_DEQUANTIZED_WEIGHT = 2**28
"""Maximum size of a weight to dequantize (512 MB). Output layers are larger."""


def install_few_bits() -> None:
    """Replace `nn.QuantizedLinear.__call__` and `nn.QuantizedEmbedding.as_linear`."""
    expect(nn.QuantizedLinear.__call__, "self", "x")
    expect(nn.QuantizedEmbedding.as_linear, "self", "x")
    nn.QuantizedLinear.__call__ = multiplied(nn.QuantizedLinear.__call__)
    nn.QuantizedEmbedding.as_linear = multiplied(nn.QuantizedEmbedding.as_linear)


def multiplied(original: Callable[..., mx.array]) -> Callable[..., mx.array]:
    """Return a replacement for a layer's method from `[..., inputs]` to `[..., outputs]`."""

    def product(self: Any, x: mx.array, *more: Any, **named: Any) -> mx.array:
        inputs, outputs = x.shape[-1], self["weight"].shape[0]
        rows, numbers = x.size // inputs, inputs * outputs
        if more or named or rows < 2:
            return original(self, x, *more, **named)
        shape = (*x.shape[:-1], outputs)
        x = x.reshape(rows, inputs)
        if MIN_PADDED_ROWS <= rows < TILE and numbers >= MIN_PADDED_WEIGHT:
            y = original(self, x[_places(rows)])[:rows]
        elif rows >= MIN_DEQUANTIZED_ROWS and numbers <= MAX_DEQUANTIZED_WEIGHT:
            whole = mx.dequantize(
                self["weight"],
                self["scales"],
                self.get("biases"),
                group_size=self.group_size,
                bits=self.bits,
                mode=self.mode,
            )
            y = x @ whole.T
            if "bias" in self:
                y = y + self["bias"]
        else:
            y = original(self, x)
        return y.reshape(shape)

    return product


@functools.cache
def _places(rows: int) -> mx.array:
    """Return the source row for each row of a padded tile; the last one is repeated."""
    return mx.minimum(mx.arange(TILE), rows - 1)

"""What is replaced on CUDA: products with weights in few bits, where MLX 0.32.4 is slow (E166).

It takes an array of several chats' rows for several products of one row each, and multiplies fewer
rows than a tile one after another. Kernels for tiles unpack the weights again for each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.model.patches import expect

FEW, TILE = 4, 8
"""From so many rows on they are filled up to a tile. For fewer the launch more takes as long."""

WORTH = 2**21  # numbers that a weight has at least where rows are filled up

MANY = 256  # from so many rows on weights are made whole first

LARGEST = 2**28
"""Numbers that a weight has at most to be made whole: half a gigabyte. Output layers have more."""


def install_few_bits() -> None:
    """Replace `nn.QuantizedLinear.__call__` and `nn.QuantizedEmbedding.as_linear`."""
    expect(nn.QuantizedLinear.__call__, "self", "x")
    expect(nn.QuantizedEmbedding.as_linear, "self", "x")
    nn.QuantizedLinear.__call__ = multiplied(nn.QuantizedLinear.__call__)
    nn.QuantizedEmbedding.as_linear = multiplied(nn.QuantizedEmbedding.as_linear)


def multiplied(original: Callable[..., mx.array]) -> Callable[..., mx.array]:
    """In place of `original`, a layer's method from (..., inputs) to (..., outputs)."""

    def product(self: Any, x: mx.array, *more: Any, **named: Any) -> mx.array:
        inputs, outputs = x.shape[-1], self["weight"].shape[0]
        rows, numbers = x.size // inputs, inputs * outputs
        if more or named or rows < 2:
            return original(self, x, *more, **named)
        shape = (*x.shape[:-1], outputs)
        x = x.reshape(rows, inputs)
        if FEW <= rows < TILE and numbers >= WORTH:
            y = original(self, x[_places(rows)])[:rows]
        elif rows >= MANY and numbers <= LARGEST:
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
    """Which row is put where in a tile: the last one several times."""
    return mx.minimum(mx.arange(TILE), rows - 1)

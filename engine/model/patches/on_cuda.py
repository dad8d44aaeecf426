"""Patches for CUDA: quantized matrix products, which are slow in MLX 0.32.4 (E166).

MLX treats the rows of several chats as separate products with one row each, multiplies rows one by
one if there are fewer than a tile, and dequantizes the weights for each tile of a larger input.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.model.patches import replace

MIN_PADDED_ROWS, TILE = 4, 8
"""Inputs with at least `MIN_PADDED_ROWS` rows are padded to `TILE` rows. With fewer rows, the extra
kernel launch costs as much as padding saves.
"""

MIN_PADDED_WEIGHT = 2**21  # minimum number of weights for which padding pays off

MIN_DEQUANTIZED_ROWS = 256  # minimum number of rows for dequantizing the weights first

MAX_DEQUANTIZED_WEIGHT = 2**28
"""Maximum number of weights to dequantize (512 MB). Output layers are larger."""


def install() -> None:
    replace(nn.QuantizedLinear, "__call__", wrap_product(nn.QuantizedLinear.__call__))
    replace(nn.QuantizedEmbedding, "as_linear", wrap_product(nn.QuantizedEmbedding.as_linear))


def wrap_product(original: Callable[[Any, mx.array], mx.array]) -> Callable[..., mx.array]:
    def product(self: Any, x: mx.array) -> mx.array:
        inputs, outputs = x.shape[-1], self["weight"].shape[0]
        rows, numbers = x.size // inputs, inputs * outputs
        if rows < 2:
            return original(self, x)
        shape = (*x.shape[:-1], outputs)
        x = x.reshape(rows, inputs)
        if MIN_PADDED_ROWS <= rows < TILE and numbers >= MIN_PADDED_WEIGHT:
            y = original(self, x[_padding_indices(rows)])[:rows]
        elif rows >= MIN_DEQUANTIZED_ROWS and numbers <= MAX_DEQUANTIZED_WEIGHT:
            weight = mx.dequantize(
                self["weight"],
                self["scales"],
                self.get("biases"),
                group_size=self.group_size,
                bits=self.bits,
                mode=self.mode,
            )
            y = x @ weight.T
            if "bias" in self:
                y = y + self["bias"]
        else:
            y = original(self, x)
        return y.reshape(shape)

    return product


@functools.cache
def _padding_indices(rows: int) -> mx.array:
    return mx.minimum(mx.arange(TILE), rows - 1)

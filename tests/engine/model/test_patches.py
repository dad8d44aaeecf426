"""Patches to MLX for CUDA give the results of the original functions."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn
import pytest

from engine.model.patches import on_cuda


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (4, 1), (1, 7), (8, 1), (3, 100), (1, 300)])
@pytest.mark.parametrize("bias", [False, True])
def test_cuda_products_are_unchanged(
    shape: tuple[int, int], bias: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_cuda, "MIN_PADDED_WEIGHT", 1)
    given: list[tuple[int, ...]] = []

    def original(self: nn.QuantizedLinear, x: mx.array) -> mx.array:
        given.append(x.shape)
        return nn.QuantizedLinear.__call__(self, x)

    layer = nn.QuantizedLinear(128, 64, bias=bias, group_size=64, bits=4)
    if bias:
        layer.bias = mx.random.normal((64,))
    x = mx.random.normal((*shape, 128))
    made = on_cuda.wrap_product(original)(layer, x)
    assert made.shape == (*shape, 64)
    assert mx.abs(made - layer(x)).max().item() < 1e-4
    rows = shape[0] * shape[1]
    # MLX treats (chats, 1, inputs) as separate products, and runs fewer than eight rows one by one.
    expected = {1: [(1, 1, 128)], 2: [(2, 128)], 4: [(8, 128)], 7: [(8, 128)], 8: [(8, 128)]}
    assert given == expected.get(rows, [])

"""Quantized layers on the CPU kernels instead of MLX.

Packing a layer frees its arrays, because the kernels have their own copy. The arrays are replaced
by placeholders of the same shape and dtype that don't take up memory, for code that inspects layers
or adds up their sizes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.kernels.library import Library
from engine.kernels.matrices import Array, Format, PackedMatrix, can_pack, multiply, pack, unpack
from engine.model.backend import release_heap
from engine.model.patches import mix_in

log = logging.getLogger(__name__)

TOGETHER = (
    ("q_proj", "k_proj", "v_proj"),
    ("gate_proj", "up_proj"),
    ("wq", "wk", "wv"),
    ("w1", "w3"),
)
"""Sibling layers that usually get the same input and can be computed in a single call."""


class SharedProduct:
    """Product of an input with several layers' matrices, computed when the first layer runs."""

    def __init__(self, library: Library, matrices: Sequence[PackedMatrix]) -> None:
        self.matrices = tuple(matrices)
        self._library = library
        self._ends = np.cumsum([matrix.outputs for matrix in matrices])
        self._input: mx.array | None = None
        self._outputs_left: list[Array | None] = []

    def output(self, index: int, x: mx.array) -> mx.array:
        """Return `x @ matrices[index].T`, `[..., outputs]`, with the dtype of `x`."""
        if self._input is not x or self._outputs_left[index] is None:
            rows = as_rows(x, self.matrices[0].inputs)
            outputs = multiply(self._library, rows, self.matrices)
            self._input, self._outputs_left = x, [*np.split(outputs, self._ends[:-1], axis=1)]
        ready, self._outputs_left[index] = self._outputs_left[index], None
        if all(pending is None for pending in self._outputs_left):
            self._input = None
        return as_mlx(ready, x)

    def unpack(self, outputs: Array) -> Array:
        return unpack(self._library, self.matrices[0], outputs)


def as_rows(x: mx.array, width: int) -> Array:
    if x.dtype != mx.float32:
        x = x.astype(mx.float32)
    return np.array(x, copy=False).reshape(-1, width)


def as_mlx(rows: Any, like: mx.array) -> mx.array:
    """Convert rows to an array with the dtype of `like` and its shape up to the last axis."""
    out = mx.array(rows.reshape(*like.shape[:-1], rows.shape[-1]))
    return out if like.dtype == mx.float32 else out.astype(like.dtype)


class PackedLinear:
    product: SharedProduct
    place: int

    def __call__(self, x: mx.array) -> mx.array:
        return self.product.output(self.place, x)

    @property
    def matrix(self) -> PackedMatrix:
        return self.product.matrices[self.place]


class PackedEmbedding:
    product: SharedProduct

    def __call__(self, ids: mx.array) -> mx.array:
        rows = self.product.unpack(np.array(ids).reshape(-1))
        embeddings = mx.array(rows.reshape(*ids.shape, rows.shape[-1]))
        return embeddings.astype(self.scales.dtype)  # type: ignore[attr-defined]

    def as_linear(self, x: mx.array) -> mx.array:
        return self.product.output(0, x)

    @property
    def matrix(self) -> PackedMatrix:
        return self.product.matrices[0]


_REPLACED = ("weight", "scales", "biases")
_KINDS = (nn.QuantizedLinear, nn.QuantizedEmbedding)


def pack_layers(net: Any, library: Library, wide: bool = False) -> Iterator[int]:
    """Make a model's quantized layers use the CPU kernels. Yields the packed bytes after each
    group.

    Layers in unsupported formats are left unchanged.

    Args:
        wide: the model will be converted to float32 afterwards. Packed layers are float32 already.
    """
    sizes = [(sum(layer.weight.nbytes for layer in group), group) for group in _group_layers(net)]
    sizes.sort(key=lambda part: part[0], reverse=True)
    for number, (size, group) in enumerate(sizes):
        _pack_group(group, library, wide)
        if number in (0, len(sizes) - 1):
            # malloc would keep the memory of the largest group.
            release_heap()
        yield size


def is_packed(net: Any) -> bool:
    return any(isinstance(module, PackedLinear) for module in net.modules())


def _group_layers(net: Any) -> Iterator[list[Any]]:
    seen_ids: set[int] = set()
    for _, parent in net.named_modules():
        layers = {name: child for name, child in parent.items() if type(child) in _KINDS}
        for value in parent.values():  # lists and dictionaries contain layers
            parts = value.values() if isinstance(value, dict) else value
            if isinstance(value, (list, dict)) and not isinstance(value, nn.Module):
                layers |= {str(id(part)): part for part in parts if type(part) in _KINDS}
        for names in (*TOGETHER, *((name,) for name in layers)):
            group = [layers[name] for name in names if name in layers]
            group = [layer for layer in group if id(layer) not in seen_ids]
            seen_ids.update(map(id, group))
            if group:
                yield group


def _pack_group(group: Sequence[Any], library: Library, wide: bool) -> None:
    if len(group) > 1 and len({layer.scales.shape[-1] * layer.group_size for layer in group}) > 1:
        for layer in group:
            _pack_group([layer], library, wide)
        return
    packable = [layer for layer in group if can_pack(Format.of(layer))]
    try:
        matrices = [pack(library, layer, Format.of(layer)) for layer in packable]
    except ValueError as error:
        log.warning("cannot pack a layer: %s", error)
        return
    if matrices:
        _replace_arrays(packable, SharedProduct(library, matrices), wide)


def _replace_arrays(group: Sequence[Any], product: SharedProduct, wide: bool) -> None:
    is_embedding = type(group[0]) is nn.QuantizedEmbedding
    arrays = []
    for index, layer in enumerate(group):
        vars(layer).update(product=product, place=index)
        for name in _REPLACED:
            if layer.get(name) is not None:
                layer[name] = placeholder(layer[name], wide)
                arrays.append(layer[name])
    mx.eval(arrays)
    mix_in(PackedEmbedding if is_embedding else PackedLinear, group)


def placeholders(layer: Any) -> list[mx.array]:
    """Return the arrays of a packed layer that don't take up memory."""
    return [layer[name] for name in _REPLACED if name in layer]


def placeholder(array: mx.array, wide: bool = False) -> mx.array:
    """Return an unevaluated array of the same shape and dtype that only stores a single number.

    Args:
        wide: use float32 if the array has another floating-point type.
    """
    is_float = mx.issubdtype(array.dtype, mx.floating)
    dtype = mx.float32 if wide and is_float else array.dtype
    return mx.broadcast_to(mx.zeros((), dtype), array.shape)

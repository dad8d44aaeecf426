"""Quantised layers of a model that compute by `few_bits`, in place of MLX's.

A layer keeps its class's name, settings and shapes, and gives up its arrays: onnxruntime has its
own form of them. What stands in their place has their shape and size and takes no memory, so who
looks at a layer or adds up a model's bytes finds what there is.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.model.cpu import few_bits
from engine.model.cpu.few_bits import Array, Product
from engine.model.patches import mix_in

log = logging.getLogger(__name__)

TOGETHER = (
    ("q_proj", "k_proj", "v_proj"),
    ("gate_proj", "up_proj"),
    ("wq", "wk", "wv"),
    ("w1", "w3"),
)
"""Layers of one module that are usually given the same input, and are then computed in one call."""


TOLERANCE = 1e-3
"""How far a layer may be off what it said before, in its outputs' standard deviation."""


def same(wanted: Sequence[Array], found: Sequence[Array]) -> bool:
    """Whether arrays are the same within `TOLERANCE`; what is no number is not."""
    if any(a.shape != b.shape for a, b in zip(wanted, found, strict=True)):
        return False
    off = [np.abs(a - b).max() / a.std() for a, b in zip(wanted, found, strict=True)]
    largest = float(np.max(off))  # NaN where one is, which Python's `max` may pass over
    if not largest <= TOLERANCE:
        log.debug("a layer of another kind: off by %.2g", largest)
    return largest <= TOLERANCE


class Shared:
    """The product of layers that are given the same input one after the other."""

    def __init__(self, product: Product) -> None:
        self.product = product
        self.passing = False  # the layer gives back what it is given, since its caller multiplies
        self._given: mx.array | None = None
        self._left: list[Array | None] = []

    def give(self, x: mx.array, found: list[Array]) -> None:
        """Have been given `x` and come to `found`."""
        self._given, self._left = x, list(found)

    def output(self, place: int, x: mx.array) -> mx.array:
        """What the layer at `place` gives for `x`, `[..., outputs]` of its type."""
        if self.passing:
            return x
        if self._given is not x or self._left[place] is None:
            self.give(x, self.product(rows_of(x, self.product.inputs)))
        found, self._left[place] = self._left[place], None
        if all(left is None for left in self._left):
            self._given = None
        return as_mlx(found, x)


def rows_of(x: mx.array, width: int) -> Array:
    """An array `[..., width]` as evaluated rows of float32."""
    if x.dtype != mx.float32:
        x = x.astype(mx.float32)
    return np.ascontiguousarray(np.array(x, copy=False).reshape(-1, width))


def as_mlx(rows: Any, like: mx.array) -> mx.array:
    """Rows as an array of the shape and type of `like`, but for its last axis."""
    out = mx.array(rows.reshape(*like.shape[:-1], rows.shape[-1]))
    return out if like.dtype == mx.float32 else out.astype(like.dtype)


class Linear:
    """Mixed in before `nn.QuantizedLinear`."""

    few_bits: Shared
    place: int

    def __call__(self, x: mx.array) -> mx.array:
        return self.few_bits.output(self.place, x)


class _Table:
    """Mixed in before `nn.QuantizedEmbedding`: its rows are looked up in MLX's arrays."""

    few_bits: Shared

    def as_linear(self, x: mx.array) -> mx.array:
        return self.few_bits.output(0, x)


def take(net: Any) -> Iterator[int]:
    """Let the quantised layers of a model compute by onnxruntime. Engine thread only.

    Layers whose format it cannot take stay MLX's. Yields the bytes of weights that were looked at,
    layer by layer.
    """
    outputs = _outputs(net)
    for group in list(_groups(net)):
        size = sum(layer.weight.nbytes for layer in group)
        _take(group, any(id(layer) in outputs for layer in group))
        yield size


def taken(net: Any) -> bool:
    """Whether layers of a model compute by onnxruntime."""
    return any(isinstance(module, Linear) for module in net.modules())


def _groups(net: Any) -> Iterator[list[Any]]:
    """The layers of a model, those that share their input together."""
    seen: set[int] = set()
    for _, parent in net.named_modules():
        layers = {name: child for name, child in parent.items() if type(child) in _KINDS}
        for value in parent.values():  # a list of layers, or a dictionary
            parts = value.values() if isinstance(value, dict) else value
            if isinstance(value, (list, dict)) and not isinstance(value, nn.Module):
                layers |= {str(id(part)): part for part in parts if type(part) in _KINDS}
        for names in (*TOGETHER, *((name,) for name in layers)):
            group = [layers[name] for name in names if name in layers]
            group = [layer for layer in group if id(layer) not in seen]
            seen.update(map(id, group))
            if group:
                yield group


def _outputs(net: Any) -> set[int]:
    """The ids of what may be the output layer: the table of tokens, or a layer as wide as it."""
    named = [(name, m) for name, m in net.named_modules() if type(m) in _KINDS]
    tables = [m for _, m in named if type(m) is nn.QuantizedEmbedding]
    rows = {table.weight.shape[0] for table in tables}
    whole = [m for name, m in named if not any(map(str.isdigit, name))]
    return {id(m) for m in whole if m.weight.shape[0] in rows}


_KINDS = (nn.QuantizedLinear, nn.QuantizedEmbedding)


def _take(group: Sequence[Any], rounded: bool) -> None:
    found = [few_bits.codes_of(layer, few_bits.Format.of(layer)) for layer in group]
    codes = [matrix for matrix in found if matrix is not None]
    if len(codes) < len(group) or len({matrix.inputs for matrix in codes}) > 1:
        if len(group) > 1:
            for layer in group:
                _take([layer], rounded)
        return
    try:
        shared = Shared(few_bits.product(codes, rounded))
    except RuntimeError as error:
        log.warning("%s", error)
        return
    hand_over(group, shared)


def hand_over(group: Sequence[Any], shared: Shared) -> None:
    """Let layers compute by a product that they share, and give up their arrays."""
    table = type(group[0]) is nn.QuantizedEmbedding
    for place, layer in enumerate(group):
        vars(layer).update(few_bits=shared, place=place)
        for name in () if table else ("weight", "scales", "biases"):
            if layer.get(name) is not None:
                layer[name] = stand_in(layer[name])
    mix_in(_Table if table else Linear, group)


def stand_in(array: mx.array) -> mx.array:
    """An array of the same shape and type, of one number."""
    out = mx.broadcast_to(mx.zeros((), array.dtype), array.shape)
    mx.eval(out)
    return out

"""Decoder that runs a whole step of a model in a single call of the C library."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from engine.kernels.library import Library, address_of
from engine.kernels.matrices import Array, PackedMatrix
from engine.kernels.structs import SEGMENT, SPAN, DecoderStruct, LayerStruct, StepStruct

POSITIONS_AT_ONCE = 512  # number of positions added when rotation tables grow

_DOES_NOT_FIT = -2  # error code of `kernels_step`


class Rotation:
    """Table of RoPE cosines and sines by position, extended on demand.

    Args:
        part: called with `first` and `count`; returns the cosines and sines
            `[count, rotated / 2]` of these positions.
        rotated: number of dimensions per head that are rotated.
        is_interleaved: rotate adjacent pairs, instead of pairing dimension i with
            i + rotated / 2.

    Attributes:
        cosines, sines: `[positions, rotated / 2]`.
    """

    def __init__(
        self,
        part: Callable[[int, int], tuple[Array, Array]],
        rotated: int,
        is_interleaved: bool = False,
    ) -> None:
        self._table = part
        self.rotated, self.is_interleaved = rotated, is_interleaved
        self.cosines = self.sines = np.empty((0, rotated // 2), np.float32)

    def extend_to(self, position: int) -> bool:
        """Extend the table to include a position. Return True if it was reallocated."""
        first = len(self.cosines)
        if position < first:
            return False
        # Grow by at least a quarter, so that long prompts don't copy the table for every chunk.
        count = max(position + 1 - first, first // 4)
        count = -(-count // POSITIONS_AT_ONCE) * POSITIONS_AT_ONCE
        cosines, sines = self._table(first, count)
        self.cosines = np.concatenate([self.cosines, cosines], dtype=np.float32)
        self.sines = np.concatenate([self.sines, sines], dtype=np.float32)
        return True


class LayerParts(Struct, frozen=True):
    """Weights and settings of one decoder layer. Norms are float32."""

    heads: int
    key_heads: int
    head_width: int
    rotation: Rotation
    score_scale: float
    epsilon: float  # epsilon of the layer's norms
    attention_norm: Array | None
    mlp_norm: Array | None
    query_key_value: Sequence[PackedMatrix]  # three matrices, or a fused matrix
    out: PackedMatrix
    gate_up: Sequence[PackedMatrix]  # two matrices, or a fused matrix
    down: PackedMatrix
    # Norm applied to attention's output before the residual.
    attention_post_norm: Array | None = None
    mlp_post_norm: Array | None = None
    query_norm: Array | None = None  # norm applied to each head (QK norm)
    key_norm: Array | None = None
    head_epsilon: float = 0.0  # epsilon of `query_norm` and `key_norm`
    score_cap: float = 0.0
    is_gelu: bool = False  # use GELU for the gate instead of SiLU


class Decoder:
    """Stack of decoder layers and a final norm, optionally with embeddings and an output head.

    Args:
        final_norm: `[width]`.
        head: output head; None to return only hidden states.
        table: token embeddings; None if `step` is called with embeddings.
        table_scale: factor that token embeddings are multiplied by.
    """

    def __init__(
        self,
        library: Library,
        layers: Sequence[LayerParts],
        final_norm: Array,
        epsilon: float,
        head: PackedMatrix | None = None,
        table: PackedMatrix | None = None,
        table_scale: float = 1.0,
    ) -> None:
        self._library = library
        self.width = int(final_norm.size)
        mlp_widths = {parts.down.inputs for parts in layers}
        if not layers or len(mlp_widths) > 1:
            raise ValueError(f"Layers of different widths: {sorted(mlp_widths)}.")
        self._mlp_width = mlp_widths.pop()
        for parts in layers:
            _check(parts, self.width, self._mlp_width)
        for matrix in filter(None, (head, table)):
            if matrix.inputs != self.width:
                raise ValueError(f"A matrix has {matrix.inputs} inputs, not {self.width}.")
        self._parts, self._head, self._table = tuple(layers), head, table
        self._rotations = {id(parts.rotation): parts.rotation for parts in layers}.values()
        self.vocabulary = 0 if head is None else head.outputs
        self._final_norm = _floats(final_norm)
        self._arrays: list[Any] = []
        self._layers = (LayerStruct * len(layers))(*map(self._layer, layers))
        self._decoder = DecoderStruct(
            *(self.width, len(layers), self._mlp_width, epsilon),
            ctypes.addressof(self._layers),
            None if table is None else table.address,
            table_scale,
            self._final_norm.ctypes.data,
            None if head is None else head.address,
        )
        # Reused for logits, because writing to newly allocated memory is slower.
        self._buffer = np.empty(0, np.float32)

    def _layer(self, parts: LayerParts) -> LayerStruct:
        def address(array: Array | None) -> int | None:
            if array is None:
                return None
            self._arrays.append(_floats(array))
            pointer: int = self._arrays[-1].ctypes.data
            return pointer

        def addresses(matrices: Sequence[PackedMatrix], count: int) -> Any:
            pointers = [matrix.address for matrix in matrices]
            return (ctypes.c_void_p * count)(*pointers, *[None] * (count - len(pointers)))

        rotation = parts.rotation
        return LayerStruct(
            *(parts.heads, parts.key_heads, parts.head_width),
            *(rotation.rotated, rotation.is_interleaved, parts.is_gelu),
            *(parts.epsilon, parts.head_epsilon, parts.score_scale, parts.score_cap),
            *(rotation.cosines.ctypes.data, rotation.sines.ctypes.data),
            *map(address, (parts.attention_norm, parts.mlp_norm)),
            *map(address, (parts.attention_post_norm, parts.mlp_post_norm)),
            *map(address, (parts.query_norm, parts.key_norm)),
            addresses(parts.query_key_value, 3),
            addresses(parts.gate_up, 2),
            *(parts.out.address, parts.down.address),
        )

    def step(
        self,
        inputs: Array,
        spans: Array,
        segments: Array,
        output_rows: Sequence[int],
        has_logits: bool = True,
    ) -> tuple[Array, Array | None]:
        """Run a step. Its rows can mix prompt chunks and decode tokens of several sessions.

        Args:
            inputs: tokens `[rows]`, int64, or embeddings `[rows, width]`, float32.
            spans: array of dtype `SPAN` that covers all rows in order.
            segments: `[layers, segments]` of dtype `SEGMENT`. The segments of a span must cover its
                session's positions from 0 to the span's last row, in order. New keys and values are
                written into the span's last segment.

        Returns:
            Hidden states after the final norm `[wanted, width]`, and logits `[wanted, vocabulary]`.
                The logits are a view of a buffer that the next step overwrites.

        Raises:
            MemoryError: if there isn't enough memory for intermediate results.
        """
        has_tokens = inputs.ndim == 1
        if inputs.dtype != (np.int64 if has_tokens else np.float32) or (
            not has_tokens and inputs.shape[1:] != (self.width,)
        ):
            raise ValueError(
                f"{inputs.dtype} {inputs.shape}: neither tokens nor rows of {self.width}."
            )
        if spans.dtype != SPAN or segments.dtype != SEGMENT or not len(spans):
            raise ValueError("Spans and segments must be arrays of their types.")
        if segments.ndim != 2 or len(segments) != len(self._parts):
            raise ValueError(f"Segments {segments.shape} for {len(self._parts)} layers.")
        inputs, spans = np.ascontiguousarray(inputs), np.ascontiguousarray(spans)
        segments = np.ascontiguousarray(segments)
        self._extend_rotations(max(position + rows for _, rows, position, *_ in spans.tolist()) - 1)
        rows = np.array(output_rows, np.int64)
        hidden = np.empty((len(rows), self.width), np.float32)
        logits = None
        if self._head is not None and has_logits:
            size = len(rows) * self.vocabulary
            if size > self._buffer.size:
                self._buffer = np.empty(size, np.float32)
            logits = self._buffer[:size].reshape(-1, self.vocabulary)
        step = StepStruct(
            len(inputs),
            *((address_of(inputs), None) if has_tokens else (None, address_of(inputs))),
            *(address_of(spans), len(spans), address_of(segments), segments.shape[1]),
            *(address_of(rows), len(rows), address_of(hidden)),
            None if logits is None else address_of(logits),
        )
        failure = self._library.step(ctypes.byref(self._decoder), ctypes.byref(step))
        if failure == _DOES_NOT_FIT:
            raise ValueError("Tokens, spans, segments and wanted rows do not match.")
        if failure:
            raise MemoryError("Not enough memory for a step.")
        return hidden, logits

    def _extend_rotations(self, position: int) -> None:
        for rotation in self._rotations:
            if rotation.rotated and rotation.extend_to(position):
                for parts, layer in zip(self._parts, self._layers, strict=True):
                    if parts.rotation is rotation:
                        layer.cosines = rotation.cosines.ctypes.data
                        layer.sines = rotation.sines.ctypes.data


def _floats(array: Array) -> Array:
    return np.ascontiguousarray(array, np.float32).reshape(-1)


def _check(parts: LayerParts, width: int, mlp_width: int) -> None:
    heads, key_heads, head_width = parts.heads, parts.key_heads, parts.head_width
    if min(heads, key_heads, head_width) < 1 or heads % key_heads:
        raise ValueError(f"{heads} heads of width {head_width} for {key_heads} key heads.")
    attended, kv_width = heads * head_width, key_heads * head_width
    products = [
        ("queries, keys and values", parts.query_key_value, width, (attended, kv_width, kv_width)),
        ("attention's output", [parts.out], attended, (width,)),
        ("gate and up", parts.gate_up, width, (mlp_width, mlp_width)),
        ("down", [parts.down], mlp_width, (width,)),
    ]
    for name, matrices, inputs, outputs in products:
        actual_outputs = tuple(matrix.outputs for matrix in matrices)
        if actual_outputs not in (outputs, (sum(outputs),)) or {m.inputs for m in matrices} != {
            inputs
        }:
            raise ValueError(f"{name}: {actual_outputs} outputs, not {outputs} of {inputs} inputs.")
    norms = [
        ("norm of attention", parts.attention_norm, width),
        ("norm of the MLP", parts.mlp_norm, width),
        ("norm after attention", parts.attention_post_norm, width),
        ("norm after the MLP", parts.mlp_post_norm, width),
        ("norm of queries", parts.query_norm, head_width),
        ("norm of keys", parts.key_norm, head_width),
    ]
    for name, array, size in norms:
        if array is not None and array.size != size:
            raise ValueError(f"{name}: {array.size} numbers, not {size}.")
    if parts.rotation.rotated % 2 or parts.rotation.rotated > head_width:
        raise ValueError(f"{parts.rotation.rotated} rotated numbers of {head_width}.")

"""Keys, values and masks of many rows, each of its own length, in place of one tensor.

The ragged caches (`ragged`) give them out in a shared step. The replaced attention
(`patches.attention`) takes them. A model in between may do with them what models commonly do with
keys; anything else raises, and the probe then finds another way for that model.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx

from engine.kv.slot_buffer import SlotBuffer
from engine.model.kernel.use import Kernels


class Rows:
    """One array for each row, `[1, key heads, tokens, head dim]` for keys and values.

    Attributes:
        rows: the arrays.
        caches: the caches that they come from, one for each row.
        kernels: who may attend to them where they lie, in their caches; None where nobody may, and
            once the model has done something with them.
    """

    def __init__(
        self, rows: list[Any], caches: Sequence[Any], kernels: Kernels | None = None
    ) -> None:
        self.rows = rows
        self.caches = caches
        self.kernels = kernels

    @property
    def dtype(self) -> mx.Dtype:
        dtype: mx.Dtype = self.rows[0].dtype
        return dtype

    def astype(self, dtype: mx.Dtype) -> Rows:
        return self._each(lambda row: row.astype(dtype))

    def swapaxes(self, first: int, second: int) -> _Factor:
        return _Factor(self._each(lambda row: row.swapaxes(first, second)))

    def _each(self, change: Callable[[Any], Any]) -> Rows:
        return Rows([change(row) for row in self.rows], self.caches)


class _Factor(mx.array):
    """`Rows` as the right factor of a matrix product whose left factor is one array for all rows.

    Latent attention multiplies queries with keys so. It is a subclass of `mx.array` because
    `mx.array.__matmul__` refuses other types without asking them. Its own value is NaN, so that
    any other use of it shows in the logits.
    """

    def __init__(self, each: Rows) -> None:
        super().__init__(float("nan"))
        self._each = each

    def __rmatmul__(self, left: mx.array) -> Rows:  # type: ignore[misc]
        parts = mx.split(left, len(self._each.rows))
        products = [a @ b for a, b in zip(parts, self._each.rows, strict=True)]
        return Rows(products, self._each.caches)


class SlotStep:
    """The lengths in a buffer's slots once a step has written its token, made once for all layers.

    Attributes:
        buffer: whose slots they are.
        occupied: how many rows are in slots.
        lengths: tokens in each slot.
        longest: the largest of them.
        mask: true where a slot holds a token, `[occupied, 1, 1, longest]`; None when all slots
            are equally long.
        bias: 0 where `mask` is true and -inf elsewhere, to be added to scores; None like `mask`.
    """

    def __init__(self, buffer: SlotBuffer) -> None:
        self.buffer = buffer
        self.occupied = len(buffer.occupants)
        self.lengths = tuple(length + 1 for length in buffer.lengths)
        self.longest = max(self.lengths)
        self.mask: mx.array | None = None
        self.bias: mx.array | None = None
        self._places: dict[int, tuple[mx.array, mx.array]] = {}
        if min(self.lengths) < self.longest:
            mask = mx.arange(self.longest) < mx.array(self.lengths)[:, None]
            self.mask = mask.reshape(self.occupied, 1, 1, self.longest)
            self.bias = mx.where(self.mask, 0.0, float("-inf"))

    def held(self, buffer: mx.array) -> mx.array:
        """What the slots hold, of one of the buffer's arrays."""
        return self.buffer.slots_of(buffer)[: self.occupied, :, : self.longest]

    def write(self, layer: int, keys: mx.array, values: mx.array) -> None:
        """Write the step's keys and values `[occupied, key heads, 1, head dim]` into the slots."""
        heads = keys.shape[1]
        if heads not in self._places:
            at = [length - 1 for length in self.lengths for _ in range(heads)]
            rows = list(range(self.occupied * heads))
            self._places[heads] = mx.array(rows, mx.int32), mx.array(at, mx.int32)
        self.buffer.write(layer, self._places[heads], keys, values)


class SlotRows(Rows):
    """Keys or values of which the first rows are in slots.

    Attention takes `parts`. Whatever else a model does with them is done to `rows`.

    Attributes:
        parts: for each buffer of slots the lengths in it, and one layer's keys or values,
            `[occupied, key heads, longest, head dim]`.
        buffers: for each of `parts` the whole array that the slots are in.
        others: the arrays of the rows that are not in slots.
    """

    def __init__(
        self,
        parts: list[tuple[SlotStep, mx.array]],
        buffers: list[mx.array],
        others: list[Any],
        caches: Sequence[Any],
        kernels: Kernels | None = None,
    ) -> None:
        self.parts = parts
        self.buffers = buffers
        self.others = others
        self.caches = caches
        self.kernels = kernels

    @functools.cached_property
    def rows(self) -> list[Any]:  # type: ignore[override]
        in_slots = [
            held[slot : slot + 1, :, :length]
            for step, held in self.parts
            for slot, length in enumerate(step.lengths)
        ]
        return [*in_slots, *self.others]


class WithChunks:
    """Keys or values of a pass that reads chunks of prompts, beside rows that decode or alone.

    Attributes:
        decoding: the rows that decode; None where none does.
        chunks: for each prompt, all keys or values of its session.
        caches: those sessions' caches of the layer.
        counts: tokens in each chunk.
    """

    def __init__(
        self, decoding: Rows | None, chunks: list[Any], caches: Sequence[Any], counts: Sequence[int]
    ) -> None:
        self.decoding = decoding
        self.chunks = chunks
        self.caches = caches
        self.counts = counts

    @property
    def dtype(self) -> mx.Dtype:
        first = self.chunks[0] if self.decoding is None else self.decoding
        dtype: mx.Dtype = first.dtype
        return dtype

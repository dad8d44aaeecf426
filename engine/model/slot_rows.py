"""Keys and values of a step's rows of which the first lie in slots: one operation for a buffer.

A model that hands them to attention needs nothing else. Latent attention multiplies keys itself,
and gives the product to attention as a mask: that is done for a buffer at once as well. Whatever
else a model does with them is done row by row.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import mlx.core as mx

from engine.kv import slot_layer
from engine.kv.slot_buffer import SlotBuffer
from engine.model.kernel.use import Kernels
from engine.model.ragged_rows import Factor, Rows

Kept = mx.array | tuple[mx.array, ...]
"""Keys or values of a layer: one array, or in few bits words, scales and biases."""


class Filled:
    """How far slots are filled, in layers of one form, once a step has written its token.

    Attributes:
        occupied: how many rows are in slots.
        lengths: tokens in each slot.
        longest: the largest of them.
        mask: true where a slot holds a token, `[occupied, 1, 1, longest]`; None when all slots
            are equally long.
        bias: 0 where `mask` is true and -inf elsewhere, to be added to scores; None like `mask`.
    """

    def __init__(self, caches: Sequence[Any]) -> None:
        self.occupied = len(caches)
        self.lengths = tuple(slot_layer.held(cache, 1) for cache in caches)
        self.longest = max(self.lengths)
        self.mask: mx.array | None = None
        self.bias: mx.array | None = None
        self._at = [slot_layer.next_place(cache) for cache in caches]
        self._places: dict[int, tuple[mx.array, mx.array]] = {}
        if min(self.lengths) < self.longest:
            mask = mx.arange(self.longest) < mx.array(self.lengths)[:, None]
            self.mask = mask.reshape(self.occupied, 1, 1, self.longest)
            self.bias = mx.where(self.mask, 0.0, float("-inf"))

    def places(self, heads: int) -> tuple[mx.array, mx.array]:
        """Where the step's token goes: rows of the buffers, and positions in them."""
        if heads not in self._places:
            at = [place for place in self._at for _ in range(heads)]
            rows = list(range(self.occupied * heads))
            self._places[heads] = mx.array(rows, mx.int32), mx.array(at, mx.int32)
        return self._places[heads]


class SlotStep:
    """A buffer of slots in one step, made once for all layers before any of them is written.

    Attributes:
        occupied: how many rows are in slots.
        lengths: of those rows, the tokens of each session once the step has written its own.
    """

    def __init__(self, buffer: SlotBuffer) -> None:
        self.occupied = len(buffer.occupants)
        self.lengths = tuple(length + 1 for length in buffer.lengths)
        self._buffer = buffer
        # The layers of a form are in step (`slot_layer.in_step`), the first tells for all.
        self._filled = {
            form: Filled([caches[buffer.forms.index(form)] for caches in buffer.caches])
            for form in set(buffer.forms)
        }

    def filled(self, layer: int) -> Filled:
        """How far the slots are filled in a layer."""
        return self._filled[self._buffer.forms[layer]]

    def write(self, layer: int, keys: mx.array, values: mx.array) -> None:
        """Write the step's keys and values `[occupied, key heads, 1, head dim]` into the slots."""
        self._buffer.write(layer, self.filled(layer).places(keys.shape[1]), keys, values)

    def whole(self, layer: int) -> tuple[Kept, Kept]:
        """A layer's keys and values, all that the buffer has room for."""
        arrays = self._buffer.layers[layer]
        half = len(arrays) // 2
        if half == 1:
            return arrays[0], arrays[1]
        return tuple(arrays[:half]), tuple(arrays[half:])

    def held(self, layer: int, kept: Kept) -> Kept:
        """What the slots hold, `[occupied, key heads, longest, width]`, of `whole`'s."""
        if isinstance(kept, tuple):
            return tuple(self._held(layer, array) for array in kept)
        return self._held(layer, kept)

    def _held(self, layer: int, array: mx.array) -> mx.array:
        longest = self.filled(layer).longest
        return self._buffer.slots_of(array)[: self.occupied, :, :longest]


class SlotRows(Rows):
    """Keys or values of which the first rows are in slots.

    Attributes:
        parts: for each buffer of slots how far it is filled, and one layer's keys or values, `[
            occupied, key heads, longest, width]`; in few bits three arrays.
        buffers: for each of `parts` the whole arrays that the slots are in.
        others: the arrays of the rows that are not in slots.
    """

    def __init__(
        self,
        parts: list[tuple[Filled, Kept]],
        buffers: list[Kept],
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
            _row(kept, slot, length)
            for filled, kept in self.parts
            for slot, length in enumerate(filled.lengths)
        ]
        return [*in_slots, *self.others]

    def swapaxes(self, first: int, second: int) -> Factor:
        plain = all(isinstance(kept, mx.array) for _, kept in self.parts)
        if not plain or {first % 4, second % 4} != {2, 3}:
            return super().swapaxes(first, second)
        return _SlotFactor(self, first, second)


def _row(kept: Kept, slot: int, length: int) -> Kept:
    if isinstance(kept, tuple):
        return tuple(array[slot : slot + 1, :, :length] for array in kept)
    return kept[slot : slot + 1, :, :length]


class _SlotFactor(Factor):
    """As `Factor`, one product for each buffer of slots."""

    def __init__(self, keys: SlotRows, first: int, second: int) -> None:
        super().__init__(keys)
        self._axes = first, second

    def __rmatmul__(self, left: mx.array) -> SlotScores:  # type: ignore[misc]
        keys = self._each
        assert isinstance(keys, SlotRows)
        parts, first = [], 0
        for filled, kept in keys.parts:
            assert isinstance(kept, mx.array)
            end = first + filled.occupied
            q = left if filled.occupied == left.shape[0] else left[first:end]
            parts.append((filled, q @ kept.swapaxes(*self._axes)))
            first = end
        rest = [
            left[first + n : first + n + 1] @ row.swapaxes(*self._axes)
            for n, row in enumerate(keys.others)
        ]
        return SlotScores(parts, rest, keys.caches)


class SlotScores(SlotRows):
    """What a model has made of keys by a product, `[occupied, heads, 1, longest]` for a buffer.

    Attention takes it as a mask that is added to its scores.
    """

    def __init__(
        self, parts: list[tuple[Filled, mx.array]], others: list[Any], caches: Sequence[Any]
    ) -> None:
        super().__init__([*parts], [], others, caches)

    @functools.cached_property
    def rows(self) -> list[Any]:  # type: ignore[override]
        in_slots = [
            kept[slot : slot + 1, ..., :length]
            for filled, kept in self.parts
            for slot, length in enumerate(filled.lengths)
            if isinstance(kept, mx.array)
        ]
        return [*in_slots, *self.others]

    def masked(self) -> list[mx.array]:
        """Of each part what is added to its scores: -inf where a slot holds no token."""
        found = []
        for filled, kept in self.parts:
            assert isinstance(kept, mx.array)
            mask = filled.mask
            found.append(kept if mask is None else mx.where(mask, kept, float("-inf")))
        return found

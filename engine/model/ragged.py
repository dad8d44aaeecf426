"""The shared step: one pass over the weights for many sessions, each with its own KV caches.

The rows of a decode step `[N, 1]` go through the linear layers together. Attention runs row by
row, each row with its own session's cache, so nothing is padded and no session can see another's
length. A model needs to know nothing of this, for one of two reasons:

1.  Each layer is given a cache-shaped object (`RaggedKV`, `RaggedArrays`, `RaggedList`) that hands
    each row to its own cache. What it gives out (`ragged_rows`) is understood by the attention
    function that replaces mlx-lm's (`patches.attention`). Rows in slots (`SlotKV`) are attended to
    in one operation, and recurrent states that are stacked (`StackedArrays`) are read as they are.
2.  Where a model does more with the keys than that, the module that handles the cache is called
    row by row (`rows`). It reads that module's weights once a row, so it is tried second.

Which of the two a model can take is found out by trying (`probe`), not by a list of names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import mlx.core as mx

from engine.kv import slot_layer
from engine.kv.slots import Slots
from engine.model.kernel.use import Kernels
from engine.model.ragged_rows import Rows, WithChunks
from engine.model.ragged_states import RaggedArrays, StackedArrays
from engine.model.slot_rows import Kept, SlotRows, SlotStep


class Offsets:
    """The positions of the rows as `mx.array`, made once a step and not once a layer."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, ...], mx.array] = {}

    def __call__(self, rows: Sequence[Any], spans: Sequence[range] = ()) -> mx.array:
        """The positions of `rows`, then those of `spans`."""
        positions = *(c.offset for c in rows), *chain.from_iterable(spans)
        if positions not in self._made:
            self._made[positions] = mx.array(positions, mx.int32)
        return self._made[positions]


class RaggedKV:
    """One layer's KV caches of N sessions, in the shape of one cache of batch size N."""

    def __init__(
        self, rows: Sequence[Any], offsets: Offsets, kernels: Kernels | None = None
    ) -> None:
        self.rows = rows
        self._offsets = offsets
        self._kernels = kernels
        # Models that handle keys themselves ask for these to see whether they are quantised.
        if rows and all(hasattr(cache, "bits") for cache in rows):
            self.bits, self.group_size = rows[0].bits, rows[0].group_size

    @property
    def offset(self) -> mx.array:
        return self._offsets(self.rows)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Rows, Rows]:
        n = len(self.rows)
        pairs = [
            cache.update_and_fetch(k, v)
            for cache, k, v in zip(self.rows, mx.split(keys, n), mx.split(values, n), strict=True)
        ]
        return self._given(pairs)

    def keys_and_values(self) -> tuple[Rows, Rows]:
        return self._given([cache.keys_and_values() for cache in self.rows])

    def _given(self, pairs: Sequence[tuple[Any, Any]]) -> tuple[Rows, Rows]:
        keys, values = [k for k, _ in pairs], [v for _, v in pairs]
        return Rows(keys, self.rows, self._kernels), Rows(values, self.rows, self._kernels)

    def make_mask(self, n: int, **kwargs: Any) -> Rows | None:
        masks = [cache.make_mask(n, **kwargs) for cache in self.rows]
        return None if all(m is None for m in masks) else Rows(masks, self.rows)

    def __getattr__(self, name: str) -> Any:
        # A setting that is the same for all rows, such as a window's size.
        values = [getattr(cache, name) for cache in self.rows]
        if isinstance(values[0], (int, float, str, bool)) and all(v == values[0] for v in values):
            return values[0]
        raise AttributeError(f"rows differ in {name!r}, or it is no plain setting")


class SlotKV(RaggedKV):
    """One layer's KV caches of N sessions, of which the first are in slots.

    Args:
        steps: of the buffers that they are in.
        layer: which of the buffers' layers it is.
    """

    def __init__(
        self,
        rows: Sequence[Any],
        offsets: Offsets,
        steps: Sequence[SlotStep],
        layer: int,
        kernels: Kernels | None = None,
    ) -> None:
        super().__init__(rows, offsets, kernels)
        self._steps = steps
        self._layer = layer
        self._lengths = [length for step in steps for length in step.lengths]
        self._others = RaggedKV(rows[len(self._lengths) :], offsets)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Rows, Rows]:
        if any(c.offset + 1 != n for c, n in zip(self.rows, self._lengths, strict=False)):
            raise NotImplementedError("a layer's cache is written twice in a step")
        for cache in self.rows[: len(self._lengths)]:
            slot_layer.advance(cache)
        first, n = 0, len(self.rows)
        for step in self._steps:
            end = first + step.occupied
            k, v = (keys, values) if step.occupied == n else (keys[first:end], values[first:end])
            step.write(self._layer, k, v)
            first = end
        if self._others.rows:
            self._others.update_and_fetch(keys[first:], values[first:])
        return self.keys_and_values()

    def buffers(
        self,
    ) -> tuple[list[tuple[mx.array, mx.array, tuple[int, ...]]], Sequence[Any]] | None:
        """Of each buffer keys, values and the rows' lengths as yet; and the other rows' caches.

        None where they are kept in few bits, or this layer keeps a window of them only.
        """
        found = []
        for step in self._steps:
            keys, values = step.whole(self._layer)
            if not isinstance(keys, mx.array) or not isinstance(values, mx.array):
                return None
            if step.filled(self._layer).lengths != step.lengths:
                return None
            lengths = tuple(length - 1 for length in step.lengths)
            found.append((keys, values, lengths))
        return found, self._others.rows

    def keys_and_values(self) -> tuple[Rows, Rows]:
        k = v = Rows([], [])
        if self._others.rows:
            k, v = self._others.keys_and_values()
        both = [step.whole(self._layer) for step in self._steps]
        keys, values = [keys for keys, _ in both], [values for _, values in both]
        return self._slots(keys, k.rows), self._slots(values, v.rows)

    def _slots(self, buffers: list[Kept], others: list[Any]) -> SlotRows:
        parts = [
            (step.filled(self._layer), step.held(self._layer, kept))
            for step, kept in zip(self._steps, buffers, strict=True)
        ]
        return SlotRows(parts, buffers, others, self.rows, self._kernels)


class MixedKV:
    """One layer's KV caches of a pass in which N sessions decode and others read their prompts.

    The model sees as many more rows of one token each as the chunks have tokens, at positions
    that follow each other within a chunk. For attention each chunk is one row of tokens again.
    """

    def __init__(
        self,
        decoding: RaggedKV | None,
        caches: Sequence[Any],
        counts: Sequence[int],
        offsets: Offsets,
    ) -> None:
        self._decoding = decoding
        self._caches = caches
        self._counts = counts
        self._offsets = offsets

    @property
    def offset(self) -> mx.array:
        rows = self._decoding.rows if self._decoding is not None else ()
        pairs = zip(self._caches, self._counts, strict=True)
        return self._offsets(rows, [range(c.offset, c.offset + n) for c, n in pairs])

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Any, Any]:
        first = keys.shape[0] - sum(self._counts)
        own: tuple[Rows | None, Rows | None] = (None, None)
        if self._decoding is not None:
            own = self._decoding.update_and_fetch(keys[:first], values[:first])
        read = []
        for cache, count in zip(self._caches, self._counts, strict=True):
            chunk = slice(first, first + count)
            read.append(
                cache.update_and_fetch(keys[chunk].swapaxes(0, 2), values[chunk].swapaxes(0, 2))
            )
            first += count
        k, v = (
            WithChunks(rows, [pair[place] for pair in read], self._caches, self._counts)
            for place, rows in enumerate(own)
        )
        return k, v

    def make_mask(self, n: int, **kwargs: Any) -> None:
        mask = self._decoding.make_mask(n, **kwargs) if self._decoding is not None else None
        if n != 1 or mask is not None or any(kwargs.values()):
            raise NotImplementedError("a mixed step under a mask")


class RaggedList:
    """The caches of a layer that has several, each of them ragged."""

    def __init__(self, rows: Sequence[Any], offsets: Offsets, kernels: Kernels | None) -> None:
        self.rows = rows
        self.caches = [
            share(group, offsets, kernels) for group in zip(*(c.caches for c in rows), strict=True)
        ]

    def __getitem__(self, index: int) -> Any:
        return self.caches[index]


def share(rows: Sequence[Any], offsets: Offsets, kernels: Kernels | None = None) -> Any:
    """The cache-shaped object for one layer's caches of several sessions."""
    first = rows[0]
    if hasattr(first, "caches"):
        return RaggedList(rows, offsets, kernels)
    if hasattr(first, "cache") and not hasattr(first, "update_and_fetch"):
        return RaggedArrays(rows)
    return RaggedKV(rows, offsets, kernels)


def _own(rows: Sequence[Any], offsets: Offsets, kernels: Kernels | None) -> Any:
    return None if rows[0] is None else share(rows, offsets, kernels)


def _with_slots(
    each: Sequence[Sequence[Any]], slots: Slots, offsets: Offsets, kernels: Kernels | None
) -> Iterator[Any]:
    """For each layer its cache-shaped object, where rows may be in slots."""
    steps = [SlotStep(buffer) for buffer in slots.buffers if buffer.occupants]
    kept = next((buffer.caches[0] for buffer in slots.buffers if buffer.occupants), [])
    keys = {id(cache): place for place, cache in enumerate(kept)}
    stacked = slots.stack.caches[0] if slots.stack.caches else []
    states = {id(cache): place for place, cache in enumerate(stacked)}
    for rows in each:
        if id(rows[0]) in keys:
            yield SlotKV(rows, offsets, steps, keys[id(rows[0])], kernels)
        elif id(rows[0]) in states:
            yield StackedArrays(rows, slots.stack.layers[states[id(rows[0])]])
        else:
            yield _own(rows, offsets, kernels)


def share_caches(
    caches: Sequence[Sequence[Any]],
    slots: Slots | None = None,
    reading: Sequence[tuple[Sequence[Any], int]] = (),
    kernels: Kernels | None = None,
) -> list[Any]:
    """One list of ragged layer caches from the lists of layer caches of N sessions.

    Args:
        caches: of each session, one cache a layer. None of them where prompts are only read.
        slots: the slots whose occupants are the first sessions, in the order of their slots. They
            were assigned to just these sessions.
        reading: for a pass that reads prompts, the layer caches of each session whose prompt is
            read, and how many tokens of it come after the N rows.
        kernels: who may take the rows' attention, on a GPU.

    Raises:
        NotImplementedError: prompts are read, of a model with other caches than keys and values.
    """
    offsets = Offsets()
    each = list(zip(*caches, strict=True))
    shared: list[Any]
    if slots is not None:
        shared = list(_with_slots(each, slots, offsets, kernels))
    else:
        shared = [_own(rows, offsets, kernels) for rows in each]
    if not reading:
        return shared
    if any(not isinstance(layer, RaggedKV) for layer in shared):
        raise NotImplementedError("a mixed step with other caches than keys and values")
    read = list(zip(*(own for own, _ in reading), strict=True))
    if any(not hasattr(cache, "update_and_fetch") for own in read for cache in own):
        raise NotImplementedError("prompts read together by other caches than keys and values")
    counts = [count for _, count in reading]
    rows_of_layer = shared or [None] * len(read)
    return [
        MixedKV(rows, own, counts, offsets) for rows, own in zip(rows_of_layer, read, strict=True)
    ]

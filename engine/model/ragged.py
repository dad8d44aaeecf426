"""Shared steps: a single pass over the weights for many sessions, each with its own caches.

The rows of a decode step `[N, 1]` go through the linear layers as a batch, but attention runs row
by row with each session's own cache. So there is no padding, and no session can see the length of
another session. This works with unmodified models, in one of two ways:

1.  Each layer gets a cache-like object that passes each row on to its own cache, and returns
    objects that `engine.model.attention` understands. Their unsupported operations raise.
2.  If a model does more than that, the module that uses the cache runs row by row (`run_by_rows`).
    This reads the module's weights once per row, so it's the second choice.

The class depends on what the layer caches, and on the pass:

    layer                           rows             rows in slots     with chunks
    keys and values                 `RaggedKV`       `SlotKV`          `MixedKV`
      what it returns               `Rows`           `SlotRows`        `WithChunks`
      transposed, in a product      `Factor`         `_SlotFactor`     `_ChunkFactor`
    recurrent states                `RaggedArrays`   `StackedArrays`   `MixedArrays`
    several caches                  `RaggedList`     `RaggedList`      `RaggedList`

The probe finds out which way works.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import mlx.core as mx
import numpy as np

from engine.cache import slot_layer
from engine.cache.shared_prefix import SharedPrefixRows, Split
from engine.cache.slot_buffer import SlotBuffer
from engine.cache.slots import Slots
from engine.model.patches import mix_in

KeysOrValues = mx.array | tuple[mx.array, ...] | Split
"""Keys or values of a layer: an array, a quantized tuple (weights, scales, biases), or `Split`."""


# ---------------------------------------------------------------- keys and values


class Rows:
    """Keys or values with a separate array for each row, `[1, key heads, tokens, head dim]`."""

    def __init__(self, rows: list[Any], caches: Sequence[Any]) -> None:
        self.rows = rows
        self.caches = caches  # cache of each row

    @property
    def dtype(self) -> Any:
        return self.rows[0].dtype

    @property
    def shape(self) -> tuple[int, int, mx.array, int]:
        """Shape of a batched array, except that each row has its own number of tokens."""
        _, heads, _, width = self.rows[0].shape
        tokens = mx.array([row.shape[2] for row in self.rows], mx.int32)
        return len(self.rows), heads, tokens, width

    def astype(self, dtype: mx.Dtype) -> Rows:
        return self._each(lambda array: array.astype(dtype))

    def tile(self, reps: Sequence[int]) -> Rows:
        return self._each(lambda array: mx.tile(array, reps))

    def swapaxes(self, first: int, second: int) -> Factor:
        return Factor(Rows([row.swapaxes(first, second) for row in self.rows], self.caches))

    def _each(self, change: Callable[[Any], Any]) -> Rows:
        return Rows([change(row) for row in self.rows], self.caches)


class Factor(mx.array):
    """Right-hand side of a matrix product, with a separate array for each row.

    In latent attention, models multiply queries with keys directly. `mx.array.__matmul__` rejects
    other types without trying `__rmatmul__`, so this is a subclass of `mx.array`. Its own value is
    NaN, so that any other use shows in the logits.
    """

    def __init__(self, rows: Rows | WithChunks) -> None:
        super().__init__(float("nan"))
        self._rows = rows

    def __rmatmul__(self, factor: mx.array) -> Any:
        assert isinstance(self._rows, Rows)
        parts = mx.split(factor, len(self._rows.rows))
        products = [a @ b for a, b in zip(parts, self._rows.rows, strict=True)]
        return Rows(products, self._rows.caches)


class WithChunks:
    """Keys or values of a mixed pass: prefill chunks, and possibly decoding rows.

    Masks and products that are passed to attention have the same class.
    """

    def __init__(
        self, decoding: Any, chunks: list[Any], caches: Sequence[Any], counts: Sequence[int]
    ) -> None:
        self.decoding = decoding  # decoding rows, or None
        self.chunks = chunks  # keys or values of each chunk's session, including earlier tokens
        self.caches = caches  # cache of each chunk's session
        self.counts = counts  # number of tokens in each chunk

    @property
    def dtype(self) -> Any:
        return (self.chunks[0] if self.decoding is None else self.decoding).dtype

    @property
    def shape(self) -> tuple[int, int, mx.array, int]:
        """Shape of a batched array, except that each row has its own number of visible tokens."""
        _, heads, _, width = self.chunks[0].shape
        visible_counts = (
            [] if self.decoding is None else [row.shape[2] for row in self.decoding.rows]
        )
        for chunk, count in zip(self.chunks, self.counts, strict=True):
            length = chunk.shape[2]
            visible_counts += range(length - count + 1, length + 1)
        return len(visible_counts), heads, mx.array(visible_counts, mx.int32), width

    def tile(self, reps: Sequence[int]) -> WithChunks:
        decoding = None if self.decoding is None else mx.tile(self.decoding, reps)
        chunks = [mx.tile(chunk, reps) for chunk in self.chunks]
        return WithChunks(decoding, chunks, self.caches, self.counts)

    def swapaxes(self, first: int, second: int) -> Factor:
        return _ChunkFactor(self, first, second)


class _ChunkFactor(Factor):
    """`Factor` for mixed passes, with a causal mask inside each chunk."""

    def __init__(self, keys: WithChunks, *axes: int) -> None:
        super().__init__(keys)
        self._axes = axes

    def __rmatmul__(self, factor: mx.array) -> WithChunks:  # type: ignore[misc]
        keys, decoding, chunks = self._rows, None, []
        assert isinstance(keys, WithChunks)
        first = factor.shape[0] - sum(keys.counts)
        if keys.decoding is not None:
            decoding = factor[:first] @ keys.decoding.swapaxes(*self._axes)
        for k, count in zip(keys.chunks, keys.counts, strict=True):
            scores = factor[first : first + count].swapaxes(0, 2) @ k.swapaxes(*self._axes)
            tokens = mx.arange(k.shape[2])
            chunks.append(mx.where(tokens[-count:, None] >= tokens, scores, float("-inf")))
            first += count
        return WithChunks(decoding, chunks, keys.caches, keys.counts)


class SlotLengths:
    """Slot lengths after a step's write, for all layers with the same cache form."""

    def __init__(self, caches: Sequence[Any]) -> None:
        self.occupied = len(caches)  # number of rows in slots
        self.lengths = tuple(
            slot_layer.tokens_after(cache, 1) for cache in caches
        )  # tokens per slot
        self.longest = max(self.lengths)
        # Boolean mask `[occupied, 1, 1, longest]`, True at positions with a token. None if all
        # slots have the same length.
        self.mask: mx.array | None = None
        self._positions = [slot_layer.write_position(cache) for cache in caches]
        self._write_positions: dict[int, tuple[mx.array, mx.array]] = {}
        self._biases: dict[mx.Dtype, mx.array] = {}
        if min(self.lengths) < self.longest:
            # Use numpy, because with MLX each operation would be a kernel launch on a GPU.
            occupancy = np.arange(self.longest) < np.array(self.lengths)[:, None]
            self._holds = occupancy.reshape(self.occupied, 1, 1, self.longest)
            self.mask = mx.array(self._holds)

    def bias(self, dtype: mx.Dtype) -> mx.array | None:
        """Return `mask` as an additive bias for scores (0 or -inf), or None if there's no mask."""
        if self.mask is None:
            return None
        if dtype not in self._biases:
            bias = np.where(self._holds, np.float32(0), np.float32("-inf"))
            self._biases[dtype] = mx.array(bias).astype(dtype)
        return self._biases[dtype]

    def write_positions(self, heads: int) -> tuple[mx.array, mx.array]:
        """Return the step's write positions, as row and position indices of the buffers."""
        if heads not in self._write_positions:
            at = [position for position in self._positions for _ in range(heads)]
            rows = list(range(self.occupied * heads))
            self._write_positions[heads] = mx.array(rows, mx.int32), mx.array(at, mx.int32)
        return self._write_positions[heads]


class SlotStep:
    """State of a slot buffer during a step. Must be created before the first layer is written."""

    def __init__(self, buffer: SlotBuffer) -> None:
        self.occupied = len(buffer.occupants)  # number of rows in slots
        # Length of each row, including the current token.
        self.offsets = tuple(offset + 1 for offset in buffer.offsets)
        self._buffer = buffer
        self._filled = {
            form: SlotLengths([caches[first] for caches in buffer.caches])
            for form, first in buffer.firsts.items()
        }
        owners = [first for form, first in buffer.firsts.items() if form.own]
        # Shared prefixes extended by the rows, or None.
        self.beginnings = (
            SharedPrefixRows([caches[owners[0]].prefix_in_use for caches in buffer.caches])
            if owners
            else None
        )

    def slot_lengths(self, layer: int) -> SlotLengths:
        return self._filled[self._buffer.forms[layer]]

    def write(self, layer: int, keys: mx.array, values: mx.array) -> None:
        """Write the step's keys and values `[occupied, key heads, 1, head dim]` into the slots."""
        self._buffer.write(
            layer, self.slot_lengths(layer).write_positions(keys.shape[1]), keys, values
        )

    def keys_and_values(self, layer: int) -> tuple[KeysOrValues, KeysOrValues]:
        longest = self.slot_lengths(layer).longest
        arrays = self._buffer.layers[layer]
        halves = [self._buffer.split_slots(a)[: self.occupied, :, :longest] for a in arrays]
        half = len(halves) // 2
        if half > 1:
            return tuple(halves[:half]), tuple(halves[half:])
        if self.beginnings is None or not self._buffer.forms[layer].own:
            return halves[0], halves[1]
        return self.beginnings.split(self._buffer.caches[0][layer].layer, halves[0], halves[1])


class SlotRows(Rows):
    """Keys or values whose first rows are in slots."""

    def __init__(
        self,
        parts: list[tuple[SlotLengths, KeysOrValues]],
        others: list[Any],
        caches: Sequence[Any],
    ) -> None:
        # For each buffer, the slot lengths, and the keys or values of the layer
        # `[occupied, key heads, longest, width]` (three arrays if quantized).
        self.parts = parts
        self.others = others  # arrays of rows without a slot
        self.caches = caches

    @functools.cached_property
    def rows(self) -> list[Any]:  # type: ignore[override]
        in_slots = [
            self._row(row_source, slot, length)
            for filled, row_source in self.parts
            for slot, length in enumerate(filled.lengths)
        ]
        return [*in_slots, *self.others]

    def _row(self, rows: Any, slot: int, length: int) -> Any:
        if isinstance(rows, Split):
            return rows.row(slot, length)
        if isinstance(rows, tuple):
            return tuple(array[slot : slot + 1, :, :length] for array in rows)
        return rows[slot : slot + 1, :, :length]

    def _each(self, change: Callable[[Any], Any]) -> SlotRows:
        parts = [(filled, change(rows)) for filled, rows in self.parts]
        return SlotRows(parts, [change(row) for row in self.others], self.caches)

    def swapaxes(self, first: int, second: int) -> Factor:
        few_bits = any(isinstance(rows, tuple) for _, rows in self.parts)
        if few_bits or {first % 4, second % 4} != {2, 3}:
            return super().swapaxes(first, second)
        return _SlotFactor(self, first, second)


class _SlotFactor(Factor):
    """`Factor` with one matrix product per slot buffer."""

    def __init__(self, keys: SlotRows, first: int, second: int) -> None:
        super().__init__(keys)
        self._axes = first, second

    def __rmatmul__(self, scores: mx.array) -> SlotScores:  # type: ignore[misc]
        keys = self._rows
        assert isinstance(keys, SlotRows)
        parts, first = [], 0
        for filled, rows in keys.parts:
            assert not isinstance(rows, tuple)
            end = first + filled.occupied
            q = scores if filled.occupied == scores.shape[0] else scores[first:end]
            factor, bias = rows.swapaxes(*self._axes), filled.bias(q.dtype)
            if bias is None or isinstance(rows, Split):  # attention applies the mask
                parts.append((filled, q @ factor))
            else:
                parts.append((filled, mx.addmm(bias, q, factor)))
            first = end
        rest = [
            scores[first + n : first + n + 1] @ row.swapaxes(*self._axes)
            for n, row in enumerate(keys.others)
        ]
        return SlotScores(parts, rest, keys.caches)


class SlotScores(SlotRows):
    """Products of queries and keys in slots, `[occupied, heads, 1, longest]` for each buffer.

    Attention also accepts this class as an additive mask. Positions without a token are -inf.
    """

    def __init__(
        self, parts: list[tuple[SlotLengths, Any]], others: list[Any], caches: Sequence[Any]
    ) -> None:
        super().__init__([*parts], others, caches)

    def _row(self, rows: Any, slot: int, length: int) -> Any:
        return rows[slot : slot + 1, ..., :length]


# ---------------------------------------------------------------- caches


class StateUpdates:
    """Mixin with the methods that mlx-vlm's models use to update recurrent states."""

    def update_recurrent(self: Any, index: int, _length: int, update: Callable[..., Any]) -> Any:
        output, state = update(self[index], None)[:2]
        self[index] = state
        return output, state

    def update_window(
        self: Any, index: int, source: mx.array, width: int, *, lengths: Any = None
    ) -> mx.array:
        if lengths is not None:
            raise NotImplementedError("a sliding window with padded rows")
        state = mx.contiguous(source[:, source.shape[1] - width :])
        self[index] = state
        return state


class RaggedArrays(StateUpdates):
    """Recurrent states of one layer for N sessions. Concatenated on read, and split on write.

    New sessions have no state yet, and a state that contains the last few tokens is shorter after a
    short prompt. Both are padded with zeros.
    """

    left_padding = None
    lengths = None

    def __init__(self, rows: Sequence[Any]) -> None:
        self.rows = rows

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        # Some models only update states that are instances of mlx-lm's class.
        return type(self.rows[0])

    def __getitem__(self, index: int) -> mx.array | None:
        states = [cache[index] for cache in self.rows]
        present_states = [state for state in states if state is not None]
        if not present_states:
            return None
        shape = (
            tuple(map(max, *(s.shape for s in present_states)))
            if len(present_states) > 1
            else present_states[0].shape
        )
        return mx.concatenate(
            [_pad_state(state, shape, present_states[0].dtype) for state in states]
        )

    def __setitem__(self, index: int, value: mx.array) -> None:
        for cache, state in zip(self.rows, mx.split(value, len(self.rows)), strict=True):
            cache[index] = state

    @property
    def cache(self) -> list[mx.array | None]:
        return [self[i] for i in range(len(self.rows[0].cache))]

    @property
    def offset(self) -> mx.array:
        return mx.array([cache.offset for cache in self.rows], mx.int32)

    def advance(self, n: int) -> None:
        for cache in self.rows:
            cache.advance(n)

    def make_mask(self, _n: int) -> None:
        return None  # there is no padding

    def empty(self) -> bool:
        return all(cache.empty() for cache in self.rows)


def _pad_state(state: mx.array | None, shape: tuple[int, ...], dtype: mx.Dtype) -> mx.array:
    if state is None:
        return mx.zeros(shape, dtype)
    if state.shape == shape:
        return state
    return mx.pad(state, [(size - n, 0) for size, n in zip(shape, state.shape, strict=True)])


class StackedArrays(RaggedArrays):
    """Recurrent states of one layer that are already stacked.

    Args:
        states: stacked states `[N, ...]`. The step updates this list.
    """

    def __init__(self, rows: Sequence[Any], states: list[mx.array]) -> None:
        super().__init__(rows)
        self._states = states

    def __getitem__(self, index: int) -> mx.array | None:
        return self._states[index]

    def __setitem__(self, index: int, value: mx.array) -> None:
        self._states[index] = value

    def empty(self) -> bool:
        return False


class Offsets:
    """Cache of position arrays, so that they're created once per step, not per layer."""

    def __init__(self) -> None:
        self._arrays: dict[tuple[int, ...], mx.array] = {}

    def __call__(self, rows: Sequence[Any], spans: Sequence[range] = ()) -> mx.array:
        """Return the positions of `rows`, followed by all positions in `spans`."""
        positions = *(c.offset for c in rows), *chain.from_iterable(spans)
        if positions not in self._arrays:
            self._arrays[positions] = mx.array(positions, mx.int32)
        return self._arrays[positions]


class RaggedKV:
    """KV caches of one layer for N sessions, behaving like a single cache of batch size N."""

    def __init__(self, rows: Sequence[Any], offsets: Offsets) -> None:
        self.rows = rows
        self._offsets = offsets
        # Models with their own attention check these attributes for quantization.
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
        return self._as_rows(pairs)

    def keys_and_values(self) -> tuple[Rows, Rows]:
        return self._as_rows([cache.keys_and_values() for cache in self.rows])

    def _as_rows(self, pairs: Sequence[tuple[Any, Any]]) -> tuple[Rows, Rows]:
        keys, values = [k for k, _ in pairs], [v for _, v in pairs]
        return Rows(keys, self.rows), Rows(values, self.rows)

    def make_mask(self, n: int, **kwargs: Any) -> Rows | None:
        masks = [cache.make_mask(n, **kwargs) for cache in self.rows]
        return None if all(m is None for m in masks) else Rows(masks, self.rows)

    def __getattr__(self, name: str) -> Any:
        # Settings that are equal in all rows, e.g. the window size.
        values = [getattr(cache, name) for cache in self.rows]
        if isinstance(values[0], (int, float, str, bool)) and all(v == values[0] for v in values):
            return values[0]
        raise AttributeError(f"rows differ in {name!r}, or it is not a plain value")


class SlotKV(RaggedKV):
    """`RaggedKV` whose first rows are in slots."""

    def __init__(
        self,
        rows: Sequence[Any],
        offsets: Offsets,
        steps: Sequence[SlotStep],
        layer: int,
    ) -> None:
        super().__init__(rows, offsets)
        self._steps = steps
        self._layer = layer
        self._lengths_after = [offset for step in steps for offset in step.offsets]
        self._rest = RaggedKV(rows[len(self._lengths_after) :], offsets)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Rows, Rows]:
        if any(c.offset + 1 != n for c, n in zip(self.rows, self._lengths_after, strict=False)):
            raise NotImplementedError("a layer's cache is written twice in a step")
        for cache in self.rows[: len(self._lengths_after)]:
            slot_layer.advance(cache)
        first, n = 0, len(self.rows)
        for step in self._steps:
            end = first + step.occupied
            k, v = (keys, values) if step.occupied == n else (keys[first:end], values[first:end])
            step.write(self._layer, k, v)
            first = end
        if self._rest.rows:
            self._rest.update_and_fetch(keys[first:], values[first:])
        return self.keys_and_values()

    def keys_and_values(self) -> tuple[Rows, Rows]:
        k = v = Rows([], [])
        if self._rest.rows:
            k, v = self._rest.keys_and_values()
        filled = [step.slot_lengths(self._layer) for step in self._steps]
        both = [step.keys_and_values(self._layer) for step in self._steps]
        keys, values = [keys for keys, _ in both], [values for _, values in both]
        return (
            SlotRows([*zip(filled, keys, strict=True)], k.rows, self.rows),
            SlotRows([*zip(filled, values, strict=True)], v.rows, self.rows),
        )


class MixedKV:
    """KV caches of one layer for a mixed pass, where N sessions decode and others prefill.

    For the model, the tokens of a chunk are additional rows with one token each, at consecutive
    positions. For attention, each chunk becomes a single row again.
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
        self._keys_and_values: tuple[Any, Any] = (None, None)

    @property
    def offset(self) -> mx.array:
        rows = self._decoding.rows if self._decoding is not None else ()
        pairs = zip(self._caches, self._counts, strict=True)
        return self._offsets(rows, [range(c.offset, c.offset + n) for c, n in pairs])

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Any, Any]:
        first = keys.shape[0] - sum(self._counts)
        decoded: tuple[Rows | None, Rows | None] = (None, None)
        if self._decoding is not None:
            decoded = self._decoding.update_and_fetch(keys[:first], values[:first])
        read = []
        for cache, count in zip(self._caches, self._counts, strict=True):
            chunk = slice(first, first + count)
            read.append(
                cache.update_and_fetch(keys[chunk].swapaxes(0, 2), values[chunk].swapaxes(0, 2))
            )
            first += count
        k, v = (
            WithChunks(rows, [pair[index] for pair in read], self._caches, self._counts)
            for index, rows in enumerate(decoded)
        )
        self._keys_and_values = k, v
        return k, v

    def keys_and_values(self) -> tuple[Any, Any]:
        return self._keys_and_values

    def make_mask(
        self, n: int, *, within: Sequence[Spans] = (), **kwargs: Any
    ) -> WithChunks | None:
        """Return the masks of all chunks, or None if all of them are just causal.

        Windows always get a mask, so that attention can detect models that don't pass it on.

        Args:
            within: see `open_mask`.
        """
        if n != 1:
            raise NotImplementedError("a mixed step with several tokens per row")
        kwargs = {"window_size": None, **kwargs, "return_array": False}
        decoding_mask = (
            self._decoding.make_mask(n, **kwargs) if self._decoding is not None else None
        )
        open_ones = within[-len(self._counts) :] or [()] * len(self._counts)
        masks = [
            _open_cache_mask(cache, count, kwargs["window_size"], spans)
            if spans
            else cache.make_mask(count, **kwargs)
            for cache, count, spans in zip(self._caches, self._counts, open_ones, strict=True)
        ]
        is_causal = decoding_mask is None and not any(
            hasattr(cache, "max_size") for cache in self._caches
        )
        if is_causal and not any(isinstance(mask, mx.array) for mask in masks):
            return None
        return WithChunks(decoding_mask, masks, self._caches, self._counts)


Spans = Sequence[tuple[int, int]]
"""Token ranges with bidirectional attention. Some models use this for images."""


def open_mask(cache: Any, n: int, window: int | None, within: Sequence[Spans]) -> Any:
    """Return a mask for a pass where some tokens attend to later tokens.

    Args:
        within: spans of each decoding row, followed by the spans of each chunk.
    """
    if isinstance(cache, MixedKV):
        return cache.make_mask(n, window_size=window, within=within)
    return _open_cache_mask(cache, n, window, within[0])


def _open_cache_mask(cache: Any, count: int, window: int | None, spans: Spans) -> mx.array:
    mask: mx.array = cache.make_mask(count, window_size=window, return_array=True)
    inside = np.zeros((count, count), bool)
    for first, last in spans:
        inside[first:last, first:last] = True
    mask[..., -count:] = mask[..., -count:] | mx.array(inside)  # the tokens of the chunk come last
    return mask


class MixedArrays:
    """Recurrent states of one layer for a mixed pass. See `MixedKV`.

    A state depends on the previous token, so the module runs once for all decoding rows, and once
    for each chunk (`run_by_chunks`).
    """

    def __init__(
        self, decoding: RaggedArrays | None, caches: Sequence[Any], counts: Sequence[int]
    ) -> None:
        self._decoding = decoding
        self._caches = caches
        self._counts = counts

    def make_mask(self, _n: int) -> None:
        return None  # nothing is padded

    def row_spans(self, rows: int) -> Iterator[tuple[slice, Any, bool]]:
        """Yield the row ranges that run together, their states, and True for a chunk."""
        first = rows - sum(self._counts)
        if self._decoding is not None:
            yield slice(0, first), self._decoding, False
        for cache, count in zip(self._caches, self._counts, strict=True):
            yield slice(first, first + count), cache, True
            first += count


class RaggedList:
    """Ragged caches of a layer that has several caches."""

    def __init__(self, rows: Sequence[Any], offsets: Offsets) -> None:
        self.rows = rows
        groups = zip(*(c.caches for c in rows), strict=True)
        self.caches = [combine_layer(group, offsets) for group in groups]

    def __getitem__(self, index: int) -> Any:
        return self.caches[index]


def combine_layer(rows: Sequence[Any], offsets: Offsets) -> Any:
    first = rows[0]
    if first is None:
        return None
    if hasattr(first, "caches"):
        return RaggedList(rows, offsets)
    if hasattr(first, "cache") and not hasattr(first, "update_and_fetch"):
        return RaggedArrays(rows)
    return RaggedKV(rows, offsets)


def _combine_with_slots(
    per_layer: Sequence[Sequence[Any]], slots: Slots, offsets: Offsets
) -> Iterator[Any]:
    steps = [SlotStep(buffer) for buffer in slots.buffers if buffer.occupants]
    slot_caches = next((buffer.caches[0] for buffer in slots.buffers if buffer.occupants), [])
    keys = {id(cache): index for index, cache in enumerate(slot_caches)}
    stacked = slots.stack.caches[0] if slots.stack.caches else []
    states = {id(cache): index for index, cache in enumerate(stacked)}
    for rows in per_layer:
        if id(rows[0]) in keys:
            yield SlotKV(rows, offsets, steps, keys[id(rows[0])])
        elif id(rows[0]) in states:
            yield StackedArrays(rows, slots.stack.layers[states[id(rows[0])]])
        else:
            yield combine_layer(rows, offsets)


class SharedCaches(list[Any]):
    """Ragged layer caches of a pass.

    Args:
        sessions: layer caches and number of rows of each session, in row order.
    """

    def __init__(self, layers: Iterable[Any], sessions: list[tuple[Sequence[Any], int]]) -> None:
        super().__init__(layers)
        self.sessions = sessions


def combine_caches(
    caches: Sequence[Sequence[Any]],
    slots: Slots | None = None,
    reading: Sequence[tuple[Sequence[Any], int]] = (),
) -> SharedCaches:
    """Combine the layer caches of N sessions.

    Args:
        caches: layer caches of each decoding session.
        slots: slots to use. Their occupants must be exactly the first sessions, in the same order.
        reading: layer caches and number of tokens of each prefill chunk. The rows of chunks come
            after the N decoding rows.

    Raises:
        NotImplementedError: if there are chunks, and the model's caches don't support them.
    """
    offsets = Offsets()
    per_layer = list(zip(*caches, strict=True))
    shared: list[Any]
    if slots is not None:
        shared = list(_combine_with_slots(per_layer, slots, offsets))
    else:
        shared = [combine_layer(rows, offsets) for rows in per_layer]
    sessions = [*((session, 1) for session in caches), *reading]
    if not reading:
        return SharedCaches(shared, sessions)
    read = list(zip(*(session for session, _ in reading), strict=True))
    counts = [count for _, count in reading]
    layers = zip(shared or [None] * len(read), read, strict=True)
    mixed = (_combine_mixed(rows, session, counts, offsets) for rows, session in layers)
    return SharedCaches(mixed, sessions)


def _combine_mixed(
    decoding: Any, caches: Sequence[Any], counts: Sequence[int], offsets: Offsets
) -> Any:
    if all(hasattr(cache, "update_and_fetch") for cache in caches):
        return MixedKV(decoding, caches, counts, offsets)
    if all(hasattr(cache, "cache") for cache in caches):
        return MixedArrays(decoding, caches, counts)
    raise NotImplementedError("a mixed step supports only keys, values and states")


# ---------------------------------------------------------------- row by row

_RAGGED = (RaggedKV, SlotKV, RaggedArrays, RaggedList, Rows, SlotRows)


def run_by_rows(modules: Iterable[Any]) -> Callable[[], None]:
    """Make modules run row by row if they get ragged caches. Return an undo function."""
    return mix_in(_RowByRow, modules)


class _RowByRow:
    # Positions or names of arguments that have an entry per row. Determined during the probe (the
    # first call), because the size of another argument might later happen to equal the number of
    # rows.
    _per_row: frozenset[int | str] | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        inner = super().__call__  # type: ignore[misc]
        by_key: dict[int | str, Any] = dict([*enumerate(args), *kwargs.items()])
        n = next((len(a.rows) for a in by_key.values() if type(a) in _RAGGED), 0)
        if not n:
            return inner(*args, **kwargs)
        if self._per_row is None:
            self._per_row = frozenset(k for k, v in by_key.items() if _has_rows(v, n))
        outs = []
        for row in range(n):
            row_arguments = {
                k: _take_row(v, row) if k in self._per_row else v for k, v in by_key.items()
            }
            outs.append(
                inner(
                    *(row_arguments[k] for k in range(len(args))),
                    **{k: row_arguments[k] for k in kwargs},
                )
            )
        return _join_rows(outs)


def run_by_chunks(modules: Iterable[Any]) -> Callable[[], None]:
    """Make modules run chunk by chunk if they get `MixedArrays`. Return an undo function."""
    return mix_in(_ByChunk, modules)


class _ByChunk:
    """Mixin that runs a module with recurrent states chunk by chunk."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        inner = super().__call__  # type: ignore[misc]
        by_key: dict[int | str, Any] = dict([*enumerate(args), *kwargs.items()])
        mixed = next((a for a in by_key.values() if type(a) is MixedArrays), None)
        if mixed is None:
            return inner(*args, **kwargs)
        x = next(a for a in by_key.values() if isinstance(a, mx.array) and a.ndim > 1)
        outs = []
        for span, cache, is_chunk in mixed.row_spans(x.shape[0]):
            part = {
                k: cache if v is mixed else _slice_rows(v, span, is_chunk)
                for k, v in by_key.items()
            }
            out = inner(*(part[k] for k in range(len(args))), **{k: part[k] for k in kwargs})
            outs.append(_swap_rows_and_tokens(out) if is_chunk else out)
        return _join_rows(outs)


def _slice_rows(value: Any, span: slice, is_chunk: bool) -> Any:
    if not isinstance(value, mx.array) or not value.ndim:
        return value
    if value.ndim == 1:  # positions, of which a chunk only needs the first
        return value[span.start : span.start + 1] if is_chunk else value[span]
    return _swap_rows_and_tokens(value[span]) if is_chunk else value[span]


def _swap_rows_and_tokens(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_swap_rows_and_tokens, value))
    return value.swapaxes(0, 1) if isinstance(value, mx.array) else value


def _has_rows(value: Any, n: int) -> bool:
    if isinstance(value, mx.array):
        # A vector with one number per row must be positions, so it has to be an integer type.
        has_batch_axis = value.ndim > 1 or mx.issubdtype(value.dtype, mx.integer)
        return value.ndim > 0 and value.shape[0] == n and has_batch_axis
    return type(value) in _RAGGED


def _take_row(value: Any, row: int) -> Any:
    if isinstance(value, mx.array):
        return value[row : row + 1]
    if type(value) is RaggedList:
        return _OneRow([_take_row(c, row) for c in value.caches])
    return value.rows[row] if type(value) in _RAGGED else value


def _join_rows(outs: list[Any]) -> Any:
    """Merge the results of all rows."""
    first = outs[0]
    if isinstance(first, mx.array):
        return mx.concatenate(outs)
    if isinstance(first, tuple):
        return tuple(_join_rows(list(parts)) for parts in zip(*outs, strict=True))
    if all(out is first for out in outs):
        return first
    raise TypeError(f"rows of {type(first).__name__} cannot be joined")


class _OneRow:
    def __init__(self, caches: list[Any]) -> None:
        self.caches = caches

    def __getitem__(self, index: int) -> Any:
        return self.caches[index]

"""Shared prefixes: leading keys and values that several sessions have in common, stored once.

Each session has one `SharedPrefixKV` per layer, with the first `base` tokens in the immutable
`SharedPrefix` and the rest in its own arrays. A decode step reads the shared prefix once for all
sessions (`engine.model.attention`).
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import mlx.core as mx

MIN_TOKENS = 1024
"""Minimum length in tokens. Shorter prefixes are copied, because sessions without a shared prefix
can use `Slots`, which is faster on a CPU."""

GROWTH_TOKENS = 64
"""Minimum growth of a session's own part in tokens. The part also grows by at least a quarter.

Forks allocate this for every layer in their first step. With 256 tokens, eight forks that started
in the same step allocated 100 MB, which took 200 ms.
"""


numbers = itertools.count(1)


class SharedPrefix:
    """Keys and values of the tokens at the start of several sessions."""

    __slots__ = (
        "__weakref__",
        "both",
        "bytes_per_token",
        "holders",
        "keys",
        "length",
        "nbytes",
        "number",
        "values",
    )

    def __init__(self, pairs: Sequence[Sequence[mx.array]], length: int) -> None:
        # One array `[1, key heads, length + 1, head dim]` per layer. The extra position at the end
        # doesn't belong to a token. Attention uses its column in the product with the queries to
        # merge in the scores of the sessions' own tokens.
        self.keys: list[mx.array] = []
        self.values: list[mx.array] = []
        # Concatenated keys and values of each layer, or None if there is more than one key head.
        # Latent attention multiplies its queries with both in one operation.
        self.both: list[mx.array | None] = []
        self.nbytes = 0  # size of the buffers, which may have room for more tokens
        for pair in pairs:
            heads, width = pair[0].shape[1], pair[0].shape[3]
            keys, values = [_add_position(array, length) for array in pair]
            both = mx.concatenate([keys, values], axis=3) if heads == 1 else None
            if both is not None:
                keys, values = mx.split(both, [width], axis=3)
                self.nbytes += both.nbytes
            else:
                arrays = zip(pair, (keys, values), strict=True)
                self.nbytes += sum(max(a.nbytes, b.nbytes) for a, b in arrays)
            self.keys.append(keys)
            self.values.append(values)
            self.both.append(both)
        mx.eval(self.keys, self.values, [both for both in self.both if both is not None])
        self.length = length  # length in tokens
        self.bytes_per_token = sum(a.nbytes // (length + 1) for a in (*self.keys, *self.values))
        self.number = next(numbers)  # group number, so that shared memory is counted only once
        # Sessions that extend this prefix. Only their number matters.
        self.holders: weakref.WeakSet[object] = weakref.WeakSet()


class SharedPrefixKV:
    """Cache of one layer that extends a shared prefix. Replaces mlx-lm's `KVCache`."""

    def __init__(self, shared_prefix: SharedPrefix, layer: int, base: int) -> None:
        self.shared_prefix = shared_prefix
        self.layer = layer  # index of the layer in the prefix
        self.base = base  # number of tokens this session uses from the prefix
        # The session's own keys and values, `[1, key heads, capacity, head dim]`, if any.
        self.keys: mx.array | None = None
        self.values: mx.array | None = None
        self.offset = base  # total number of tokens
        self.step = GROWTH_TOKENS  # number of tokens by which `keys` and `values` grow

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Any, Any]:
        before = self.offset - self.base
        self.offset += keys.shape[2]
        now = self.offset - self.base
        self.keys = _write_tokens(self.keys, keys, before, now, self.step)
        self.values = _write_tokens(self.values, values, before, now, self.step)
        if keys.shape[2] > 1 and keys.shape[1] == 1:
            # This may be latent attention. With one token per row, the model multiplies queries
            # with the keys directly, which `DeferredScores` supports. For longer chunks, it
            # decompresses the keys, which requires plain arrays. Copying a single head is cheap
            # compared to the work of all query heads.
            return self.concatenate(self.offset, 0)
        return self.keys_and_values()

    def keys_and_values(self) -> tuple[Any, Any]:
        """Return all keys and values as `Split`, or as plain arrays if there are no own tokens."""
        length = self.offset - self.base
        if self.keys is None or self.values is None or not length:
            first, second = self._prefix_arrays
            return first[:, :, : self.base], second[:, :, : self.base]
        shared = SharedPrefixRows([self.prefix_in_use])
        suffix = self.keys[:, :, :length], self.values[:, :, :length]
        return shared.split(self.layer, *suffix)

    def concatenate(self, length: int, room: int) -> tuple[mx.array, mx.array]:
        """Return the keys and values of the first `length` tokens.

        The shape is `[1, key heads, length + room, head dim]`, padded with zeros.
        """
        pieces = []
        for shared, suffix in zip(self._prefix_arrays, (self.keys, self.values), strict=True):
            parts = [shared[:, :, : min(self.base, length)]]
            if suffix is not None and length > self.base:
                parts.append(suffix[:, :, : length - self.base])
            # Copy even if `room` is 0, because a slice would keep the buffer of the shared prefix
            # alive.
            parts.append(mx.zeros((*shared.shape[:2], room, shared.shape[3]), shared.dtype))
            pieces.append(mx.concatenate(parts, axis=2))
        return pieces[0], pieces[1]

    def copy_into(self, fresh: Any, length: int, room: bool) -> Any:
        fresh.keys, fresh.values = self.concatenate(length, fresh.step if room else 0)
        fresh.offset = length
        return fresh

    def fill_with_parts(self, fresh: Any) -> Any:
        """Fill an empty cache of the model's class with `PartedArray`s, for writing to disk."""
        length = self.offset - self.base
        pairs = zip(self._prefix_arrays, (self.keys, self.values), strict=True)
        fresh.keys, fresh.values = [
            PartedArray(
                [first[:, :, : self.base], *([tail[:, :, :length]] if tail is not None else [])]
            )
            for first, tail in pairs
        ]
        fresh.offset = self.offset
        return fresh

    def trim(self, n: int) -> int:
        n = min(self.offset, n)
        self.offset -= n
        if self.offset <= self.base:
            self.base = self.offset
            self.keys = self.values = None
        return n

    def is_trimmable(self) -> bool:
        return True

    def size(self) -> int:
        return self.offset

    def empty(self) -> bool:
        return not self.offset

    def make_mask(self, n: int, **kwargs: Any) -> Any:
        from mlx_lm.models.cache import create_attention_mask

        return create_attention_mask(n, offset=self.offset, **kwargs)

    @property
    def prefix_in_use(self) -> tuple[SharedPrefix, int]:
        """Shared prefix, and number of its tokens that a session uses. The same in all layers."""
        return self.shared_prefix, self.base

    @property
    def _prefix_arrays(self) -> tuple[mx.array, mx.array]:
        return self.shared_prefix.keys[self.layer], self.shared_prefix.values[self.layer]


class SharedPrefixRows:
    def __init__(self, rows: Sequence[tuple[SharedPrefix, int]]) -> None:
        self.rows = rows  # shared prefix of each row, and the number of its tokens in use
        groups: dict[tuple[int, int], list[int]] = {}
        for row, (prefix, base) in enumerate(rows):
            groups.setdefault((id(prefix), base), []).append(row)
        self.groups = list(groups.values())  # row indices, grouped by prefix
        # Permutation that sorts the rows by group, or None if they are already sorted.
        self.order: mx.array | None = None
        self.back: mx.array | None = None  # inverse permutation
        order = [row for members in self.groups for row in members]
        if order != list(range(len(order))):
            self.order = mx.array(order)
            self.back = mx.array(sorted(range(len(order)), key=order.__getitem__))

    def split(self, layer: int, keys: mx.array, values: mx.array) -> tuple[Split, Split]:
        first = [self.rows[members[0]] for members in self.groups]
        splits = [
            [_slice_tokens(arrays(prefix)[layer], base + 1) for prefix, base in first]
            for arrays in (attrgetter("keys"), attrgetter("values"))
        ]
        return Split(self, splits[0], keys, (layer, 0)), Split(self, splits[1], values, (layer, 1))

    def both(self, layer: int) -> list[mx.array] | None:
        first = [self.rows[members[0]] for members in self.groups]
        prefix_arrays = [(prefix.both[layer], base) for prefix, base in first]
        sides = [
            _slice_tokens(array, base + 1) for array, base in prefix_arrays if array is not None
        ]
        return sides if len(sides) == len(prefix_arrays) else None


def _add_position(array: mx.array, length: int) -> mx.array:
    if array.shape[2] > length:
        return array[:, :, : length + 1]
    return mx.pad(array, [(0, 0), (0, 0), (0, 1), (0, 0)])


def _slice_tokens(array: mx.array, length: int) -> mx.array:
    return array if array.shape[2] == length else array[:, :, :length]


class Split:
    """Keys or values of a layer, split into the shared prefix and the sessions' own tokens."""

    def __init__(
        self,
        beginnings: SharedPrefixRows,
        shared: list[mx.array],
        own: mx.array,
        place: tuple[int, int] | None = None,
    ) -> None:
        self.beginnings = beginnings
        # `[1, key heads, base + 1, head dim]` for each group, including the extra position.
        self.shared = shared
        self.own = own  # tokens after the prefix, `[sessions, key heads, tokens, head dim]`
        # Layer index, and 0 for keys or 1 for values. None once the model has transformed the
        # arrays, which then don't match the prefix's arrays.
        self.place = place

    @property
    def dtype(self) -> mx.Dtype:
        return self.own.dtype

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Shape of the equivalent single array. Only valid if all sessions have the same prefix."""
        (shared,) = self.shared
        sessions, heads, tokens, width = self.own.shape
        return sessions, heads, shared.shape[2] - 1 + tokens, width

    def astype(self, dtype: mx.Dtype) -> Split:
        return self._map(lambda array: array.astype(dtype))

    def tile(self, reps: Sequence[int]) -> Split:
        return self._map(lambda array: mx.tile(array, reps))

    def _map(self, change: Callable[[mx.array], mx.array]) -> Split:
        return Split(self.beginnings, list(map(change, self.shared)), change(self.own))

    def swapaxes(self, first: int, second: int) -> SplitFactor:
        if {first % 4, second % 4} != {2, 3}:
            raise NotImplementedError(f"axes {first} and {second} of keys in two arrays")
        return SplitFactor(self)

    def row(self, number: int, length: int) -> Split:
        rows = self.beginnings
        (shared,) = [a for a, g in zip(self.shared, rows.groups, strict=True) if number in g]
        suffix = self.own[number : number + 1, :, :length]
        return Split(SharedPrefixRows([rows.rows[number]]), [shared], suffix, self.place)


class SplitFactor(mx.array):
    """Placeholder for transposed `Split` keys in a matrix product. Its value is NaN.

    See `ragged.Factor` for why this must be an array.
    """

    def __init__(self, keys: Split) -> None:
        super().__init__(float("nan"))
        self._keys = keys

    def __rmatmul__(self, left: mx.array) -> DeferredScores:  # type: ignore[misc]
        return DeferredScores(left, self._keys)


class DeferredScores:
    """Deferred product of queries and `Split` keys, which attention adds to its scores."""

    def __init__(self, left: mx.array, keys: Split) -> None:
        self.left = left  # `[sessions, heads, 1, width]`
        self.keys = keys  # keys of the same sessions


class PartedArray:
    """Array that is stored as several parts `[1, key heads, tokens, head dim]`."""

    def __init__(self, parts: list[mx.array]) -> None:
        self.parts = parts

    @property
    def dtype(self) -> mx.Dtype:
        return self.parts[0].dtype

    @property
    def shape(self) -> tuple[int, ...]:
        rows, heads, _, width = self.parts[0].shape
        return rows, heads, sum(part.shape[2] for part in self.parts), width


def _write_tokens(
    buffer: mx.array | None, added: mx.array, before: int, now: int, step: int
) -> mx.array:
    if buffer is None or now > buffer.shape[2]:
        step = max(step, before // 4)
        growth = (now - before + step - 1) // step * step
        room = mx.zeros((*added.shape[:2], growth, added.shape[3]), added.dtype)
        written = [] if buffer is None else [buffer[:, :, :before]]
        buffer = mx.concatenate([*written, room], axis=2)
    buffer[:, :, before:now] = added
    return buffer

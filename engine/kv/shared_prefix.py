"""One beginning for many chats: keys and values that forks and copies of a chat go on from.

A `SharedPrefix` holds the keys and values of the first tokens, for every layer. It is never
written to again. Each chat that begins with them has one `SharedPrefixKV` a layer: the shared
prefix up to a length of its own, then its own tokens. So a fork stays cheap after it has gone its
own way, and a decode step reads the shared prefix once for all its chats: their queries are rows
of one matrix.

Attention over the two pieces is joined from what each gives: the weighted sum of the values, the
sum of the weights and the largest score. The model does not notice. Where a model does more with
its keys than hand them to attention, the probe finds out (`engine.model.probe`) and forks are
copied.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import mlx.core as mx

from engine.model.cpu.attention import Part, part

if TYPE_CHECKING:
    from engine.kv.session_kv import SessionKV

LEAST = 1024
"""Tokens. Shorter beginnings are copied: chats that own theirs can sit in a `Slots`."""

STEP = 64
"""Tokens by which a branch's own part grows, or a quarter of what it holds. Eight forks that begin
at once have each of their layers' room to fetch: 100 MB at 256 tokens, which took 200 ms."""


class SharedPrefix:
    """The keys and values of a beginning, `[1, heads, length, dim]` a layer.

    Attributes:
        holders: the sessions that go on from it.
    """

    __slots__ = ("__weakref__", "holders", "keys", "length", "values")

    def __init__(self, keys: Sequence[mx.array], values: Sequence[mx.array]) -> None:
        self.keys = keys
        self.values = values
        self.length = int(keys[0].shape[2])
        self.holders: weakref.WeakSet[SessionKV] = weakref.WeakSet()

    @property
    def nbytes(self) -> int:
        return sum(a.nbytes for a in (*self.keys, *self.values))


class SharedPrefixKV:
    """One layer's cache of a chat that goes on from a shared prefix; to a model an ordinary one.

    Attributes:
        shared prefix, layer: whose keys and values come first.
        base: how many of the shared prefix's tokens are this chat's.
        keys, values: of its own tokens, with room to grow; None before the first.
        offset: tokens in all.
    """

    def __init__(self, shared_prefix: SharedPrefix, layer: int, base: int) -> None:
        self.shared_prefix = shared_prefix
        self.layer = layer
        self.base = base
        self.keys: mx.array | None = None
        self.values: mx.array | None = None
        self.offset = base
        self.step = STEP

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Any, Any]:
        before = self.offset - self.base
        self.offset += keys.shape[2]
        now = self.offset - self.base
        self.keys = _written(self.keys, keys, before, now, self.step)
        self.values = _written(self.values, values, before, now, self.step)
        return self.keys_and_values()

    def keys_and_values(self) -> tuple[Any, Any]:
        own = self.offset - self.base
        if self.keys is None or self.values is None or not own:
            shared_prefix = (
                self.shared_prefix.keys[self.layer],
                self.shared_prefix.values[self.layer],
            )
            return shared_prefix[0][:, :, : self.base], shared_prefix[1][:, :, : self.base]
        return (
            Split(self, self.shared_prefix.keys[self.layer], self.keys[:, :, :own]),
            Split(self, self.shared_prefix.values[self.layer], self.values[:, :, :own]),
        )

    def whole(self, length: int, room: int) -> tuple[mx.array, mx.array]:
        """Copies of the first `length` tokens' keys and values in one piece, and room for more."""
        both = self.shared_prefix.keys[self.layer], self.shared_prefix.values[self.layer]
        pieces = []
        for shared_prefix, own in zip(both, (self.keys, self.values), strict=True):
            parts = [shared_prefix[:, :, : min(self.base, length)]]
            if own is not None and length > self.base:
                parts.append(own[:, :, : length - self.base])
            parts.append(
                mx.zeros(
                    (*shared_prefix.shape[:2], room, shared_prefix.shape[3]), shared_prefix.dtype
                )
            )
            pieces.append(mx.concatenate(parts, axis=2))
        return pieces[0], pieces[1]

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


def _written(buffer: mx.array | None, new: mx.array, before: int, now: int, step: int) -> mx.array:
    if buffer is None or now > buffer.shape[2]:
        step = max(step, before // 4)
        more = (now - before + step - 1) // step * step
        room = mx.zeros((*new.shape[:2], more, new.shape[3]), new.dtype)
        held = [] if buffer is None else [buffer[:, :, :before]]
        buffer = mx.concatenate([*held, room], axis=2)
    buffer[:, :, before:now] = new
    return buffer


class Split:
    """A chat's keys or values in two pieces, in place of one tensor."""

    def __init__(self, branch: SharedPrefixKV, shared_prefix: mx.array, own: mx.array) -> None:
        self.group = (id(branch.shared_prefix), branch.base)
        self.base = branch.base
        self._stem = shared_prefix
        self.own = own

    @property
    def dtype(self) -> mx.Dtype:
        return self.own.dtype

    @property
    def shared_prefix(self) -> mx.array:
        return self._stem[:, :, : self.base]


def attend(
    queries: mx.array, keys: Sequence[Split], values: Sequence[Split], scale: float, mask: Any
) -> mx.array:
    """Attention of queries `[rows, heads, n, dim]`, each row to keys and values of its own.

    Raises:
        NotImplementedError: under this kind of mask.
    """
    rows, heads, n, _ = queries.shape
    shared = keys[0].own.shape[1]
    queries = (queries * scale).reshape(rows, shared, heads // shared * n, -1)
    groups: dict[tuple[int, int], list[int]] = {}
    for row, key in enumerate(keys):
        groups.setdefault(key.group, []).append(row)
    order = [row for members in groups.values() for row in members]
    if order != list(range(rows)):
        queries = queries[mx.array(order)]
    shared_prefixes, start = [], 0
    for members in groups.values():
        some = queries if len(members) == rows else queries[start : start + len(members)]
        start += len(members)
        k, v = keys[members[0]], values[members[0]]
        shared_prefixes.append(
            _to_stem(some, k.shared_prefix, v.shared_prefix, n, _before(mask, k.base))
        )
    each = mx.split(queries, rows) if rows > 1 else [queries]
    owns = [
        part(q, keys[row].own, values[row].own, n, _after(mask, keys[row].base))
        for q, row in zip(each, order, strict=True)
    ]
    out = _joined(_stacked(shared_prefixes), _stacked(owns)).reshape(rows, heads, n, -1)
    if order != list(range(rows)):
        out = out[mx.array(sorted(range(rows), key=lambda place: order[place]))]
    return out.astype(queries.dtype)


def _to_stem(queries: mx.array, keys: mx.array, values: mx.array, n: int, mask: Any) -> Part:
    """What a shared prefix gives to all rows that go on from it, read once for them."""
    rows, shared, some, _ = queries.shape
    if rows == 1:
        return part(queries, keys, values, n, mask)
    found = part(_turned(queries, shared), keys, values, n, mask)
    return Part(*(_turned_back(a, rows, shared, some) for a in found))


def _turned(queries: mx.array, shared: int) -> mx.array:
    """`[rows, key heads, some, dim]` as one row of all of them."""
    return queries.swapaxes(0, 1).reshape(1, shared, -1, queries.shape[-1])


def _turned_back(value: mx.array, rows: int, shared: int, some: int) -> mx.array:
    return value.reshape(shared, rows, some, -1).swapaxes(0, 1)


def _joined(a: Part, b: Part) -> mx.array:
    most = mx.maximum(a.most, b.most)
    from_a, from_b = mx.exp(a.most - most), mx.exp(b.most - most)
    return (a.out * from_a + b.out * from_b) / (a.sums * from_a + b.sums * from_b)


def _stacked(parts: list[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    return Part(*(mx.concatenate(list(same)) for same in zip(*parts, strict=True)))


def _before(mask: Any, base: int) -> Any:
    """The part of a mask that concerns a shared_prefix: of the causal one nothing does."""
    if mask is None or isinstance(mask, str):
        return None
    _check(mask)
    return mask[:, :base]


def _after(mask: Any, base: int) -> Any:
    return mask if mask is None or isinstance(mask, str) else mask[:, base:]


def _check(mask: Any) -> None:
    if not isinstance(mask, mx.array) or mask.ndim != 2 or mask.dtype != mx.bool_:
        raise NotImplementedError("only masks of one kind can be cut in two")

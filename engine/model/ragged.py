"""The shared forward: one pass over the weights for many sessions, each with its own KV caches.

The rows of a decode step `[N, 1]` go through the linear layers together. Only attention runs row
by row, each row against its own session's ordinary `mlx_lm` cache, so nothing is padded, merged
or copied and no session can see another's length. Two seams make a model that knows nothing of
this do it:

1.  A cache-shaped object per layer (`RaggedKV`, `RaggedArrays`, `RaggedList`) hands each row to
    its own cache, and `scaled_dot_product_attention`, replaced in `mlx_lm`, sees what that gives
    out and loops over the rows (`engine.model.patches.attention`). Rows that
    sit in slots (`SlotKV`) are attended to in one go.
2.  Where a model does more with the keys than that, the *module* that handles the cache is called
    row by row (`rows`). It reads that module's weights once per row, so it comes second.

Which of them a model can take is found out by trying (`probe`), not by a list of names.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import mlx.core as mx

if TYPE_CHECKING:
    from engine.kv.slots import Slots


class Rows:
    """In place of one tensor for all rows: a tensor, of a length of its own, for each.

    The keys and values that `RaggedKV` gives out, and masks. What models commonly do with keys
    before attention is done to each row: latent attention multiplies with them, for one.
    """

    def __init__(self, rows: list[Any], caches: Sequence[Any]) -> None:
        self.rows = rows
        self.caches = caches

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


class SlotRows(Rows):
    """Keys or values of which the first rows sit in the buffer of a `Slots`, for one step.

    Attention takes the buffer; for whatever else a model does with them there are the rows.
    """

    def __init__(
        self, step: Step, buffer: mx.array, others: list[Any], caches: Sequence[Any]
    ) -> None:
        self.step = step
        self.buffer = buffer
        self.others = others
        self.caches = caches

    @functools.cached_property
    def rows(self) -> list[Any]:  # type: ignore[override]
        seated = [
            self.buffer[seat : seat + 1, :, :length]
            for seat, length in enumerate(self.step.lengths)
        ]
        return [*seated, *self.others]


class Step:
    """How far the seats of a slots are filled once a step's token has been written.

    Attributes:
        seated: how many rows sit; they are the first ones.
        lengths: tokens in each seat.
        most: tokens in the fullest one.
        within: where a row has tokens, `[seated, 1, 1, most]`; None when all have as many.
        beyond: the same to be added to the scores, -inf where a row has none.
    """

    def __init__(self, slots: Slots) -> None:
        self.seated = len(slots.seated)
        self.lengths = tuple(length + 1 for length in slots.lengths)
        self.most = max(self.lengths)
        self.seats = mx.arange(self.seated)
        self.at = mx.array(self.lengths, mx.int32) - 1
        self.within: mx.array | None = None
        self.beyond: mx.array | None = None
        if min(self.lengths) < self.most:
            within = mx.arange(self.most) < mx.array(self.lengths)[:, None]
            self.within = within.reshape(self.seated, 1, 1, self.most)
            self.beyond = mx.where(self.within, 0.0, float("-inf"))


class WithChunk:
    """Keys or values of a step's rows, and of a chunk of a prompt that is read with it."""

    def __init__(self, others: Rows, chunk: Any, cache: Any, count: int) -> None:
        self.others = others
        self.chunk = chunk
        self.cache = cache
        self.count = count

    @property
    def dtype(self) -> mx.Dtype:
        return self.others.dtype


class _Factor(mx.array):
    """Keys for each row on the right of a matrix product with a tensor of all rows.

    Only a subclass of `mx.array` is asked before `mx.array` refuses; its own value is no number,
    lest it be used for anything else.
    """

    def __init__(self, each: Rows) -> None:
        super().__init__(float("nan"))
        self._each = each

    def __rmatmul__(self, left: mx.array) -> Rows:  # type: ignore[misc]
        parts = mx.split(left, len(self._each.rows))
        products = [a @ b for a, b in zip(parts, self._each.rows, strict=True)]
        return Rows(products, self._each.caches)


class Offsets:
    """The positions of the rows as `mx.array`, made once per step and not once per layer."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, ...], mx.array] = {}

    def __call__(self, rows: Sequence[Any], first: int = 0, more: int = 0) -> mx.array:
        """Those of `rows`, and so many `more` from `first` on."""
        positions = *(c.offset for c in rows), *range(first, first + more)
        if positions not in self._made:
            self._made[positions] = mx.array(positions, mx.int32)
        return self._made[positions]


class RaggedKV:
    """One layer's KV caches of N sessions, in the shape of one cache of batch size N."""

    def __init__(self, rows: Sequence[Any], offsets: Offsets) -> None:
        self.rows = rows
        self._offsets = offsets
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
        return Rows([k for k, _ in pairs], self.rows), Rows([v for _, v in pairs], self.rows)

    def keys_and_values(self) -> tuple[Rows, Rows]:
        pairs = [cache.keys_and_values() for cache in self.rows]
        return Rows([k for k, _ in pairs], self.rows), Rows([v for _, v in pairs], self.rows)

    def make_mask(self, n: int, **kwargs: Any) -> Rows | None:
        masks = [cache.make_mask(n, **kwargs) for cache in self.rows]
        return None if all(m is None for m in masks) else Rows(masks, self.rows)

    def __getattr__(self, name: str) -> Any:
        # Settings that all rows share (a window's size, say); what differs must not be guessed.
        values = [getattr(cache, name) for cache in self.rows]
        if isinstance(values[0], (int, float, str, bool)) and all(v == values[0] for v in values):
            return values[0]
        raise AttributeError(f"rows differ in {name!r}, or it is no plain setting")


class SlotKV(RaggedKV):
    """One layer's KV caches of which the first rows sit in a slots."""

    def __init__(
        self, rows: Sequence[Any], offsets: Offsets, slots: Slots, step: Step, layer: int
    ) -> None:
        super().__init__(rows, offsets)
        self._pool = slots
        self._step = step
        self._layer = layer
        self._standing = RaggedKV(rows[step.seated :], offsets)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Rows, Rows]:
        step, seated = self._step, self._step.seated
        if any(c.offset + 1 != n for c, n in zip(self.rows, step.lengths, strict=False)):
            raise NotImplementedError("a layer's cache is written twice in a step")
        for cache in self.rows[:seated]:
            cache.offset += 1
        if seated == len(self.rows):
            self._pool.write(self._layer, step.seats, step.at, keys, values)
        else:
            here = keys[:seated], values[:seated]
            self._pool.write(self._layer, step.seats, step.at, *here)
            self._standing.update_and_fetch(keys[seated:], values[seated:])
        return self.keys_and_values()

    def keys_and_values(self) -> tuple[Rows, Rows]:
        k = v = Rows([], [])
        if self._standing.rows:
            k, v = self._standing.keys_and_values()
        keys, values = self._pool.keys[self._layer], self._pool.values[self._layer]
        return (
            SlotRows(self._step, keys, k.rows, self.rows),
            SlotRows(self._step, values, v.rows, self.rows),
        )


class ReadingKV:
    """One layer's KV caches of a step, and of a chat whose prompt's next `count` tokens ride along.

    To the model the chunk's tokens are rows of one token each, at positions that follow each
    other. For attention they are put together again.
    """

    def __init__(self, inner: RaggedKV, cache: Any, count: int, offsets: Offsets) -> None:
        self._inner = inner
        self._cache = cache
        self._count = count
        self._offsets = offsets

    @property
    def offset(self) -> mx.array:
        return self._offsets(self._inner.rows, self._cache.offset, self._count)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Any, Any]:
        n = keys.shape[0] - self._count
        own = self._inner.update_and_fetch(keys[:n], values[:n])
        read = self._cache.update_and_fetch(keys[n:].swapaxes(0, 2), values[n:].swapaxes(0, 2))
        both = zip(own, read, strict=True)
        k, v = (WithChunk(o, r, self._cache, self._count) for o, r in both)
        return k, v

    def make_mask(self, n: int, **kwargs: Any) -> None:
        if n != 1 or self._inner.make_mask(n, **kwargs) is not None or any(kwargs.values()):
            raise NotImplementedError("a chunk that is read with a step, under a mask")


class RaggedArrays:
    """One layer's recurrent states of N sessions: stacked when read, handed back row by row."""

    left_padding = None
    lengths = None

    def __init__(self, rows: Sequence[Any]) -> None:
        self.rows = rows

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        # Some models write a state only into what is an instance of mlx-lm's class.
        return type(self.rows[0])

    def __getitem__(self, index: int) -> mx.array | None:
        states = [cache[index] for cache in self.rows]
        return None if any(s is None for s in states) else mx.concatenate(states)

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
        return None  # nothing is padded

    def empty(self) -> bool:
        return any(cache.empty() for cache in self.rows)


class RaggedList:
    """A layer with several caches of its own, each of them ragged."""

    def __init__(self, rows: Sequence[Any], offsets: Offsets) -> None:
        self.rows = rows
        self.caches = [
            share(group, offsets) for group in zip(*(c.caches for c in rows), strict=True)
        ]

    def __getitem__(self, index: int) -> Any:
        return self.caches[index]


def share(rows: Sequence[Any], offsets: Offsets) -> Any:
    """The cache-shaped object for the same layer's caches of several sessions."""
    first = rows[0]
    if hasattr(first, "caches"):
        return RaggedList(rows, offsets)
    if hasattr(first, "cache") and not hasattr(first, "update_and_fetch"):
        return RaggedArrays(rows)
    return RaggedKV(rows, offsets)


def share_caches(
    caches: Sequence[Sequence[Any]],
    slots: Slots | None = None,
    reading: tuple[Sequence[Any], int] | None = None,
) -> list[Any]:
    """Turn N sessions' lists of layer caches into one list of ragged layer caches.

    The first of them may sit in a `slots`, in the order of its seats. `reading`: the caches of
    another session, and how many tokens of its prompt come after the N rows.
    """
    offsets = Offsets()
    each = list(zip(*caches, strict=True))
    if slots is not None and slots.seated:
        step = Step(slots)
        shared: list[Any] = [
            SlotKV(rows, offsets, slots, step, layer) for layer, rows in enumerate(each)
        ]
    else:
        shared = [None if rows[0] is None else share(rows, offsets) for rows in each]
    if reading is None:
        return shared
    read, count = reading
    if any(not isinstance(inner, RaggedKV) for inner in shared):
        raise NotImplementedError("a chunk that is read with a step, into other caches than keys")
    return [
        ReadingKV(inner, cache, count, offsets) for inner, cache in zip(shared, read, strict=True)
    ]

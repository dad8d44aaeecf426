"""The shared forward: one pass over the weights for many sessions, each with its own KV caches.

The rows of a decode step `[N, 1]` go through the linear layers together. Only attention runs row
by row, each row against its own session's ordinary `mlx_lm` cache, so nothing is padded, merged
or copied and no session can see another's length. Two seams make a model that knows nothing of
this do it:

1.  A cache-shaped object per layer (`RaggedKV`, `RaggedArrays`, `RaggedList`) hands each row to
    its own cache, and `scaled_dot_product_attention`, replaced in `mlx_lm` by `install`, sees it
    and loops over the rows.
2.  Where attention handles the keys itself (DeepSeek's latent attention and its relatives), the
    attention *module* is called row by row (`share_rows`). It reads that module's weights once
    per row, so it comes second.

Which of them a model can take is found out by trying (`engine.probe`), not by a list of names.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx

_original_attention: Callable[..., mx.array] | None = None


def install() -> None:
    """Import mlx-lm and put the attention seam in place. Does nothing the second time."""
    global _original_attention
    if _original_attention is not None:
        return
    base: Any = importlib.import_module("mlx_lm.models.base")
    _original_attention = base.scaled_dot_product_attention
    base.scaled_dot_product_attention = _attention
    # Model modules import the function by name; those that are there already need it too.
    for name, module in list(sys.modules.items()):
        if (
            name.startswith("mlx_lm.models.")
            and getattr(module, "scaled_dot_product_attention", None) is _original_attention
        ):
            module.scaled_dot_product_attention = _attention  # type: ignore[attr-defined]


def _attention(
    queries: Any,
    keys: Any,
    values: Any,
    cache: Any,
    scale: float,
    mask: Any = None,
    sinks: Any = None,
) -> mx.array:
    """`mlx_lm`'s `scaled_dot_product_attention`, row by row when the keys are a `_Rows`."""
    assert _original_attention is not None
    if not isinstance(keys, _Rows):
        return _original_attention(queries, keys, values, cache, scale, mask, sinks)
    n = len(keys.rows)
    if _plain(queries, keys, mask, sinks):
        return _one_query_each(queries * scale, keys.rows, values.rows)
    masks = mask.rows if isinstance(mask, _RowMasks) else [mask] * n
    return mx.concatenate(
        [
            _original_attention(q, k, v, c, scale, m, sinks)
            for q, k, v, c, m in zip(
                mx.split(queries, n), keys.rows, values.rows, keys.caches, masks, strict=True
            )
        ]
    )


def _plain(queries: mx.array, keys: _Rows, mask: Any, sinks: Any) -> bool:
    """Whether the leaner attention applies: float32 on a CPU, nothing but queries and keys."""
    return (
        mask is None
        and sinks is None
        and queries.shape[2] == 1
        and isinstance(keys.rows[0], mx.array)
        and queries.dtype == mx.float32
        and mx.default_device() == _CPU
    )


_CPU = mx.Device(mx.DeviceType.cpu, 0)


def _one_query_each(queries: mx.array, keys: list[mx.array], values: list[mx.array]) -> mx.array:
    """Attention of one query a row, `[N, heads, 1, dim]`, in three operations a row.

    On a CPU every operation costs 15 microseconds to dispatch, and MLX's own attention falls back
    to twice as many there. The query heads that share a key head are taken as its rows, so a key
    is read once for all of them: a step of 8 chats is 5 % faster, with a long one among them 10 %.
    """
    n, heads, _, dim = queries.shape
    shared = keys[0].shape[1]
    rows = mx.split(queries.reshape(n, shared, heads // shared, dim), n)
    outs = [
        mx.softmax(q @ k.swapaxes(-1, -2), axis=-1) @ v
        for q, k, v in zip(rows, keys, values, strict=True)
    ]
    return mx.concatenate(outs).reshape(n, heads, 1, -1)


class _Rows:
    """What `RaggedKV.update_and_fetch` gives in place of one tensor: a tensor for each row."""

    def __init__(self, rows: list[Any], caches: Sequence[Any]) -> None:
        self.rows = rows
        self.caches = caches


class _RowMasks:
    """An attention mask for each row (a ring buffer that is wider than its window needs one)."""

    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows


class Offsets:
    """The positions of the rows as `mx.array`, made once per step and not once per layer."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, ...], mx.array] = {}

    def __call__(self, rows: Sequence[Any]) -> mx.array:
        positions = tuple(c.offset for c in rows)
        if positions not in self._made:
            self._made[positions] = mx.array(positions, mx.int32)
        return self._made[positions]


class RaggedKV:
    """One layer's KV caches of N sessions, in the shape of one cache of batch size N."""

    def __init__(self, rows: Sequence[Any], offsets: Offsets) -> None:
        self.rows = rows
        self._offsets = offsets
        if hasattr(rows[0], "bits"):
            # Models ask for these to see whether the keys are quantized.
            self.bits, self.group_size = rows[0].bits, rows[0].group_size

    @property
    def offset(self) -> mx.array:
        return self._offsets(self.rows)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[_Rows, _Rows]:
        n = len(self.rows)
        pairs = [
            cache.update_and_fetch(k, v)
            for cache, k, v in zip(self.rows, mx.split(keys, n), mx.split(values, n), strict=True)
        ]
        return _Rows([k for k, _ in pairs], self.rows), _Rows([v for _, v in pairs], self.rows)

    def make_mask(self, n: int, **kwargs: Any) -> _RowMasks | None:
        masks = [cache.make_mask(n, **kwargs) for cache in self.rows]
        return None if all(m is None for m in masks) else _RowMasks(masks)

    def __getattr__(self, name: str) -> Any:
        # Settings that all rows share (a window's size, say); what differs must not be guessed.
        values = [getattr(cache, name) for cache in self.rows]
        if isinstance(values[0], (int, float, str, bool)) and all(v == values[0] for v in values):
            return values[0]
        raise AttributeError(f"rows differ in {name!r}, or it is no plain setting")


class RaggedArrays:
    """One layer's recurrent states of N sessions: stacked when read, handed back row by row."""

    left_padding = None
    lengths = None

    def __init__(self, rows: Sequence[Any]) -> None:
        self.rows = rows

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


def share_caches(caches: Sequence[Sequence[Any]]) -> list[Any]:
    """Turn N sessions' lists of layer caches into one list of ragged layer caches."""
    offsets = Offsets()
    return [None if rows[0] is None else share(rows, offsets) for rows in zip(*caches, strict=True)]


def share_rows(model: Any) -> None:
    """Make the attention modules of `model` run row by row when given a ragged cache (seam 2).

    The instance's class is replaced by a subclass, so parameters and names stay as they are.
    """
    for name, module in model.named_modules():
        leaf = name.rsplit(".", 1)[-1].lower()
        if ("attn" in leaf or "attention" in leaf) and not isinstance(module, _RowByRow):
            inner = type(module)
            if "__call__" in inner.__dict__ or callable(module):
                module.__class__ = type(f"RowByRow{inner.__name__}", (_RowByRow, inner), {})


class _RowByRow:
    """Mixed in before an attention module's class."""

    def __call__(self, x: mx.array, *args: Any, **kwargs: Any) -> Any:
        inner = super().__call__  # type: ignore[misc]
        ragged = [a for a in (*args, *kwargs.values()) if isinstance(a, (RaggedKV, RaggedList))]
        if not ragged:
            return inner(x, *args, **kwargs)
        n = x.shape[0]
        outs = []
        for row in range(n):
            outs.append(
                inner(
                    x[row : row + 1],
                    *(_row_of(a, row, n) for a in args),
                    **{k: _row_of(v, row, n) for k, v in kwargs.items()},
                )
            )
        if isinstance(outs[0], tuple):
            return tuple(mx.concatenate(list(parts)) for parts in zip(*outs, strict=True))
        return mx.concatenate(outs)


class _OneRow:
    """One session's caches of a layer that has several."""

    def __init__(self, caches: list[Any]) -> None:
        self.caches = caches

    def __getitem__(self, index: int) -> Any:
        return self.caches[index]


def _row_of(value: Any, row: int, n: int) -> Any:
    """`value` as the row alone would have it."""
    if isinstance(value, (RaggedKV, RaggedArrays, _RowMasks)):
        return value.rows[row]
    if isinstance(value, RaggedList):
        return _OneRow([_row_of(c, row, n) for c in value.caches])
    if isinstance(value, mx.array) and value.ndim > 1 and value.shape[0] == n:
        return value[row : row + 1]
    return value

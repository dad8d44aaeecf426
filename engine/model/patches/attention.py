"""Attention of many sessions' rows, each over its own keys: the seam in mlx-lm."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx

from engine.kv import shared_prefix
from engine.model import cpu
from engine.model.cpu import attention
from engine.model.patches import replace
from engine.model.ragged import Rows, SlotRows, WithChunk

_original_attention: Callable[..., mx.array] | None = None


def install() -> None:
    """Import mlx-lm and put the attention seam in place. Does nothing the second time."""
    global _original_attention
    if _original_attention is not None:
        return
    base = importlib.import_module("mlx_lm.models.base")
    _original_attention = base.scaled_dot_product_attention
    replace.replace(base, "scaled_dot_product_attention", _attention)


def _attention(
    queries: Any,
    keys: Any,
    values: Any,
    cache: Any,
    scale: float,
    mask: Any = None,
    sinks: Any = None,
) -> mx.array:
    """`mlx_lm`'s `scaled_dot_product_attention`, row by row when the keys are a `Rows`."""
    assert _original_attention is not None
    if isinstance(keys, shared_prefix.Split):
        return _branched_attention(queries, [keys], [values], scale, mask, sinks)
    if isinstance(keys, WithChunk):
        n = queries.shape[0] - keys.count
        chunk = queries[n:].swapaxes(0, 2)
        read = _attention(chunk, keys.chunk, values.chunk, keys.cache, scale, "causal", sinks)
        said = _attention(queries[:n], keys.others, values.others, None, scale, mask, sinks)
        return mx.concatenate([said, read.swapaxes(0, 2)])
    if not isinstance(keys, Rows):
        if sinks is None and isinstance(keys, mx.array) and cpu.is_engaged(queries):
            out = attention.attend(queries, keys, values, scale, mask)
            if out is not None:
                return out
        return _original_attention(queries, keys, values, cache, scale, mask, sinks)
    if isinstance(keys, SlotRows) and mask is None and queries.shape[2] == 1:
        return _seated_attention(queries, keys, values, scale, sinks)
    n = len(keys.rows)
    masks = mask.rows if isinstance(mask, Rows) else [mask] * n
    split = [row for row, key in enumerate(keys.rows) if isinstance(key, shared_prefix.Split)]
    if len(split) > 1 and all(masks[row] is None for row in split):
        rest = [row for row in range(n) if row not in split]
        some = queries[mx.array(split)] if rest else queries
        k, v = [keys.rows[row] for row in split], [values.rows[row] for row in split]
        out = _branched_attention(some, k, v, scale, None, sinks)
        if not rest:
            return out
        alone = [_of_row(row, queries, keys, values, scale, masks, sinks) for row in rest]
        order = [*split, *rest]
        back = mx.array(sorted(range(n), key=lambda place: order[place]))
        return mx.concatenate([out, *alone])[back]
    return mx.concatenate(
        [_of_row(row, queries, keys, values, scale, masks, sinks) for row in range(n)]
    )


def _of_row(
    row: int,
    queries: mx.array,
    keys: Rows,
    values: Rows,
    scale: float,
    masks: Sequence[Any],
    sinks: Any,
) -> mx.array:
    cache = keys.caches[row]
    query = queries[row : row + 1]
    return _attention(query, keys.rows[row], values.rows[row], cache, scale, masks[row], sinks)


def _branched_attention(
    queries: mx.array,
    keys: list[shared_prefix.Split],
    values: list[shared_prefix.Split],
    scale: float,
    mask: Any,
    sinks: Any,
) -> mx.array:
    if sinks is not None:
        raise NotImplementedError("attention sinks, and keys in two pieces")
    return shared_prefix.attend(queries, keys, values, scale, mask)


def _seated_attention(
    queries: mx.array, keys: SlotRows, values: SlotRows, scale: float, sinks: Any
) -> mx.array:
    """Attention of one query a row: those that sit in one go, the others as without seats."""
    assert _original_attention is not None
    step = keys.step
    n, seated = queries.shape[0], step.seated
    q = queries if seated == n else queries[:seated]
    k = keys.buffer[:seated, :, : step.most]
    v = values.buffer[:seated, :, : step.most]
    if sinks is None and cpu.is_engaged(queries):
        out = attention.one_query(q * scale, k, v, step.beyond)
    else:
        out = _original_attention(q, k, v, keys.caches[0], scale, step.within, sinks)
    if seated == n:
        return out
    standing = keys.caches[seated:]
    others = Rows(keys.others, standing), Rows(values.others, standing)
    return mx.concatenate(
        [out, _attention(queries[seated:], *others, standing[0], scale, None, sinks)]
    )

"""Attention of sessions that go on from shared prefixes, each prefix read once.

The queries of all sessions with the same prefix are rows of one matrix. Attention over the two
arrays of a `Split` is joined from what each of them gives: the weighted sum of the values, the sum
of the weights, and the largest score. The model does not notice. Where a model does more with its
keys than hand them to attention, the probe finds out (`engine.model.probe`), and forks are copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx

from engine.kv.shared_prefix import Split
from engine.model.cpu.attention import Part, part


def attend(
    queries: mx.array, keys: Sequence[Split], values: Sequence[Split], scale: float, mask: Any
) -> mx.array:
    """Attention of `queries` to keys and values of which each row has its own.

    Args:
        queries: `[rows, heads, n, head dim]`.
        keys, values: one for each row.
        mask: None, "causal", or boolean `[n, tokens]`.

    Returns:
        `[rows, heads, n, head dim]`, of the queries' type.

    Raises:
        NotImplementedError: for another kind of mask.
    """
    rows, heads, n, _ = queries.shape
    key_heads = keys[0].own.shape[1]
    queries = (queries * scale).reshape(rows, key_heads, heads // key_heads * n, -1)
    groups: dict[tuple[int, int], list[int]] = {}
    for row, key in enumerate(keys):
        groups.setdefault(key.group, []).append(row)
    order = [row for members in groups.values() for row in members]
    if order != list(range(rows)):
        queries = queries[mx.array(order)]
    prefixes, start = [], 0
    for members in groups.values():
        some = queries if len(members) == rows else queries[start : start + len(members)]
        start += len(members)
        k, v = keys[members[0]], values[members[0]]
        prefixes.append(_to_shared(some, k.shared, v.shared, n, _before(mask, k.base)))
    each = mx.split(queries, rows) if rows > 1 else [queries]
    owns = [
        part(q, keys[row].own, values[row].own, n, _after(mask, keys[row].base))
        for q, row in zip(each, order, strict=True)
    ]
    out = _joined(_stacked(prefixes), _stacked(owns)).reshape(rows, heads, n, -1)
    if order != list(range(rows)):
        out = out[mx.array(sorted(range(rows), key=lambda place: order[place]))]
    return out.astype(queries.dtype)


def _to_shared(queries: mx.array, keys: mx.array, values: mx.array, n: int, mask: Any) -> Part:
    """What one shared prefix gives to all rows that go on from it."""
    rows, key_heads, some, _ = queries.shape
    if rows == 1:
        return part(queries, keys, values, n, mask)
    found = part(_as_one_row(queries, key_heads), keys, values, n, mask)
    return Part(*(_as_rows(a, rows, key_heads, some) for a in found))


def _as_one_row(queries: mx.array, key_heads: int) -> mx.array:
    """`[rows, key heads, some, dim]` as `[1, key heads, rows * some, dim]`."""
    return queries.swapaxes(0, 1).reshape(1, key_heads, -1, queries.shape[-1])


def _as_rows(value: mx.array, rows: int, key_heads: int, some: int) -> mx.array:
    """The inverse of `_as_one_row`."""
    return value.reshape(key_heads, rows, some, -1).swapaxes(0, 1)


def _joined(a: Part, b: Part) -> mx.array:
    most = mx.maximum(a.most, b.most)
    from_a, from_b = mx.exp(a.most - most), mx.exp(b.most - most)
    return (a.out * from_a + b.out * from_b) / (a.sums * from_a + b.sums * from_b)


def _stacked(parts: list[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    return Part(*(mx.concatenate(list(same)) for same in zip(*parts, strict=True)))


def _before(mask: Any, base: int) -> Any:
    """The mask's part for the shared prefix. The causal mask hides nothing of it."""
    if mask is None or isinstance(mask, str):
        return None
    if not isinstance(mask, mx.array) or mask.ndim != 2 or mask.dtype != mx.bool_:
        raise NotImplementedError("only boolean masks [n, tokens] can be cut in two")
    return mask[:, :base]


def _after(mask: Any, base: int) -> Any:
    """The mask's part for a session's own tokens."""
    return mask if mask is None or isinstance(mask, str) else mask[:, base:]

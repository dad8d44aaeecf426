"""The attention of a step's rows by a GPU's kernels, over the buffers that their keys lie in."""

from __future__ import annotations

import functools
from typing import Any

import mlx.core as mx

from engine.model.kernel.attention import Source
from engine.model.kernel.program import Geometry
from engine.model.ragged_rows import Rows
from engine.model.slot_rows import SlotRows


def attend(
    queries: mx.array, keys: Rows, values: Rows, scale: float, sinks: Any
) -> mx.array | None:
    """Attention of one query a row `[rows, heads, 1, head dim]`; None where it is not for a kernel.

    It is not where nobody has approved one, where the model has changed its keys on the way, where
    a row's cache is of another kind, and where rows keep their keys in different types.
    """
    if keys.kernels is None or values.kernels is None:
        return None
    sources = _sources(keys, values)
    if sources is None:
        return None
    geometry = _geometry(queries, sources, keys, sinks)
    if geometry is None:
        return None
    rows = [row for source in sources for row in source.rows]
    # In few bits the plain way is several launches, and a mask is one more.
    alike = len(sources) == 1 and len({row[1:] for row in rows}) == 1 and not geometry.bits
    kernel = keys.kernels.taking(geometry, alike)
    return None if kernel is None else kernel(geometry, queries, sources, scale, sinks)


def _sources(keys: Rows, values: Rows) -> list[Source] | None:
    """The buffers whole, and which part of them each row has."""
    found: list[Source] = []
    own, caches = keys.rows if type(keys) is Rows else [], keys.caches
    if isinstance(keys, SlotRows) and isinstance(values, SlotRows):
        for (filled, _), k, v in zip(keys.parts, keys.buffers, values.buffers, strict=True):
            rows = tuple((slot, 0, length) for slot, length in enumerate(filled.lengths))
            both = (k, v) if isinstance(k, mx.array) else (*k, *v)
            found.append(Source(both, rows))
        own, caches = keys.others, keys.caches[sum(filled.occupied for filled, _ in keys.parts) :]
    for held, cache in zip(own, caches, strict=True):
        if type(cache) not in _kinds():
            return None
        # What such a cache gives out in a step of one token is the beginning of its buffer.
        packed = isinstance(held, (tuple, list))
        arrays = (*cache.keys, *cache.values) if packed else (cache.keys, cache.values)
        found.append(Source(arrays, ((0, 0, (held[0] if packed else held).shape[2]),)))
    return found


@functools.cache
def _kinds() -> tuple[type[Any], ...]:
    # Not at the top of the file: see `importing.file_limit_kept`.
    from mlx_lm.models.cache import KVCache, QuantizedKVCache, RotatingKVCache

    return KVCache, QuantizedKVCache, RotatingKVCache


def _geometry(queries: mx.array, sources: list[Source], keys: Rows, sinks: Any) -> Geometry | None:
    """What the layer asks for; None where that differs by row."""
    first = sources[0].arrays
    kinds = {tuple((a.dtype, a.shape[-1]) for a in source.arrays) for source in sources}
    caches = [c for c in keys.caches if hasattr(c, "bits")]
    forms = {(c.bits, c.group_size) for c in caches}
    numbers = first if len(first) == 2 else (*first[1:3], *first[4:])
    types = {queries.dtype, *(a.dtype for a in numbers)}
    if sinks is not None:
        types.add(sinks.dtype)
    if len(kinds) != 1 or len(types) != 1 or len(forms) > 1:
        return None
    bits, group = next(iter(forms)) if len(first) == 6 else (0, 0)
    each = 32 // bits if bits else 1
    # The heads of a slot are rows of a buffer; a cache of its own has an axis of them.
    heads = _key_heads(sources[0], keys)
    return Geometry(
        heads=queries.shape[1],
        key_heads=heads,
        key_width=first[0].shape[-1] * each,
        value_width=first[len(first) // 2].shape[-1] * each,
        dtype=str(queries.dtype).rsplit(".", 1)[-1],
        bits=bits,
        group=group,
        sinks=sinks is not None,
    )


def _key_heads(source: Source, keys: Rows) -> int:
    array = source.arrays[0]
    if array.ndim == 4:
        return int(array.shape[1])
    assert isinstance(keys, SlotRows)
    held = keys.parts[0][1]
    return int((held if isinstance(held, mx.array) else held[0]).shape[1])

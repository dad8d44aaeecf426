"""Replaces mlx-lm's attention with one that understands rows of different lengths.

With plain arrays it does what mlx-lm's does. With `Rows`, `WithChunks` and `Split` each row attends
to its own keys. Arguments that this version does not know are handed to mlx-lm's function.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import mlx.core as mx

from engine.kv.shared_prefix import Split
from engine.model import cpu, prefix_attention, ragged_kernel
from engine.model.cpu import attention as cpu_attention
from engine.model.patches.replace import expect
from engine.model.patches.replace import replace as put
from engine.model.ragged_rows import Rows, WithChunks
from engine.model.slot_rows import SlotRows, SlotScores

_original: Callable[..., mx.array] | None = None


def install() -> None:
    """Put `attention` in the place of mlx-lm's. Does nothing the second time."""
    global _original
    if _original is not None:
        return
    base = importlib.import_module("mlx_lm.models.base")
    original = base.scaled_dot_product_attention
    expect(original, "queries", "keys", "values", "cache", "scale", "mask", "sinks")
    _original = original
    put(base, "scaled_dot_product_attention", attention)


@dataclass(frozen=True)
class _Call:
    """The arguments of one call that are the same for all rows, and the mask."""

    scale: float
    mask: Any
    sinks: Any
    more: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict)

    @property
    def is_usual(self) -> bool:
        """Whether there is nothing but a scale and a mask."""
        return self.sinks is None and not self.more and not self.named

    def original(self, queries: Any, keys: Any, values: Any, cache: Any) -> mx.array:
        assert _original is not None
        rest = (self.scale, self.mask, self.sinks, *self.more)
        return _original(queries, keys, values, cache, *rest, **self.named)


def attention(
    queries: Any,
    keys: Any,
    values: Any,
    cache: Any,
    scale: float,
    mask: Any = None,
    sinks: Any = None,
    *more: Any,
    **named: Any,
) -> mx.array:
    """mlx-lm's `scaled_dot_product_attention`, for what the ragged caches give out as well.

    Args:
        queries: `[rows, heads, n, head dim]`.
        keys, values: `[rows, key heads, tokens, head dim]`, or one of the classes above.
        mask: None, "causal", an array, or `Rows` of these.
    """
    return _attend(queries, keys, values, cache, _Call(scale, mask, sinks, more, named))


def _attend(queries: Any, keys: Any, values: Any, cache: Any, call: _Call) -> mx.array:
    if isinstance(keys, Split):
        return _split(queries, [keys], [values], call)
    if isinstance(keys, WithChunks):
        return _mixed(queries, keys, values, call)
    if isinstance(keys, Rows) and call.mask is None and queries.shape[2] == 1:
        found = _by_kernel(queries, keys, values, call)
        if found is not None:
            return found
        if isinstance(keys, SlotRows):
            return _in_slots(queries, keys, values, call)
    if isinstance(keys, SlotRows) and isinstance(call.mask, SlotScores) and queries.shape[2] == 1:
        return _in_slots(queries, keys, values, call)
    if isinstance(keys, Rows):
        return _each_row(queries, keys, values, call)
    if call.is_usual and isinstance(keys, mx.array) and cpu.is_engaged(queries):
        out = cpu_attention.attend(queries, keys, values, call.scale, call.mask)
        if out is not None:
            return out
    return call.original(queries, keys, values, cache)


def _by_kernel(queries: Any, keys: Rows, values: Any, call: _Call) -> mx.array | None:
    """All rows in one launch, where a GPU's kernel has been found right; else None."""
    if keys.kernels is None or call.more or call.named or not isinstance(values, Rows):
        return None
    return ragged_kernel.attend(queries, keys, values, call.scale, call.sinks)


def _split(queries: mx.array, keys: list[Split], values: list[Split], call: _Call) -> mx.array:
    if not call.is_usual:
        raise NotImplementedError("attention to a shared prefix with sinks or unknown arguments")
    return prefix_attention.attend(queries, keys, values, call.scale, call.mask)


def _mixed(queries: mx.array, keys: WithChunks, values: WithChunks, call: _Call) -> mx.array:
    """Prompts are read: the rows of each chunk become one row of so many queries."""
    first, out = queries.shape[0] - sum(keys.counts), []
    if keys.decoding is not None:
        out.append(_attend(queries[:first], keys.decoding, values.decoding, None, call))
    causal = replace(call, mask="causal")
    parts = zip(keys.chunks, values.chunks, keys.caches, keys.counts, strict=True)
    for k, v, cache, count in parts:
        chunk = queries[first : first + count].swapaxes(0, 2)
        out.append(_attend(chunk, k, v, cache, causal).swapaxes(0, 2))
        first += count
    return out[0] if len(out) == 1 else mx.concatenate(out)


def _each_row(queries: mx.array, keys: Rows, values: Rows, call: _Call) -> mx.array:
    """Row by row, but those with shared prefixes together."""
    n = len(keys.rows)
    masks = call.mask.rows if isinstance(call.mask, Rows) else [call.mask] * n

    def one(row: int) -> mx.array:
        query, cache = queries[row : row + 1], keys.caches[row]
        return _attend(
            query, keys.rows[row], values.rows[row], cache, replace(call, mask=masks[row])
        )

    split = [row for row, key in enumerate(keys.rows) if isinstance(key, Split)]
    if len(split) < 2 or any(masks[row] is not None for row in split):
        return mx.concatenate([one(row) for row in range(n)])
    rest = [row for row in range(n) if row not in split]
    some = queries[mx.array(split)] if rest else queries
    k, v = [keys.rows[row] for row in split], [values.rows[row] for row in split]
    out = _split(some, k, v, replace(call, mask=None))
    if not rest:
        return out
    order = [*split, *rest]
    back = mx.array(sorted(range(n), key=lambda place: order[place]))
    return mx.concatenate([out, *(one(row) for row in rest)])[back]


def _in_slots(queries: mx.array, keys: SlotRows, values: SlotRows, call: _Call) -> mx.array:
    """One query a row: those in slots in one operation a buffer, the others row by row."""
    out, first = [], 0
    scores = call.mask if isinstance(call.mask, SlotScores) else None
    engaged = call.is_usual and cpu.is_engaged(queries)
    added = [None] * len(keys.parts) if scores is None else scores.masked()
    for (filled, k), (_, v), more in zip(keys.parts, values.parts, added, strict=True):
        end = first + filled.occupied
        q = queries if filled.occupied == queries.shape[0] else queries[first:end]
        if isinstance(k, tuple) or isinstance(v, tuple) or not engaged:
            masked = replace(call, mask=filled.mask if more is None else more)
            out.append(masked.original(q, k, v, keys.caches[first]))
        else:
            bias = filled.bias if more is None else more.reshape(*k.shape[:2], -1, k.shape[2])
            out.append(cpu_attention.one_query(q * call.scale, k, v, bias))
        first = end
    if keys.others:
        others = keys.caches[first:]
        rest = Rows(keys.others, others), Rows(values.others, others)
        masks = None if scores is None else Rows(scores.others, others)
        out.append(_each_row(queries[first:], *rest, replace(call, mask=masks)))
    return out[0] if len(out) == 1 else mx.concatenate(out)

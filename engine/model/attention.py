"""Replacement for mlx-lm's attention that supports rows of different lengths.

Calls with plain arrays are passed on to mlx-lm's function. With `Rows`, `WithChunks` or `Split`,
each row attends to its own keys.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
from msgspec import Struct
from msgspec.structs import replace

from engine.cache.shared_prefix import DeferredScores, SharedPrefixRows, Split
from engine.model import patches, sliced_tower
from engine.model.attention_parts import (
    PartialAttention,
    attend,
    attend_one_query,
    attend_with_score,
    combined_score,
    merge,
    merge_by_score,
    partial_attention,
)
from engine.model.patches import dense
from engine.model.ragged import Rows, SlotLengths, SlotRows, SlotScores, WithChunks

_original: Callable[..., mx.array]
_dequantizes = False
"""True if quantized keys are dequantized before attention. On CUDA, MLX only has quantized products
for a few shapes, and compiling the first product takes half a minute (E160).
"""


def install() -> None:
    global _original, _dequantizes
    base = importlib.import_module("mlx_lm.models.base")
    _original, _dequantizes = base.scaled_dot_product_attention, bool(mx.cuda.is_available())
    patches.replace(base, "scaled_dot_product_attention", attention)
    # Some models call these functions directly with keys and values.
    for home, name, replacement in (
        (mx.fast, "scaled_dot_product_attention", _dispatch_sdpa),
        (mx, "tile", _dispatch_tile),
    ):
        patches.replace(home, name, functools.partial(replacement, getattr(home, name)))


def _dispatch_sdpa(mlx: Callable[..., mx.array], q: Any, k: Any, v: Any, **kwargs: Any) -> mx.array:
    if not isinstance(k, mx.array):
        return attention(q, k, v, None, **kwargs)
    if sliced_tower.recorder.now is None:
        return mlx(q, k, v, **kwargs)
    return sliced_tower.attend(mlx, q, k, v, **kwargs)


def _dispatch_tile(mlx: Callable[..., mx.array], array: Any, reps: Any, **kwargs: Any) -> Any:
    if isinstance(array, (Rows, WithChunks, Split)):
        return array.tile(reps)
    return mlx(array, reps, **kwargs)


class _Call(Struct, frozen=True):
    """Arguments of an attention call besides queries, keys and values."""

    scale: float
    mask: Any
    sinks: Any

    def call_original(self, queries: Any, keys: Any, values: Any, cache: Any) -> mx.array:
        if _dequantizes and isinstance(keys, (tuple, list)):
            keys, values = (
                mx.dequantize(w, scales, biases, cache.group_size, cache.bits)
                for w, scales, biases in (keys, values)
            )
            cache = None
        return _original(queries, keys, values, cache, self.scale, self.mask, self.sinks)


def attention(
    queries: Any,
    keys: Any,
    values: Any,
    cache: Any,
    scale: float,
    mask: Any = None,
    sinks: Any = None,
) -> mx.array:
    """Replacement for mlx-lm's `scaled_dot_product_attention` that also accepts ragged caches.

    Args:
        queries: `[rows, heads, n, head dim]`.
        keys, values: `[rows, key heads, tokens, head dim]`, or one of the ragged classes.
        mask: None, "causal", an array, or `Rows` with a mask for each row.
    """
    return _attend(queries, keys, values, cache, _Call(scale, mask, sinks))


def _attend(queries: Any, keys: Any, values: Any, cache: Any, call: _Call) -> mx.array:
    if isinstance(keys, Split):
        return _attend_split(queries, [keys], [values], [call.mask], call)
    if isinstance(keys, WithChunks):
        return _attend_mixed(queries, keys, values, call)
    in_slots = isinstance(keys, SlotRows) and queries.shape[2] == 1
    if in_slots and (call.mask is None or isinstance(call.mask, SlotScores)):
        return _attend_slots(queries, keys, values, call)
    if isinstance(keys, Rows):
        return _attend_rows(queries, keys, values, call)
    if call.sinks is None and isinstance(keys, mx.array) and dense.is_engaged(queries):
        out = attend(queries, keys, values, call.scale, call.mask)
        if out is not None:
            return out
    return call.call_original(queries, keys, values, cache)


def _attend_mixed(queries: mx.array, keys: WithChunks, values: WithChunks, call: _Call) -> mx.array:
    """Compute a mixed step. The rows of each chunk become one row with `count` queries."""
    first, out = queries.shape[0] - sum(keys.counts), []
    masks = call.mask
    if not isinstance(masks, WithChunks):
        if any(hasattr(cache, "max_size") for cache in keys.caches):
            raise NotImplementedError("a chunk in a sliding window has no mask")
        masks = WithChunks(masks, ["causal"] * len(keys.counts), keys.caches, keys.counts)
    if keys.decoding is not None:
        decode_call = replace(call, mask=masks.decoding)
        out.append(_attend(queries[:first], keys.decoding, values.decoding, None, decode_call))
    parts = zip(keys.chunks, values.chunks, masks.chunks, keys.caches, keys.counts, strict=True)
    for k, v, mask, cache, count in parts:
        chunk = queries[first : first + count].swapaxes(0, 2)
        out.append(_attend(chunk, k, v, cache, replace(call, mask=mask)).swapaxes(0, 2))
        first += count
    return out[0] if len(out) == 1 else mx.concatenate(out)


def _attend_rows(queries: mx.array, keys: Rows, values: Rows, call: _Call) -> mx.array:
    """Compute attention row by row. Rows with a shared prefix are computed together."""
    n = len(keys.rows)
    masks = call.mask.rows if isinstance(call.mask, Rows) else [call.mask] * n

    def attend_row(row: int) -> mx.array:
        query, cache = queries[row : row + 1], keys.caches[row]
        return _attend(
            query, keys.rows[row], values.rows[row], cache, replace(call, mask=masks[row])
        )

    split = [row for row, key in enumerate(keys.rows) if isinstance(key, Split)]
    some_masks = [masks[row] for row in split]
    if len(split) < 2 or any(isinstance(mask, (str, mx.array)) for mask in some_masks):
        return mx.concatenate([attend_row(row) for row in range(n)])
    rest = [row for row in range(n) if row not in split]
    rest_queries = queries[mx.array(split)] if rest else queries
    k, v = [keys.rows[row] for row in split], [values.rows[row] for row in split]
    out = _attend_split(rest_queries, k, v, some_masks, call)
    if not rest:
        return out
    rows_in_order = [*split, *rest]
    back = mx.array(sorted(range(n), key=rows_in_order.__getitem__))
    return mx.concatenate([out, *(attend_row(row) for row in rest)])[back]


def _attend_slots(queries: mx.array, keys: SlotRows, values: SlotRows, call: _Call) -> mx.array:
    """Compute attention for one query per row: rows in slots by buffer, and then the other rows."""
    out, first = [], 0
    scores = call.mask if isinstance(call.mask, SlotScores) else None
    engaged = call.sinks is None and dense.is_engaged(queries)
    added: list[Any] = [None] * len(keys.parts)
    if scores is not None:
        added = [score for _, score in scores.parts]
    for (filled, k), (_, v), score_bias in zip(keys.parts, values.parts, added, strict=True):
        end = first + filled.occupied
        q = queries if filled.occupied == queries.shape[0] else queries[first:end]
        if isinstance(k, Split) and isinstance(v, Split):
            out.append(_attend_split_slots(q, k, v, filled, score_bias, call))
        elif not engaged or not isinstance(k, mx.array) or not isinstance(v, mx.array):
            masked = replace(call, mask=filled.mask if score_bias is None else score_bias)
            out.append(masked.call_original(q, k, v, keys.caches[first]))
        else:
            bias = filled.bias(q.dtype)
            if score_bias is not None:
                bias = score_bias.reshape(*k.shape[:2], -1, k.shape[2])
            out.append(attend_one_query(q * call.scale, k, v, bias))
        first = end
    if keys.others:
        other_caches = keys.caches[first:]
        rest = Rows(keys.others, other_caches), Rows(values.others, other_caches)
        masks = None if scores is None else Rows(scores.others, other_caches)
        out.append(_attend_rows(queries[first:], *rest, replace(call, mask=masks)))
    return out[0] if len(out) == 1 else mx.concatenate(out)


# ---------------------------------------------------------------- shared prefixes
#
# We stack the queries of all sessions with the same prefix into one matrix, so that the prefix is
# read only once. Attention over the two arrays of a `Split` is the mean of the attention over each
# array, weighted by the log-sum-exp of the scores. On a GPU, reading scores from memory again costs
# more than computing them. On GPUs, we therefore add the log-sum-exp of a row's own tokens as an
# extra score to the scores of the prefix, and a single softmax weighs both.


def _attend_split(
    queries: mx.array, keys: list[Split], values: list[Split], masks: list[Any], call: _Call
) -> mx.array:
    """Compute attention to `Split` keys. The masks must be equal for all rows, or all
    `DeferredScores`.
    """
    products = [mask for mask in masks if isinstance(mask, DeferredScores)]
    mask = None if products else masks[0]
    return prefix_attention(queries, keys, values, call.scale, mask, call.sinks, products)


def prefix_attention(
    queries: mx.array,
    keys: Sequence[Split],
    values: Sequence[Split],
    scale: float,
    mask: Any,
    sinks: Any = None,
    products: Sequence[DeferredScores] = (),
) -> mx.array:
    """Compute attention to shared prefixes and each row's own keys and values.

    Args:
        queries: `[rows, heads, n, head dim]`.
        keys, values: one `Split` per row.
        mask: None, "causal", or boolean `[n, tokens]`.
        sinks: attention sinks `[heads]`, i.e. softmax scores without a value; or None.
        products: empty, or one product per row to add to its scores.

    Returns:
        `[rows, heads, n, head dim]`, with the dtype of `queries`.

    Raises:
        NotImplementedError: for any other mask.
    """
    rows, heads, n, _ = queries.shape
    key_heads = keys[0].own.shape[1]
    key_parts = [keys]
    q = [_group_by_key_head(queries * scale, key_heads)]
    if products:
        key_parts.append([product.keys for product in products])
        factors = [product.left for product in products]
        q.append(_group_by_key_head(mx.concatenate(factors) if rows > 1 else factors[0], key_heads))
    prefixes = keys[0].beginnings
    if rows > 1:
        prefixes = SharedPrefixRows([key.beginnings.rows[0] for key in keys])
    owns = []
    for row, parts in enumerate(zip(*(mx.split(query, rows) for query in q), strict=True)):
        pairs = [(query, some[row].own) for query, some in zip(parts, key_parts, strict=True)]
        base = prefixes.rows[row][1]
        owns.append(partial_attention(pairs, values[row].own, n, _own_mask(mask, base)))

    def shared(splits: Sequence[Split]) -> Split:
        first = [splits[members[0]] for members in prefixes.groups]
        return Split(prefixes, [part.shared[0] for part in first], first[0].own, first[0].place)

    by_row, begun_with = _sinks_by_key_head(sinks, q[0], n), [shared(some) for some in key_parts]
    out = _attend_prefixes_and_own(
        q, begun_with, shared(values), _concatenate(owns), by_row, n, mask
    )
    return out.reshape(rows, heads, n, -1)


def _attend_split_slots(
    queries: mx.array,
    keys: Split,
    values: Split,
    filled: SlotLengths,
    product: DeferredScores | None,
    call: _Call,
) -> mx.array:
    key_heads = keys.own.shape[1]
    q, ks = [_group_by_key_head(queries * call.scale, key_heads)], [keys]
    if product is not None:
        q.append(_group_by_key_head(product.left, key_heads))
        ks.append(product.keys)
    mask = None if filled.mask is None else filled.mask[:, None]
    own_attention = partial_attention(
        [(a, b.own) for a, b in zip(q, ks, strict=True)], values.own, 1, mask
    )
    out = _attend_prefixes_and_own(
        q, ks, values, own_attention, _sinks_by_key_head(call.sinks, q[0], 1), 1, None
    )
    return out.reshape(*queries.shape[:3], -1)


def _group_by_key_head(queries: mx.array, key_heads: int) -> mx.array:
    """Reshape `[rows, heads, n, dim]` to `[rows, key heads, heads per key head * n, dim]`."""
    rows, heads, n, _ = queries.shape
    return queries.reshape(rows, key_heads, heads // key_heads * n, -1)


def _sinks_by_key_head(sinks: Any, queries: mx.array, n: int) -> mx.array | None:
    if sinks is None:
        return None
    _, key_heads, query_length, _ = queries.shape
    per_row: mx.array = sinks.reshape(1, key_heads, query_length // n, 1)
    return per_row if n == 1 else mx.repeat(per_row, n, axis=2)


def _attend_prefixes_and_own(
    queries: list[mx.array],
    keys: list[Split],
    values: Split,
    own_attention: PartialAttention,
    sinks: mx.array | None,
    n: int,
    mask: Any,
) -> mx.array:
    """Compute attention to the shared prefixes, and merge it with attention to the rows' own keys.

    Args:
        queries, keys: the scores are the sum of the products of these pairs.
    """
    starts, shared = values.beginnings, [some.shared for some in keys]
    first, second = keys[0].place, keys[-1].place
    if first is not None and second == (first[0], 1):
        both = starts.both(first[0])
        if both is not None:
            queries, shared = [mx.concatenate(queries, axis=-1)], [both]
    if dense.is_engaged(queries[0]):
        return merge(
            _attend_prefixes(queries, shared, values.shared, starts, n, mask), own_attention, sinks
        )
    score = combined_score(own_attention, sinks, queries[0])
    shared_attention = _attend_prefixes(queries, shared, values.shared, starts, n, mask, score)
    return merge_by_score(shared_attention, own_attention, score, sinks)


def _attend_prefixes(
    queries: list[mx.array],
    keys: Sequence[list[mx.array]],
    values: list[mx.array],
    starts: SharedPrefixRows,
    n: int,
    mask: Any,
    score: mx.array | None = None,
) -> PartialAttention:
    """Compute attention to the shared prefix of each group, for the rows in the group.

    Args:
        keys: for each item of `queries`, the keys of each group.
        score: see `attend_with_score`.
    """
    query_group = queries if score is None else [*queries, score]
    if starts.order is not None:
        query_group = [some[starts.order] for some in query_group]
    group_results, start = [], 0
    for group, members in enumerate(starts.groups):
        end = start + len(members)
        group_queries = (
            query_group if len(starts.groups) == 1 else [some[start:end] for some in query_group]
        )
        base = starts.rows[members[0]][1]
        shared = [k[group] for k in keys]
        group_results.append(
            _attend_prefix(group_queries, shared, values[group], base, n, _prefix_mask(mask, base))
        )
        start = end
    out = _concatenate(group_results)
    return out if starts.back is None else PartialAttention(*(array[starts.back] for array in out))


def _attend_prefix(
    group: list[mx.array], keys: list[mx.array], values: mx.array, base: int, n: int, mask: Any
) -> PartialAttention:
    rows, key_heads, length, _ = group[0].shape
    if rows > 1:
        group = [a.swapaxes(0, 1).reshape(1, key_heads, rows * length, -1) for a in group]
    queries, values = group[: len(keys)], values[:, :, :base]
    if len(group) > len(keys):
        result = attend_with_score([*zip(queries, keys, strict=True)], values, n, mask, group[-1])
    else:
        keys = [k[:, :, :base] for k in keys]
        result = partial_attention([*zip(queries, keys, strict=True)], values, n, mask)
    if rows == 1:
        return result
    return PartialAttention(
        *(a.reshape(key_heads, rows, length, -1).swapaxes(0, 1) for a in result)
    )


def _concatenate(parts: list[PartialAttention]) -> PartialAttention:
    if len(parts) == 1:
        return parts[0]
    return PartialAttention(*(mx.concatenate(list(same)) for same in zip(*parts, strict=True)))


def _prefix_mask(mask: Any, base: int) -> Any:
    """Return the part of a mask that covers the prefix. A causal mask doesn't hide any of it."""
    if mask is None or isinstance(mask, str):
        return None
    if not isinstance(mask, mx.array) or mask.ndim != 2 or mask.dtype != mx.bool_:
        raise NotImplementedError("only boolean masks [n, tokens] can be split")
    return mask[:, :base]


def _own_mask(mask: Any, base: int) -> Any:
    return mask if mask is None or isinstance(mask, str) else mask[:, base:]

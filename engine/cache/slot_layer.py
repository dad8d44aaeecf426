"""Adapter for the cache classes that support slots.

Slots can hold the arrays of mlx-lm's `KVCache`, `RotatingKVCache` (a ring buffer, so each row has
its own write position) and `QuantizedKVCache` (packed weights, scales and biases), and the tokens
that a `SharedPrefixKV` adds to its prefix. The cache object keeps its other fields, such as its
length and ring position.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mlx.core as mx

from engine.cache.cache_objects import compact
from engine.cache.shared_prefix import SharedPrefixKV


class Form(NamedTuple):
    """Cache properties that must match for sessions to share a buffer."""

    window: int = 0  # window size in tokens; 0 for no limit
    keep: int = 0  # number of initial tokens that the window always keeps
    bits: int = 0  # bits of quantized keys; 0 for the model's own dtype
    group: int = 0  # quantization group size
    own: bool = False  # extends a shared prefix, so the slot only contains tokens after the prefix


def form_of(cache: Any) -> Form | None:
    """Return the form of a layer's cache, or None if slots don't support its class."""
    form = _form_readers().get(type(cache))
    return None if form is None else form(cache)


_PLAIN = Form()
_OWN = Form(own=True)


@functools.cache
def _form_readers() -> dict[type[Any], Callable[[Any], Form]]:
    # Imported here because of `backend.preserved_file_limit`.
    from mlx_lm.models.cache import KVCache, QuantizedKVCache, RotatingKVCache

    return {
        KVCache: lambda _: _PLAIN,
        RotatingKVCache: lambda cache: _cached_form(cache.max_size, cache.keep, 0, 0),
        QuantizedKVCache: lambda cache: _cached_form(0, 0, cache.bits, cache.group_size),
        SharedPrefixKV: lambda _: _OWN,
    }


@functools.cache
def _cached_form(window: int, keep: int, bits: int, group: int) -> Form:
    return Form(window, keep, bits, group)


def arrays(cache: Any) -> list[mx.array]:
    """Return a cache's two arrays, or six if quantized, keys before values.

    The shape is `[1, key heads, tokens, width]`.
    """
    both = cache.keys, cache.values
    return [a for half in both for a in (half if isinstance(half, (list, tuple)) else [half])]


def take_arrays(cache: Any) -> list[mx.array]:
    compact(cache)
    kv_arrays = arrays(cache)
    cache.keys = cache.values = None
    return kv_arrays


def return_arrays(cache: Any, kv_arrays: Sequence[mx.array]) -> None:
    half = len(kv_arrays) // 2
    cache.keys, cache.values = (
        kv_arrays if half == 1 else (tuple(kv_arrays[:half]), tuple(kv_arrays[half:]))
    )


def length_of(cache: Any) -> int:
    """Return the number of tokens written to a cache, excluding a shared prefix."""
    return int(cache.offset) - (cache.base if isinstance(cache, SharedPrefixKV) else 0)


def tokens_after(cache: Any, more_tokens: int = 0) -> int:
    length = length_of(cache) + more_tokens
    max_size = getattr(cache, "max_size", None)
    return length if max_size is None else min(length, max_size)


def has_equal_positions(caches: Sequence[Any], forms: Sequence[Form]) -> bool:
    pairs = zip(caches, forms, strict=True)
    rings = {(form, write_position(cache)) for cache, form in pairs if form.window}
    return len({cache.offset for cache in caches}) == 1 and len(rings) == len(dict(rings))


def write_position(cache: Any) -> int:
    """Return the position of the next token: at the end, or over a window's oldest token."""
    if not hasattr(cache, "max_size"):
        return length_of(cache)
    return int(cache.keep if cache._idx >= cache.max_size else cache._idx)


def advance(cache: Any) -> None:
    if hasattr(cache, "max_size"):
        cache._idx = write_position(cache) + 1
    cache.offset += 1


def to_slot_arrays(form: Form, keys: mx.array, values: mx.array) -> list[mx.array]:
    """Convert keys and values `[rows, key heads, 1, head dim]` to the format of `arrays`."""
    if not form.bits:
        return [keys, values]
    k, v = (mx.quantize(a, group_size=form.group, bits=form.bits) for a in (keys, values))
    return [*k, *v]

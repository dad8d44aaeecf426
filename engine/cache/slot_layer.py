"""What a slot holds of one layer, by the kind of its cache: the one place that knows the kinds.

Four kinds can be in slots: mlx-lm's `KVCache`, its `RotatingKVCache` (a window's keys, of which
each row writes at its own place of the ring), its `QuantizedKVCache` (keys in few bits: words,
scales and biases), and `SharedPrefixKV`, of which only the session's own tokens lie there. While
its keys are in a slot, a cache keeps everything else: its length, and where its ring goes on. So
what leaves a slot is the same cache as if it had never been there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mlx.core as mx

from engine.cache.cache_objects import compact
from engine.cache.shared_prefix import SharedPrefixKV


class Form(NamedTuple):
    """What is alike of caches whose keys may lie in one buffer."""

    window: int = 0  # the most tokens that it holds; 0 where there is no limit
    keep: int = 0  # of a window, how many of the first tokens stay
    bits: int = 0  # in which keys are kept; 0 for the model's own type
    group: int = 0  # numbers that share a scale
    own: bool = False  # they are those after a shared prefix


def form_of(cache: Any) -> Form | None:
    """The form of a layer's cache; None where it cannot be in a slot."""
    form = _kinds().get(type(cache))
    return None if form is None else form(cache)


_PLAIN = Form()
_OWN = Form(own=True)


@functools.cache
def _kinds() -> dict[type[Any], Callable[[Any], Form]]:
    # Not at the top of the file: see `backend.file_limit_kept`.
    from mlx_lm.models.cache import KVCache, QuantizedKVCache, RotatingKVCache

    return {
        KVCache: lambda _: _PLAIN,
        RotatingKVCache: lambda cache: _form(cache.max_size, cache.keep, 0, 0),
        QuantizedKVCache: lambda cache: _form(0, 0, cache.bits, cache.group_size),
        SharedPrefixKV: lambda _: _OWN,
    }


@functools.cache
def _form(window: int, keep: int, bits: int, group: int) -> Form:
    return Form(window, keep, bits, group)


def arrays(cache: Any) -> list[mx.array]:
    """Its arrays `[1, key heads, tokens, width]`: keys and values, in few bits three of each."""
    both = cache.keys, cache.values
    return [a for half in both for a in (half if isinstance(half, (list, tuple)) else [half])]


def taken(cache: Any) -> list[mx.array]:
    """Its arrays, which it gives up."""
    compact(cache)
    found = arrays(cache)
    cache.keys = cache.values = None
    return found


def give_back(cache: Any, found: Sequence[mx.array]) -> None:
    """Undo `taken`."""
    half = len(found) // 2
    cache.keys, cache.values = found if half == 1 else (tuple(found[:half]), tuple(found[half:]))


def length_of(cache: Any) -> int:
    """Tokens that it has been given, those of a shared prefix left out."""
    return int(cache.offset) - (cache.base if isinstance(cache, SharedPrefixKV) else 0)


def held(cache: Any, more: int = 0) -> int:
    """Tokens that it holds, once `more` have been written."""
    length = length_of(cache) + more
    most = getattr(cache, "max_size", None)
    return length if most is None else min(length, most)


def in_step(caches: Sequence[Any], forms: Sequence[Form]) -> bool:
    """Whether layers of the same form write their next tokens at the same place."""
    pairs = zip(caches, forms, strict=True)
    rings = {(form, next_place(cache)) for cache, form in pairs if form.window}
    return len({cache.offset for cache in caches}) == 1 and len(rings) == len(dict(rings))


def next_place(cache: Any) -> int:
    """Where its next token is written: behind the others, or over a window's oldest."""
    if not hasattr(cache, "max_size"):
        return length_of(cache)
    return int(cache.keep if cache._idx >= cache.max_size else cache._idx)


def advance(cache: Any) -> None:
    """Note that a token has been written at `next_place`."""
    if hasattr(cache, "max_size"):
        cache._idx = next_place(cache) + 1
    cache.offset += 1


def as_kept(form: Form, keys: mx.array, values: mx.array) -> list[mx.array]:
    """A step's keys and values `[rows, key heads, 1, head dim]` as `taken` has them."""
    if not form.bits:
        return [keys, values]
    k, v = (mx.quantize(a, group_size=form.group, bits=form.bits) for a in (keys, values))
    return [*k, *v]

"""Helpers that work on any cache object: mlx-lm's classes and `SharedPrefixKV`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import mlx.core as mx
from mlx.utils import tree_map

from engine.cache.estimate import STEP, UNLIMITED, MemoryEstimate
from engine.cache.shared_prefix import GROWTH_TOKENS, SharedPrefixKV

Caches = list[Any]  # one cache object per layer

MAX_STEPS = 4
"""Maximum growth of a cache at a time, in multiples of `STEP`. More would delay all sessions."""


def flatten_caches(caches: Iterable[Any]) -> Iterator[Any]:
    """Yield the caches of all layers. Some layers have a list of several caches."""
    for cache in caches:
        yield from getattr(cache, "caches", [cache])


def replace_some(caches: Caches, replacements: dict[int, Any]) -> Caches:
    """Return a new list with some of the caches replaced.

    Args:
        replacements: maps the `id()` of a cache to its replacement.
    """
    new_caches = []
    for cache in caches:
        copied = replacements.get(id(cache), cache)
        if hasattr(cache, "caches"):
            copied = clone(cache)
            copied.caches = tuple(replacements.get(id(part), part) for part in cache.caches)
        new_caches.append(copied)
    return new_caches


def clone(value: Any) -> Any:
    """Copy caches, or any value inside them, with copy-on-write arrays.

    A full slice (`x[...]`) shares its buffer until one of the arrays is written to. `mx.array(x)`
    would copy immediately.

    Raises:
        TypeError: for an object of an unknown class, which both copies might write to.
    """
    if isinstance(value, mx.array):
        return value[...]
    if isinstance(value, (list, tuple)):
        return type(value)(clone(v) for v in value)
    homes = ("mlx_lm.", "mlx_vlm.models.")
    is_cache_type = any(kind.__module__.startswith(homes) for kind in type(value).__mro__)
    if is_cache_type or isinstance(value, SharedPrefixKV):
        copy = object.__new__(type(value))
        for name, part in vars(value).items():
            setattr(copy, name, clone(part))
        return copy
    if hasattr(value, "__dict__") and not callable(value):
        raise TypeError(f"caches of type {type(value).__qualname__} cannot be copied")
    return value


def iterate_arrays(value: Any) -> Iterator[mx.array]:
    if isinstance(value, mx.array):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from iterate_arrays(part)
    elif hasattr(value, "__dict__"):
        for part in vars(value).values():
            yield from iterate_arrays(part)


def nbytes(caches: Any) -> int:
    """Return the bytes of all arrays, including unused capacity."""
    return sum(a.nbytes for a in iterate_arrays(caches))


def compact(cache: Any) -> Any:
    """Drop tokens outside of a ring buffer's window.

    After prefill, a ring buffer still has the whole last chunk, which can exceed its window.
    """
    for part in getattr(cache, "caches", [cache]):
        max_size = getattr(part, "max_size", None)
        if max_size is not None and getattr(part, "keys", None) is not None:
            surplus = part.keys.shape[2] - max_size
            if surplus > 0 and part._idx == part.keys.shape[2]:
                part.keys = part._trim(surplus, part.keys)
                part.values = part._trim(surplus, part.values)
                part._idx = max_size
    return cache


def copy_untrimmable(cache: Any) -> Any:
    """Copy a layer's cache for restoring it later. Caches that can be trimmed become None."""
    if not may_be_untrimmable(cache):
        return None
    if hasattr(cache, "caches"):
        copy = clone(cache)
        copy.caches = tuple(map(copy_untrimmable, cache.caches))
        return copy
    return detach_states(compact(clone(cache)))


def copy_without_last(cache: Any, boundary: Any, surplus: int) -> Any:
    """Copy a layer's cache without its last `surplus` tokens.

    Args:
        boundary: result of `copy_untrimmable` at the target position.
    """
    if hasattr(boundary, "caches"):
        copy = clone(cache)
        pairs = zip(cache.caches, boundary.caches, strict=True)
        copy.caches = tuple(
            copy_without_last(part, boundary_part, surplus) for part, boundary_part in pairs
        )
        return copy
    copy = clone(cache if boundary is None else boundary)
    if boundary is None and copy is not None and surplus:
        copy.trim(surplus)
    return copy


def detach_states(cache: Any) -> Any:
    """Copy recurrent states into separate buffers.

    Some models compute the states after every token of a chunk and slice out the last one, which
    keeps the whole buffer alive. Without this copy, a jamba snapshot took 64 times the memory it
    needed.
    """
    for part in getattr(cache, "caches", [cache]):
        if part is not None and not hasattr(part, "keys"):
            _copy_arrays(part)
    return cache


def _copy_arrays(cache: Any) -> None:
    for name, value in vars(cache).items():
        setattr(cache, name, _map_arrays(mx.array, value))


def detach_buffers(copy: Any, room: bool) -> Any:
    """Copy the buffers that a copied cache shares. A `SharedPrefixKV` is left unchanged.

    Args:
        room: reserve capacity for the next tokens.
    """
    if copy is None:
        return None
    compact(copy)
    for part in getattr(copy, "caches", [copy]):
        if isinstance(part, SharedPrefixKV):
            continue  # see `SharedPrefixKV.copy_into`
        if _allocates_in_steps(part):
            length = part.offset - getattr(part, "start_position", 0)
            resize = partial(_resize, length=length, grow=part.step if room else 0)
            part.keys = _map_arrays(resize, part.keys)
            part.values = _map_arrays(resize, part.values)
        else:
            _copy_arrays(part)
    return copy


def used_arrays(cache: Any) -> dict[str, Any]:
    """Return the keys and values of a growing cache, excluding unused capacity. Nothing is copied.

    Return an empty dict for other objects.
    """
    if not _allocates_in_steps(cache):
        return {}
    length = cache.offset - getattr(cache, "start_position", 0)
    return {
        name: _map_arrays(lambda array: array[:, :, :length], getattr(cache, name))
        for name in ("keys", "values")
    }


def _allocates_in_steps(cache: Any) -> bool:
    is_growing = hasattr(cache, "step") and not hasattr(cache, "max_size")
    return is_growing and getattr(cache, "keys", None) is not None


def _resize(array: mx.array, length: int, grow: int) -> mx.array:
    shape = (*array.shape[:2], grow, *array.shape[3:])
    return mx.concatenate([array[:, :, :length], mx.zeros(shape, array.dtype)], axis=2)


def _map_arrays(change: Callable[[mx.array], mx.array], value: Any) -> Any:
    return tree_map(lambda part: change(part) if isinstance(part, mx.array) else part, value)


def stagger_growth(caches: Caches, more_tokens: int = 0) -> None:
    """Set `step` of the caches so that not all layers grow in the same decode step.

    Growing copies the cache. When all layers grew in the same step, this took 200 ms at 1,300
    tokens on two cores.

    Args:
        more_tokens: number of tokens that are about to be added. Large numbers increase the step.
    """
    steps = MAX_STEPS if more_tokens >= 2 * MAX_STEPS * STEP else 1
    for layer, cache in enumerate(caches):
        for part in getattr(cache, "caches", [cache]):
            if hasattr(part, "step"):
                step = GROWTH_TOKENS if isinstance(part, SharedPrefixKV) else STEP
                part.step = steps * (step - step // 64 * (layer % 32))


def is_plain_kv(cache: Any) -> bool:
    from mlx_lm.models.cache import KVCache

    return type(cache) in (KVCache, SharedPrefixKV)


def plain_kv_caches(caches: Caches) -> list[Any]:
    return [cache for cache in flatten_caches(caches) if is_plain_kv(cache)]


def can_mix(cache: Any) -> bool:
    """Return True if a mixed step (prefill and decode together) supports this cache class."""
    from mlx_lm.models.cache import ArraysCache, KVCache, RotatingKVCache

    return type(cache) in (KVCache, SharedPrefixKV, RotatingKVCache, ArraysCache)


def can_trim(cache: Any) -> bool:
    """Return True if the last tokens can currently be removed from a cache.

    A chunked cache claims to be trimmable even after dropping its first tokens.
    """
    if cache is None:
        return True
    parts = getattr(cache, "caches", [cache])
    return all(c.is_trimmable() and not getattr(c, "start_position", 0) for c in parts)


def may_be_untrimmable(cache: Any) -> bool:
    if cache is None:
        return False
    if hasattr(cache, "caches"):
        return any(may_be_untrimmable(c) for c in cache.caches)
    return hasattr(cache, "max_size") or hasattr(cache, "chunk_size") or not cache.is_trimmable()


def can_roll_back(cache: Any) -> bool:
    """Return True if a cache can be rolled back, by trimming it or by restoring a copy."""
    from mlx_lm.models.cache import ArraysCache, RotatingKVCache

    return type(cache) in (ArraysCache, RotatingKVCache) or not may_be_untrimmable(cache)


def can_remove_last(cache: Any, surplus: int) -> bool:
    """Return True if `remove_last` can remove the last `surplus` tokens from a cache.

    A full sliding window allows this right after a pass of several tokens: its tokens are in
    order, and it still has all the tokens that the next token attends to.
    """
    from mlx_lm.models.cache import RotatingKVCache

    if can_trim(cache):
        return True
    if type(cache) is not RotatingKVCache or cache.keys is None:
        return False
    length = cache.keys.shape[2]
    needed = min(cache.max_size, cache.offset - surplus)
    return bool(cache._idx == length and length - surplus >= needed)


def remove_last(cache: Any, surplus: int) -> None:
    if can_trim(cache):
        cache.trim(surplus)
        return
    cache.keys = cache.keys[..., :-surplus, :]
    cache.values = cache.values[..., :-surplus, :]
    cache.offset -= surplus
    cache._idx -= surplus


def has_hidden_growth(caches: Caches, longer: Caches) -> bool:
    """Return True if the growth of some cache can't be derived from array shapes.

    This is possible for classes without `keys`, except for mlx-lm's cache for recurrent states.
    """
    from mlx_lm.models.cache import ArraysCache

    return any(
        type(cache) is not ArraysCache or nbytes(cache) != nbytes(longer_cache)
        for (cache, _), (longer_cache, _) in zip(
            _with_copy_counts(caches), _with_copy_counts(longer), strict=True
        )
        if not hasattr(cache, "keys")
    )


def measure(caches: Caches, longer: Caches | None = None, more_tokens: int = 0) -> MemoryEstimate:
    """Estimate a session's memory from caches that hold a few tokens.

    Args:
        longer: the same caches after `more_tokens` additional tokens. If omitted, caches whose
            growth can't be derived from array shapes count as fixed.
    """
    fixed = 0
    layers: list[tuple[int, int]] = []
    after = _with_copy_counts(caches if longer is None else longer)
    for (cache, copies), (longer_cache, _) in zip(_with_copy_counts(caches), after, strict=True):
        if hasattr(cache, "keys"):
            if cache.keys is None:
                continue
            arrays = [a for a in iterate_arrays([cache.keys, cache.values]) if a.ndim > 2]
            per_token = copies * sum(a.nbytes // a.shape[2] for a in arrays)
            limit = getattr(cache, "max_size", None) or getattr(cache, "chunk_size", None)
            layers.append((per_token, limit + STEP if limit else UNLIMITED))
            continue
        fixed += copies * nbytes(cache)
        if (growth := nbytes(longer_cache) - nbytes(cache)) > 0:
            layers.append((copies * -(-growth // more_tokens), UNLIMITED))
    return MemoryEstimate(fixed, tuple(layers))


def _with_copy_counts(caches: Caches) -> list[tuple[Any, int]]:
    parts = (cache for cache in flatten_caches(caches) if cache is not None)
    return [(cache, 2 if may_be_untrimmable(cache) else 1) for cache in parts]

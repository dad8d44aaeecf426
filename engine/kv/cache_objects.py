"""What is done with `mlx_lm`'s cache objects, whatever a session holds in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mlx.core as mx

from engine.kv import shared_prefix
from engine.kv.shared_prefix import SharedPrefixKV

Caches = list[Any]
"""One cache object for each layer of a model."""

STEP = 256
"""Tokens by which `mlx_lm`'s caches grow."""

MOST_STEPS = 4
"""Growing further at a time than so many of `STEP` would be felt as well."""


def clone(value: Any) -> Any:
    """A detached copy of caches, or of anything inside them.

    A full slice shares the buffer until either side writes, so this is copy-on-write and costs
    nothing by itself (`mx.array(x)` copies); a reference to the same Python array would see the
    other's updates in place.
    """
    if isinstance(value, mx.array):
        return value[...]
    if isinstance(value, (list, tuple)):
        return type(value)(clone(v) for v in value)
    if isinstance(value, SharedPrefixKV) or (
        hasattr(value, "__dict__") and type(value).__module__.startswith("mlx_lm.")
    ):
        copy = object.__new__(type(value))
        for name, part in vars(value).items():
            setattr(copy, name, clone(part))
        return copy
    return value


def leaves(value: Any) -> Iterator[mx.array]:
    """Every array inside caches."""
    if isinstance(value, mx.array):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from leaves(part)
    elif hasattr(value, "__dict__"):
        for part in vars(value).values():
            yield from leaves(part)


def nbytes(caches: Any) -> int:
    """Bytes that the caches' arrays take, allocation steps included."""
    return sum(a.nbytes for a in leaves(caches))


def compact(cache: Any) -> Any:
    """Cut off what a ring buffer would drop at its next token: it has kept the last chunk whole."""
    for part in getattr(cache, "caches", [cache]):
        most = getattr(part, "max_size", None)
        if most is not None and getattr(part, "keys", None) is not None:
            surplus = part.keys.shape[2] - most
            if surplus > 0 and part._idx == part.keys.shape[2]:
                part.keys = part._trim(surplus, part.keys)
                part.values = part._trim(surplus, part.values)
                part._idx = most
    return cache


def own_states(cache: Any) -> Any:
    """Give a recurrent state buffers of its own.

    Models cut it from the states after every token of a chunk, and a slice keeps all of its buffer:
    a snapshot of jamba's held 64 times what it needed.
    """
    for part in getattr(cache, "caches", [cache]):
        if part is not None and not hasattr(part, "keys"):
            for name, value in vars(part).items():
                setattr(part, name, _copied(value))
    return cache


def detached(cache: Any, surplus: int, room: bool) -> Any:
    """A copy of one layer's cache without its last `surplus` tokens, in buffers of its own."""
    if cache is None:
        return None
    copy = clone(cache)
    if surplus:
        copy.trim(surplus)
    compact(copy)
    for part in getattr(copy, "caches", [copy]):
        plain = hasattr(part, "step") and not hasattr(part, "max_size")
        if isinstance(part, SharedPrefixKV):
            continue  # put together when all are there
        if plain and getattr(part, "keys", None) is not None:
            held = part.offset - getattr(part, "start_position", 0)
            grow = part.step if room else 0
            part.keys = _resized(part.keys, held, grow)
            part.values = _resized(part.values, held, grow)
        else:
            for name, value in vars(part).items():
                setattr(part, name, _copied(value))
    return copy


def without_shared_prefix(shares_prefix: Caches, fresh: Caches, length: int, room: bool) -> Caches:
    """Fill `fresh` caches of the model with what shares_prefix hold."""
    for cache, branch in zip(fresh, shares_prefix, strict=True):
        cache.keys, cache.values = branch.whole(length, cache.step if room else 0)
        cache.offset = length
    return fresh


def _resized(value: Any, held: int, grow: int) -> Any:
    """The first `held` tokens of keys or values, and empty room for `grow` more."""
    if isinstance(value, (list, tuple)):
        return type(value)(_resized(v, held, grow) for v in value)
    shape = (*value.shape[:2], grow, *value.shape[3:])
    return mx.concatenate([value[:, :, :held], mx.zeros(shape, value.dtype)], axis=2)


def _copied(value: Any) -> Any:
    if isinstance(value, mx.array):
        return mx.array(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_copied(v) for v in value)
    return value


def stagger(caches: Caches, more: int = 0) -> None:
    """Let the layers grow at different tokens, and further where so many `more` are to come.

    An `mlx_lm` cache grows by 256 tokens at a time and copies itself to do so. With all layers at
    the same token that took 200 ms at 1,300 tokens on two cores, and every chat waited for it.
    """
    steps = MOST_STEPS if more >= 2 * MOST_STEPS * STEP else 1
    for layer, cache in enumerate(caches):
        for part in getattr(cache, "caches", [cache]):
            if hasattr(part, "step"):
                step = shared_prefix.STEP if isinstance(part, SharedPrefixKV) else STEP
                part.step = steps * (step - step // 64 * (layer % 32))


def can_trim(cache: Any) -> bool:
    """Whether a cache can go back now. A chunked one says so even when it has dropped its front."""
    if cache is None:
        return True
    parts = getattr(cache, "caches", [cache])
    return all(c.is_trimmable() and not getattr(c, "start_position", 0) for c in parts)


def may_not_trim(cache: Any) -> bool:
    """Whether a cache is, or can become, one that cannot be trimmed."""
    if cache is None:
        return False
    if hasattr(cache, "caches"):
        return any(may_not_trim(c) for c in cache.caches)
    return hasattr(cache, "max_size") or hasattr(cache, "chunk_size") or not cache.is_trimmable()

"""Operations on single cache objects, mlx-lm's and `SharedPrefixKV`, of any kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mlx.core as mx

from engine.kv.config_estimate import STEP
from engine.kv.shared_prefix import GROWTH_TOKENS, SharedPrefixKV

Caches = list[Any]
"""One cache object for each layer of a model."""

MAX_STEPS = 4
"""A cache grows by at most so many `STEP`s at once: a larger copy would delay all sessions."""


def clone(value: Any) -> Any:
    """A copy of caches, or of anything inside them, that does not see later changes.

    Arrays become full slices. A full slice shares its buffer until either side writes, so the copy
    costs nothing by itself; `mx.array(x)` would copy at once.
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
    """Cut off what a ring buffer would drop at its next token.

    After a chunk it holds the whole chunk, which may be longer than its window.
    """
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
    """Copy recurrent states into buffers of their own.

    Models slice the state from those after every token of a chunk, and a slice keeps the whole
    buffer alive: without this a snapshot of jamba held 64 times what it needed.
    """
    for part in getattr(cache, "caches", [cache]):
        if part is not None and not hasattr(part, "keys"):
            for name, value in vars(part).items():
                setattr(part, name, _copied(value))
    return cache


def detached(cache: Any, surplus: int, room: bool) -> Any:
    """A copy of one layer's cache without its last `surplus` tokens, in buffers of its own.

    With `room` it has space for the next tokens. A `SharedPrefixKV` is only cloned and trimmed.
    """
    if cache is None:
        return None
    copy = clone(cache)
    if surplus:
        copy.trim(surplus)
    compact(copy)
    for part in getattr(copy, "caches", [copy]):
        plain = hasattr(part, "step") and not hasattr(part, "max_size")
        if isinstance(part, SharedPrefixKV):
            continue  # see `shared_prefix.in_one_piece`
        if plain and getattr(part, "keys", None) is not None:
            held = part.offset - getattr(part, "start_position", 0)
            grow = part.step if room else 0
            part.keys = _resized(part.keys, held, grow)
            part.values = _resized(part.values, held, grow)
        else:
            for name, value in vars(part).items():
                setattr(part, name, _copied(value))
    return copy


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
    """Set the caches' `step` so that the layers grow at different tokens.

    They grow further at once when `more` tokens are to come. A cache copies itself to grow. With
    all layers at the same token that took 200 ms at 1,300 tokens on two cores, and every session
    waited for it.
    """
    steps = MAX_STEPS if more >= 2 * MAX_STEPS * STEP else 1
    for layer, cache in enumerate(caches):
        for part in getattr(cache, "caches", [cache]):
            if hasattr(part, "step"):
                step = GROWTH_TOKENS if isinstance(part, SharedPrefixKV) else STEP
                part.step = steps * (step - step // 64 * (layer % 32))


def can_trim(cache: Any) -> bool:
    """Whether the last tokens can be taken back from a cache now.

    A chunked cache claims so even when it has dropped its front, hence `start_position`.
    """
    if cache is None:
        return True
    parts = getattr(cache, "caches", [cache])
    return all(c.is_trimmable() and not getattr(c, "start_position", 0) for c in parts)


def may_not_trim(cache: Any) -> bool:
    """Whether the last tokens cannot always be taken back from a cache, now or later."""
    if cache is None:
        return False
    if hasattr(cache, "caches"):
        return any(may_not_trim(c) for c in cache.caches)
    return hasattr(cache, "max_size") or hasattr(cache, "chunk_size") or not cache.is_trimmable()

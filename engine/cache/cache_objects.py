"""Operations on single cache objects of any class: mlx-lm's and `SharedPrefixKV`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import mlx.core as mx

from engine.cache.estimate import STEP, UNLIMITED, MemoryEstimate
from engine.cache.shared_prefix import GROWTH_TOKENS, SharedPrefixKV

Caches = list[Any]  # one cache object per layer

MAX_STEPS = 4
"""Maximum number of `STEP`s by which a cache grows. A larger copy would delay all sessions."""


def single(caches: Iterable[Any]) -> Iterator[Any]:
    """Yield the single caches, including those of layers that have several."""
    for cache in caches:
        yield from getattr(cache, "caches", [cache])


def replaced(caches: Caches, others: dict[int, Any]) -> Caches:
    """Return a copy of the caches in which some are replaced.

    Args:
        others: replacements by the id of the original.
    """
    found = []
    for cache in caches:
        whole = others.get(id(cache), cache)
        if hasattr(cache, "caches"):
            whole = clone(cache)
            whole.caches = tuple(others.get(id(part), part) for part in cache.caches)
        found.append(whole)
    return found


def clone(value: Any) -> Any:
    """Return a copy of caches, or of any value in them, that does not see later changes.

    Arrays become full slices, which share their buffer until either side writes. `mx.array(x)`
    would copy immediately.

    Raises:
        TypeError: an object of an unknown class, which both copies would write to.
    """
    if isinstance(value, mx.array):
        return value[...]
    if isinstance(value, (list, tuple)):
        return type(value)(clone(v) for v in value)
    homes = ("mlx_lm.", "mlx_vlm.models.")
    known = any(kind.__module__.startswith(homes) for kind in type(value).__mro__)
    if known or isinstance(value, SharedPrefixKV):
        copy = object.__new__(type(value))
        for name, part in vars(value).items():
            setattr(copy, name, clone(part))
        return copy
    if hasattr(value, "__dict__") and not callable(value):
        raise TypeError(f"a cache of the kind {type(value).__qualname__} cannot be copied")
    return value


def leaves(value: Any) -> Iterator[mx.array]:
    """Yield every array inside caches."""
    if isinstance(value, mx.array):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from leaves(part)
    elif hasattr(value, "__dict__"):
        for part in vars(value).values():
            yield from leaves(part)


def nbytes(caches: Any) -> int:
    """Return the bytes of all arrays, including unused capacity."""
    return sum(a.nbytes for a in leaves(caches))


def compact(cache: Any) -> Any:
    """Drop the tokens that a ring buffer would drop at its next token.

    After a chunk, a ring buffer holds the whole chunk, which can be longer than its window.
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


def kept_copy(cache: Any) -> Any:
    """Return a copy of one layer's cache for a later restore. It has None for caches that can be
    trimmed."""
    if not may_not_trim(cache):
        return None
    if hasattr(cache, "caches"):
        copy = clone(cache)
        copy.caches = tuple(map(kept_copy, cache.caches))
        return copy
    return own_states(compact(clone(cache)))


def gone_back(cache: Any, kept: Any, surplus: int) -> Any:
    """Return a copy of one layer's cache without its last `surplus` tokens.

    Args:
        kept: result of `kept_copy` at that position.
    """
    if hasattr(kept, "caches"):
        copy = clone(cache)
        pairs = zip(cache.caches, kept.caches, strict=True)
        copy.caches = tuple(gone_back(part, own, surplus) for part, own in pairs)
        return copy
    copy = clone(cache if kept is None else kept)
    if kept is None and copy is not None and surplus:
        copy.trim(surplus)
    return copy


def own_states(cache: Any) -> Any:
    """Copy recurrent states into their own buffers.

    Models slice a state from the states after every token of a chunk, and a slice keeps the whole
    buffer alive. Without this, a snapshot of jamba held 64 times the memory it needed.
    """
    for part in getattr(cache, "caches", [cache]):
        if part is not None and not hasattr(part, "keys"):
            for name, value in vars(part).items():
                setattr(part, name, _copied(value))
    return cache


def detached(copy: Any, room: bool) -> Any:
    """Give a copy of one layer's cache its own buffers. Leaves a `SharedPrefixKV` unchanged.

    Args:
        room: leave space for the next tokens.
    """
    if copy is None:
        return None
    compact(copy)
    for part in getattr(copy, "caches", [copy]):
        plain = hasattr(part, "step") and not hasattr(part, "max_size")
        if isinstance(part, SharedPrefixKV):
            continue  # see `SharedPrefixKV.whole_in`
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
    """Return the first `held` tokens of keys or values, with room for `grow` more."""
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
    """Set `step` of the caches so that the layers grow at different tokens.

    A cache copies itself to grow. With all layers at the same token that took 200 ms at 1,300
    tokens on two cores, and all sessions waited for it.

    Args:
        more: number of tokens to come. With many, caches grow by larger steps.
    """
    steps = MAX_STEPS if more >= 2 * MAX_STEPS * STEP else 1
    for layer, cache in enumerate(caches):
        for part in getattr(cache, "caches", [cache]):
            if hasattr(part, "step"):
                step = GROWTH_TOKENS if isinstance(part, SharedPrefixKV) else STEP
                part.step = steps * (step - step // 64 * (layer % 32))


def grows(cache: Any) -> bool:
    """Return True for a plain growing cache, with or without a shared prefix."""
    from mlx_lm.models.cache import KVCache

    return type(cache) in (KVCache, SharedPrefixKV)


def growing(caches: Caches) -> list[Any]:
    """Return the single caches for which `grows` is True."""
    return [cache for cache in single(caches) if grows(cache)]


def mixes(cache: Any) -> bool:
    """Return True if a chunk can be written to this cache in a mixed step."""
    from mlx_lm.models.cache import ArraysCache, KVCache, RotatingKVCache

    return type(cache) in (KVCache, SharedPrefixKV, RotatingKVCache, ArraysCache)


def can_trim(cache: Any) -> bool:
    """Return True if the last tokens can be removed from a cache now.

    A chunked cache reports True even after it has dropped its first tokens, so `start_position` is
    checked too.
    """
    if cache is None:
        return True
    parts = getattr(cache, "caches", [cache])
    return all(c.is_trimmable() and not getattr(c, "start_position", 0) for c in parts)


def may_not_trim(cache: Any) -> bool:
    """Return True if removing the last tokens of a cache may fail, now or later."""
    if cache is None:
        return False
    if hasattr(cache, "caches"):
        return any(may_not_trim(c) for c in cache.caches)
    return hasattr(cache, "max_size") or hasattr(cache, "chunk_size") or not cache.is_trimmable()


# Removing draft tokens that were rejected.


def can_be_put_back(cache: Any) -> bool:
    """Return True if a single cache can be trimmed, or replaced by an earlier copy."""
    from mlx_lm.models.cache import ArraysCache, RotatingKVCache

    return type(cache) in (ArraysCache, RotatingKVCache) or not may_not_trim(cache)


def can_cut(cache: Any, surplus: int) -> bool:
    """Return True if a single cache has all data from before its last `surplus` tokens.

    A full window has it after a pass of several tokens: its tokens are then in order, and it still
    holds as many earlier ones as the next token needs.
    """
    from mlx_lm.models.cache import RotatingKVCache

    if can_trim(cache):
        return True
    if type(cache) is not RotatingKVCache or cache.keys is None:
        return False
    held = cache.keys.shape[2]
    needed = min(cache.max_size, cache.offset - surplus)
    return bool(cache._idx == held and held - surplus >= needed)


def cut(cache: Any, surplus: int) -> None:
    """Remove the last tokens from a cache for which `can_cut` is True."""
    if can_trim(cache):
        cache.trim(surplus)
        return
    cache.keys = cache.keys[..., :-surplus, :]
    cache.values = cache.values[..., :-surplus, :]
    cache.offset -= surplus
    cache._idx -= surplus


# Measuring the memory of a session.


def grows_unseen(caches: Caches, longer: Caches) -> bool:
    """Return True if the growth of some cache cannot be computed from its shape.

    Caches with `keys` have it in their shape. Other caches may grow in steps, so all classes but
    mlx-lm's cache for recurrent states count as growing.

    Args:
        longer: the same caches after more tokens.
    """
    from mlx_lm.models.cache import ArraysCache

    return any(
        type(cache) is not ArraysCache or nbytes(cache) != nbytes(more)
        for (cache, _), (more, _) in zip(_parts(caches), _parts(longer), strict=True)
        if not hasattr(cache, "keys")
    )


def measure(caches: Caches, longer: Caches | None = None, more: int = 0) -> MemoryEstimate:
    """Return a session's memory estimate, measured on caches with some tokens.

    Args:
        longer: the same caches after `more` further tokens, to measure growth that the shape does
            not show. Without it, such caches count as fixed.
    """
    fixed = 0
    layers: list[tuple[int, int]] = []
    after = _parts(caches if longer is None else longer)
    for (cache, copies), (grown, _) in zip(_parts(caches), after, strict=True):
        if hasattr(cache, "keys"):
            if cache.keys is None:
                continue
            arrays = [a for a in leaves([cache.keys, cache.values]) if a.ndim > 2]
            per_token = copies * sum(a.nbytes // a.shape[2] for a in arrays)
            limit = getattr(cache, "max_size", None) or getattr(cache, "chunk_size", None)
            layers.append((per_token, limit + STEP if limit else UNLIMITED))
            continue
        fixed += copies * nbytes(cache)
        if (growth := nbytes(grown) - nbytes(cache)) > 0:
            layers.append((copies * -(-growth // more), UNLIMITED))
    return MemoryEstimate(fixed, tuple(layers))


def _parts(caches: Caches) -> list[tuple[Any, int]]:
    """Return the single caches, and how many copies of each a session holds.

    Caches that cannot be trimmed count twice, because a snapshot holds a copy.
    """
    parts = (cache for cache in single(caches) if cache is not None)
    return [(cache, 2 if may_not_trim(cache) else 1) for cache in parts]

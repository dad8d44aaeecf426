"""Operations on single cache objects, mlx-lm's and `SharedPrefixKV`, of any kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import mlx.core as mx

from engine.cache.estimate import STEP, UNLIMITED, MemoryEstimate
from engine.cache.shared_prefix import GROWTH_TOKENS, SharedPrefixKV

Caches = list[Any]  # one cache object for each layer of a model

MAX_STEPS = 4
"""A cache grows by at most so many `STEP`s at once: a larger copy would delay all sessions."""


def single(caches: Iterable[Any]) -> Iterator[Any]:
    """The caches one by one, also those of a layer that has several."""
    for cache in caches:
        yield from getattr(cache, "caches", [cache])


def replaced(caches: Caches, others: dict[int, Any]) -> Caches:
    """Copies of the lists of caches, with others in the places of some, which `id` tells."""
    found = []
    for cache in caches:
        whole = others.get(id(cache), cache)
        if hasattr(cache, "caches"):
            whole = clone(cache)
            whole.caches = tuple(others.get(id(part), part) for part in cache.caches)
        found.append(whole)
    return found


def clone(value: Any) -> Any:
    """A copy of caches, or of anything inside them, that does not see later changes.

    Arrays become full slices. A full slice shares its buffer until either side writes, so the copy
    costs nothing by itself; `mx.array(x)` would copy at once.

    Raises:
        TypeError: an object of a kind that is not known, which both would write to.
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


def kept_copy(cache: Any) -> Any:
    """A copy of one layer's cache to go back to, with None for what can be trimmed instead."""
    if not may_not_trim(cache):
        return None
    if hasattr(cache, "caches"):
        copy = clone(cache)
        copy.caches = tuple(map(kept_copy, cache.caches))
        return copy
    return own_states(compact(clone(cache)))


def gone_back(cache: Any, kept: Any, surplus: int) -> Any:
    """A copy of one layer's cache as it was before its last `surplus` tokens.

    Args:
        kept: as `kept_copy` gave it then.
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
    """Copy recurrent states into buffers of their own.

    Models slice the state from those after every token of a chunk, and a slice keeps the whole
    buffer alive: without this a snapshot of jamba held 64 times what it needed.
    """
    for part in getattr(cache, "caches", [cache]):
        if part is not None and not hasattr(part, "keys"):
            for name, value in vars(part).items():
                setattr(part, name, _copied(value))
    return cache


def detached(copy: Any, room: bool) -> Any:
    """Let a copy of one layer's cache have buffers of its own.

    With `room` it has space for the next tokens. A `SharedPrefixKV` is left as it is.
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


def grows(cache: Any) -> bool:
    """Whether it is an ordinary growing cache, whole or after a shared prefix."""
    from mlx_lm.models.cache import KVCache

    return type(cache) in (KVCache, SharedPrefixKV)


def growing(caches: Caches) -> list[Any]:
    """Those that `grows` says, one by one."""
    return [cache for cache in single(caches) if grows(cache)]


def mixes(cache: Any) -> bool:
    """Whether a chunk can be written to it beside others' steps: keys in full, or states."""
    from mlx_lm.models.cache import ArraysCache, KVCache, RotatingKVCache

    return type(cache) in (KVCache, SharedPrefixKV, RotatingKVCache, ArraysCache)


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


# What a draft has fed, and the answer does not say.


def can_be_put_back(cache: Any) -> bool:
    """Whether the last tokens can be taken back from a single cache, or itself be put back."""
    from mlx_lm.models.cache import ArraysCache, RotatingKVCache

    return type(cache) in (ArraysCache, RotatingKVCache) or not may_not_trim(cache)


def can_cut(cache: Any, surplus: int) -> bool:
    """Whether a single cache has all that it held before its last `surplus` tokens.

    A window that is full does after a pass of several tokens: it holds them in order then, after
    as many of those before as its next token needs.
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
    """Take back the last tokens from a cache that can be cut."""
    if can_trim(cache):
        cache.trim(surplus)
        return
    cache.keys = cache.keys[..., :-surplus, :]
    cache.values = cache.values[..., :-surplus, :]
    cache.offset -= surplus
    cache._idx -= surplus


# What a session costs, measured on its caches.


def grows_unseen(caches: Caches, longer: Caches) -> bool:
    """Whether some cache grows in a way that its shape does not tell.

    `longer` are the same caches after more tokens. Caches with `keys` tell by their shape. Others
    may grow in steps, so whatever is not mlx-lm's cache for recurrent states is taken to grow.
    """
    from mlx_lm.models.cache import ArraysCache

    return any(
        type(cache) is not ArraysCache or nbytes(cache) != nbytes(more)
        for (cache, _), (more, _) in zip(_parts(caches), _parts(longer), strict=True)
        if not hasattr(cache, "keys")
    )


def measure(caches: Caches, longer: Caches | None = None, more: int = 0) -> MemoryEstimate:
    """What a session costs, by caches that have been fed some tokens.

    Args:
        longer: the same caches after `more` further tokens. What grows in a way that its shape
            does not tell is measured by the difference; without it, it is taken to be fixed.
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
    """The single caches, and how often a session holds each.

    Those that cannot be trimmed are held twice: a snapshot has a copy.
    """
    parts = (cache for cache in single(caches) if cache is not None)
    return [(cache, 2 if may_not_trim(cache) else 1) for cache in parts]

"""Modules that are called row by row in a shared step (the second way of `ragged`).

Where a model does more with its keys than hand them to attention, the module that handles the
cache is called once for each row, with that session's own cache. The modules around it are still
shared. Which modules handle a cache is observed while the model runs alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import mlx.core as mx

from engine.model.patches.module_classes import mix_in
from engine.model.ragged import RaggedKV, RaggedList, SlotKV
from engine.model.ragged_rows import Rows
from engine.model.ragged_states import RaggedArrays
from engine.model.slot_rows import SlotRows

_RAGGED = (RaggedKV, SlotKV, RaggedArrays, RaggedList, Rows, SlotRows)


def cache_handlers(net: Any, caches: Sequence[Any], run: Callable[[], Any]) -> list[Any]:
    """The modules of `net` that handle a layer's cache, found while `run` runs the model alone.

    The outermost module that is given a cache is the decoder layer. Its feed-forward part does not
    need the cache, so the modules that the layer gives it to are taken; or the layer itself, if it
    gives it to none.
    """
    parts = [c for cache in caches for c in (cache, *getattr(cache, "caches", ()))]
    watch = _watching.now = _Watch({id(c) for c in parts if c is not None})
    undo = mix_in(_Watched, _callable_modules(net))
    try:
        run()
    finally:
        undo()
        del _watching.now
    alone = [module for key, module in watch.outermost.items() if key not in watch.hands_on]
    return [*alone, *watch.second.values()]


class _Watch:
    """Which modules were given a cache.

    Attributes:
        known: the caches' ids.
        inside: the modules running now that were given a cache, the outermost first.
        outermost, second: the modules at the first and the second place of `inside`, by id.
        hands_on: ids of the outermost modules that gave a cache to another.
    """

    def __init__(self, known: set[int]) -> None:
        self.known = known
        self.inside: list[Any] = []
        self.outermost: dict[int, Any] = {}
        self.second: dict[int, Any] = {}
        self.hands_on: set[int] = set()

    def enter(self, module: Any) -> None:
        if not self.inside:
            self.outermost[id(module)] = module
        elif len(self.inside) == 1:
            self.second[id(module)] = module
            self.hands_on.add(id(self.inside[0]))
        self.inside.append(module)


# `_Watched` finds its watch here and not in a closure: a class is part of a reference cycle, and
# the app keeps Python's cyclic collector off, so what a class holds is not freed.
_watching = threading.local()


class _Watched:
    """Mixed in before a module's class while it is watched."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        inner = super().__call__  # type: ignore[misc]
        watch: _Watch = _watching.now
        given = (*args, *kwargs.values())
        caches = [c for a in given for c in (a if isinstance(a, tuple) else (a,))]
        if not any(id(c) in watch.known for c in caches):
            return inner(*args, **kwargs)
        watch.enter(self)
        try:
            return inner(*args, **kwargs)
        finally:
            watch.inside.pop()


def share_rows(modules: Iterable[Any]) -> Callable[[], None]:
    """Make modules run row by row when given a ragged cache; returns a function that undoes it."""
    return mix_in(_RowByRow, modules)


def _callable_modules(net: Any) -> list[Any]:
    unique = {id(module): module for _, module in net.named_modules() if module is not net}
    return [module for module in unique.values() if callable(module)]


def attention_modules(net: Any) -> list[Any]:
    """The modules whose names say attention. Some are given keys instead of a cache."""
    names = [(name.rsplit(".", 1)[-1].lower(), module) for name, module in net.named_modules()]
    return [m for leaf, m in names if callable(m) and ("attn" in leaf or "attention" in leaf)]


class _RowByRow:
    """Mixed in before the class of a module that handles a cache."""

    # Which arguments hold one entry a row, by position or name. Decided in the first call, which
    # is the probe's: later the size of another argument may happen to equal the number of rows.
    _per_row: frozenset[int | str] | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        inner = super().__call__  # type: ignore[misc]
        given: dict[int | str, Any] = dict([*enumerate(args), *kwargs.items()])
        n = next((len(a.rows) for a in given.values() if type(a) in _RAGGED), 0)
        if not n:
            return inner(*args, **kwargs)
        if self._per_row is None:
            self._per_row = frozenset(k for k, v in given.items() if _has_rows(v, n))
        outs = []
        for row in range(n):
            own = {k: _row_of(v, row) if k in self._per_row else v for k, v in given.items()}
            outs.append(inner(*(own[k] for k in range(len(args))), **{k: own[k] for k in kwargs}))
        return _joined(outs)


def _has_rows(value: Any, n: int) -> bool:
    if isinstance(value, mx.array):
        # A vector of numbers, one a row, can only be positions, and those are integers.
        enough = value.ndim > 1 or mx.issubdtype(value.dtype, mx.integer)
        return value.ndim > 0 and value.shape[0] == n and enough
    return type(value) in _RAGGED


def _row_of(value: Any, row: int) -> Any:
    """`value` as it would be if the row ran alone."""
    if isinstance(value, mx.array):
        return value[row : row + 1]
    if type(value) is RaggedList:
        return _OneRow([_row_of(c, row) for c in value.caches])
    return value.rows[row] if type(value) in _RAGGED else value


def _joined(outs: list[Any]) -> Any:
    """The rows' results in one: arrays are concatenated, tuples joined part by part.

    Raises:
        TypeError: for results of other types that differ.
    """
    first = outs[0]
    if isinstance(first, mx.array):
        return mx.concatenate(outs)
    if isinstance(first, tuple):
        return tuple(_joined(list(parts)) for parts in zip(*outs, strict=True))
    if all(out is first for out in outs):
        return first
    raise TypeError(f"rows of {type(first).__name__} cannot be joined")


class _OneRow:
    """One session's caches of a layer that has several."""

    def __init__(self, caches: list[Any]) -> None:
        self.caches = caches

    def __getitem__(self, index: int) -> Any:
        return self.caches[index]

"""A tower's pass in pieces, between which the chats that stream have their turns.

The pass only builds a graph. Layers that take each row by itself are cut by rows and attention by
queries, so that no piece takes longer than a gap may. Each is noted, and evaluated in turn. Where
cuts are follows from sizes alone: an image has the same embeddings whatever else is computed.
"""

from __future__ import annotations

import contextlib
import functools
import math
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from types import ModuleType
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.model import backend
from engine.model.patches import mix_in

SLICE = 0.01  # seconds of a tower that are evaluated at a time, as far as pieces take no longer

PIECE = {"cpu": 2e9, "gpu": 2e10}
"""Operations of a piece at most: about two hundredths of a second of two cores, one of the slowest
GPU that models are run on. Smaller ones would be so many of a large image's attention on a CPU,
which takes the most of a tower there, that building the graph, which nothing interrupts, would take
longer than they do (24 blocks: 0.5 s with half of this)."""

ELEMENT = {"cpu": 1000.0, "gpu": 50.0}
"""Operations that a number of a norm, an activation or a softmax counts for. On a CPU MLX takes ten
nanoseconds for an exponential."""

_LINEAR = (nn.Linear, nn.QuantizedLinear)
_PATCHES = (nn.Conv2d, nn.Conv3d)
_BY_ROWS = (*_LINEAR, *_PATCHES, nn.LayerNorm, nn.RMSNorm, nn.GELU, nn.SiLU)
_FEED_FORWARD = ("mlp", "feed_forward")
_ATTENTION = "attention"

Cut = tuple[mx.array, int]  # an array, and the axis along which its rows are


class _Noting(threading.local):
    """What notes the pieces of the pass that this thread builds, if it is a tower's."""

    now: _Noted | None = None


noting = _Noting()


def in_pieces(
    modules: Iterable[nn.Module], embed: Callable[[], list[mx.array]]
) -> Generator[None, None, list[mx.array]]:
    """What `embed` gives, evaluated for about `SLICE` seconds at a time.

    Args:
        modules: all that it calls, those within others, too.
    """
    noted = _Noted()
    undo = mix_in(_ByRows, _by_rows(modules))
    noting.now = noted
    try:
        features = embed()
    finally:
        noting.now = None
        undo()
    yield
    pieces, rates = noted.pieces[::-1], dict[str, float]()
    del noted
    while pieces:
        kind, cost, arrays = pieces.pop()
        most = rates.get(kind, 0.0) * SLICE
        while kind and pieces and pieces[-1][0] == kind and cost + pieces[-1][1] <= most:
            _, more, others = pieces.pop()
            cost += more
            arrays = arrays + others
        others = []
        began = time.perf_counter()
        with backend.one_blas_thread() if kind == _ATTENTION else contextlib.nullcontext():
            mx.eval(arrays)
        del arrays, others
        rates[kind] = cost / (time.perf_counter() - began)
        yield
    mx.eval(features)
    return features


def _by_rows(modules: Iterable[nn.Module]) -> list[nn.Module]:
    found = []
    for module in modules:
        if isinstance(module, _BY_ROWS):
            found.append(module)
        inner = (module.get(name) for name in _FEED_FORWARD)
        found += [part for part in inner if isinstance(part, nn.Module)]
    return found


class _Noted:
    """The pieces of a pass, in the order in which they are to be evaluated."""

    def __init__(self) -> None:
        device = "gpu" if mx.default_device() == mx.Device(mx.gpu) else "cpu"
        self._most, self.element = PIECE[device], ELEMENT[device]
        # of each its kind, by which its time is foreseen, and its cost; what is only brought
        # together for them has none, and is evaluated by itself
        self.pieces: list[tuple[str, float, list[mx.array]]] = []

    def add(self, *arrays: mx.array) -> None:
        self.pieces += [("", 0.0, [array]) for array in arrays]

    def cut(
        self, kind: str, given: Sequence[Cut], cost: float, call: Callable[..., list[mx.array]]
    ) -> list[mx.array]:
        """What `call` gives of arrays, part by part along an axis of each.

        Args:
            given: what is cut alike; what comes of it has its rows where the first has them.
            cost: of one row.
        """
        arrays, axes = zip(*given, strict=True)
        count, step = arrays[0].shape[axes[0]], max(1, int(self._most / cost))
        noting.now = None  # what is called within is a piece already
        try:
            if count <= step:
                whole = call(*arrays)
                self.pieces.append((kind, cost * count, whole))
                return whole
            self.add(*arrays)
            starts = [*range(step, count, step)]
            cut = [mx.split(array, starts, axis=axis) for array, axis in given]
            parts = [call(*some) for some in zip(*cut, strict=True)]
        finally:
            noting.now = self
        self.pieces += [(kind, cost * part[0].shape[axes[0]], part) for part in parts]
        out = [mx.concatenate(list(same), axis=axes[0]) for same in zip(*parts, strict=True)]
        self.add(*out)
        return out


class _ByRows:
    """Mixed in before the class of a module that takes each row by itself."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        call: Any = super().__call__  # type: ignore[misc]
        noted = noting.now
        if noted is None or named or len(given) != 1 or given[0].ndim < 2:
            return call(*given, **named)
        (x,), kind = given, type(self).__name__
        if isinstance(self, _PATCHES):
            steps = self.stride if isinstance(self.stride, int) else math.prod(self.stride)
            # Eight times a product's, measured: MLX unfolds it, on one core.
            cost = 16 * self.weight.size * math.prod(x.shape[1:-1]) / steps
            return noted.cut(kind, [(x, 0)], cost, lambda part: [call(part)])[0]
        rows, cost = x.size / x.shape[-1], noted.element * x.shape[-1]
        for module in self.modules():  # type: ignore[attr-defined]
            if isinstance(module, _LINEAR):
                width, packed = module.weight.shape
                inner = packed * 32 // getattr(module, "bits", 32)
                cost += width * (2 * inner + noted.element)
        cost *= rows / x.shape[-2]
        return noted.cut(kind, [(x, -2)], cost, lambda part: [call(part)])[0]


def by_rows(
    kind: str, given: Sequence[Cut], numbers: float, call: Callable[..., list[mx.array]]
) -> list[mx.array]:
    """What `call` gives of arrays, in a tower's pass a part of their rows after the other.

    Args:
        given: as `_Noted.cut` takes it.
        numbers: how many are computed of one row.
    """
    noted = noting.now
    if noted is None:
        return call(*(array for array, _ in given))
    return noted.cut(kind, given, noted.element * numbers, call)


def turn_by_rows(home: ModuleType, name: str, axes: Sequence[int]) -> None:
    """Let a tower's own function that turns queries and keys by their places do so by rows.

    Args:
        axes: of its first arguments, those along which their rows are.
    """
    turn = getattr(home, name)
    if not isinstance(turn, functools.partial):
        setattr(home, name, functools.partial(_turned, turn, axes))


def _turned(turn: Callable[..., Any], axes: Sequence[int], *given: Any, **named: Any) -> Any:
    if noting.now is None:
        return turn(*given, **named)
    arrays, rest = given[: len(axes)], given[len(axes) :]

    def part(*some: mx.array) -> list[mx.array]:
        out = turn(*some, *rest, **named)
        return [*out] if isinstance(out, tuple) else [out]

    numbers = 3 * sum(array.size for array in arrays) / arrays[0].shape[axes[0]]
    out = by_rows("rotary", [*zip(arrays, axes, strict=True)], numbers, part)
    return out[0] if len(out) == 1 else tuple(out)


def attend(
    mlx: Callable[..., mx.array], q: mx.array, k: mx.array, v: mx.array, **named: Any
) -> mx.array:
    """MLX's own attention, in a tower's pass a part of the queries after the other."""
    noted, mask = noting.now, named.get("mask")
    if noted is None or isinstance(mask, str):
        return mlx(q, k, v, **named)
    k, v = mx.contiguous(k), mx.contiguous(v)  # or each part would make its own
    noted.add(k, v)
    given = [(q, -2)]
    if mask is not None and mask.ndim > 1 and mask.shape[-2] > 1:
        given.append((mask, -2))

    def part(queries: mx.array, *masks: mx.array) -> list[mx.array]:
        if masks:
            named["mask"] = masks[0]
        return [mlx(queries, k, v, **named)]

    cost = q.shape[0] * q.shape[1] * k.shape[-2] * (4 * q.shape[-1] + noted.element)
    return noted.cut(_ATTENTION, given, cost, part)[0]

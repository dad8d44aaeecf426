"""Sliced evaluation of vision towers, so that other chats can stream.

To keep each chunk of work within the gap budget, layers that treat rows independently are split by
rows, and attention by queries. The chunks are recorded and then evaluated in order. Splits only
depend on array sizes, so the embeddings of an image don't depend on what else is running.
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

from engine.model.patches import dense, mix_in

# Target time in seconds per iteration of the engine loop; a single chunk may take longer.
SLICE = 0.01

PIECE = {"cpu": 2e9, "gpu": 2e10}
"""Maximum operations per chunk, which take about 0.02 s on two cores, or 0.01 s on one of the
slowest supported GPUs. Building the graph can't be interrupted, and with smaller chunks it would
take longer than evaluating a chunk (24 blocks: 0.5 s at half this size).
"""

ELEMENT = {"cpu": 1000.0, "gpu": 50.0}
"""Cost of one element of a norm, activation or softmax, in operations. On a CPU, MLX takes 10 ns
per exponential.
"""

_LINEAR = (nn.Linear, nn.QuantizedLinear)
_PATCHES = (nn.Conv2d, nn.Conv3d)
_BY_ROWS = (*_LINEAR, *_PATCHES, nn.LayerNorm, nn.RMSNorm, nn.GELU, nn.SiLU)
_FEED_FORWARD = ("mlp", "feed_forward")
_ATTENTION = "attention"

SplitArray = tuple[mx.array, int]  # array, and the axis along which to split it


class _Recorder(threading.local):
    now: _RecordedPieces | None = None


recorder = _Recorder()


def evaluate_in_pieces(
    modules: Iterable[nn.Module], embed: Callable[[], list[mx.array]]
) -> Generator[None, None, list[mx.array]]:
    """Call `embed` and evaluate its result, yielding about every `SLICE` seconds.

    Args:
        modules: all modules called by `embed`, including nested modules.
    """
    recorded = _RecordedPieces()
    undo = mix_in(_ByRows, _row_modules(modules))
    recorder.now = recorded
    try:
        features = embed()
    finally:
        recorder.now = None
        undo()
    yield
    pieces, rates = recorded.pieces[::-1], dict[str, float]()
    del recorded
    while pieces:
        kind, cost, arrays = pieces.pop()
        max_cost = rates.get(kind, 0.0) * SLICE
        while kind and pieces and pieces[-1][0] == kind and cost + pieces[-1][1] <= max_cost:
            _, next_cost, next_arrays = pieces.pop()
            cost += next_cost
            arrays = arrays + next_arrays
        next_arrays = []
        started_at = time.perf_counter()
        with dense.one_blas_thread() if kind == _ATTENTION else contextlib.nullcontext():
            mx.eval(arrays)
        del arrays, next_arrays
        rates[kind] = cost / (time.perf_counter() - started_at)
        yield
    mx.eval(features)
    return features


def _row_modules(modules: Iterable[nn.Module]) -> list[nn.Module]:
    row_modules = []
    for module in modules:
        if isinstance(module, _BY_ROWS):
            row_modules.append(module)
        inner = (module.get(name) for name in _FEED_FORWARD)
        row_modules += [part for part in inner if isinstance(part, nn.Module)]
    return row_modules


class _RecordedPieces:
    def __init__(self) -> None:
        device = "gpu" if mx.default_device() == mx.Device(mx.gpu) else "cpu"
        self._max_cost, self.element = PIECE[device], ELEMENT[device]
        # Kind, cost and arrays of each chunk. The time of a chunk is estimated from earlier chunks
        # of the same kind. Arrays that only combine other arrays have the kind "" and are evaluated
        # separately.
        self.pieces: list[tuple[str, float, list[mx.array]]] = []

    def add(self, *arrays: mx.array) -> None:
        self.pieces += [("", 0.0, [array]) for array in arrays]

    def split_call(
        self,
        kind: str,
        split_arrays: Sequence[SplitArray],
        cost: float,
        call: Callable[..., list[mx.array]],
    ) -> list[mx.array]:
        """Split arrays, call a function for each part, and concatenate the results.

        Args:
            split_arrays: arrays to split in the same way. Results are concatenated along the first
                array's axis.
        """
        arrays, axes = zip(*split_arrays, strict=True)
        count, step = arrays[0].shape[axes[0]], max(1, int(self._max_cost / cost))
        recorder.now = None  # nested calls are part of the current chunk
        try:
            if count <= step:
                result = call(*arrays)
                self.pieces.append((kind, cost * count, result))
                return result
            self.add(*arrays)
            starts = [*range(step, count, step)]
            cut = [mx.split(array, starts, axis=axis) for array, axis in split_arrays]
            parts = [call(*args) for args in zip(*cut, strict=True)]
        finally:
            recorder.now = self
        self.pieces += [(kind, cost * part[0].shape[axes[0]], part) for part in parts]
        out = [mx.concatenate(list(same), axis=axes[0]) for same in zip(*parts, strict=True)]
        self.add(*out)
        return out


class _ByRows:
    """Mixin for a module that treats rows independently."""

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        call: Any = super().__call__  # type: ignore[misc]
        recorded = recorder.now
        if recorded is None or kwargs or len(inputs) != 1 or inputs[0].ndim < 2:
            return call(*inputs, **kwargs)
        (x,), kind = inputs, type(self).__name__
        if isinstance(self, _PATCHES):
            steps = self.stride if isinstance(self.stride, int) else math.prod(self.stride)
            # Measurements show eight times the cost of a matrix product, because MLX unfolds the
            # input on a single core.
            cost = 16 * self.weight.size * math.prod(x.shape[1:-1]) / steps
            return recorded.split_call(kind, [(x, 0)], cost, lambda part: [call(part)])[0]
        rows, cost = x.size / x.shape[-1], recorded.element * x.shape[-1]
        for module in self.modules():  # type: ignore[attr-defined]
            if isinstance(module, _LINEAR):
                width, packed = module.weight.shape
                inner = packed * 32 // getattr(module, "bits", 32)
                cost += width * (2 * inner + recorded.element)
        cost *= rows / x.shape[-2]
        return recorded.split_call(kind, [(x, -2)], cost, lambda part: [call(part)])[0]


def split_by_rows(
    kind: str, arrays: Sequence[SplitArray], numbers: float, call: Callable[..., list[mx.array]]
) -> list[mx.array]:
    """Call a function on arrays. While a tower's pass is recorded, split the arrays by rows.

    Args:
        arrays: see `_RecordedPieces.split_call`.
        numbers: number of elements computed per row.
    """
    recorded = recorder.now
    if recorded is None:
        return call(*(array for array, _ in arrays))
    return recorded.split_call(kind, arrays, recorded.element * numbers, call)


def split_rotary_by_rows(home: ModuleType, name: str, axes: Sequence[int]) -> None:
    """Patch a tower's rotary embedding function so that it's split by rows.

    Args:
        axes: axes along which to split the function's first arguments.
    """
    turn = getattr(home, name)
    if not isinstance(turn, functools.partial):
        setattr(home, name, functools.partial(_rotary_by_rows, turn, axes))


def _rotary_by_rows(
    turn: Callable[..., Any], axes: Sequence[int], *inputs: Any, **kwargs: Any
) -> Any:
    if recorder.now is None:
        return turn(*inputs, **kwargs)
    arrays, rest = inputs[: len(axes)], inputs[len(axes) :]

    def part(*args: mx.array) -> list[mx.array]:
        out = turn(*args, *rest, **kwargs)
        return [*out] if isinstance(out, tuple) else [out]

    numbers = 3 * sum(array.size for array in arrays) / arrays[0].shape[axes[0]]
    out = split_by_rows("rotary", [*zip(arrays, axes, strict=True)], numbers, part)
    return out[0] if len(out) == 1 else tuple(out)


def attend(
    mlx: Callable[..., mx.array], q: mx.array, k: mx.array, v: mx.array, **kwargs: Any
) -> mx.array:
    """Call MLX's attention, split by queries while a tower's pass is being recorded."""
    recorded, mask = recorder.now, kwargs.get("mask")
    if recorded is None or isinstance(mask, str):
        return mlx(q, k, v, **kwargs)
    k, v = mx.contiguous(k), mx.contiguous(v)  # otherwise, each part would make a copy
    recorded.add(k, v)
    arrays = [(q, -2)]
    if mask is not None and mask.ndim > 1 and mask.shape[-2] > 1:
        arrays.append((mask, -2))

    def part(queries: mx.array, *masks: mx.array) -> list[mx.array]:
        if masks:
            kwargs["mask"] = masks[0]
        return [mlx(queries, k, v, **kwargs)]

    cost = q.shape[0] * q.shape[1] * k.shape[-2] * (4 * q.shape[-1] + recorded.element)
    return recorded.split_call(_ATTENTION, arrays, cost, part)[0]

"""Restriction of the output layer to the rows that are sampled.

Slicing the logits wouldn't help, because MLX would still multiply all rows by the vocabulary
matrix.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import mlx.core as mx

from engine.model.patches import mix_in

_state = threading.local()


@contextmanager
def restrict_rows(rows: Sequence[int]) -> Iterator[None]:
    """Only compute logits for these rows, in this order, inside the block on this thread.

    Args:
        rows: indices into a pass of `[rows, 1]` or `[1, tokens]`.
    """
    before, _state.rows = getattr(_state, "rows", ()), tuple(rows)
    try:
        yield
    finally:
        _state.rows = before


def extract_logits(logits: mx.array, rows: Sequence[int]) -> mx.array:
    """Return the logits of `rows`, `[rows, ids]`, from a pass inside `restrict_rows(rows)`.

    If the output layer wasn't found, the model has computed all rows.
    """
    flat = logits.reshape(-1, logits.shape[-1])
    return flat if flat.shape[0] == len(rows) else _take_rows(flat, 0, tuple(rows))


def install(net: Any, ids: int) -> Callable[[], None]:
    """Find a model's output layer, and make it skip rows. Return an undo function."""
    tables, linears = [], []
    for name, module in net.named_modules():
        if isinstance(module, (_SelectsRows, _SelectsRowsAsLinear)):
            continue
        if hasattr(module, "as_linear"):  # a tied embedding, whose method is only called for logits
            tables.append(module)
        elif callable(module) and _output_width(module) == ids and not any(map(str.isdigit, name)):
            linears.append(module)  # skip names with digits: a layer may have the same width
    parts = mix_in(_SelectsRows, linears), mix_in(_SelectsRowsAsLinear, tables)

    def undo() -> None:
        for part in parts:
            part()

    return undo


def _output_width(module: Any) -> int:
    for name, axis in (("weight", 0), ("lora_b", -1)):
        array = module.get(name)
        if isinstance(array, mx.array) and array.ndim == 2:
            return int(array.shape[axis])
    return 0


def _select_rows(x: mx.array) -> mx.array:
    rows: tuple[int, ...] = getattr(_state, "rows", ())
    if not rows or x.ndim < 2:
        return x
    axis = 0 if x.shape[0] > 1 or x.ndim == 2 else 1
    return x if x.shape[axis] <= len(rows) else _take_rows(x, axis, rows)


def _take_rows(x: mx.array, axis: int, rows: tuple[int, ...]) -> mx.array:
    if rows == tuple(range(rows[0], rows[0] + len(rows))):
        places = slice(rows[0], rows[0] + len(rows))
        return x[places] if axis == 0 else x[:, places]
    return mx.take(x, mx.array(rows), axis=axis)


class _SelectsRows:
    """Mixin for a linear layer that computes logits."""

    def __call__(self, x: mx.array, *args: Any, **kwargs: Any) -> mx.array:
        return super().__call__(_select_rows(x), *args, **kwargs)  # type: ignore[misc, no-any-return]


class _SelectsRowsAsLinear:
    """Mixin for a tied embedding that computes logits."""

    def as_linear(self, x: mx.array, *args: Any, **kwargs: Any) -> mx.array:
        return super().as_linear(_select_rows(x), *args, **kwargs)  # type: ignore[misc, no-any-return]

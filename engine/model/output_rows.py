"""Of the rows of a pass, only those whose logits somebody wants go through the output layer.

A pass that reads prompts has many rows, and of few of them a token follows. MLX would multiply all
of them with the vocabulary's matrix: what is cut off afterwards has been computed by then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import mlx.core as mx

from engine.model import patches
from engine.model.patches import mix_in

_state = threading.local()


@contextmanager
def only(rows: Sequence[int], are_read: bool = True) -> Iterator[None]:
    """Within this block, on this thread, models compute logits of these rows, in this order.

    Args:
        rows: places in a pass of `[rows, 1]` or `[1, tokens]`.
        are_read: logits are needed; otherwise a model may leave out these as well.
    """
    before = getattr(_state, "rows", ()), getattr(_state, "are_read", True)
    _state.rows, _state.are_read = tuple(rows), are_read
    try:
        yield
    finally:
        _state.rows, _state.are_read = before


def of(logits: mx.array, rows: Sequence[int]) -> mx.array:
    """Those rows' logits `[rows, ids]` of a pass within `only(rows)`.

    A model whose output layer was not found has computed all of them.
    """
    flat = logits.reshape(-1, logits.shape[-1])
    return flat if flat.shape[0] == len(rows) else _some(flat, 0, tuple(rows))


def wanted(count: int) -> Sequence[int]:
    """Return the rows whose logits are read, of a pass of `count` rows."""
    rows: tuple[int, ...] = getattr(_state, "rows", ())
    if not getattr(_state, "are_read", True):
        return ()
    return rows if 0 < len(rows) < count else range(count)


def install(net: Any, ids: int) -> Callable[[], None]:
    """Find what may be a model's output layer, and let it leave out rows.

    Args:
        ids: how many logits the model gives for each row.

    Returns:
        A function that undoes it.
    """
    if not patches.is_on("module_classes"):
        return lambda: None
    tables, linears = [], []
    for name, module in net.named_modules():
        if isinstance(module, (_SomeRows, _SomeRowsAsLinear)):
            continue
        if hasattr(module, "as_linear"):  # an embedding, which is called so for nothing else
            tables.append(module)
        elif callable(module) and _outputs(module) == ids and not any(map(str.isdigit, name)):
            linears.append(module)  # within a layer, something else may be as wide
    parts = mix_in(_SomeRows, linears), mix_in(_SomeRowsAsLinear, tables)

    def undo() -> None:
        for part in parts:
            part()

    return undo


def _outputs(module: Any) -> int:
    """How many numbers a linear layer gives for each row; 0 for other modules."""
    for name, axis in (("weight", 0), ("lora_b", -1)):
        array = module.get(name)
        if isinstance(array, mx.array) and array.ndim == 2:
            return int(array.shape[axis])
    return 0


def _cut(x: mx.array) -> mx.array:
    rows: tuple[int, ...] = getattr(_state, "rows", ())
    if not rows or x.ndim < 2:
        return x
    axis = 0 if x.shape[0] > 1 or x.ndim == 2 else 1
    return x if x.shape[axis] <= len(rows) else _some(x, axis, rows)


def _some(x: mx.array, axis: int, rows: tuple[int, ...]) -> mx.array:
    """Some places of an axis; a view where they follow each other."""
    if rows == tuple(range(rows[0], rows[0] + len(rows))):
        places = slice(rows[0], rows[0] + len(rows))
        return x[places] if axis == 0 else x[:, places]
    return mx.take(x, mx.array(rows), axis=axis)


class _SomeRows:
    """Mixed in before the class of a linear layer that gives logits."""

    def __call__(self, x: mx.array, *more: Any, **named: Any) -> mx.array:
        return super().__call__(_cut(x), *more, **named)  # type: ignore[misc, no-any-return]


class _SomeRowsAsLinear:
    """The same for an embedding that is the output layer as well."""

    def as_linear(self, x: mx.array, *more: Any, **named: Any) -> mx.array:
        return super().as_linear(_cut(x), *more, **named)  # type: ignore[misc, no-any-return]

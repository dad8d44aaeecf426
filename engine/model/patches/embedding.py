"""Replaces `nn.Embedding.as_linear` on Linux CPUs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.model import cpu
from engine.model.cpu import linear
from engine.model.patches.replace import expect

_original: Callable[..., mx.array] | None = None


def install() -> None:
    """Put `as_linear` in the place of MLX's. Does nothing the second time."""
    global _original
    if _original is not None:
        return
    original = nn.Embedding.as_linear
    expect(original, "self", "x")
    _original = original
    nn.Embedding.as_linear = as_linear


def as_linear(self: Any, x: mx.array, *more: Any, **named: Any) -> mx.array:
    """`x @ weight.T`."""
    assert _original is not None
    y = None
    if not more and not named and cpu.is_engaged(x):
        y = linear.product(x, self["weight"])
    return _original(self, x, *more, **named) if y is None else y

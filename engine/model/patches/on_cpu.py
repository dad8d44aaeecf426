"""Patches for CPUs. Most of them use the faster functions in `dense`, and only apply on Linux."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.model.patches import dense, expect, replace

_swiglu: Callable[..., mx.array]


def install_compilation() -> None:
    """Disable `mx.compile` for the whole process.

    On a CPU, it runs g++ for every new shape. This stalls all chats for half a second, leaks memory
    (100 MB for phi3small), and raises an exception if g++ isn't installed. All it could save is the
    dispatch of a few operations.
    """
    mx.disable_compile()


def install_activations() -> None:
    """Replace mlx-lm's `swiglu`, which most models use in their feed-forward layers."""
    global _swiglu
    home = importlib.import_module("mlx_lm.models.activations")
    expect(home.swiglu, "gate", "x")
    _swiglu = home.swiglu
    replace(home, "swiglu", swiglu)


def swiglu(gate: mx.array, x: mx.array, *more: Any, **named: Any) -> mx.array:
    """Compute `silu(gate) * x` for arrays of the same shape."""
    if more or named or not dense.is_engaged(gate):
        return _swiglu(gate, x, *more, **named)
    return dense.swiglu(gate, x)


def install_linear() -> None:
    """Replace `nn.Linear.__call__`."""
    expect(nn.Linear.__call__, "self", "x")
    nn.Linear.__call__ = _multiplied(nn.Linear.__call__)


def install_embedding() -> None:
    """Replace `nn.Embedding.as_linear`."""
    expect(nn.Embedding.as_linear, "self", "x")
    nn.Embedding.as_linear = _multiplied(nn.Embedding.as_linear)


def _multiplied(original: Callable[..., mx.array]) -> Callable[..., mx.array]:
    """Wrap a method that computes `x @ weight.T`, plus the bias if there is one."""

    def multiplied(self: Any, x: mx.array, *more: Any, **named: Any) -> mx.array:
        y = None
        if not more and not named and dense.is_engaged(x):
            y = dense.product(x, self["weight"])
        if y is None:
            return original(self, x, *more, **named)
        return y + self["bias"] if "bias" in self else y

    return multiplied

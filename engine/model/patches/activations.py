"""Replaces mlx-lm's `swiglu`, the gate of most models' feed-forward layers, on Linux CPUs."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import mlx.core as mx

from engine.model import cpu
from engine.model.cpu import activations
from engine.model.patches.replace import expect, replace

_original: Callable[..., mx.array] | None = None


def install() -> None:
    """Put `swiglu` in the place of mlx-lm's. Does nothing the second time."""
    global _original
    if _original is not None:
        return
    home = importlib.import_module("mlx_lm.models.activations")
    original = home.swiglu
    expect(original, "gate", "x")
    _original = original
    replace(home, "swiglu", swiglu)


def swiglu(gate: mx.array, x: mx.array, *more: Any, **named: Any) -> mx.array:
    """`silu(gate) * x`, of arrays of one shape."""
    assert _original is not None
    if more or named or not cpu.is_engaged(gate):
        return _original(gate, x, *more, **named)
    return activations.swiglu(gate, x)

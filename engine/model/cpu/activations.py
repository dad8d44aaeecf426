"""The gate of most models' feed-forward layers, `silu(gate) * x`, with cheaper exponentials."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import mlx.core as mx
import numpy as np

from engine.model import cpu
from engine.model.patches import replace

_original: Callable[[mx.array, mx.array], mx.array] | None = None


def install() -> None:
    """Put `swiglu` in mlx-lm's place. Does nothing the second time."""
    global _original
    if _original is not None:
        return
    home = importlib.import_module("mlx_lm.models.activations")
    _original = home.swiglu
    replace.replace(home, "swiglu", swiglu)


def swiglu(gate: mx.array, x: mx.array) -> mx.array:
    """`gate * sigmoid(gate) * x`, of one shape."""
    assert _original is not None
    if not cpu.is_engaged(gate):
        return _original(gate, x)
    if gate.size >= cpu.AT_ONCE and cpu.evaluated(gate, x):
        return _at_once(gate, x)
    return gate / (1 + mx.power(1 / cpu.E, gate)) * x


def _at_once(gate: mx.array, x: mx.array) -> mx.array:
    g = np.asarray(gate)
    out = np.negative(g)
    with np.errstate(over="ignore"):  # a gate far below zero is closed: divided by infinity
        np.exp(out, out=out)
    out += 1
    np.divide(g, out, out=out)
    out *= np.asarray(x)
    return mx.array(out)

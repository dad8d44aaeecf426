"""The gate of most models' feed-forward layers, `silu(gate) * x`, with cheaper exponentials."""

from __future__ import annotations

import mlx.core as mx
import numpy as np

from engine.model import cpu


def swiglu(gate: mx.array, x: mx.array) -> mx.array:
    """`gate * sigmoid(gate) * x`, of float32 arrays of one shape."""
    if gate.size >= cpu.NUMPY_FROM and cpu.evaluated(gate, x):
        return _by_numpy(gate, x)
    return gate / (1 + mx.power(1 / cpu.E, gate)) * x


def _by_numpy(gate: mx.array, x: mx.array) -> mx.array:
    g = np.asarray(gate)
    out = np.negative(g)
    with np.errstate(over="ignore"):  # for a gate far below zero: divided by infinity it is zero
        np.exp(out, out=out)
    out += 1
    np.divide(g, out, out=out)
    out *= np.asarray(x)
    return mx.array(out)

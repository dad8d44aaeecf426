"""What MLX computes slowly on a Linux CPU, computed otherwise while the engine runs a model.

`linear` gives OpenBLAS the numbers of rows that it likes; `attention` and `activations` take their
exponentials from where they are cheap. All of it is switched on by `engaged` around the engine's
own forward passes, on its thread only: other users of MLX in the process compute as they always do.

The exponentials are the reason for most of it. In nanoseconds a number, on one core: MLX's `exp`
10, softmax 10, sigmoid 15, all without vector instructions; its `power` 3.5; numpy's `exp` 0.4.
Numpy needs the numbers evaluated first, which costs 60 microseconds a time, so many are left to it
(a chunk of 64 tokens after 3,000: attention of a layer 3.5 instead of 20 ms) and few to `power`.
That the pass is then waited for in its midst costs nothing more: MLX lets a CPU run only some
operations ahead of Python, so 85 of a step's 93 ms had passed before launching it was done.

Imports: engine.model.patches.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mlx.core as mx

E = math.e

AT_ONCE = 16_384
"""Exponentials from which on it pays to stop for numpy."""

_state = threading.local()
_installed = False


def install(wide_kernels: bool) -> None:
    """Teach MLX and mlx-lm; without it `engaged` has no effect. Does nothing the second time.

    `wide_kernels`: matrix products use AVX-512.
    """
    from engine.model.cpu import activations, linear

    global _installed
    _installed = True
    activations.install()
    linear.install(wide_kernels)


@contextmanager
def engaged(*, wanted: int = 0) -> Iterator[None]:
    """Within this block, on this thread, the ways of this package are taken where they fit.

    Args:
        wanted: logits are only asked for of so many rows, the first ones; 0 for all.
    """
    before = vars(_state).copy()
    _state.on, _state.wanted, _state.memo = _installed, wanted, {}
    try:
        yield
    finally:
        vars(_state).clear()
        vars(_state).update(before)


def is_engaged(x: mx.array) -> bool:
    """Whether the engine runs a model here, and `x` is of the kind that this package is for."""
    return getattr(_state, "on", False) and x.dtype == mx.float32


def wanted() -> int:
    """Of how many rows logits are asked for; 0 for all. Only where it is engaged."""
    return int(_state.wanted)


def memo() -> dict[str, Any]:
    """What is worth keeping while the pass lasts. Only where it is engaged."""
    kept: dict[str, Any] = _state.memo
    return kept


def evaluated(*arrays: mx.array) -> bool:
    """Evaluate what numpy is to read; False in a function that is being compiled."""
    try:
        mx.eval(*arrays)
    except ValueError:
        return False
    return True

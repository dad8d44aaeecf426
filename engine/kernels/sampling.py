"""Token sampling, implemented in source/sampling.c."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.kernels.library import Library

CHOICE = np.dtype(
    [
        ("logits", np.uint64),
        ("uniform", np.float64),
        ("token", np.int64),
        ("top_k", np.int64),
        ("temperature", np.float32),
        ("min_p", np.float32),
        ("typical_p", np.float32),
        ("top_p", np.float32),
        ("xtc_threshold", np.float32),
        ("padding", np.int32),
    ]
)
"""Mirrors `Choice` in api.h."""


def choose(
    library: Library, logits: Sequence[npt.NDArray[np.float32]], choices: Sequence[tuple[Any, ...]]
) -> list[int]:
    """Sample one token per row.

    Args:
        logits: rows `[vocabulary]`.
        choices: for each row, the fields of `CHOICE` in order, except for `logits`, `token` and
            `padding`.

    Raises:
        MemoryError: if there isn't enough memory.
    """
    width = len(logits[0])
    if any(row.shape != (width,) or row.strides != (4,) for row in logits):
        raise ValueError("Rows of logits must have one width, and their numbers no gaps.")
    filled = np.array(
        [
            (row.ctypes.data, uniform, 0, *others, 0)
            for row, (uniform, *others) in zip(logits, choices, strict=True)
        ],
        CHOICE,
    )
    if library.choose(filled.ctypes.data, len(filled), width):
        raise MemoryError("There is not enough memory to choose tokens.")
    tokens: list[int] = filled["token"].tolist()
    return tokens

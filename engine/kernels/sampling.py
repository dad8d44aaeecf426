"""Token sampling, implemented in source/sampling.c."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.kernels.library import Library, address_of
from engine.kernels.structs import ChoiceStruct


def choose(
    library: Library, logits: Sequence[npt.NDArray[np.float32]], choices: Sequence[tuple[Any, ...]]
) -> list[int]:
    """Sample one token per row.

    Args:
        logits: rows `[vocabulary]`.
        choices: for each row, the fields of `ChoiceStruct` in order, except for `logits` and
            `token`.

    Raises:
        MemoryError: if there isn't enough memory.
    """
    width = len(logits[0])
    shape, strides = (width,), (4,)
    if any(r.dtype != np.float32 or r.shape != shape or r.strides != strides for r in logits):
        raise ValueError("Rows of logits must be contiguous float32 rows of equal width.")
    filled = (ChoiceStruct * len(choices))(
        *(
            ChoiceStruct(address_of(row), uniform, 0, *others)
            for row, (uniform, *others) in zip(logits, choices, strict=True)
        )
    )
    if library.choose(filled, len(filled), width):
        raise MemoryError("Not enough memory to choose tokens.")
    return [choice.token for choice in filled]

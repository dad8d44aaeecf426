"""Stands for a GPU's attention kernels in a graph that is counted: each program is one launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx

from engine.bench.graph_marks import launched
from engine.model.kernel.attention import Approved, Attend, RaggedAttention
from engine.model.kernel.program import Geometry, Program, names


class Counted(Approved):
    """Takes what approved kernels would, of whatever head dim."""

    def __init__(self) -> None:
        super().__init__(RaggedAttention(_launch), ())

    def taking(self, geometry: Geometry, alike: bool) -> Attend | None:
        return None if alike else self._attend


def _launch(
    program: Program, inputs: Sequence[mx.array], _grid: object, shape: tuple[int, ...]
) -> mx.array:
    dtype = mx.float32 if program.part == "pieces" else inputs[0].dtype
    like = mx.zeros(shape, dtype)
    kind, read = f"attention of {program.part}", _read(program, inputs)
    out: mx.array = launched(kind, like, inputs, read)
    return out


def _read(program: Program, inputs: Sequence[mx.array]) -> int:
    """Bytes that a program reads: of the buffers only the rows' own keys."""
    if not program.sources:
        return sum(array.nbytes for array in inputs)
    each = len(names(bool(program.geometry.bits)))
    one = inputs[-each:]  # all sources are alike but in their lengths
    key = sum(a.shape[-1] * a.dtype.size for a in one) * program.geometry.key_heads
    tasks: Any = inputs[2].tolist()
    keys: int = sum(end - begin for *_, begin, end in tasks)
    others = inputs[: -each * program.sources]
    return keys * key + sum(array.nbytes for array in others)

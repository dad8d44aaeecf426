"""The kernels handed to MLX, on a GPU."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import mlx.core as mx

from engine.model.kernel.attention import THREADS, RaggedAttention
from engine.model.kernel.program import Program


@functools.cache
def _made(program: Program, device: str) -> Any:
    header, body = program.text(device)
    make = mx.fast.metal_kernel if device == "metal" else mx.fast.cuda_kernel
    # Rows' buffers are contiguous as they are; what is not is copied, and read rightly.
    return make(
        name=program.name(device),
        input_names=program.inputs,
        output_names=[program.output],
        source=body,
        header=header,
        ensure_row_contiguous=True,
    )


def attention(device: str) -> RaggedAttention:
    """The kernels on "metal" or "cuda". Nothing is compiled before it is first run."""

    def launch(
        program: Program,
        inputs: Sequence[mx.array],
        grid: tuple[int, int, int],
        shape: tuple[int, ...],
    ) -> mx.array:
        dtype = getattr(mx, program.geometry.dtype)
        out: mx.array = _made(program, device)(
            inputs=list(inputs),
            template=[("T", dtype)],
            grid=grid,
            threadgroup=(THREADS, 1, 1),
            output_shapes=[shape],
            output_dtypes=[mx.float32 if program.part == "pieces" else dtype],
        )[0]
        return out

    return RaggedAttention(launch)

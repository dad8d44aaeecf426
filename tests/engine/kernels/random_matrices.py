"""Random quantized matrices for tests of the kernels."""

from __future__ import annotations

import mlx.core as mx
import numpy as np

from engine.kernels.library import Library
from engine.kernels.matrices import Array, Format, PackedMatrix, pack

FORMATS = [
    *(Format("affine", bits, 64) for bits in (2, 3, 4, 5, 6, 8)),
    *(Format("affine", bits, group) for bits in (4, 8) for group in (32, 128)),
    Format("mxfp4", 4, 32),
]

DTYPES = {"float16": mx.float16, "bfloat16": mx.bfloat16, "float32": mx.float32}


class RandomMatrix:
    def __init__(
        self,
        library: Library,
        form: Format,
        outputs: int,
        inputs: int,
        seed: int = 0,
        dtype: str = "float16",
        bias: bool = False,
    ) -> None:
        key = mx.random.key(seed)
        wide = mx.random.normal((outputs, inputs), key=key) / inputs**0.5
        parts = mx.quantize(wide, form.group, form.bits, mode=form.mode)
        self.arrays = dict(zip(("weight", "scales", "biases"), parts, strict=False))
        if form.mode == "affine":
            for name in ("scales", "biases"):
                self.arrays[name] = self.arrays[name].astype(DTYPES[dtype])
        if bias:
            self.arrays["bias"] = mx.random.normal((outputs,), key=mx.random.key(seed + 1))
        self.form = form
        self.packed: PackedMatrix = pack(library, self.arrays, form)

    @property
    def weights(self) -> Array:
        scales, biases = self.arrays["scales"], self.arrays.get("biases")
        if self.form.mode == "affine":  # MLX computes these in float32 for any storage type
            assert biases is not None
            scales, biases = scales.astype(mx.float32), biases.astype(mx.float32)
        found = mx.dequantize(
            *(self.arrays["weight"], scales, biases, self.form.group, self.form.bits),
            mode=self.form.mode,
            dtype=mx.float32,
        )
        return np.array(found).astype(np.float64)

    def wanted(self, rows: Array) -> Array:
        found: Array = rows.astype(np.float64) @ self.weights.T
        if "bias" in self.arrays:
            found += np.array(self.arrays["bias"]).astype(np.float64)
        return found


def random_rows(count: int, inputs: int, seed: int = 0) -> Array:
    random = np.random.default_rng(seed)
    rows = random.standard_normal((count, inputs), np.float32)
    rows[random.random(rows.shape) < 0.01] *= 100
    return rows

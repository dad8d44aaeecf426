"""Keys, values and masks of many rows, each of its own length, in place of one tensor.

The ragged caches (`ragged`) give them out in a shared step. The replaced attention
(`patches.attention`) takes them. A model in between may do with them what models commonly do with
keys; anything else raises, and the probe then finds another way for that model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx

from engine.model.kernel.use import Kernels


class Rows:
    """One array for each row, `[1, key heads, tokens, head dim]` for keys and values.

    Attributes:
        rows: the arrays.
        caches: the caches that they come from, one for each row.
        kernels: who may attend to them where they lie, in their caches; None where nobody may, and
            once the model has done something with them.
    """

    def __init__(
        self, rows: list[Any], caches: Sequence[Any], kernels: Kernels | None = None
    ) -> None:
        self.rows = rows
        self.caches = caches
        self.kernels = kernels

    @property
    def dtype(self) -> mx.Dtype:
        dtype: mx.Dtype = self.rows[0].dtype
        return dtype

    def astype(self, dtype: mx.Dtype) -> Rows:
        return self._each(lambda row: row.astype(dtype))

    def swapaxes(self, first: int, second: int) -> Factor:
        return Factor(self._each(lambda row: row.swapaxes(first, second)))

    def _each(self, change: Callable[[Any], Any]) -> Rows:
        return Rows([change(row) for row in self.rows], self.caches)


class Factor(mx.array):
    """`Rows` as the right factor of a matrix product whose left factor is one array for all rows.

    Latent attention multiplies queries with keys so. It is a subclass of `mx.array` because
    `mx.array.__matmul__` refuses other types without asking them. Its own value is NaN, so that
    any other use of it shows in the logits.
    """

    def __init__(self, each: Rows) -> None:
        super().__init__(float("nan"))
        self._each = each

    def __rmatmul__(self, left: mx.array) -> Rows:  # type: ignore[misc]
        parts = mx.split(left, len(self._each.rows))
        products = [a @ b for a, b in zip(parts, self._each.rows, strict=True)]
        return Rows(products, self._each.caches)


class WithChunks:
    """Keys or values of a pass that reads chunks of prompts, beside rows that decode or alone.

    Attributes:
        decoding: the rows that decode; None where none does.
        chunks: for each prompt, all keys or values of its session.
        caches: those sessions' caches of the layer.
        counts: tokens in each chunk.
    """

    def __init__(
        self, decoding: Rows | None, chunks: list[Any], caches: Sequence[Any], counts: Sequence[int]
    ) -> None:
        self.decoding = decoding
        self.chunks = chunks
        self.caches = caches
        self.counts = counts

    @property
    def dtype(self) -> mx.Dtype:
        first = self.chunks[0] if self.decoding is None else self.decoding
        dtype: mx.Dtype = first.dtype
        return dtype

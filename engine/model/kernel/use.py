"""Who is asked, layer by layer, whether its rows' attention is the kernels'."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import mlx.core as mx

from engine.model.kernel.attention import RaggedAttention, Source
from engine.model.kernel.program import Geometry


class Kernels(Protocol):
    """Takes the attention of a step's rows, or leaves it to the plain way."""

    def wants(self, geometry: Geometry, alike: bool) -> bool:
        """Whether it takes a layer's attention.

        Args:
            alike: the plain way is one launch without a mask.
        """

    def __call__(
        self,
        geometry: Geometry,
        queries: mx.array,
        sources: Sequence[Source],
        scale: float,
        sinks: mx.array | None,
    ) -> mx.array:
        """As `RaggedAttention`, where it wants to."""


class Noting:
    """Takes nothing, and notes what a model's layers ask for.

    Attributes:
        geometries: of those layers for which there is a kernel.
    """

    def __init__(self) -> None:
        self.geometries: set[Geometry] = set()

    def wants(self, geometry: Geometry, alike: bool) -> bool:
        """No, always."""
        if geometry.fits:
            self.geometries.add(geometry)
        return False

    def __call__(
        self,
        geometry: Geometry,
        queries: mx.array,
        sources: Sequence[Source],
        scale: float,
        sinks: mx.array | None,
    ) -> mx.array:
        """Never asked."""
        raise NotImplementedError


class Approved:
    """Takes what the probe has found right, where the plain way is more than a launch.

    Rows that are alike are left to MLX's own kernel: it is one launch as well, and tuned.
    """

    def __init__(self, attention: RaggedAttention, geometries: Iterable[Geometry]) -> None:
        self._attention = attention
        self.geometries = frozenset(geometries)

    def wants(self, geometry: Geometry, alike: bool) -> bool:
        """Whether it was found right, and rows differ."""
        return not alike and geometry in self.geometries

    def __call__(
        self,
        geometry: Geometry,
        queries: mx.array,
        sources: Sequence[Source],
        scale: float,
        sinks: mx.array | None,
    ) -> mx.array:
        """As `RaggedAttention`."""
        return self._attention(geometry, queries, sources, scale, sinks)

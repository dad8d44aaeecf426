"""Who is asked, layer by layer, whether its rows' attention is the kernels'."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from engine.model.kernel.attention import Attend
from engine.model.kernel.program import Geometry


class Kernels(Protocol):
    """Takes the attention of a step's rows, or leaves it to the plain way."""

    def taking(self, geometry: Geometry, alike: bool) -> Attend | None:
        """What takes a layer's attention; None where the plain way does.

        Args:
            alike: the plain way is one launch without a mask.
        """


class Noting:
    """Takes nothing, and notes what a model's layers ask for.

    Attributes:
        geometries: of those layers for which there is a kernel.
    """

    def __init__(self) -> None:
        self.geometries: set[Geometry] = set()

    def taking(self, geometry: Geometry, alike: bool) -> None:
        """Nothing does."""
        if geometry.fits:
            self.geometries.add(geometry)


class Approved:
    """Takes what the probe has found right, where the plain way is more than a launch.

    Rows that are alike are left to MLX's own kernel: it is one launch as well, and tuned.
    """

    def __init__(self, attend: Attend, geometries: Iterable[Geometry]) -> None:
        self._attend = attend
        self.geometries = frozenset(geometries)

    def taking(self, geometry: Geometry, alike: bool) -> Attend | None:
        """The kernels, where they were found right and rows differ."""
        return self._attend if not alike and self._takes(geometry) else None

    def _takes(self, geometry: Geometry) -> bool:
        return geometry in self.geometries

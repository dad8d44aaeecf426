"""A model's attention kernels, tried in the background once it has been loaded, on a GPU."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from engine.core.confined import kernels
from engine.core.workers import Workers
from engine.model.kernel.attention import RaggedAttention
from engine.model.kernel.device import attention
from engine.model.kernel.program import BITS, Geometry
from engine.model.kernel.use import Approved
from engine.model.loaded import LoadedModel
from engine.model.quantised import GROUP_SIZES

log = logging.getLogger(__name__)


class KernelProbe:
    """Gives models their kernels once a child has found these right. Engine thread only.

    A load does not wait for it: until then, and where they are not right, rows attend in the plain
    way.

    Args:
        device: `Backend.device`; on a CPU there are no kernels, and nothing is done.
        faults: as `confined.kernels.faults`, of which this is the rest of the arguments.
        make: the kernels of a device.
    """

    def __init__(
        self,
        workers: Workers,
        device: str,
        faults: Callable[[Sequence[Geometry], str], list[str]] = kernels.faults,
        make: Callable[[str], RaggedAttention] = attention,
    ) -> None:
        self._workers = workers
        self._device = device
        self._faults = faults
        self._make = make
        self._known: dict[Geometry, str] = {}  # what was wrong with it, or nothing

    def probe(self, model: LoadedModel) -> None:
        """Have a model's kernels tried, unless they have been."""
        if self._device == "cpu" or model.ranks > 1 or not model.asks:
            return
        wanted = [*sorted(model.asks, key=repr), *packed(model.asks)]
        unknown = [g for g in wanted if g not in self._known]
        # Not the model itself: it may be unloaded before the child is done.
        waiting, name = weakref.ref(model), model.info.name

        def then(found: list[str]) -> None:
            self._known.update(zip(unknown, found, strict=True))
            wrong = {g: self._known[g] for g in wanted if self._known[g]}
            for geometry, why in wrong.items():
                log.warning("%s attends without a kernel of its own: %s: %s", name, geometry, why)
            loaded, right = waiting(), set(wanted) - wrong.keys()
            if loaded is not None and right:
                loaded.kernels = Approved(self._make(self._device), right)
                log.info("%s attends by %d kernels of its own", name, len(right))

        def failed(error: BaseException) -> None:
            log.warning("%s attends without kernels of its own: %s", name, error)

        self._workers.run("kernels", lambda: self._faults(unknown, self._device), then, failed)


def packed(asked: Iterable[Geometry]) -> list[Geometry]:
    """The same with keys in 8 and in 4 bits, as `quantised` would pack them."""
    found = []
    for geometry in sorted(asked, key=repr):
        for bits in sorted(BITS, reverse=True):
            for group in GROUP_SIZES:
                candidate = replace(geometry, bits=bits, group=group)
                if candidate.fits:
                    found.append(candidate)
                    break
    return found

"""Ways of attention for the probe's child: right, wrong, not to be compiled, without an end."""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

from engine.model.kernel import trial
from engine.model.kernel.attention import Attend, Source
from engine.model.kernel.program import Geometry

# What is wrong is told by the number of query heads, so that one child can be asked for all.
WRONG, UNCOMPILED, ENDLESS, CRASHING = 2, 3, 5, 7


def made(_device: str) -> Attend:
    """Attention in the plain way, wrong in its own way for some geometries."""

    def attend(
        geometry: Geometry,
        queries: mx.array,
        sources: Sequence[Source],
        scale: float,
        sinks: mx.array | None,
    ) -> mx.array:
        if geometry.heads == UNCOMPILED:
            raise RuntimeError("[metal::Device] Unable to build metal library from source")
        while geometry.heads == ENDLESS:
            pass
        if geometry.heads == CRASHING:
            import os
            import signal

            os.kill(os.getpid(), signal.SIGSEGV)
        if geometry.heads == WRONG:  # the last key of each row is left out
            shorter = [
                Source(s.arrays, tuple((slot, a, max(a + 1, b - 1)) for slot, a, b in s.rows))
                for s in sources
            ]
            return trial.plain(geometry, queries, shorter, scale, sinks)
        return trial.plain(geometry, queries, sources, scale, sinks)

    return attend

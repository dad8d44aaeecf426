"""Attention of one query a row over keys that lie where they are: in slots or in caches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from engine.model.kernel import work
from engine.model.kernel.program import SIMDS, Geometry, Program
from engine.model.kernel.source import SIMD, names

Launch = Callable[[Program, Sequence[mx.array], tuple[int, int, int], tuple[int, ...]], mx.array]
"""Runs a program over its inputs: how many threads in three dimensions (a group of `THREADS` lies
along the first), and the shape of what it writes: float32 in a part of "pieces", else the
geometry's type."""

Attend = Callable[[Geometry, mx.array, Sequence["Source"], float, mx.array | None], mx.array]
"""Attention over sources, as `RaggedAttention` is called."""

Cut = Callable[[Sequence[work.Place], int], work.Work]
"""Cuts rows into pieces, as `work.cut`."""

THREADS = SIMD * SIMDS


@dataclass(frozen=True)
class Source:
    """A buffer of keys and values, with the rows that are in it.

    Attributes:
        arrays: keys and values; or of both the words, the scales and the biases. Each is
            `[slots, key heads, capacity, ...]`, or slots and heads are one axis.
        rows: of each row the slot, its first key and its end.
    """

    arrays: tuple[mx.array, ...]
    rows: tuple[tuple[int, int, int], ...]

    @property
    def capacity(self) -> int:
        """Keys of a slot that there is room for."""
        return int(self.arrays[0].shape[-2])


class RaggedAttention:
    """The kernels of one device, for whatever geometry is asked for.

    Tables are kept for the step that they were made in: all layers of a step have the same rows.
    """

    def __init__(self, launch: Launch, cut: Cut = work.cut) -> None:
        self._launch = launch
        self._cut = cut
        self._constant: dict[tuple[Any, ...], mx.array] = {}
        self._tables: dict[tuple[Any, ...], tuple[work.Work, mx.array, mx.array]] = {}

    def __call__(
        self,
        geometry: Geometry,
        queries: mx.array,
        sources: Sequence[Source],
        scale: float,
        sinks: mx.array | None = None,
    ) -> mx.array:
        """Attend.

        Args:
            queries: `[rows, heads, 1, key width]`, in the order of the sources' rows.
            sinks: `[heads]`.

        Returns:
            `[rows, heads, 1, value width]`, of the queries' type.
        """
        most, out, first = geometry.most_sources, [], 0
        for begin in range(0, len(sources), most):
            some = sources[begin : begin + most]
            end = first + sum(len(s.rows) for s in some)
            q = queries if len(some) == len(sources) else queries[first:end]
            out.append(self._some(geometry, q, some, scale, sinks))
            first = end
        return out[0] if len(out) == 1 else mx.concatenate(out)

    def _some(
        self,
        g: Geometry,
        queries: mx.array,
        sources: Sequence[Source],
        scale: float,
        sinks: mx.array | None,
    ) -> mx.array:
        rows = queries.shape[0]
        across = g.heads // g.at_once
        cut, tasks, starts = self._work(sources, across)
        count = next(n for n in (*_COUNTS, g.most_sources) if len(sources) <= n)
        # Fewer kernels have to be compiled than there may be numbers of sources.
        filled = [*sources, *[sources[-1]] * (count - len(sources))]
        inputs = [
            queries,
            self._kept((scale,), mx.float32),
            tasks,
            self._kept(tuple(s.capacity for s in filled), mx.int32),
        ]
        ends = [] if sinks is None else [sinks]
        arrays = [array for s in filled for array in s.arrays]
        shape = rows, g.heads, 1, g.value_width
        grid = THREADS, len(cut.tasks), across
        if cut.whole:
            program = Program(g, "whole", count)
            return self._launch(program, [*inputs, *ends, *arrays], grid, shape)
        parts = self._launch(
            Program(g, "pieces", count),
            [*inputs, *arrays],
            grid,
            (len(cut.tasks), g.heads, g.value_width + 2),
        )
        return self._launch(
            Program(g, "join", 0), [parts, starts, *ends], (THREADS, rows, g.heads), shape
        )

    def _work(self, sources: Sequence[Source], groups: int) -> tuple[work.Work, mx.array, mx.array]:
        key = groups, tuple(s.rows for s in sources)
        if key not in self._tables:
            places = [work.Place(n, *row) for n, s in enumerate(sources) for row in s.rows]
            cut = self._cut(places, groups)
            if len(self._tables) >= _TABLES:
                self._tables.clear()
            tasks, starts = mx.array(cut.tasks, mx.int32), mx.array(cut.starts, mx.int32)
            self._tables[key] = cut, tasks, starts
        return self._tables[key]

    def _kept(self, numbers: tuple[Any, ...], dtype: mx.Dtype) -> mx.array:
        """A small array that most steps have in common."""
        if (numbers, dtype) not in self._constant:
            if len(self._constant) >= _CONSTANTS:
                self._constant.clear()
            self._constant[numbers, dtype] = mx.array(numbers, dtype)
        return self._constant[numbers, dtype]


_COUNTS = (1, 4)
_TABLES, _CONSTANTS = 8, 64


def packed(geometry: Geometry) -> bool:
    """Whether a source has six arrays and not two."""
    return len(names(bool(geometry.bits))) > 2

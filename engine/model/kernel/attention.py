"""Attention of one query a row over keys that lie where they are, in slots or in caches: on a GPU.

`RaggedAttention` cuts the rows into pieces, tells the kernel by tables where they lie, and launches
it (`program`). `Approved` says which layers' attention it takes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from engine.model.kernel.program import SIMD, SIMDS, Geometry, Program

Launch = Callable[[Program, Sequence[mx.array], tuple[int, int, int], tuple[int, ...]], mx.array]
"""Runs a program over its inputs: how many threads in three dimensions (a group of `THREADS` lies
along the first), and the shape of what it writes: float32 in a part of "pieces", else the
geometry's type."""

Attend = Callable[[Geometry, mx.array, Sequence["Source"], float, mx.array | None], mx.array]
"""Attention over sources, as `RaggedAttention` is called."""

Cut = Callable[[Sequence["Place"], int], "Work"]
"""Cuts rows into pieces, as `cut`."""

THREADS = SIMD * SIMDS

WHOLE = 1024
"""Keys up to which a row is one piece, so that nothing has to be joined."""

MOST_PIECES = 64
"""Of a row."""

GROUPS = 256
"""Groups of threads that a launch should have: several for each core of a large GPU."""

LEAST = 256
"""Keys of a piece at least."""


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


@dataclass(frozen=True)
class Place:
    """Where one row's keys lie.

    Attributes:
        source: which buffer.
        slot: which slot of it.
        begin, end: the keys of the slot that the row attends to. Nothing else is read.
    """

    source: int
    slot: int
    begin: int
    end: int

    @property
    def count(self) -> int:
        return self.end - self.begin


@dataclass(frozen=True)
class Work:
    """The pieces of all rows.

    Attributes:
        tasks: five numbers each: row, source, slot, first key, end.
        starts: the first task of each row, and the end of the last one's.
    """

    tasks: tuple[tuple[int, int, int, int, int], ...]
    starts: tuple[int, ...]

    @property
    def whole(self) -> bool:
        """Whether every row is one piece."""
        return len(self.tasks) == len(self.starts) - 1


def cut(places: Sequence[Place], groups: int, whole: int = WHOLE, least: int = LEAST) -> Work:
    """Cut long rows into even pieces; no piece is empty, and nothing is padded.

    Args:
        groups: of threads that a piece takes.
        whole: keys up to which a row is left whole, if all rows can be.
        least: keys of a piece at least.
    """
    tasks: list[tuple[int, int, int, int, int]] = []
    starts = [0]
    total = sum(p.count for p in places)
    # As many keys a piece as give each launch enough groups.
    size = max(least, -(-total * groups // GROUPS))
    if max(p.count for p in places) <= whole:
        size = whole
    for row, place in enumerate(places):
        pieces = max(1, min(MOST_PIECES, -(-place.count // size)))
        for piece in range(pieces):
            begin = place.begin + place.count * piece // pieces
            end = place.begin + place.count * (piece + 1) // pieces
            tasks.append((row, place.source, place.slot, begin, end))
        starts.append(len(tasks))
    return Work(tuple(tasks), tuple(starts))


class RaggedAttention:
    """The kernels of one device, for whatever geometry is asked for.

    Tables are kept for the step that they were made in: all layers of a step have the same rows.
    """

    def __init__(self, launch: Launch, cut: Cut = cut) -> None:
        self._launch = launch
        self._cut = cut
        self._constant: dict[tuple[Any, ...], mx.array] = {}
        self._tables: dict[tuple[Any, ...], tuple[Work, mx.array, mx.array]] = {}

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
        work, tasks, starts = self._work(sources, across)
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
        grid = THREADS, len(work.tasks), across
        if work.whole:
            program = Program(g, "whole", count)
            return self._launch(program, [*inputs, *ends, *arrays], grid, shape)
        parts = self._launch(
            Program(g, "pieces", count),
            [*inputs, *arrays],
            grid,
            (len(work.tasks), g.heads, g.value_width + 2),
        )
        return self._launch(
            Program(g, "join", 0), [parts, starts, *ends], (THREADS, rows, g.heads), shape
        )

    def _work(self, sources: Sequence[Source], groups: int) -> tuple[Work, mx.array, mx.array]:
        key = groups, tuple(s.rows for s in sources)
        if key not in self._tables:
            places = [Place(n, *row) for n, s in enumerate(sources) for row in s.rows]
            work = self._cut(places, groups)
            if len(self._tables) >= _TABLES:
                self._tables.clear()
            tasks, starts = mx.array(work.tasks, mx.int32), mx.array(work.starts, mx.int32)
            self._tables[key] = work, tasks, starts
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


def on_device(device: str) -> RaggedAttention:
    """The kernels on "metal" or "cuda". Nothing is compiled before it is first run."""

    def launch(
        program: Program,
        inputs: Sequence[mx.array],
        grid: tuple[int, int, int],
        shape: tuple[int, ...],
    ) -> mx.array:
        dtype = getattr(mx, program.geometry.dtype)
        out: mx.array = _compiled(program, device)(
            inputs=list(inputs),
            template=[("T", dtype)],
            grid=grid,
            threadgroup=(THREADS, 1, 1),
            output_shapes=[shape],
            output_dtypes=[mx.float32 if program.part == "pieces" else dtype],
        )[0]
        return out

    return RaggedAttention(launch)


@functools.cache
def _compiled(program: Program, device: str) -> Any:
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


class Approved:
    """The kernels that were found right: `take` what the plain way needs several launches for.

    Rows that are alike are left to MLX's own kernel: it is one launch as well, and tuned.
    """

    def __init__(self, attend: Attend, geometries: Iterable[Geometry]) -> None:
        self._attend = attend
        self.geometries = frozenset(geometries)

    def taking(self, geometry: Geometry, alike: bool) -> Attend | None:
        """What attends for a layer; None where the plain way does.

        Args:
            alike: the plain way is one launch without a mask.
        """
        return self._attend if not alike and geometry in self.geometries else None


class Noting:
    """In place of `Approved` while a model is probed: notes which kernels its layers could use."""

    def __init__(self) -> None:
        self.geometries: set[Geometry] = set()

    def taking(self, geometry: Geometry, alike: bool) -> None:
        if geometry.fits:
            self.geometries.add(geometry)


Kernels = Approved | Noting

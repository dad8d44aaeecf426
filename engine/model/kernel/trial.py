"""The kernels on random rows, against the plain way of attention."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from engine.model.kernel.attention import Attend, Source
from engine.model.kernel.program import Geometry

TOLERANCES = {"float32": 1e-4, "float16": 4e-3, "bfloat16": 2e-2}
"""How far a number may be off, in a row's largest: a few roundings of the type."""


@dataclass(frozen=True)
class Case:
    """Rows to attend to, of one geometry. Whatever no row attends to is NaN."""

    geometry: Geometry
    queries: mx.array
    sources: tuple[Source, ...]
    scale: float
    sinks: mx.array | None

    def __str__(self) -> str:
        rows = [[end - begin for _, begin, end in s.rows] for s in self.sources]
        return f"{self.geometry} over keys {rows}"


def random_case(
    geometry: Geometry,
    chance: random.Random,
    longest: int,
    buffers: int | None = None,
    full: bool = False,
) -> Case:
    """Rows of 1 to `longest` keys, the first of which is that long if `full`.

    Some lie in slots of one buffer, some in caches of their own; without `buffers` in a few.
    """
    mx.random.seed(chance.getrandbits(32))
    sources, rows = [], 0
    for _ in range(buffers or chance.choice((1, 1, 2, 3, 5))):
        many = chance.choice((1, 1, 2, 4))
        places: list[tuple[int, int, int]] = []
        slots = chance.sample(range(many + 1), many) if many > 1 else [0]
        for slot in slots:
            count = int(math.exp(chance.uniform(0, math.log(longest + 0.99))))
            count = longest if full and not rows + len(places) else count
            begin = chance.choice((0, 0, chance.randrange(40)))
            places.append((slot, begin, begin + count))
        room = max(end for _, _, end in places) + chance.randrange(30)
        sources.append(_source(geometry, tuple(places), max(slots) + 1, room, many > 1))
        rows += many
    dtype = getattr(mx, geometry.dtype)
    sharp = chance.choice((0.5, 1.0, 4.0))
    queries = mx.random.normal((rows, geometry.heads, 1, geometry.key_width)) * sharp
    sinks = mx.random.normal((geometry.heads,)) * 3 if geometry.sinks else None
    return Case(
        geometry,
        queries.astype(dtype),
        tuple(sources),
        geometry.key_width**-0.5,
        None if sinks is None else sinks.astype(dtype),
    )


def _source(
    g: Geometry, rows: tuple[tuple[int, int, int], ...], slots: int, room: int, joined: bool
) -> Source:
    held = mx.zeros((slots, 1, room, 1), mx.bool_)
    for slot, begin, end in rows:
        held[slot, :, begin:end] = True
    dtype = getattr(mx, g.dtype)
    arrays = []
    for width in (g.key_width, g.value_width):
        full = mx.random.normal((slots, g.key_heads, room, width)).astype(dtype)
        if not g.bits:
            arrays.append(mx.where(held, full, float("nan")).astype(dtype))
            continue
        words, scales, biases = mx.quantize(full, group_size=g.group, bits=g.bits)
        nan = [mx.where(held, a, float("nan")).astype(dtype) for a in (scales, biases)]
        arrays += [words, *nan]
    if joined:  # as `SlotBuffer` has them: slots and heads are one axis
        arrays = [a.reshape(-1, *a.shape[2:]) for a in arrays]
    mx.eval(arrays)
    return Source(tuple(arrays), rows)


def plain(
    geometry: Geometry,
    queries: mx.array,
    sources: Sequence[Source],
    scale: float,
    sinks: mx.array | None,
) -> mx.array:
    """What the kernels must give, row by row in float32."""
    out, row = [], 0
    sinks = None if sinks is None else sinks.astype(mx.float32)
    for source in sources:
        for slot, begin, end in source.rows:
            held = [
                a.reshape(-1, geometry.key_heads, *a.shape[-2:])[slot : slot + 1, :, begin:end]
                for a in source.arrays
            ]
            if geometry.bits:
                halves = [(a, _wide(b), _wide(c)) for a, b, c in (held[:3], held[3:])]
                held = [mx.dequantize(*half, geometry.group, geometry.bits) for half in halves]
            query, keys, values = map(_wide, (queries[row : row + 1], *held))
            attend = mx.fast.scaled_dot_product_attention
            out.append(attend(query, keys, values, scale=scale, sinks=sinks))
            row += 1
    return mx.concatenate(out)


def _wide(array: mx.array) -> mx.array:
    return array.astype(mx.float32)


def apart(got: mx.array, wanted: mx.array) -> float:
    """How far rows are off, in the largest number of a row; inf where one is no number."""
    if got.shape != wanted.shape:
        return math.inf
    axes = tuple(range(1, wanted.ndim))
    most = mx.maximum(mx.abs(wanted).max(axis=axes), 1e-6)
    off: Any = (mx.abs(_wide(got) - wanted).max(axis=axes) / most).max().item()
    return float(off) if math.isfinite(off) else math.inf


def fault(attend: Attend, case: Case) -> str:
    """What is wrong with `attend` in this case, in words; nothing if it is right.

    What `attend` raises passes through.
    """
    given = case.geometry, case.queries, case.sources, case.scale, case.sinks
    off = apart(attend(*given), plain(*given))
    if off <= TOLERANCES[case.geometry.dtype]:
        return ""
    return f"{case} is off by {off:.2g} of a row's largest number"


def cases(geometry: Geometry, count: int, seed: int) -> Iterator[Case]:
    """Mostly short ones. Of twelve, every kernel has one: each number of sources, whole and cut."""
    chance = random.Random(seed)
    for number in range(count):
        cut, buffers = number % 4 == 3, (1, 3, 7)[number % 3]
        yield random_case(geometry, chance, 2000 if cut else 200, buffers, cut)


def first_fault(attend: Attend, geometry: Geometry, count: int) -> str:
    """The first fault in so many cases, in words; nothing if there is none."""
    found = (fault(attend, case) for case in cases(geometry, count, seed=count))
    return next(filter(None, found), "")

"""Whether a GPU's attention kernels are right on this machine, and how fast: for whoever has one.

`python -m engine.bench.kernels` tries every head dim, with sinks, in the model's own type and in 8
and 4 bits, in a child as a load does, and times those that are right beside the plain way.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence

import mlx.core as mx

from engine.model.backend import device_here
from engine.model.kernel.attention import Attend, Source, on_device
from engine.model.kernel.program import WIDTHS, Geometry
from engine.sandbox import jobs

LENGTHS = (8000, 2000, 2020, 64, 65, 66, 67, 68)
"""Keys of the rows that are timed, each in a cache of its own."""

_TIMES = 30

Faults = Callable[[Sequence[Geometry], str], list[str]]


def geometries() -> list[Geometry]:
    """What models ask for: 32 heads on 8, in float16, bfloat16 and few bits; sinks for one."""
    found = [Geometry(32, 8, width, width, "bfloat16") for width in WIDTHS]
    found += [Geometry(64, 8, 64, 64, "bfloat16", sinks=True), Geometry(8, 1, 256, 256, "float16")]
    return found + [Geometry(32, 8, 128, 128, "bfloat16", bits, 64) for bits in (8, 4)]


def seconds(attend: Attend, geometry: Geometry, lengths: Sequence[int]) -> float:
    """The median time of attention to rows of so many keys, evaluated one after another."""
    sources = [Source(_zeros(geometry, length), ((0, 0, length),)) for length in lengths]
    dtype = getattr(mx, geometry.dtype)
    queries = mx.zeros((len(lengths), geometry.heads, 1, geometry.key_width), dtype)
    sinks = mx.zeros((geometry.heads,), dtype) if geometry.sinks else None
    taken = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        mx.eval(attend(geometry, queries, sources, 0.1, sinks))
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def _zeros(geometry: Geometry, length: int) -> tuple[mx.array, ...]:
    shape, dtype = (1, geometry.key_heads, length), getattr(mx, geometry.dtype)
    arrays: list[mx.array] = []
    for width in (geometry.key_width, geometry.value_width):
        full = mx.zeros((*shape, width), dtype)
        sizes = geometry.group, geometry.bits
        arrays += mx.quantize(full, *sizes) if geometry.bits else [full]
    mx.eval(arrays)
    return tuple(arrays)


def plain(
    geometry: Geometry,
    queries: mx.array,
    sources: Sequence[Source],
    scale: float,
    sinks: mx.array | None,
) -> mx.array:
    """Attention as it is without kernels: a row at a time, in the model's own type."""
    out = []
    for row, source in enumerate(sources):
        query, arrays = queries[row : row + 1], source.arrays
        if geometry.bits:
            from mlx_lm.models.base import quantized_scaled_dot_product_attention

            keys, values = arrays[:3], arrays[3:]
            sizes = geometry.group, geometry.bits
            out.append(
                quantized_scaled_dot_product_attention(query, keys, values, scale, None, *sizes)
            )
        else:
            attend = mx.fast.scaled_dot_product_attention
            out.append(attend(query, *arrays, scale=scale, sinks=sinks))
    return mx.concatenate(out)


def lines(device: str, asked: Sequence[Geometry], faults: Faults, own: Attend) -> Iterator[str]:
    """What was found, geometry by geometry."""
    for geometry, fault in zip(asked, faults(asked, device), strict=True):
        if fault:
            yield f"WRONG  {geometry}: {fault}"
            continue
        ours, theirs = (seconds(way, geometry, LENGTHS) for way in (own, plain))
        yield f"right  {geometry}: {ours * 1e3:.2f} ms, {theirs * 1e3:.2f} in the plain way"


def all_lines() -> Iterator[str]:
    """As `lines`, with this machine's GPU and all that models ask for."""
    device = device_here()
    return lines(device, geometries(), jobs.kernel_faults, on_device(device))


def main() -> int:
    """Print the lines; 1 where a kernel is wrong or there is no GPU."""
    if device_here() == "cpu":
        print("There is no GPU that MLX can use here, so there are no kernels to try.")
        return 1
    wrong = False
    for line in all_lines():
        print(line, flush=True)
        wrong = wrong or line.startswith("WRONG")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())

"""The kernels of ragged attention over random shapes, and over broken versions of themselves.

`python -m tests.torture kernel [SHAPES]` compiles them as C++, runs so many shapes of every kind
against the plain way, and then breaks the text in every way of `BREAKS`: each must be noticed.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from engine.model.kernel import trial
from engine.model.kernel.program import WIDTHS, Geometry
from tests.engine import kernel_shim

SHAPES = 2000

BREAKS: dict[str, tuple[str, str]] = {
    "no barrier before the sums are joined": ("  BARRIER;\n  for (int h", "  for (int h"),
    "no barrier before the outs are joined": (
        "    BARRIER;\n    for (int place",
        "    for (int place",
    ),
    "no barrier after the outs are joined": ("    }\n    BARRIER;\n  }", "    }\n  }"),
    "one key too many": ("key < end;", "key <= end;"),
    "one key too few": ("key < end;", "key < end - 1;"),
    "a row's first key is left out": ("key = begin + simd;", "key = begin + 1 + simd;"),
    "softmax without its maximum kept": ("sum[h] * kept", "sum[h]"),
    "values not scaled down": ("out[h * VALUE_PARTS + i] *= kept;", ";"),
    "a neighbour's slot": ("tasks[along * 5 + 2]", "0 * tasks[along * 5 + 2]"),
    "another buffer's capacity": ("capacities[source]", "capacities[0]"),
    "always the first buffer": ("if (source == 1)", "if (source == -1)"),
    "a neighbour's key head": ("head / (HEADS / KEY_HEADS)", "head % KEY_HEADS"),
    "a lane's number left out": ("place < KEY_WIDTH)", "place < KEY_WIDTH - 1)"),
    "a sink that is not counted": ("whole_sum * kept + EXP(sink - larger)", "whole_sum * kept"),
    "a sink that is not counted when pieces are joined": (
        "float sum = EXP(sink - most);",
        "float sum = 0.0f;",
    ),
    "pieces joined without their maximum": (
        "parts[part + place] * EXP(parts[part + VALUE_WIDTH] - most)",
        "parts[part + place]",
    ),
    "the last piece is left out": (
        "int piece = begin; piece < end;",
        "int piece = begin; piece < end - 1;",
    ),
    "a sum that some lanes do not take part in": (
        "const float score = LANE_SUM(weight[h]);",
        "float score = weight[h]; if (lane < 31) score = LANE_SUM(weight[h]);",
    ),
}


def random_geometry(chance: random.Random) -> Geometry:
    """Any that there is a kernel for."""
    while True:
        key_heads = chance.choice((1, 1, 2, 3, 4))
        width = chance.choice(WIDTHS)
        bits = chance.choice((0, 0, 4, 8))
        found = Geometry(
            key_heads * chance.choice((1, 2, 3, 4, 5, 7, 8, 16)),
            key_heads,
            width,
            width if chance.random() < 0.8 else chance.choice(WIDTHS),
            chance.choice(("float32", "float16", "bfloat16")),
            bits,
            chance.choice((32, 64)) if bits else 0,
            not bits and chance.random() < 0.3,
        )
        if found.fits:
            return found


def shapes(shim: kernel_shim.Shim, count: int, seed: int, longest: int = 200) -> tuple[int, str]:
    """Try so many shapes; returns how many rows they had, and the first fault in words."""
    chance, rows = random.Random(seed), 0
    ways = [
        kernel_shim.attention(shim),
        kernel_shim.attention(shim, whole=16, least=16),
        kernel_shim.attention(shim, whole=1, least=1),
    ]
    for number in range(count):
        case = trial.random_case(random_geometry(chance), chance, longest)
        rows += case.queries.shape[0]
        try:
            found = trial.fault(ways[number % len(ways)], case)
        except RuntimeError as error:
            found = f"{case}: {error}"
        if found:
            return rows, found
    return rows, ""


def broken(name: str) -> Callable[[str], str]:
    """How a body is changed by one of `BREAKS`."""
    before, after = BREAKS[name]
    return lambda body: body.replace(before, after)


def main(arguments: list[str]) -> int:
    """Run; returns 1 where a shape was wrong or a break went unnoticed."""
    count, failed, began = int(arguments[0]) if arguments else SHAPES, 0, time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        try:
            library = kernel_shim.build(Path(scratch))
        except RuntimeError as error:
            sys.exit(f"The kernels could not be compiled as C++: {error}")
        shim = kernel_shim.Shim(library)
        rows, found = shapes(shim, count, 1)
        print(f"{count} shapes, {rows} rows, {shim.ran}: {found or 'all as the plain way'}")
        failed += bool(found)
        whole = kernel_shim.text()
        for number, name in enumerate(BREAKS):
            folder = Path(scratch) / str(number)
            folder.mkdir()
            if kernel_shim.text(broken(name)) == whole:
                print(f"NOT IN THE TEXT: {name}")
                failed += 1
                continue
            library = kernel_shim.build(folder, broken(name))
            _, found = shapes(kernel_shim.Shim(library), 200, 2)
            print(f"{name}: {found or 'NOT NOTICED'}"[:160])
            failed += not found
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if failed else 0

"""The kernels' text compiled as C++ and run thread by thread on the processor (`kernel_shim.h`)."""

from __future__ import annotations

import ctypes
import functools
import itertools
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import mlx.core as mx
import numpy as np

from engine.model.kernel.attention import RaggedAttention, cut
from engine.model.kernel.program import COMMON, Geometry, Program, names

COMPILER = next((c for c in ("c++", "g++", "clang++") if shutil.which(c)), None)

_FAULTS = {1: "read or wrote beyond an array", 2: "threads of a group do not meet"}

# All that differ in their text. A text with fewer sources is one of these given some twice.
_VARIANTS = [
    (part, bits, sinks)
    for part, bits, sinks in itertools.product(("whole", "pieces", "join"), (0, 8), (0, 1))
    if not (bits and sinks) and not (part == "join" and bits) and not (part == "pieces" and sinks)
]
_KINDS = {mx.float32: 0, mx.float16: 1, mx.bfloat16: 2, mx.int32: 3, mx.uint32: 4}
_TYPES = {"tasks": "Plain<int>", "capacities": "Plain<int>", "starts": "Plain<int>"}


def _of(program: Program) -> tuple[str, int, int]:
    bits = 8 if program.geometry.bits and program.part != "join" else 0
    return program.part, bits, int(program.geometry.sinks and program.part != "pieces")


def _most(bits: int) -> int:
    return Geometry(8, 8, 64, 64, "float32", bits, 64).most_sources


def _program(part: str, bits: int, sinks: int) -> Program:
    geometry = Geometry(8, 8, 64, 64, "float32", bits, 64 if bits else 0, bool(sinks))
    return Program(geometry, part, 0 if part == "join" else _most(bits))  # type: ignore[arg-type]


def text(change: Callable[[str], str] = lambda body: body) -> str:
    """The C++ of all variants.

    Args:
        change: what is done to a body before: a test that a fault is found makes one.
    """
    names = list(_program("whole", 0, 0).constants)
    lines = ['#include "kernel_shim.h"']
    lines += [f"#define {n} c[{i}]" for i, n in enumerate(names) if n not in _LITERAL]
    lines += [f"#define {name} 64" for name in _LITERAL if name.endswith("SIZE")]
    for number, (part, bits, sinks) in enumerate(_VARIANTS):
        program = _program(part, bits, sinks)
        lines += [f"#undef {n}" for n in ("KEY", "VALUE", "UNPACKED", "LOWEST", "LARGER")]
        lines += ["#undef QUANTISED", "#undef SINKS"]
        lines += [f"#define QUANTISED {int(bits > 0)}", f"#define SINKS {sinks}", COMMON]
        lines.append(
            f"static shim::Run variant{number}(const int* c, const shim::Memory* in, "
            "const shim::Memory* output, shim::Group& shared, shim::Thread& self, "
            "int lane, int simd, int along, int across) {"
        )
        lines.append(f"const shim::Written {program.output}{{*output}};")
        for at, name in enumerate(program.inputs):
            kind = _TYPES.get(name, "Numbers")
            if bits and name.startswith(("keys", "values")):
                kind = "Plain<unsigned>"
            lines.append(f"const shim::{kind} {name}(in[{at}]);")
        lines += [change(program.body), "co_return;", "}"]
    lines += [
        'extern "C" int run(int variant, const int* c, const shim::Memory* in, '
        "const shim::Memory* output, int alongs, int acrosses, unsigned seed) {",
        "shim::fault = shim::NONE;",
        "unsigned random = seed * 2654435761u + 1u;",
        "for (int along = 0; along < alongs; along++)",
        "for (int across = 0; across < acrosses; across++)",
        "shim::group(SIMDS, random, [&](shim::Group& shared, shim::Thread& self, int lane,"
        " int simd) {",
        "switch (variant) {",
    ]
    for number in range(len(_VARIANTS)):
        call = f"variant{number}(c, in, output, shared, self, lane, simd, along, across)"
        lines.append(f"case {number}: return {call};")
    lines += ["}", "std::terminate();", "});", "return shim::fault;", "}"]
    return "\n".join(lines)


_LITERAL = ("QUANTISED", "SINKS", "QUERY_SIZE", "OUT_SIZE", "HEADS_AT_ONCE_SIZE")


class _Memory(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_longlong),
        ("kind", ctypes.c_int),
    )


def build(folder: Path, change: Callable[[str], str] = lambda body: body) -> ctypes.CDLL:
    """Compile the kernels into a library in `folder`.

    Raises:
        RuntimeError: there is no compiler, or it refused the text; with what it said.
    """
    if COMPILER is None:
        raise RuntimeError("no C++ compiler")
    written, library = folder / "kernels.cpp", folder / "kernels.so"
    written.write_text(text(change), encoding="utf-8")
    command = [COMPILER, "-std=c++20", "-O1", "-shared", "-fPIC", "-w", "-I"]
    done = subprocess.run(
        [*command, str(Path(__file__).parent), str(written), "-o", str(library)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[:4000])
    return ctypes.CDLL(str(library))


class Shim:
    """Runs programs on the processor.

    Attributes:
        ran: how many of each part.
    """

    def __init__(self, library: ctypes.CDLL, seed: int = 0) -> None:
        self._library = library
        self._seed = seed
        self.ran: dict[str, int] = {}

    def __call__(
        self,
        program: Program,
        inputs: Sequence[mx.array],
        grid: tuple[int, int, int],
        shape: tuple[int, ...],
    ) -> mx.array:
        """As `engine.model.kernel.attention.Launch`.

        Raises:
            RuntimeError: the kernel reads or writes where it must not, or its threads do not meet.
        """
        self._seed += 1
        self.ran[program.part] = self.ran.get(program.part, 0) + 1
        assert len(inputs) == len(program.inputs)
        if program.part != "join":
            own = len(names(bool(program.geometry.bits)))
            more = _most(program.geometry.bits) - program.sources
            inputs = [*inputs, *list(inputs[-own:]) * more]
        dtype = getattr(mx, program.geometry.dtype)
        dtype = mx.float32 if program.part == "pieces" else dtype
        held = [_bytes(array) for array in inputs]
        memory = (_Memory * len(held))()
        for cell, array, given in zip(memory, held, inputs, strict=True):
            cell.data, cell.size, cell.kind = array.ctypes.data, array.size, _KINDS[given.dtype]
        out = np.full(shape, 0xFFFF, np.uint16)  # NaN, wherever nothing is written
        if dtype == mx.float32:
            out = np.full(shape, np.nan, np.float32)  # type: ignore[assignment]
        output = _Memory(out.ctypes.data, out.size, _KINDS[dtype])
        constants = list(program.constants.values())
        fault = self._library.run(
            _VARIANTS.index(_of(program)),
            (ctypes.c_int * len(constants))(*constants),
            memory,
            ctypes.byref(output),
            grid[1],
            grid[2],
            self._seed,
        )
        if fault:
            raise RuntimeError(f"{program.part}: {_FAULTS[fault]}")
        return mx.array(out) if dtype == mx.float32 else mx.array(out).view(dtype)


def _bytes(array: mx.array) -> np.ndarray:  # type: ignore[type-arg]
    narrow = array.dtype in (mx.float16, mx.bfloat16)
    return np.ascontiguousarray(np.array(array.view(mx.uint16) if narrow else array))


def attention(shim: Shim, whole: int = 1024, least: int = 256) -> RaggedAttention:
    """Attention by the kernels, on the processor."""
    return RaggedAttention(shim, functools.partial(cut, whole=whole, least=least))

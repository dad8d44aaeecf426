"""Of which constants a kernel is made: each set of them is a kernel of its own to the GPU."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from typing import Literal

from engine.model.kernel import source

SIMDS = 8
"""How many times 32 threads make a group: 8 * 256 floats are a quarter of Metal's shared memory."""

MOST_AT_ONCE = 8
MOST_NUMBERS = 32
"""Query heads that a group works on at once, and numbers of a query that a thread keeps for them:
with more of them a thread's registers run out."""

WIDTHS = (64, 80, 96, 128, 192, 256)
"""Head dims."""

BITS = (4, 8)

MOST_ARRAYS = 31
"""Inputs and outputs of a Metal kernel."""

Part = Literal["whole", "pieces", "join"]


@dataclass(frozen=True)
class Geometry:
    """What a model's layers ask of attention.

    Attributes:
        heads, key_heads: of queries; of keys and values.
        key_width, value_width: head dims.
        dtype: of queries, and of keys where they are not packed: "float32", "float16", "bfloat16".
        bits: in which keys and values are packed (MLX's affine), 0 where they are not.
        group: numbers that share a scale there.
        sinks: each query head has a score that belongs to no key.
    """

    heads: int
    key_heads: int
    key_width: int
    value_width: int
    dtype: str
    bits: int = 0
    group: int = 0
    sinks: bool = False

    @property
    def fits(self) -> bool:
        """Whether there is a kernel for it."""
        # mlx-lm's own attention to packed keys knows no sinks.
        packed = self.bits in BITS and self.group in (32, 64, 128) and not self.sinks
        return (
            self.key_width in WIDTHS
            and self.value_width in WIDTHS
            and self.heads % self.key_heads == 0
            and self.dtype in ("float32", "float16", "bfloat16")
            and (not self.bits or (packed and self.key_width % self.group == 0))
            and (not self.bits or self.value_width % self.group == 0)
        )

    @property
    def at_once(self) -> int:
        """Query heads of one key head that a group of threads works on."""
        wide = -(-max(self.key_width, self.value_width) // source.SIMD)
        most = min(MOST_AT_ONCE, MOST_NUMBERS // wide)
        each = self.heads // self.key_heads
        return max(n for n in range(1, most + 1) if each % n == 0)

    @property
    def most_sources(self) -> int:
        """Buffers of keys that one launch can read."""
        others = len(_SHARED) + self.sinks + 1  # and what is written
        return 12 if not self.bits else (MOST_ARRAYS - others) // len(source.names(True))


_SHARED = ("queries", "scale", "tasks", "capacities")


@dataclass(frozen=True)
class Program:
    """One kernel.

    Attributes:
        part: "whole" attends to rows of one piece each, "pieces" to pieces of rows, which "join"
            puts together.
        sources: how many buffers of keys it is given; 0 for "join", which reads none.
    """

    geometry: Geometry
    part: Part
    sources: int

    @functools.cached_property
    def inputs(self) -> list[str]:
        """The names of its inputs, in their order."""
        sinks = ["sinks"] if self.geometry.sinks and self.part != "pieces" else []
        if self.part == "join":
            return ["parts", "starts", *sinks]
        own = source.names(bool(self.geometry.bits))
        return [*_SHARED, *sinks, *(f"{n}{i}" for i in range(self.sources) for n in own)]

    @property
    def output(self) -> str:
        """The name of its output."""
        return "parts" if self.part == "pieces" else "attended"

    @property
    def body(self) -> str:
        """What it does, without the beginning that each device has of its own."""
        if self.part == "join":
            return source.JOIN
        return source.attend(bool(self.geometry.bits), self.sources, self.part == "whole")

    @property
    def constants(self) -> dict[str, int]:
        """The names in capitals that the text uses."""
        g, simd = self.geometry, source.SIMD
        key_parts, value_parts = -(-g.key_width // simd), -(-g.value_width // simd)
        return {
            "HEADS": g.heads,
            "KEY_HEADS": g.key_heads,
            "HEADS_AT_ONCE": g.at_once,
            "HEADS_AT_ONCE_SIZE": g.at_once,
            "KEY_WIDTH": g.key_width,
            "VALUE_WIDTH": g.value_width,
            "KEY_PARTS": key_parts,
            "VALUE_PARTS": value_parts,
            "QUERY_SIZE": g.at_once * key_parts,
            "OUT_SIZE": g.at_once * value_parts,
            "SIMDS": SIMDS,
            "QUANTISED": int(bool(g.bits)),
            "BITS": g.bits or 32,
            "TOGETHER_IN_SCALE": g.group or 1,
            "SINKS": int(g.sinks),
        }

    def text(self, device: str) -> tuple[str, str]:
        """The header and the body for "metal" or "cuda"."""
        defined = "".join(f"#define {name} {value}\n" for name, value in self.constants.items())
        names, opening = (
            (source.METAL, source.METAL_OPENING)
            if device == "metal"
            else (source.CUDA, source.CUDA_OPENING)
        )
        return defined + source.COMMON + names, opening + self.body

    def name(self, device: str) -> str:
        """A name that no other text has: MLX keeps compiled CUDA kernels on disk by name alone."""
        whole = "\n".join((*self.text(device), *self.inputs, self.geometry.dtype))
        return f"stretto_{self.part}_{hashlib.sha256(whole.encode()).hexdigest()[:16]}"

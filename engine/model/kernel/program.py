"""The attention kernels' text, and of which constants one is made.

The text is a subset of C++ that Metal, CUDA and a C++ compiler take alike. MLX writes a kernel's
head itself, from the names and types of its inputs and outputs, and takes the body as text. A body
here uses these names beside those of its inputs:

- `lane`, `simd`: which thread of its 32, and which 32 of the group; `along`, `across`: which group.
- `LANE_SUM(x)`: the sum over the 32 threads, for all of them; `BARRIER`: all threads of the group
  have come here, and see what the others have written; both only in the body itself.
- `SHARED(name, count)`: floats that the group shares.
- the constants of a `Program` in capitals.

`METAL` and `CUDA` define them for the two. The tests define them in C++, where the threads of a
group run in any order between two of those meetings.
"""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from typing import Literal

SIMD = 32
"""Threads that run in step, on Apple's GPUs and on NVIDIA's."""

COMMON = """
#define LOWEST -1e30f
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#if QUANTISED
#define UNPACKED(words, scales, biases, at, place, WIDTH)                                   \\
  (float((words[(at) * (WIDTH * BITS / 32) + (place) * BITS / 32] >> ((place) * BITS % 32)) \\
         & ((1u << BITS) - 1u))                                                             \\
       * float(scales[(at) * (WIDTH / TOGETHER_IN_SCALE) + (place) / TOGETHER_IN_SCALE])    \\
   + float(biases[(at) * (WIDTH / TOGETHER_IN_SCALE) + (place) / TOGETHER_IN_SCALE]))
#define KEY(at, place) UNPACKED(keys, key_scales, key_biases, at, place, KEY_WIDTH)
#define VALUE(at, place) UNPACKED(values, value_scales, value_biases, at, place, VALUE_WIDTH)
#else
#define KEY(at, place) float(keys[(at) * KEY_WIDTH + (place)])
#define VALUE(at, place) float(values[(at) * VALUE_WIDTH + (place)])
#endif
"""
"""How one number of a key is read: as it is, or as MLX packs it, affine, a scale for so many."""

ATTEND = """
  // One group of threads: one piece of one row's keys, and the query heads that share a key head.
  const int row = tasks[along * 5];
  const int source = tasks[along * 5 + 1];
  const int begin = tasks[along * 5 + 3];
  const int end = tasks[along * 5 + 4];
  const int head = across * HEADS_AT_ONCE;
  @SOURCES@
  // Where the slot's keys of this head begin, counted in keys.
  const WIDE first = (WIDE(tasks[along * 5 + 2]) * KEY_HEADS + head / (HEADS / KEY_HEADS))
      * WIDE(capacities[source]);

  float query[QUERY_SIZE];
  float out[OUT_SIZE];
  float most[HEADS_AT_ONCE_SIZE];
  float sum[HEADS_AT_ONCE_SIZE];
  float weight[HEADS_AT_ONCE_SIZE];
  for (int h = 0; h < HEADS_AT_ONCE; h++) {
    most[h] = LOWEST;
    sum[h] = 0.0f;
    for (int i = 0; i < KEY_PARTS; i++) {
      const int place = lane + 32 * i;
      query[h * KEY_PARTS + i] = place < KEY_WIDTH
          ? float(queries[(row * HEADS + head + h) * KEY_WIDTH + place]) * scale[0]
          : 0.0f;
    }
    for (int i = 0; i < VALUE_PARTS; i++) out[h * VALUE_PARTS + i] = 0.0f;
  }

  // Each 32 threads take a key of their own: a score is their sum. Softmax as the keys come by.
  for (int key = begin + simd; key < end; key += SIMDS) {
    const WIDE at = first + WIDE(key);
    for (int h = 0; h < HEADS_AT_ONCE; h++) weight[h] = 0.0f;
    for (int i = 0; i < KEY_PARTS; i++) {
      const int place = lane + 32 * i;
      if (place < KEY_WIDTH) {
        const float number = KEY(at, place);
        for (int h = 0; h < HEADS_AT_ONCE; h++) weight[h] += query[h * KEY_PARTS + i] * number;
      }
    }
    for (int h = 0; h < HEADS_AT_ONCE; h++) {
      const float score = LANE_SUM(weight[h]);
      const float larger = LARGER(most[h], score);
      const float kept = EXP(most[h] - larger);
      weight[h] = EXP(score - larger);
      sum[h] = sum[h] * kept + weight[h];
      most[h] = larger;
      for (int i = 0; i < VALUE_PARTS; i++) out[h * VALUE_PARTS + i] *= kept;
    }
    for (int i = 0; i < VALUE_PARTS; i++) {
      const int place = lane + 32 * i;
      if (place < VALUE_WIDTH) {
        const float number = VALUE(at, place);
        for (int h = 0; h < HEADS_AT_ONCE; h++) out[h * VALUE_PARTS + i] += weight[h] * number;
      }
    }
  }

  // What the 32s of the group have found, joined.
  SHARED(mosts, SIMDS * HEADS_AT_ONCE);
  SHARED(sums, SIMDS * HEADS_AT_ONCE);
  SHARED(outs, SIMDS * VALUE_WIDTH);
  if (lane == 0) {
    for (int h = 0; h < HEADS_AT_ONCE; h++) {
      mosts[simd * HEADS_AT_ONCE + h] = most[h];
      sums[simd * HEADS_AT_ONCE + h] = sum[h];
    }
  }
  BARRIER;
  for (int h = 0; h < HEADS_AT_ONCE; h++) {
    float whole_most = LOWEST;
    for (int s = 0; s < SIMDS; s++) whole_most = LARGER(whole_most, mosts[s * HEADS_AT_ONCE + h]);
    float whole_sum = 0.0f;
    for (int s = 0; s < SIMDS; s++) {
      whole_sum += sums[s * HEADS_AT_ONCE + h] * EXP(mosts[s * HEADS_AT_ONCE + h] - whole_most);
    }
    const float mine = EXP(most[h] - whole_most);
    for (int i = 0; i < VALUE_PARTS; i++) {
      const int place = lane + 32 * i;
      if (place < VALUE_WIDTH) outs[simd * VALUE_WIDTH + place] = out[h * VALUE_PARTS + i] * mine;
    }
    BARRIER;
    for (int place = simd * 32 + lane; place < VALUE_WIDTH; place += SIMDS * 32) {
      float total = 0.0f;
      for (int s = 0; s < SIMDS; s++) total += outs[s * VALUE_WIDTH + place];
      @WRITE@
    }
    BARRIER;
  }
"""

WRITE_OUT = """
#if SINKS
      const float sink = float(sinks[head + h]);
      const float larger = LARGER(whole_most, sink);
      const float kept = EXP(whole_most - larger);
      total = total * kept / (whole_sum * kept + EXP(sink - larger));
#else
      total = total / whole_sum;
#endif
      attended[(row * HEADS + head + h) * VALUE_WIDTH + place] = T(total);
"""
"""The end where every row is one piece."""

WRITE_PART = """
      const WIDE part = (WIDE(along) * HEADS + head + h) * (VALUE_WIDTH + 2);
      parts[part + place] = total;
      if (place == 0) {
        parts[part + VALUE_WIDTH] = whole_most;
        parts[part + VALUE_WIDTH + 1] = whole_sum;
      }
"""
"""The end where rows are cut in pieces: `JOIN` goes on from there."""

JOIN = """
  // One group of threads: the pieces of one row, for one query head.
  const int begin = starts[along];
  const int end = starts[along + 1];
#if SINKS
  const float sink = float(sinks[across]);
  float most = sink;
#else
  float most = LOWEST;
#endif
  for (int piece = begin; piece < end; piece++) {
    most = LARGER(most, parts[(WIDE(piece) * HEADS + across) * (VALUE_WIDTH + 2) + VALUE_WIDTH]);
  }
#if SINKS
  float sum = EXP(sink - most);
#else
  float sum = 0.0f;
#endif
  for (int piece = begin; piece < end; piece++) {
    const WIDE part = (WIDE(piece) * HEADS + across) * (VALUE_WIDTH + 2);
    sum += parts[part + VALUE_WIDTH + 1] * EXP(parts[part + VALUE_WIDTH] - most);
  }
  for (int place = simd * 32 + lane; place < VALUE_WIDTH; place += SIMDS * 32) {
    float total = 0.0f;
    for (int piece = begin; piece < end; piece++) {
      const WIDE part = (WIDE(piece) * HEADS + across) * (VALUE_WIDTH + 2);
      total += parts[part + place] * EXP(parts[part + VALUE_WIDTH] - most);
    }
    attended[(along * HEADS + across) * VALUE_WIDTH + place] = T(total / sum);
  }
"""

METAL = """
#define WIDE ulong
#define EXP(x) metal::exp(x)
#define LANE_SUM(x) simd_sum(x)
#define BARRIER threadgroup_barrier(mem_flags::mem_threadgroup)
#define SHARED(name, count) threadgroup float name[count]
"""

METAL_OPENING = """
  const int lane = int(thread_index_in_simdgroup);
  const int simd = int(simdgroup_index_in_threadgroup);
  const int along = int(threadgroup_position_in_grid.y);
  const int across = int(threadgroup_position_in_grid.z);
"""
"""MLX declares of Metal's names those that it finds in the body, and does not look elsewhere."""

CUDA = """
#define WIDE unsigned long long
#define EXP(x) expf(x)
#define LANE_SUM(x) stretto_lane_sum(x)
#define BARRIER __syncthreads()
#define SHARED(name, count) __shared__ float name[count]
__device__ __forceinline__ float stretto_lane_sum(float x) {
  for (int apart = 16; apart > 0; apart /= 2) x += __shfl_xor_sync(0xffffffffu, x, apart);
  return x;
}
"""

CUDA_OPENING = """
  const int lane = int(threadIdx.x) % 32;
  const int simd = int(threadIdx.x) / 32;
  const int along = int(blockIdx.y);
  const int across = int(blockIdx.z);
"""


def names(quantised: bool) -> tuple[str, ...]:
    """What one source of keys is: the names of its arrays."""
    if not quantised:
        return "keys", "values"
    return tuple(f"{which}{part}" for which in ("key", "value") for part in _PACKED)


_PACKED = ("s", "_scales", "_biases")


def sources(quantised: bool, count: int) -> str:
    """The lines that choose a row's arrays among those of `count` sources."""
    own = names(quantised)
    lines = [f"auto {name} = {name}0;" for name in own]
    for number in range(1, count):
        chosen = " ".join(f"{name} = {name}{number};" for name in own)
        lines.append(f"if (source == {number}) {{ {chosen} }}")
    return "\n  ".join(lines)


def attend(quantised: bool, count: int, whole: bool) -> str:
    """The body that reads keys.

    Args:
        count: sources that a row's keys may lie in.
        whole: every row is one piece, so this kernel is the only one.
    """
    body = ATTEND.replace("@SOURCES@", sources(quantised, count))
    return body.replace("@WRITE@", WRITE_OUT if whole else WRITE_PART)


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
        wide = -(-max(self.key_width, self.value_width) // SIMD)
        most = min(MOST_AT_ONCE, MOST_NUMBERS // wide)
        each = self.heads // self.key_heads
        return max(n for n in range(1, most + 1) if each % n == 0)

    @property
    def most_sources(self) -> int:
        """Buffers of keys that one launch can read."""
        others = len(_SHARED) + self.sinks + 1  # and what is written
        return 12 if not self.bits else (MOST_ARRAYS - others) // len(names(True))


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
        own = names(bool(self.geometry.bits))
        return [*_SHARED, *sinks, *(f"{n}{i}" for i in range(self.sources) for n in own)]

    @property
    def output(self) -> str:
        """The name of its output."""
        return "parts" if self.part == "pieces" else "attended"

    @property
    def body(self) -> str:
        """What it does, without the beginning that each device has of its own."""
        if self.part == "join":
            return JOIN
        return attend(bool(self.geometry.bits), self.sources, self.part == "whole")

    @property
    def constants(self) -> dict[str, int]:
        """The names in capitals that the text uses."""
        g, simd = self.geometry, SIMD
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
        own, opening = (METAL, METAL_OPENING) if device == "metal" else (CUDA, CUDA_OPENING)
        return defined + COMMON + own, opening + self.body

    def name(self, device: str) -> str:
        """A name that no other text has: MLX keeps compiled CUDA kernels on disk by name alone."""
        whole = "\n".join((*self.text(device), *self.inputs, self.geometry.dtype))
        return f"stretto_{self.part}_{hashlib.sha256(whole.encode()).hexdigest()[:16]}"

"""The kernels' text: a subset of C++ that Metal, CUDA and a C++ compiler take alike.

MLX writes a kernel's head itself, from the names and types of its inputs and outputs, and takes the
body as text. A body here uses these names beside those of its inputs:

- `lane`, `simd`: which thread of its 32, and which 32 of the group; `along`, `across`: which group.
- `LANE_SUM(x)`: the sum over the 32 threads, for all of them; `BARRIER`: all threads of the group
  have come here, and see what the others have written; both only in the body itself.
- `SHARED(name, count)`: floats that the group shares.
- the constants of a `Program` in capitals.

`METAL` and `CUDA` define them for the two. The tests define them in C++, where the threads of a
group run in any order between two of those meetings.
"""

from __future__ import annotations

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

// Scratch memory for intermediate results, which each thread keeps for the next call.
#pragma once

#include <stdint.h>

// Return memory for `count` items of `bytes` each, aligned to a cache line, or NULL on failure.
// The contents are undefined. `slot` identifies the buffer, because a call may need several.
void *scratch(int slot, int64_t count, int64_t bytes);

enum {
    SCRATCH_VALUES,
    SCRATCH_SCALES,
    SCRATCH_SUMS,
    SCRATCH_X,
    SCRATCH_PROJECTED,
    SCRATCH_ATTENDED,
    SCRATCH_GATES,
    SCRATCH_PART,
    SCRATCH_QUERIES,
    SCRATCH_SCORES,
    SCRATCH_KEYS,
    SCRATCH_WEIGHTS,
    SCRATCH_HEAP,
    SCRATCH_IDS,
    SCRATCH_KEPT,
    SCRATCH_SLOTS,
};

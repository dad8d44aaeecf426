// Thread pool of the process, and distribution of work.
#pragma once

#include <stdint.h>

typedef void (*Task)(void *context, int64_t item);

// Start the pool. `threads` includes the calling thread. Later calls have no effect.
void pool_start(int threads);

// Wake up the threads for several calls of `pool_run`. They spin until `pool_leave`.
// If another thread has already entered, the caller computes everything itself.
void pool_enter(void);
void pool_leave(void);

// Call `task` for all items from 0 to `items` - 1, in any order and on any thread. Waits for all
// calls to return.
void pool_run(int64_t items, Task task, void *context);

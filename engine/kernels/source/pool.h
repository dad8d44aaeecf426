// The threads of the process that compute, and how work is divided among them.
#pragma once

#include <stdint.h>

typedef void (*Task)(void *context, int64_t item);

// Start threads, so that `threads` compute with the calling one. Later calls have no effect.
void pool_start(int threads);

// Wake the threads for a series of `pool_run`s. Between `pool_enter` and `pool_leave` they spin.
// If another thread of the process has entered, the caller computes everything itself.
void pool_enter(void);
void pool_leave(void);

// Call `task` for all items from 0 to `items` - 1, in any order and on any thread; returns when all
// calls have returned.
void pool_run(int64_t items, Task task, void *context);

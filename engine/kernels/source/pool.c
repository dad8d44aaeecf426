// Thread pool whose threads claim parts of a job from a shared counter.
//
// A job ends when all of its parts are done, without waiting for all threads to arrive. So a thread
// that the OS has suspended between two parts delays nothing, which matters when other programs use
// the cores. If there is nothing to claim, a thread spins for a while and then yields. It sleeps
// when no caller has entered.
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

enum {
    MAX_THREADS = 64,
    PARTS_PER_THREAD = 8,  // so that threads of different speeds finish at the same time
    SPINS = 400,           // spins before yielding
    IDLE_SPINS = 2000,     // spins before sleeping
};

// Job number (32 bits), number of parts (16), and next part to claim (16). They form a single word,
// so that a late thread can't claim a part of a job that has ended.
static _Atomic uint64_t ticket;
static _Atomic uint32_t parts_done;

// Current job. Written before its ticket, and not changed until all of its parts are done.
static _Atomic(Task) job_task;
static void *_Atomic job_context;
static _Atomic int64_t job_items;

static pthread_mutex_t caller = PTHREAD_MUTEX_INITIALIZER;  // held by the thread that has entered
static pthread_mutex_t sleep_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static atomic_int entered;
static int sleeping;  // guarded by sleep_lock
static int thread_count = 1;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int wanted_threads;

static _Thread_local int is_caller;

static inline void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Spin, or yield the core after many spins.
static inline void wait_a_moment(int *spins)
{
    if (++*spins < SPINS) {
        pause_briefly();
    } else {
        *spins = 0;
        sched_yield();
    }
}

// Claim and compute a part of the current job. Returns 0 if there is no part to claim.
static int compute_part(void)
{
    uint64_t seen = atomic_load_explicit(&ticket, memory_order_acquire);
    int64_t part = seen & 0xffff, parts = seen >> 16 & 0xffff;
    if (part >= parts)
        return 0;
    Task task = atomic_load_explicit(&job_task, memory_order_relaxed);
    void *context = atomic_load_explicit(&job_context, memory_order_relaxed);
    int64_t items = atomic_load_explicit(&job_items, memory_order_relaxed);
    if (!atomic_compare_exchange_strong(&ticket, &seen, seen + 1))
        return 1;
    for (int64_t item = items * part / parts; item < items * (part + 1) / parts; item++)
        task(context, item);
    atomic_fetch_add_explicit(&parts_done, 1, memory_order_release);
    return 1;
}

static void *thread_main(void *unused)
{
    (void)unused;
    int spins = 0, idle = 0;
    for (;;) {
        if (atomic_load_explicit(&entered, memory_order_acquire)) {
            idle = 0;
            if (compute_part())
                spins = 0;
            else
                wait_a_moment(&spins);
        } else if (++idle < IDLE_SPINS) {
            pause_briefly();
        } else {
            pthread_mutex_lock(&sleep_lock);
            sleeping++;
            while (!atomic_load(&entered))
                pthread_cond_wait(&wake, &sleep_lock);
            sleeping--;
            pthread_mutex_unlock(&sleep_lock);
            idle = 0;
        }
    }
    return NULL;
}

static void start_threads(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals must go to the program's own threads
    for (; thread_count < wanted_threads && thread_count < MAX_THREADS; thread_count++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, thread_main, NULL))
            break;
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void pool_start(int threads)
{
    wanted_threads = threads;
    pthread_once(&once, start_threads);
}

void pool_enter(void)
{
    is_caller = pthread_mutex_trylock(&caller) == 0;
    if (!is_caller || thread_count == 1)
        return;
    atomic_store(&entered, 1);
    pthread_mutex_lock(&sleep_lock);
    if (sleeping)
        pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&sleep_lock);
}

void pool_leave(void)
{
    if (!is_caller)
        return;
    is_caller = 0;
    atomic_store(&entered, 0);
    pthread_mutex_unlock(&caller);
}

void pool_run(int64_t items, Task task, void *context)
{
    if (!is_caller || thread_count == 1 || items < 2) {
        for (int64_t item = 0; item < items; item++)
            task(context, item);
        return;
    }
    int64_t parts = thread_count * PARTS_PER_THREAD;
    parts = parts < items ? parts : items;
    atomic_store_explicit(&job_task, task, memory_order_relaxed);
    atomic_store_explicit(&job_context, context, memory_order_relaxed);
    atomic_store_explicit(&job_items, items, memory_order_relaxed);
    atomic_store_explicit(&parts_done, 0, memory_order_relaxed);
    uint64_t number = (atomic_load_explicit(&ticket, memory_order_relaxed) >> 32) + 1;
    atomic_store_explicit(&ticket, number << 32 | (uint64_t)parts << 16, memory_order_release);
    while (compute_part())
        ;
    for (int spins = 0; atomic_load_explicit(&parts_done, memory_order_acquire) < parts;)
        wait_a_moment(&spins);
}

/* The clocks that all times are read from, in ns.
 *
 * The kernel answers a read of its monotonic clock from the processor's time stamp counter, at the
 * price of some cache lines that lie elsewhere. Where the kernel trusts the counter, it is read
 * directly: a thread of ours compares the two now and then (pm_clock_compare), and what others read
 * follows the kernel's clock without a step: within a microsecond where comparisons come regularly,
 * within five where they do not, within 500 as the kernel begins to slew its clock by 0.05 %. Where
 * nobody compared for two seconds the kernel is asked. If the counter jumps (the machine slept, or
 * was halted or moved, being virtual), what is read is off by as much, up to two seconds, until the
 * next comparison, which tells; from then on the kernel is asked.
 *
 * The processor may read the counter some ten ns before or after what stands around it: to have it
 * wait for that takes as long as the reading does. Instants of two threads are no closer anyway.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* From `ticks` of the counter on. */
struct pm_clock_map {
    uint64_t ticks;
    int64_t ns;
    int64_t scale; /* ns in 2³² ticks */
};

/* What the map says of an instant before or after its begin. */
static inline int64_t pm_clock_map_at(const struct pm_clock_map *map, uint64_t ticks)
{
    return map->ns + (int64_t)((__int128)(int64_t)(ticks - map->ticks) * map->scale >> 32);
}

/* How a map is made that follows a clock. All 0 to begin with. */
struct pm_clock_follower {
    struct pm_clock_map map;  /* scale 0: none yet */
    struct pm_clock_map rate; /* since when the rate is measured, and the rate so far */
};
enum pm_clock_verdict { PM_CLOCK_TOO_SOON, PM_CLOCK_FOLLOWS, PM_CLOCK_JUMPED };
/* At `ticks` it was `ns`. FOLLOWS: `follower->map` is the one to use from now on; at `ticks` it
 * says what the one before did, and it makes up for what that was off by. JUMPED: they differ by
 * more than 5 ms, or by more than slewing explains. */
enum pm_clock_verdict pm_clock_follow(struct pm_clock_follower *follower, uint64_t ticks,
                                      int64_t ns);

/* The last maps: one that is being read is not overwritten at once, and all lie in one cache line.
 */
#define PM_CLOCK_MAPS     2
#define PM_CLOCK_LASTS_NS INT64_C(2000000000)
extern struct pm_clock_shared {
    _Alignas(64) _Atomic uint32_t n; /* maps so far; 0: the kernel is asked */
    _Atomic uint32_t lasting;        /* as many times 2²⁴ ticks is a map used */
    struct pm_clock_map maps[PM_CLOCK_MAPS];
} pm_clock_shared;

int64_t pm_clock_kernel(void);    /* CLOCK_MONOTONIC */
int64_t pm_clock_processor(void); /* what the calling thread has used of it */

#if defined(__x86_64__)
static inline int64_t pm_clock_now(void)
{
    uint32_t n = atomic_load_explicit(&pm_clock_shared.n, memory_order_acquire);
    if (__builtin_expect(n == 0, 0))
        return pm_clock_kernel();
    const struct pm_clock_map *shared = &pm_clock_shared.maps[n % PM_CLOCK_MAPS];
    const struct pm_clock_map map = {__atomic_load_n(&shared->ticks, __ATOMIC_RELAXED),
                                     __atomic_load_n(&shared->ns, __ATOMIC_RELAXED),
                                     __atomic_load_n(&shared->scale, __ATOMIC_RELAXED)};
    atomic_signal_fence(memory_order_seq_cst);
    uint64_t ticks = __builtin_ia32_rdtsc();
    atomic_thread_fence(memory_order_acquire);
    uint32_t newer = atomic_load_explicit(&pm_clock_shared.n, memory_order_relaxed) - n;
    uint64_t reach = (uint64_t)atomic_load_explicit(&pm_clock_shared.lasting, memory_order_relaxed)
                     << 24;
    if (__builtin_expect(newer >= PM_CLOCK_MAPS - 1 || ticks - map.ticks + reach > 2 * reach, 0))
        return pm_clock_kernel();
    return pm_clock_map_at(&map, ticks);
}
#else
static inline int64_t pm_clock_now(void)
{
    return pm_clock_kernel();
}
#endif

/* Now, but not before `begin_ns`: that may be of the other source, which was a little ahead. */
static inline int64_t pm_clock_now_after(int64_t begin_ns)
{
    int64_t now_ns = pm_clock_now();
    return now_ns > begin_ns ? now_ns : begin_ns;
}

/* Compares the counter with the kernel's clock, if the kernel trusts it. One thread, at most every
 * second or so. */
void pm_clock_compare(void);
/* Whether the counter is read. */
bool pm_clock_reads_counter(void);

int64_t pm_clock_now_unix(void); /* CLOCK_REALTIME */
/* Both at one instant, to a few microseconds: who loses the processor in between tries again. */
int64_t pm_clock_now_both(int64_t *ret_unix_ns);

#include "recorder/agent/base/clock.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recorder/agent/base/hot.h"

#define FIRST_NS    INT64_C(100000000)      /* the first rate is measured over */
#define SPAN_NS     INT64_C(500000000)      /* and the later ones */
#define MADE_UP_NS  (PM_CLOCK_LASTS_NS / 2) /* what the map is off by, if no comparison comes */
#define JUMP_NS     5000000
#define MAX_SLEW    1000 /* the most, 1 part in this many */
#define OTHER_RATE  250  /* more than 1 part in this many is no slewing */
#define TRIES       5
#define PAIR_TRIES  16
#define PAIR_NS     2000
#define WORST_TICKS 4000                 /* a comparison that took longer says nothing */
#define LOOK_NS     INT64_C(10000000000) /* how often one looks whether the kernel trusts it */

struct pm_clock_shared pm_clock_shared PM_HOT_DATA;

static int64_t ns_of(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

int64_t pm_clock_kernel(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ns_of(&now);
}

int64_t pm_clock_processor(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return ns_of(&used);
}

int64_t pm_clock_now_unix(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ns_of(&now);
}

int64_t pm_clock_now_both(int64_t *ret_unix_ns)
{
    int64_t shortest = INT64_MAX, at_ns = 0;
    for (int i = 0; i < PAIR_TRIES && shortest > PAIR_NS; i++) {
        const int64_t before_ns = pm_clock_now(), unix_ns = pm_clock_now_unix();
        const int64_t took_ns = pm_clock_now() - before_ns;
        if (took_ns < shortest) {
            shortest = took_ns;
            at_ns = before_ns;
            *ret_unix_ns = unix_ns;
        }
    }
    return at_ns;
}

static int64_t scale_of(uint64_t ticks, int64_t ns)
{
    return (int64_t)(((__int128)ns << 32) / (int64_t)ticks);
}

static int64_t within(int64_t value, int64_t most)
{
    return value > most ? most : value < -most ? -most : value;
}

enum pm_clock_verdict pm_clock_follow(struct pm_clock_follower *follower, uint64_t ticks,
                                      int64_t ns)
{
    struct pm_clock_map *map = &follower->map, *rate = &follower->rate;
    uint64_t past_ticks = ticks - rate->ticks;
    int64_t past_ns = ns - rate->ns;
    if (!rate->ticks) {
        *rate = (struct pm_clock_map){ticks, ns, 0};
        return PM_CLOCK_TOO_SOON;
    }
    if (!map->scale) {
        if (past_ns < FIRST_NS || (int64_t)past_ticks <= 0)
            return PM_CLOCK_TOO_SOON;
        rate->scale = scale_of(past_ticks, past_ns);
        *map = (struct pm_clock_map){ticks, ns, rate->scale};
        return PM_CLOCK_FOLLOWS;
    }
    /* It began anew or stood, or went on while the kernel's clock stood as the machine slept. */
    int64_t expected_ns = (int64_t)((__int128)(int64_t)past_ticks * rate->scale >> 32);
    int64_t apart_ns = past_ns - expected_ns, most_ns = JUMP_NS + past_ns / OTHER_RATE;
    if (past_ns < 0 || apart_ns > most_ns || apart_ns < -most_ns)
        return PM_CLOCK_JUMPED;
    int64_t here_ns = pm_clock_map_at(map, ticks), off_ns = ns - here_ns;
    if (ns - map->ns > PM_CLOCK_LASTS_NS) /* nobody reads this map any more */
        here_ns = ns, off_ns = 0;
    if (off_ns > JUMP_NS || off_ns < -JUMP_NS)
        return PM_CLOCK_JUMPED;
    if (past_ns >= SPAN_NS)
        *rate = (struct pm_clock_map){ticks, ns, scale_of(past_ticks, past_ns)};
    int64_t slew = (int64_t)((__int128)rate->scale * off_ns / MADE_UP_NS);
    *map =
        (struct pm_clock_map){ticks, here_ns, rate->scale + within(slew, rate->scale / MAX_SLEW)};
    return PM_CLOCK_FOLLOWS;
}

bool pm_clock_reads_counter(void)
{
    return atomic_load_explicit(&pm_clock_shared.n, memory_order_relaxed) != 0;
}

#if defined(__x86_64__)

/* Both at one instant, that before the clock is read: the map may be early by as much as that
 * takes, and never steps back as it takes over. Returns how many ticks it took. */
static int64_t compare(int (*read)(clockid_t clock, struct timespec *ret_now), uint64_t *ret_ticks,
                       struct timespec *ret_now)
{
    int64_t shortest = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        struct timespec now;
        __builtin_ia32_lfence();
        uint64_t before = __builtin_ia32_rdtsc();
        read(CLOCK_MONOTONIC, &now);
        __builtin_ia32_lfence();
        int64_t took = (int64_t)(__builtin_ia32_rdtsc() - before);
        if (took < shortest) {
            shortest = took;
            *ret_ticks = before;
            *ret_now = now;
        }
    }
    return shortest;
}

static int call_kernel(clockid_t clock, struct timespec *ret_now)
{
    return (int)syscall(SYS_clock_gettime, clock, ret_now);
}

/* Where the kernel trusts the counter, by itself or because its hypervisor says so, a program reads
 * the clock from the counter without calling the kernel. */
static bool is_trusted(int64_t took)
{
    uint64_t ticks;
    struct timespec now;
    return 2 * took < compare(call_kernel, &ticks, &now);
}

static void publish(const struct pm_clock_map *map)
{
    uint32_t n = atomic_load_explicit(&pm_clock_shared.n, memory_order_relaxed) + 1;
    n += n == 0;
    struct pm_clock_map *shared = &pm_clock_shared.maps[n % PM_CLOCK_MAPS];
    pm_clock_shared.lasting = (uint32_t)(((__int128)PM_CLOCK_LASTS_NS << 8) / map->scale);
    atomic_thread_fence(memory_order_release);
    __atomic_store_n(&shared->ticks, map->ticks, __ATOMIC_RELAXED);
    __atomic_store_n(&shared->ns, map->ns, __ATOMIC_RELAXED);
    __atomic_store_n(&shared->scale, map->scale, __ATOMIC_RELAXED);
    atomic_store_explicit(&pm_clock_shared.n, n, memory_order_release);
}

void pm_clock_compare(void)
{
    static struct pm_clock_follower follower;
    static int64_t looked_ns;
    static bool trusts = true;
    uint64_t ticks = 0;
    struct timespec now;
    int64_t took = trusts ? compare(clock_gettime, &ticks, &now) : INT64_MAX;
    if (took >= WORST_TICKS)
        return;
    int64_t ns = ns_of(&now);
    if (!looked_ns || ns - looked_ns > LOOK_NS) {
        trusts = is_trusted(took);
        looked_ns = ns;
    }
    enum pm_clock_verdict verdict =
        trusts ? pm_clock_follow(&follower, ticks, ns) : PM_CLOCK_JUMPED;
    if (verdict == PM_CLOCK_FOLLOWS)
        publish(&follower.map);
    if (verdict != PM_CLOCK_JUMPED)
        return;
    trusts = false; /* for good */
    atomic_store(&pm_clock_shared.n, 0);
}

#else

void pm_clock_compare(void)
{
}

#endif

#include "recorder/agent/allocation/wish.h"

#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include "format/error.h"
#include "recorder/agent/allocation/thinning.h"
#include "recorder/agent/base/clock.h"

#define PAUSE_NS 5000000 /* between looks whether it is granted: a user waits */

static struct {
    void (*hurry)(void);
    _Atomic int64_t interval;
    _Atomic bool asked, refused;
    _Atomic uint64_t looks_wished, looks_done;
} wish = {.interval = PM_THINNING_OFF};

void pm_wish_set_hurry(void (*hurry)(void))
{
    wish.hurry = hurry;
}

void pm_wish_hurry(void)
{
    if (wish.hurry)
        wish.hurry();
}

static bool pause_before(int64_t until_ns)
{
    pm_wish_hurry();
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    return pm_clock_now() < until_ns;
}

int pm_wish_interval(int64_t interval_bytes, int64_t deadline_ns)
{
    int64_t until_ns = pm_clock_now() + deadline_ns;
    atomic_store(&wish.interval, interval_bytes);
    atomic_store(&wish.refused, false);
    atomic_store(&wish.asked, true);
    while (atomic_load(&wish.asked))
        if (!pause_before(until_ns))
            return PM_ERROR_IO;
    return atomic_load(&wish.refused) ? PM_ERROR_ARGUMENT : 0;
}

int pm_wish_look(int64_t deadline_ns)
{
    int64_t until_ns = pm_clock_now() + deadline_ns;
    uint64_t n = atomic_fetch_add(&wish.looks_wished, 1) + 1;
    while (atomic_load(&wish.looks_done) < n)
        if (!pause_before(until_ns))
            return PM_ERROR_IO;
    return 0;
}

bool pm_wish_next_interval(int64_t *ret_interval_bytes)
{
    *ret_interval_bytes = atomic_load(&wish.interval);
    return atomic_load(&wish.asked);
}

void pm_wish_answer_interval(int64_t interval_bytes, bool refused)
{
    if (atomic_load(&wish.interval) != interval_bytes)
        return; /* another was wished meanwhile */
    atomic_store(&wish.refused, refused);
    atomic_store(&wish.asked, false);
}

uint64_t pm_wish_looks(void)
{
    return atomic_load(&wish.looks_wished);
}

void pm_wish_answer_look(uint64_t n)
{
    atomic_store(&wish.looks_done, n);
}

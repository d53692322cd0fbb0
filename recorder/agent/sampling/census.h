/* The census: once a second, what each platform thread of the program used of the processors since
 * it was read last, from /proc. The drain thread's own.
 *
 * Cost: 6 µs a thread. PM_CENSUS_AT_ONCE threads a second; where there are more, they take turns.
 */
#pragma once

#include "format/record.h"

#define PM_CENSUS_AT_ONCE 256

#define PM_CENSUS_BUSY 8

/* Threads that used most of the processors, the busiest first. */
struct pm_census_busy {
    size_t n;
    pm_thread_id threads[PM_CENSUS_BUSY];
    int64_t cpu_ns[PM_CENSUS_BUSY];
};

struct pm_census {
    int folder; /* of this process' threads; -1: none */
    int64_t next_ns;
    uint32_t next_row;          /* of the table of threads */
    struct pm_census_busy busy; /* while many of those that could run had no processor; or empty */
};

void pm_census_init(struct pm_census *census);
void pm_census_clear(struct pm_census *census);

/* Once the second is over, a row for each thread that was read and had progress. */
void pm_census_take(struct pm_census *census, int64_t now_ns,
                    void (*each)(void *context, const struct pm_census_row *row), void *context);

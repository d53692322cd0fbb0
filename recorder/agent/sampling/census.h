/* The census: once a second, the processor time of each platform thread of the program since the
 * last reading, from /proc. Drain thread only.
 *
 * Cost: 6 µs per thread. PM_CENSUS_AT_ONCE threads a second; if there are more, they take turns. */
#pragma once

#include "format/record.h"

#define PM_CENSUS_AT_ONCE 256

#define PM_CENSUS_BUSY 8

/* The threads that used the most processor time, busiest first. */
struct pm_census_busy {
    size_t n;
    pm_thread_id threads[PM_CENSUS_BUSY];
    int64_t cpu_ns[PM_CENSUS_BUSY];
};

struct pm_census {
    int folder; /* of this process' threads; -1: none */
    int64_t next_ns;
    uint32_t next_row;          /* of the table of threads */
    struct pm_census_busy busy; /* while many runnable threads had no processor; or empty */
};

void pm_census_init(struct pm_census *census);
void pm_census_clear(struct pm_census *census);

/* Once the second is over, writes a row for each thread that was read and had progress. */
void pm_census_take(struct pm_census *census, int64_t now_ns,
                    void (*each)(void *context, const struct pm_census_row *row), void *context);

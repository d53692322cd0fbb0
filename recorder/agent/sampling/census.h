/* The census: once a second, the processor time of each platform thread of the program since the
 * last reading, from /proc. Drain thread only.
 *
 * Cost: 6 µs per thread. PM_CENSUS_AT_ONCE threads a second; if there are more, they take turns. */
#pragma once

#include "format/record.h"
#include "recorder/agent/tables/thread.h"

#define PM_CENSUS_AT_ONCE 256

#define PM_CENSUS_BUSY 8
#define PM_CENSUS_AWAY 2

/* The threads that used the most processor time, busiest first. */
struct pm_census_busy {
    size_t n;
    pm_thread_id threads[PM_CENSUS_BUSY];
    int64_t cpu_ns[PM_CENSUS_BUSY];
};

/* Threads that used hardly any processor time and are in no recorded wait: in a call that is not
 * recorded, as for a socket, or asleep. A few of them, at random. */
struct pm_census_away {
    size_t n, n_seen;
    pm_thread_id threads[PM_CENSUS_AWAY];
};

struct pm_census {
    int folder; /* of this process' threads; -1: none */
    int64_t next_ns;
    uint32_t next_row;          /* of the table of threads */
    struct pm_census_busy busy; /* while many runnable threads had no processor; or empty */
    struct pm_census_away away; /* of those that were read last */
};

void pm_census_init(struct pm_census *census);
void pm_census_clear(struct pm_census *census);

/* Once the second is over, writes a row for each thread that was read and had progress. */
void pm_census_take(struct pm_census *census, int64_t now_ns,
                    void (*each)(void *context, const struct pm_census_row *row), void *context);

/* Whether it is a platform thread in a recorded wait, whose stack trace is known. Any thread. */
bool pm_census_waits(const struct pm_thread_row *thread);
/* Whether it is a live platform thread of the program that is in no recorded wait, so that a look
 * at it is useful. Any thread. */
bool pm_census_can_learn(const struct pm_thread_row *thread);

/* Cycles of threads that wait for each other: who waits, and who owns what it waits for. */
#pragma once

#include <stddef.h>

#include "format/record.h"

struct pm_deadlock_link {
    pm_thread_id waiter;
    pm_thread_id owner; /* of what it waits for, never 0 */
};

/* The number of cycles; each thread waits for at most one thing. Sorts `links`. O(n log n). */
uint32_t pm_deadlock_count(struct pm_deadlock_link *links, size_t n_links);

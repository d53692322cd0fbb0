#include "recorder/agent/drain/deadlock.h"

#include <stdlib.h>

static int by_waiter(const void *a, const void *b)
{
    const struct pm_deadlock_edge *left = a;
    const struct pm_deadlock_edge *right = b;
    return left->waiter.n < right->waiter.n ? -1 : left->waiter.n > right->waiter.n;
}

static struct pm_deadlock_edge *find(struct pm_deadlock_edge *edges, size_t n, pm_thread_id waiter)
{
    struct pm_deadlock_edge key = {.waiter = waiter};
    return bsearch(&key, edges, n, sizeof *edges, by_waiter);
}

/* A walk leaves its own number on every edge; meeting that number again closes a new cycle, meeting
 * an older one joins what is known. */
uint32_t pm_deadlock_count(struct pm_deadlock_edge *edges, size_t n_edges)
{
    if (n_edges < 2)
        return n_edges == 1 && edges[0].waiter.n == edges[0].owner.n;
    uint32_t *walk_of = calloc(n_edges, sizeof *walk_of);
    if (!walk_of)
        return 0;
    qsort(edges, n_edges, sizeof *edges, by_waiter);
    uint32_t n_cycles = 0;
    for (size_t i = 0; i < n_edges; i++) {
        uint32_t walk = (uint32_t)i + 1;
        struct pm_deadlock_edge *edge = &edges[i];
        while (edge && walk_of[edge - edges] == 0) {
            walk_of[edge - edges] = walk;
            edge = find(edges, n_edges, edge->owner);
        }
        n_cycles += edge && walk_of[edge - edges] == walk;
    }
    free(walk_of);
    return n_cycles;
}

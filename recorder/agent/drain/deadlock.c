#include "recorder/agent/drain/deadlock.h"

#include <stdlib.h>

static int by_waiter(const void *a, const void *b)
{
    const struct pm_deadlock_link *left = a;
    const struct pm_deadlock_link *right = b;
    return left->waiter.n < right->waiter.n ? -1 : left->waiter.n > right->waiter.n;
}

static struct pm_deadlock_link *find(struct pm_deadlock_link *links, size_t n, pm_thread_id waiter)
{
    struct pm_deadlock_link key = {.waiter = waiter};
    return bsearch(&key, links, n, sizeof *links, by_waiter);
}

/* A walk leaves its own number on every link; meeting that number again closes a new cycle, meeting
 * an older one joins what is known. */
uint32_t pm_deadlock_count(struct pm_deadlock_link *links, size_t n_links)
{
    if (n_links < 2)
        return n_links == 1 && links[0].waiter.n == links[0].owner.n;
    uint32_t *walk_of = calloc(n_links, sizeof *walk_of);
    if (!walk_of)
        return 0;
    qsort(links, n_links, sizeof *links, by_waiter);
    uint32_t n_cycles = 0;
    for (size_t i = 0; i < n_links; i++) {
        uint32_t walk = (uint32_t)i + 1;
        struct pm_deadlock_link *link = &links[i];
        while (link && walk_of[link - links] == 0) {
            walk_of[link - links] = walk;
            link = find(links, n_links, link->owner);
        }
        n_cycles += link && walk_of[link - links] == walk;
    }
    free(walk_of);
    return n_cycles;
}

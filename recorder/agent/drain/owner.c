#include "recorder/agent/drain/owner.h"

#include <stdlib.h>

#include "recorder/agent/drain/deadlock.h"
#include "recorder/agent/sampling/census.h"

#define DEADLOCK_AGE_NS 100000000 /* a cycle of younger waits may be one of stale owners */

/* NULL: there is none yet. */
static struct pm_sample_wish *wish_for(struct pm_sample_wish *wishes, size_t n,
                                       pm_blocker_id blocker)
{
    for (size_t i = 0; i < n; i++)
        if (wishes[i].blocker.n == blocker.n)
            return &wishes[i];
    return NULL;
}

/* What an owner that waits itself does is known, and so is what is behind that; and who waits for
 * the end of a thread has mostly nothing else to do. */
static uint8_t queue_of(const struct pm_follow *follow)
{
    struct pm_thread_row row;
    const bool known = follow->wait.kind == PM_KIND_WAIT ||
                       (pm_thread_get(follow->owner, &row) && pm_census_waits(&row));
    return known ? PM_SAMPLE_QUEUE_LOW : PM_SAMPLE_QUEUE_OWNER;
}

size_t pm_owner_wishes(const struct pm_follower *follower, bool all,
                       struct pm_sample_wish *ret_wishes)
{
    size_t n = 0;
    for (int pass = 0; pass < (all ? 2 : 1); pass++) {
        for (size_t i = 0; i < follower->n; i++) {
            const struct pm_follow *follow = &follower->slots[i];
            if (!follow->open ||
                pm_owner_is_expected(follow->owner, follow->wait.kind) != (pass == 0) ||
                (!all && follower->now_ns - follow->wait.begin_ns < PM_SAMPLER_AGE_NS))
                continue;
            struct pm_sample_wish *wish =
                all ? NULL : wish_for(ret_wishes, n, follow->wait.blocker);
            if (wish) {
                wish->weight++;
                continue;
            }
            if (n == PM_SAMPLER_MAX_WISHES)
                continue; /* those who wait where others do already still count */
            ret_wishes[n++] = (struct pm_sample_wish){.waiter = follow->thread,
                                                      .blocker = follow->wait.blocker,
                                                      .owner = follow->owner,
                                                      .group = follow->wait.blocker.n,
                                                      .weight = 1,
                                                      .kind = follow->wait.kind,
                                                      .queue = queue_of(follow)};
        }
    }
    return n;
}

/* Who waits to be notified waits for nobody who owns anything, whatever others wait for there. */
void pm_owner_learn(struct pm_follower *follower, const struct pm_owner_sample *sample)
{
    for (size_t i = 0; i < follower->n; i++) {
        struct pm_follow *follow = &follower->slots[i];
        if (follow->open && follow->wait.kind != PM_KIND_WAIT &&
            follow->wait.blocker.n == sample->blocker.n && follow->wait.begin_ns <= sample->at_ns)
            follow->owner = sample->owner;
    }
}

uint32_t pm_owner_deadlocks(const struct pm_follower *follower)
{
    struct pm_deadlock_link *links = NULL;
    size_t n = 0;
    size_t capacity = 0;
    for (size_t i = 0; i < follower->n; i++) {
        const struct pm_follow *follow = &follower->slots[i];
        if (!follow->open || follow->owner.n == 0 ||
            follower->now_ns - follow->wait.begin_ns < DEADLOCK_AGE_NS)
            continue;
        if (n == capacity) {
            capacity = capacity ? capacity * 2 : 64;
            struct pm_deadlock_link *more = realloc(links, capacity * sizeof *more);
            if (!more)
                break;
            links = more;
        }
        links[n++] = (struct pm_deadlock_link){follow->thread, follow->owner};
    }
    uint32_t n_cycles = pm_deadlock_count(links, n);
    free(links);
    return n_cycles;
}

/* Expected enders: the threads that usually end the waits of an operation, and so those worth a
 * sample while such a wait lasts. An operation is the site of the waiter's stack trace together
 * with the blocker's class, as single blockers are often short-lived. Bounded; the drain thread's
 * own.
 *
 * Cost: one update of a hash table for each ended wait that somebody ended. */
#pragma once

#include "recorder/agent/drain/follow.h"
#include "recorder/agent/drain/sampler.h"

struct pm_enders;

struct pm_enders *pm_enders_new(void); /* NULL: no memory */
void pm_enders_free(struct pm_enders *enders);
uint64_t pm_enders_memory(void);

/* Waits of a slot ended, in this order. A waker that was itself woken from the same blocker and
 * passed that on stands for whoever woke it. */
void pm_enders_note(struct pm_enders *enders, const struct pm_wait *waits, size_t n);

/* What to sample for the waits in progress that are PM_SAMPLER_AGE_NS old and have no owner: for
 * each operation those of its latest enders that pm_sampler_can_learn of; for all operations of
 * which no ender lives together some of all threads of which that is true. */
size_t pm_enders_wishes(struct pm_enders *enders, struct pm_follower *follower,
                        struct pm_sample_wish ret_wishes[PM_SAMPLER_MAX_ENDERS]);

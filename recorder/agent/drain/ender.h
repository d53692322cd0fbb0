/* Expected enders: the threads that usually end the waits of an operation (operation.h), and are
 * therefore worth sampling while such a wait lasts. Bounded; drain thread only.
 *
 * Cost: one hash table update for each wait that was ended by a thread. */
#pragma once

#include "recorder/agent/counters/follow.h"
#include "recorder/agent/drain/sampler.h"

struct pm_enders;

struct pm_enders *pm_enders_new(void); /* NULL: no memory */
void pm_enders_free(struct pm_enders *enders);
uint64_t pm_enders_memory(void);

/* Waits of a slot ended, in this order. A waker that was itself woken from the same blocker and
 * passed the wake on is replaced by the thread that woke it. */
void pm_enders_note(struct pm_enders *enders, const struct pm_wait *waits, size_t n);

/* What to sample for waits in progress that are PM_SAMPLER_AGE_NS old and have no owner: for each
 * operation, those of its latest enders for which pm_census_can_learn; for all operations without
 * a live ender together, some of all threads for which that is true. */
size_t pm_enders_wishes(struct pm_enders *enders, struct pm_follower *follower,
                        struct pm_sample_wish ret_wishes[PM_SAMPLER_MAX_ENDERS]);

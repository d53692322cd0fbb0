/* The rules by which something stands out: one table, rule.c. finding.h says how they are applied.
 */
#pragma once

#include <glib.h>

typedef enum {
    PM_RULE_DEADLOCK,
    PM_RULE_OWN_POOL,    /* tasks wait for tasks of their own pool, which has no thread left */
    PM_RULE_NOBODY_LEFT, /* all who ever ended such waits wait themselves, for ever */
    PM_RULE_FORGOTTEN,   /* later waits of the same kind were ended, these were not */
    PM_RULE_STUCK_WAIT,  /* untimed, not idle, in progress for 10 s */
    PM_RULE_GC,          /* stop-the-world pauses */
    PM_RULE_LOCK_DOMINATES,
    PM_RULE_LOCK_HELD_OVER_IO, /* its owner was seen in I/O or asleep */
    PM_RULE_FAIR_HAND_OVER,    /* a fair lock: most of the wait is the handoff */
    PM_RULE_CONVOY,            /* its owners themselves wait for another lock */
    PM_RULE_RESOURCE_EXHAUSTED,
    PM_RULE_LAST_THREAD,    /* a latch or barrier waits for its last thread */
    PM_RULE_WAIT_DOMINATES, /* any other wait */
    PM_RULE_TIMED_POLLING,
    PM_RULE_LEAK, /* what lives rises from one collection of old objects to the next */
    PM_N_RULES,
} PmRule;

const char *pm_rule_name(PmRule rule); /* "lock-dominates" */
/* What to try, as far as the rule alone tells. */
const char *pm_rule_advice(PmRule rule);

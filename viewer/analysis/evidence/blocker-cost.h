/* The cost of the waits for one blocker, or for many blockers together: how much, for whom, and
 * caused by whom. A finding is made from a cost.
 *
 * Where something is handed over, both sides may wait at one object, each for the other: who wants
 * to give until it is taken, and who takes until there is something. What makes one side late tells
 * nothing about why the other waits, so causes are those of the side that others can be blamed for
 * most, without the waits of those who end most of its waits. */
#pragma once

#include "viewer/analysis/base/totals.h"
#include "viewer/analysis/evidence/finding.h"

typedef struct {
    guint32 blocker;              /* of many: the biggest */
    guint32 n_blockers, n_folded; /* `n_folded`: of them, those that stand for many */
    guint8 kind, category;
    gboolean polls;     /* of many: each of them is polled */
    gboolean is_shared; /* of many: several threads of a group waited for one of them */
    gint64 biggest;     /* thread-time of the biggest blocker of many */
    gint64 waits, thread_time, longest, time_outs;
    gint64 open_time; /* of waits that still go on */
    gint64 covered;   /* time during which anybody waited for it */
    gint64 waited_to; /* blocker-cost.c's: where that ended last */
    gint64 hand_over;
    gint64 n_lasting;    /* waits of some length within the view */
    gint64 n_split;      /* of these, the ones whose causes were determined; only some if there are
                          * many */
    gint64 charged;      /* time that the causes have, all together */
    gint64 left_out;     /* that those of another side have, which are not told */
    gint64 blamed;       /* of it, what can be attributed to a cause */
    gint64 given_up;     /* of it, of waits that ended by their timeout */
    gint32 most_to_come; /* of a latch: its greatest count as such a wait began */
    gint64 step, passed; /* blocker-cost.c's: of the waits to look at */
    GHashTable *causes;  /* blocker-cost.c's; NULL: none was asked for */
    GArray *sides;       /* blocker-cost.c's, until all waits were split; NULL: it has one side */
    PmTotals threads;    /* those that waited */
    PmTotals chains;     /* where they did */
    PmTotals givers;     /* stack traces that ended its waits; without their times */
    PmTotals brought;    /* methods that passed arrivals on */
} PmBlockerCost;

PmBlockerCost *pm_blocker_cost_new(guint32 blocker, guint8 kind);
void pm_blocker_cost_free(PmBlockerCost *cost);
void pm_blocker_cost_add_cost(PmBlockerCost *cost, const PmRecording *recording,
                              const PmBlockerCost *other);

/* All costs of the summary's view except those of idle waits and idle pools, for
 * pm_blocker_costs_find. Causes are determined if the waits for objects of one class together can
 * be significant; for very many waits only of some, longer ones being more likely to be chosen.
 * NULL if `cancel` was set. Cost: two passes over the view's waits, and the parts of those that are
 * split. */
GHashTable *pm_blocker_costs_gather(const PmSummary *summary, const PmContention *contention,
                                    const gint *cancel);
PmBlockerCost *pm_blocker_costs_find(GHashTable *costs, guint32 blocker, guint8 kind);

/* The chain with most of its time. */
guint32 pm_blocker_cost_chain(const PmBlockerCost *cost);
/* Largest first; the caller owns their text and the array. `category`: of its waits. */
PmFindingCause *pm_blocker_cost_causes(const PmBlockerCost *cost, const PmView *view,
                                       PmCategory category, guint *ret_n);
/* Whether causes were determined for only some of its waits; their shares are then estimates. */
gboolean pm_blocker_cost_is_estimated(const PmBlockerCost *cost);
/* The time that threads of each group waited. */
PmTotals pm_blocker_cost_groups(const PmBlockerCost *cost, const PmRecording *recording);
/* Biggest first, with their shares. */
PmVictim *pm_blocker_cost_victims(const PmBlockerCost *cost, const PmSummary *summary,
                                  guint *ret_n);
/* Of `charged`, what went by until something came from outside. */
gint64 pm_blocker_cost_arriving(const PmBlockerCost *cost);
/* The part of its time that can be attributed to a cause. */
gint64 pm_blocker_cost_blamed(const PmBlockerCost *cost);
/* The biggest share that what can be blamed of it has of a group's busy time. */
double pm_blocker_cost_busy_share(const PmBlockerCost *cost, const PmSummary *summary);
/* A semaphore that waiters never release is a signal rather than a permit: it is released by
 * threads that have something for them. */
gboolean pm_blocker_cost_is_signal(const PmBlockerCost *cost, const PmRecording *recording);

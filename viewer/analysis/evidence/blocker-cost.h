/* What the waits for one blocker cost, whom, and because of whom; or those for many blockers
 * together. A finding is made from a cost. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

typedef struct {
    guint32 blocker; /* of many: the biggest */
    guint32 n_blockers;
    guint8 kind, category; /* `category`: of many */
    gint64 biggest;        /* thread-time of the biggest blocker of many */
    gint64 waits, thread_time, longest, time_outs;
    gint64 open_time; /* of waits that still go on */
    gint64 covered;   /* time during which anybody waited for it */
    gint64 waited_to; /* blocker-cost.c's: where that ended last */
    gint64 hand_over;
    gint64 n_lasting;    /* waits of some length within the view */
    gint64 n_split;      /* of these, whose causes were looked at; a part of many */
    gint64 charged;      /* time that the causes have, all together */
    gint64 blamed;       /* of it, somebody or something can be told to be the cause */
    gint64 given_up;     /* of it, of waits that ended by their timeout */
    gint64 step, passed; /* blocker-cost.c's: of the waits to look at */
    GHashTable *causes;  /* blocker-cost.c's */
    GHashTable *victims; /* group → PmVictim, without its share */
    GHashTable *threads; /* those that waited */
    GHashTable *chains;  /* chain → its time (gint64 *) */
    GHashTable *givers;  /* stack traces that ended its waits */
} PmBlockerCost;

PmBlockerCost *pm_blocker_cost_new(guint32 blocker, guint8 kind);
void pm_blocker_cost_free(PmBlockerCost *cost);
void pm_blocker_cost_add_cost(PmBlockerCost *cost, const PmRecording *recording,
                              const PmBlockerCost *other);

/* Every cost of the summary's view but those of idle waits and of pools at rest, for
 * pm_blocker_costs_find. Causes are looked at where the waits for objects of one class together can
 * matter; of very many waits at some of them, the longer the likelier. NULL when `cancel` was set.
 * Cost: twice the view's waits, and the parts of those that were split. */
GHashTable *pm_blocker_costs_gather(const PmSummary *summary, const PmContention *contention,
                                    const gint *cancel);
PmBlockerCost *pm_blocker_costs_find(GHashTable *costs, guint32 blocker, guint8 kind);

/* The chain with most of its time. */
guint32 pm_blocker_cost_chain(const PmBlockerCost *cost);
/* Biggest first; their text and the array are the caller's. `category`: of its waits. */
PmFindingCause *pm_blocker_cost_causes(const PmBlockerCost *cost, const PmRecording *recording,
                                       PmCategory category, guint *ret_n);
/* Were causes looked at for a part of its waits only? Then their shares are estimates. */
gboolean pm_blocker_cost_is_estimated(const PmBlockerCost *cost);
/* Biggest first, with their shares. */
PmVictim *pm_blocker_cost_victims(const PmBlockerCost *cost, const PmSummary *summary,
                                  guint *ret_n);
/* The time of it that somebody or something can be told to be the cause of. */
gint64 pm_blocker_cost_blamed(const PmBlockerCost *cost);
/* The biggest share that what can be blamed of it has of a group's busy time. */
double pm_blocker_cost_busy_share(const PmBlockerCost *cost, const PmSummary *summary);
/* A semaphore that the waiters never give back is no permit but a signal: it is released by those
 * who have something for them. */
gboolean pm_blocker_cost_is_signal(const PmBlockerCost *cost, const PmRecording *recording);

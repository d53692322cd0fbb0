/* What the waits for one blocker cost, whom, and because of whom; or those for many blockers
 * together. A finding is made from a toll. */
#pragma once

#include "viewer/analysis/finding.h"

typedef struct {
    guint32 blocker; /* of many: the biggest */
    guint32 n_blockers;
    guint8 kind, category; /* `category`: of many */
    gint64 biggest;        /* thread-time of the biggest blocker of many */
    gint64 waits, thread_time, longest, time_outs;
    gint64 open_time; /* of waits that still go on */
    gint64 hand_over;
    GHashTable *causes;  /* toll.c's */
    GHashTable *victims; /* group → PmVictim, without its share */
    GHashTable *threads; /* those that waited */
    GHashTable *chains;  /* chain → its time (gint64 *) */
} PmToll;

PmToll *pm_toll_new(guint32 blocker, guint8 kind);
void pm_toll_free(PmToll *toll);
void pm_toll_add_toll(PmToll *toll, const PmRecording *recording, const PmToll *other);

/* Every toll of the summary's view but those of idle waits and of pools at rest, for
 * pm_tolls_find. NULL when `cancel` was set. Cost: the view's waits and their parts. */
GHashTable *pm_tolls_gather(const PmSummary *summary, const PmContention *contention,
                            const gint *cancel);
PmToll *pm_tolls_find(GHashTable *tolls, guint32 blocker, guint8 kind);

/* The chain with most of its time. */
guint32 pm_toll_chain(const PmToll *toll);
/* Biggest first; their text and the array are the caller's. */
PmFindingCause *pm_toll_causes(const PmToll *toll, const PmRecording *recording, guint *ret_n);
/* Biggest first, with their shares. */
PmVictim *pm_toll_victims(const PmToll *toll, const PmSummary *summary, guint *ret_n);
/* The biggest share that it has of a group's busy time. */
double pm_toll_busy_share(const PmToll *toll, const PmSummary *summary);
/* A semaphore that the waiters never give back is no permit but a signal: it is released by those
 * who have something for them. */
gboolean pm_toll_is_signal(const PmToll *toll, const PmRecording *recording);

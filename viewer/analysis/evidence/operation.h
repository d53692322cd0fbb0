/* Operations identify what waits are for, to predict who will end them: the class of the object and
 * the method that waits for it, and whether that is for room in a queue. For each operation with
 * waits in progress: who ended the earlier ones, and how long those lasted. This is induction: an
 * operation without an earlier end gives no information. */
#pragma once

#include "viewer/analysis/causes/contention.h"
#include "viewer/analysis/slices/summary.h"

/* A wait that is this many times as old as the longest earlier one of its operation is overdue. */
#define PM_OPERATION_OVERDUE 5

typedef struct {
    gint64 begin;
    guint32 blocker;
} PmEarlierWait;

typedef struct {
    guint64 key;
    GHashTable *enders;          /* pm_operation_ender of who ended earlier waits → how many */
    guint n_ends;                /* earlier waits with a known ender */
    gint64 longest;              /* of the earlier waits */
    GArray *rows;                /* of guint32: in progress, without a timeout */
    guint n_earlier;             /* waits */
    GArray *overtaking;          /* of PmEarlierWait, in order: those later than the first in
                                  * progress */
    guint32 giver, giver_thread; /* where most of them were ended, and by one of the threads that
                                  * did */
    guint best;                  /* how many */
    gboolean one_shot;           /* its threads wait for another object each time: for results */
} PmOperation;

typedef struct {
    const PmRecording *recording; /* borrowed, as the next */
    const PmContention *contention;
    gint64 at;          /* the instant in question: the summary's */
    GHashTable *by_key; /* PmOperation */
    guint32 *waiting;   /* by thread: 1 + its wait in progress without a timeout; 0: none */
} PmOperations;

/* Rows that are processed together; tests reduce the number. */
extern gsize pm_operations_slice_rows;

/* Cost: a pass over the waits, on all cores; then over those near the ones in progress. */
PmOperations *pm_operations_new(const PmSummary *summary, const PmContention *contention);
void pm_operations_free(PmOperations *operations);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmOperations, pm_operations_free)

guint64 pm_operation_key(const PmRecording *recording, guint32 row);
/* Threads that do the same: the group of a thread that is one of many, else the thread. */
gpointer pm_operation_ender(const PmRecording *recording, guint32 thread);
/* NULL: no wait of that operation without a timeout is in progress. */
const PmOperation *pm_operations_find(const PmOperations *operations, guint32 row);
/* Whether a consumer waits for work there: pm_summary_wants_work, but not for what is given back.
 */
gboolean pm_operations_want_work(const PmOperations *operations, guint32 row);
/* Whether it waits for the end of a virtual thread, which its carrier tells. */
gboolean pm_operations_wait_for_virtual_end(const PmOperations *operations, guint32 row);
/* Virtual threads end such waits, and were seen to run all the time lately, while no carrier was
 * idle: then what is waited for may not have begun, and later ones may well have been first. The
 * stack trace of one of them, and the thread; 0: that is not so. */
guint32 pm_operation_carriers_use(const PmOperations *operations, const PmOperation *operation,
                                  guint32 *ret_thread);
gboolean pm_operation_is_overdue(const PmOperation *operation, gint64 age);

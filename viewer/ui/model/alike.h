/* What waiting for blockers costs, those alike together (PM_ASPECT_ALIKE): two thousand futures
 * that are waited for at one site are one of them. Plain values; any thread. */
#pragma once

#include "viewer/ui/model/results.h"

typedef struct {
    guint64 key;     /* of PM_ASPECT_ALIKE */
    guint32 blocker; /* the most-waited of them … */
    gint64 most;     /* … in one of its kinds of waits, for so long … */
    guint8 category; /* … which is this */
    gint64 thread_time;
} PmAlike;

guint64 pm_alike_key(const PmRecording *recording, guint32 blocker);
/* Of PmAlike, most time first. Cost: the number of blockers. Owned by the caller. */
GArray *pm_alike_sum(const PmResults *results);

/* One or more rows of the metrics, of blockers that are alike, for waits of one kind. */
typedef struct {
    PmMetricsRow sum; /* of them; with several, its blocker is the key of PM_ASPECT_ALIKE */
    guint n;
    gpointer *rows; /* PmMetricsRow, borrowed from the metrics */
    gboolean swept; /* else peak and real-time are lower bounds, and p99 is unknown */
} PmAlikeRow;

typedef struct {
    PmResults *results;
    guint n;
    PmAlikeRow *rows; /* by the most-waited of each, largest first */
    gpointer *items;  /* pointers to them */
} PmAlikeTable;

/* The metrics with one row for those that are alike. Cost: the number of blockers. */
PmAlikeTable *pm_alike_table_new(PmResults *results);
void pm_alike_table_free(PmAlikeTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmAlikeTable, pm_alike_table_free)
/* What is not a sum over the objects: how many wait at a time, the time in which any does, p99. One
 * pass over the waits. FALSE if cancelled. */
gboolean pm_alike_table_sweep(PmAlikeTable *table, const gint *cancel);
/* `item` is one of the table's, and of several blockers: that row; NULL = it is not. */
const PmAlikeRow *pm_alike_table_group(const PmAlikeTable *table, gconstpointer item);

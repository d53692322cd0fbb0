/* Processes the rows of each thread, or of each blocker, in parallel, list by list, with resident
 * memory that does not grow with the recording. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* A wait without its category. */
typedef struct {
    gint64 begin, end, wake;
    guint32 thread, chain, owner, waker, waker_chain;
    guint16 flags;
    guint8 kind, wake_cause;
} PmRowWait;

/* The list of each of `n` rows from `first` on, at most PM_ROW_KEYS; G_MAXUINT32 = none. */
#define PM_ROW_KEYS 1024
typedef void (*PmRowKeys)(const PmRecording *recording, gsize first, gsize n, guint32 *ret_keys,
                          gconstpointer data);
/* The rows of one list, in order, on one of at most PM_MOST_ROW_WORKERS threads; calls with the
 * same `worker` follow each other, whatever the lists. `read`: what was read of each of them; NULL:
 * they are too many for that, or nothing is. */
typedef void (*PmRowWork)(guint worker, guint32 key, const guint32 *rows, gsize n,
                          const PmRowWait *read, gpointer data);

#define PM_MOST_ROW_WORKERS 8

typedef struct {
    PmRowKeys keys_of;
    PmRowWork work;
    gboolean reads_waits; /* FALSE: the work wants the rows alone */
} PmRowTask;

/* Of `n` rows in any order, as many elements. */
void pm_row_waits_read(const PmWaits *waits, const guint32 *rows, gsize n, PmRowWait *ret_waits);
/* Of that only begin, end, wake and waker. */
void pm_row_wakes_read(const PmWaits *waits, const guint32 *rows, gsize n, PmRowWait *ret_waits);

/* A column's values of `n` rows in any order: quicker than column by column for one row, because
 * the loads do not depend on each other. */
static inline void pm_row_values(const PmWaits *waits, enum pm_wait_column column,
                                 const guint32 *rows, gsize n, gint64 *ret_values)
{
    for (gsize i = 0; i < n; i++)
        ret_values[i] = pm_wait_column(waits, column, rows[i]);
}

/* Bytes read of rows at once, by all workers together; tests reduce it. */
extern gsize pm_row_lists_most_read;

/* Does the task's work once for each of the `n_keys` lists that has rows. FALSE: `cancel`, if not
 * NULL, was set, or there is no memory, and some lists were left out. */
gboolean pm_row_lists_run(const PmRecording *recording, const PmRowTask *task, guint32 n_keys,
                          gpointer data, const gint *cancel);

/* Processes the rows of each thread, or of each blocker, in parallel, list by list, in memory that
 * does not grow with the recording. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* The lists that `n` rows, at most PM_ROW_KEYS, from `first` on are of; G_MAXUINT32: of none. */
#define PM_ROW_KEYS 1024
typedef void (*PmRowKeys)(const PmRecording *recording, gsize first, gsize n, guint32 *ret_keys,
                          gconstpointer data);
/* The rows of one list, in order, on one of at most PM_MOST_ROW_WORKERS threads; calls with the
 * same `worker` follow each other, whatever the lists. */
typedef void (*PmRowWork)(guint worker, guint32 key, const guint32 *rows, gsize n, gpointer data);

#define PM_MOST_ROW_WORKERS 8

/* A column's values of `n` rows that need not follow each other: in less time than one by one among
 * other columns, as none waits for the one before. */
static inline void pm_row_values(const PmWaits *waits, enum pm_wait_column column,
                                 const guint32 *rows, gsize n, gint64 *ret_values)
{
    for (gsize i = 0; i < n; i++)
        ret_values[i] = pm_wait_column(waits, column, rows[i]);
}

/* Makes instants (0: not known) of values of PM_WAIT_COLUMN_WAKE. */
static inline void pm_row_wakes(gint64 *values, const gint64 *ends, gsize n)
{
    for (gsize i = 0; i < n; i++)
        values[i] = values[i] == 0 ? 0 : ends[i] - (values[i] - 1) / 2;
}

/* Rows that are listed at once, unless one list has more; tests make them fewer. */
extern gsize pm_row_lists_most;

/* Calls `work` once for each of the `n_keys` lists that has rows. FALSE: `cancel`, if not NULL, was
 * set, and some lists were left out. */
gboolean pm_row_lists_run(const PmRecording *recording, PmRowKeys keys_of, guint32 n_keys,
                          PmRowWork work, gpointer data, const gint *cancel);

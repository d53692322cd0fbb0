/* Builds the columns of a recording's waits: sorted by begin and packed, in one go, in memory for
 * little more than the packed ones.
 *
 * Waits are stored as they end, part after part. So the parts are added from the last to the
 * first: what begins after every end of the parts before is complete, whatever these hold, and is
 * packed at once. The others, those that were waiting where the part begins, are carried on to the
 * part before. Several threads may add parts; each waits for the one before only to pass on what
 * is carried. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* Rows as they come, a plain array each column, of the values that are packed. */
typedef struct {
    gsize n, room;
    void *columns[PM_N_WAIT_COLUMNS];
    gboolean failed; /* for want of memory; rows are missing */
} PmColumnRows;

#define PM_BUILDER_COLUMN(rows, type, column) ((type *)(rows)->columns[PM_WAIT_COLUMN_##column])

gsize pm_column_builder_width(enum pm_wait_column column); /* of a value, in bytes */
void pm_column_rows_clear(PmColumnRows *rows);
/* Room for `n` more. FALSE, and `failed`: no memory. */
gboolean pm_column_rows_reserve(PmColumnRows *rows, gsize n);

typedef struct PmColumnBuilder PmColumnBuilder;

PmColumnBuilder *pm_column_builder_new(void);
/* Frees what was not taken by pm_column_builder_end. */
void pm_column_builder_free(PmColumnBuilder *builder);

/* Rows of a thread's own to be filled, empty; give them back with pm_column_builder_add. NULL: no
 * memory. */
typedef struct PmColumnPart PmColumnPart;
PmColumnPart *pm_column_builder_part(PmColumnBuilder *builder);
PmColumnRows *pm_column_part_rows(PmColumnPart *part);

/* Adds the rows of the `nth` part, counted from the last: all numbers from 0 on must be given,
 * begun in that order by whichever threads. No row of the parts still to come begins after `limit`;
 * G_MININT64: there is none. Rows that break an earlier such promise are left out. */
void pm_column_builder_add(PmColumnBuilder *builder, guint nth, PmColumnPart *part, gint64 limit);

/* After the last part. Gives the columns and, of each of their blocks, the latest end; the store is
 * what they lie in. FALSE: there was no memory. */
gboolean pm_column_builder_end(PmColumnBuilder *builder, PmWaits *ret_waits, gint64 **ret_block_end,
                               GArray **ret_stores);

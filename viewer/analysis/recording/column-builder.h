/* Builds the columns of a recording's waits, sorted by begin and packed, in one pass, with little
 * more memory than the packed columns need.
 *
 * Waits are stored in the order they end, part after part. The parts are therefore added from last
 * to first: waits that begin after every end in the earlier parts are complete, whatever those
 * contain, and are packed immediately. The others, which were in progress where the part begins,
 * are carried over to the preceding part. Several threads may add parts; each waits for the
 * previous one only to pass on what is carried. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* Unpacked rows, with a plain array for each column. */
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
/* From the row `first` on, those that ended at `until` or before. */
void pm_column_rows_leave_out(PmColumnRows *rows, gsize first, gint64 until);

typedef struct PmColumnBuilder PmColumnBuilder;

PmColumnBuilder *pm_column_builder_new(void);
/* Frees everything not taken by pm_column_builder_end. */
void pm_column_builder_free(PmColumnBuilder *builder);

/* Empty rows for one thread to fill; return them with pm_column_builder_add. NULL: no memory. */
typedef struct PmColumnPart PmColumnPart;
PmColumnPart *pm_column_builder_part(PmColumnBuilder *builder);
PmColumnRows *pm_column_part_rows(PmColumnPart *part);

/* Adds the rows of the `nth` part, counted from the last: all numbers from 0 on must be added,
 * started in that order by any threads. No row of the remaining parts begins after `limit`;
 * G_MININT64: there is none. Rows that violate an earlier limit are dropped. */
void pm_column_builder_add(PmColumnBuilder *builder, guint nth, PmColumnPart *part, gint64 limit);

/* After the last part. Returns the columns and the latest end of each of their blocks, and the
 * store that holds them. FALSE: out of memory. */
gboolean pm_column_builder_end(PmColumnBuilder *builder, PmWaits *ret_waits, gint64 **ret_block_end,
                               GArray **ret_stores);

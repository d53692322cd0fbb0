/* The rows of a view of the whole, cut in slices of as many rows: what is known of each slice is
 * summed up once, and a range is whole slices and two cut ones.
 *
 * Slice s has the rows from position s · rows_each on and the span of time from `times[s]` to
 * `times[s + 1]`. Rows of earlier slices that still go on as it begins are *carried* into it. What
 * depends on an instant alone - who waits then - is thus told by a slice's own rows and those that
 * are carried. Immutable; any thread. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"

/* Rows of each slice; tests make them smaller. A view with fewer than PM_SLICES_FEWEST slices has
 * none. */
extern gsize pm_slices_rows_each;
#define PM_SLICES_FEWEST 4

typedef struct {
    const PmView *view; /* borrowed: from the window's begin to the recording's end */
    gsize rows_each;
    guint n;
    gint64 *times;         /* n + 1: where each begins; the view's end */
    gsize *carried_starts; /* n + 1 */
    guint32 *carried;      /* rows, of each slice in order */
} PmSlices;

/* NULL: too few rows, or too much is carried; or `cancel` was set. Cost: a pass over the rows. */
PmSlices *pm_slices_new(const PmView *view, const gint *cancel);
void pm_slices_free(PmSlices *slices);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmSlices, pm_slices_free)

/* Positions of a slice. */
static inline gsize pm_slices_begin(const PmSlices *slices, guint index)
{
    return index * slices->rows_each;
}
static inline gsize pm_slices_end(const PmSlices *slices, guint index)
{
    return MIN((index + 1) * slices->rows_each, slices->view->n);
}

/* Goes on at `at`, when that is no earlier than it began. */
static inline gboolean pm_slices_goes_on(const PmWaits *waits, guint32 row, gint64 at)
{
    return pm_wait_end(waits, row) > at || (pm_wait_flags(waits, row) & PM_WAIT_IN_PROGRESS) != 0;
}

/* A range in slices: the rows from position `first` to `end` begin in it; those that go on as it
 * begins are `carried`. Where `first_slice` is `last_slice`, it lies in that one; else the slices
 * in between lie in it, and these two, but for what is whole of them. */
typedef struct {
    gint64 from, to;
    gsize first, end;
    guint first_slice, last_slice;
    gboolean whole_first, whole_last;
    GArray *carried; /* of guint32, in order; empty if the first slice is whole */
} PmSliceRange;

/* `from` to `to`: a view's of the same filter. */
PmSliceRange *pm_slice_range_new(const PmSlices *slices, gint64 from, gint64 to);
void pm_slice_range_free(PmSliceRange *range);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmSliceRange, pm_slice_range_free)

/* The rows of a view of the whole recording, divided into slices of equal row counts: each slice is
 * summed once, and a range consists of whole slices and two partial ones.
 *
 * Slice s has the rows starting at position s · rows_each and the time from `times[s]` to `times[s
 * + 1]`. Rows of earlier slices that are still in progress when it begins are *carried* into it. So
 * whatever depends only on an instant, such as who waits then, follows from a slice's own and
 * carried rows. Immutable; any thread. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"

/* Rows per slice; tests reduce it. A view with fewer than PM_SLICES_FEWEST slices has none. */
extern gsize pm_slices_rows_each;
#define PM_SLICES_FEWEST 4

typedef struct {
    const PmView *view; /* borrowed: from the begin of the stored part to the recording's end */
    gsize rows_each;
    guint n;
    gint64 *times;         /* n + 1: where each begins; the view's end */
    gsize *carried_starts; /* n + 1 */
    guint32 *carried;      /* rows, of each slice in order */
} PmSlices;

/* Those of `view`, if it covers the whole recording, or of the whole view that it is a range of:
 * computed on first use and stored with that. NULL: it is neither, has too few rows or too many
 * carried, or `cancel` was set. Cost when computed: a pass over its rows, on all cores. */
const PmSlices *pm_slices_of(PmView *view, const gint *cancel);

/* Positions of a slice. */
static inline gsize pm_slices_begin(const PmSlices *slices, guint index)
{
    return index * slices->rows_each;
}
static inline gsize pm_slices_end(const PmSlices *slices, guint index)
{
    return MIN((index + 1) * slices->rows_each, slices->view->n);
}

/* A range in slices: the rows from position `first` to `end` begin in it; those in progress when it
 * begins are `carried`. If `first_slice` equals `last_slice`, the range is within that slice;
 * otherwise it contains the slices in between, and parts of these two. */
typedef struct {
    gint64 from, to;
    gsize first, end;
    guint first_slice, last_slice;
    gboolean whole_first, whole_last;
    guint inner, inner_end; /* slices that lie in it whole */
    GArray *carried;        /* of guint32, in order; empty if the first slice is whole */
} PmSliceRange;

/* `from` to `to`: a view's of the same filter. */
PmSliceRange *pm_slice_range_new(const PmSlices *slices, gint64 from, gint64 to);
void pm_slice_range_free(PmSliceRange *range);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmSliceRange, pm_slice_range_free)

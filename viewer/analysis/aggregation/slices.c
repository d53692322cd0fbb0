#include "viewer/analysis/aggregation/slices.h"

#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/workers.h"

gsize pm_slices_rows_each = 1 << 20;

/* Where more than one of so many rows is carried, slices tell too little. */
#define CARRIED_OF 8

typedef struct {
    PmSlices *slices;
    const gint *cancel;
    GArray **own; /* of guint32: what goes on behind the slice, of its own rows */
} Carrying;

/* The first position from `at` on, before `end`, whose row is not before `row`. */
static gsize position_of(const PmView *view, gsize at, gsize end, gsize row)
{
    PM_LOWER_BOUND(at, end, middle, pm_view_row(view, middle) < row)
    return at;
}

/* `at`: not before its begin. */
static gboolean in_progress_at(const PmWaits *waits, guint32 row, gint64 at)
{
    return pm_wait_end(waits, row) > at || (pm_wait_flags(waits, row) & PM_WAIT_IN_PROGRESS) != 0;
}

/* In nearly all blocks of rows all are over by then, as the latest end of each tells. */
static void find_own(gpointer data, guint index)
{
    const Carrying *c = data;
    const PmSlices *slices = c->slices;
    const PmRecording *r = slices->view->recording;
    const PmRecordingPrivate *p = pm_recording_private(r);
    const gint64 at = slices->times[index + 1];
    const gsize end = pm_slices_end(slices, index);

    c->own[index] = g_array_new(FALSE, FALSE, sizeof(guint32));
    if (pm_cancelled(c->cancel) || index + 1 == slices->n)
        return;
    for (gsize i = pm_slices_begin(slices, index), behind; i < end; i = behind) {
        const gsize block = pm_recording_block(r, pm_view_row(slices->view, i));
        behind = position_of(slices->view, i, MIN(i + PM_PACKED_BLOCK, end),
                             pm_recording_block_end(r, block));
        for (; p->block_end[block] >= at && i < behind; i++) {
            const guint32 row = pm_view_row(slices->view, i);
            if (in_progress_at(&r->waits, row, at))
                g_array_append_val(c->own[index], row);
        }
    }
}

/* FALSE: too many. */
static gboolean carry(const Carrying *c)
{
    PmSlices *slices = c->slices;
    const PmWaits *w = &slices->view->recording->waits;
    GArray *all = g_array_new(FALSE, FALSE, sizeof(guint32));

    slices->carried_starts = g_new0(gsize, slices->n + 1);
    for (guint s = 0; s < slices->n; s++) {
        const gsize first = slices->carried_starts[s], n = all->len;
        for (gsize i = first; i < n; i++) {
            const guint32 row = g_array_index(all, guint32, i);
            if (s + 1 < slices->n && in_progress_at(w, row, slices->times[s + 1]))
                g_array_append_val(all, row);
        }
        slices->carried_starts[s + 1] = n;
        g_array_append_vals(all, c->own[s]->data, c->own[s]->len);
        if (all->len > slices->view->n / CARRIED_OF + slices->n) {
            g_array_unref(all);
            return FALSE;
        }
    }
    slices->carried = (guint32 *)(gpointer)g_array_free(all, FALSE);
    return TRUE;
}

static void slices_free(gpointer data)
{
    PmSlices *slices = data;

    g_free(slices->times);
    g_free(slices->carried_starts);
    g_free(slices->carried);
    g_free(slices);
}

static PmSlices *slices_new(const PmView *view, const gint *cancel)
{
    const PmWaits *w = &view->recording->waits;
    if (view->n < PM_SLICES_FEWEST * pm_slices_rows_each)
        return NULL;
    PmSlices *slices = g_new0(PmSlices, 1);
    slices->view = view;
    slices->rows_each = pm_slices_rows_each;
    slices->n = (guint)((view->n + slices->rows_each - 1) / slices->rows_each);
    slices->times = g_new(gint64, slices->n + 1);
    for (guint s = 0; s < slices->n; s++)
        slices->times[s] =
            MAX(pm_wait_begin(w, pm_view_row(view, pm_slices_begin(slices, s))), view->from);
    slices->times[0] = view->from;
    slices->times[slices->n] = view->to;

    Carrying c = {slices, cancel, g_new0(GArray *, slices->n)};
    pm_workers_run(0, slices->n, find_own, &c);
    const gboolean done = !pm_cancelled(cancel) && carry(&c);
    for (guint s = 0; s < slices->n; s++)
        g_array_unref(c.own[s]);
    g_free(c.own);
    if (!done)
        g_clear_pointer(&slices, slices_free);
    return slices;
}

typedef struct {
    const PmView *whole;
    const gint *cancel;
} Making;

static gpointer make(gpointer data)
{
    const Making *m = data;
    return slices_new(m->whole, m->cancel);
}

const PmSlices *pm_slices_of(PmView *view, const gint *cancel)
{
    g_return_val_if_fail(view != NULL, NULL);
    PmView *whole = view->whole ? view->whole : view;
    Making m = {whole, cancel};
    if (whole->filter->from < whole->filter->to || whole->n == 0)
        return NULL;
    return pm_kept(&whole->slices, make, &m, slices_free, cancel);
}

/* Positions whose rows begin before `at`. */
static gsize rows_before(const PmView *view, gint64 at)
{
    gsize low = 0, high = view->n;
    PM_LOWER_BOUND(low, high, middle,
                   pm_wait_begin(&view->recording->waits, pm_view_row(view, middle)) < at)
    return low;
}

static void carry_into(const PmSlices *slices, PmSliceRange *range)
{
    const PmWaits *w = &slices->view->recording->waits;
    const guint s = range->first_slice;

    for (gsize i = slices->carried_starts[s]; i < slices->carried_starts[s + 1]; i++)
        if (in_progress_at(w, slices->carried[i], range->from))
            g_array_append_val(range->carried, slices->carried[i]);
    for (gsize i = pm_slices_begin(slices, s); i < range->first; i++) {
        const guint32 row = pm_view_row(slices->view, i);
        if (in_progress_at(w, row, range->from))
            g_array_append_val(range->carried, row);
    }
}

PmSliceRange *pm_slice_range_new(const PmSlices *slices, gint64 from, gint64 to)
{
    const PmView *view = slices->view;
    PmSliceRange *range = g_new0(PmSliceRange, 1);
    range->from = from;
    range->to = to;
    range->first = from <= view->from ? 0 : rows_before(view, from);
    range->end = to >= view->to ? view->n : rows_before(view, to);
    range->whole_first = from <= view->from;
    range->whole_last = to >= view->to;
    range->first_slice = range->first > 0 ? (guint)((range->first - 1) / slices->rows_each) : 0;
    range->last_slice = range->end > 0 ? (guint)((range->end - 1) / slices->rows_each) : 0;
    if (range->whole_first && range->whole_last) {
        range->inner_end = slices->n;
    } else {
        range->inner = range->whole_first ? 0 : range->first_slice + 1;
        range->inner_end = MAX(range->last_slice, range->inner);
    }
    range->carried = g_array_new(FALSE, FALSE, sizeof(guint32));
    if (!range->whole_first)
        carry_into(slices, range);
    return range;
}

void pm_slice_range_free(PmSliceRange *range)
{
    if (!range)
        return;
    g_array_unref(range->carried);
    g_free(range);
}

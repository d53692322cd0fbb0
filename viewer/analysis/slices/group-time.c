#include "viewer/analysis/slices/group-time.h"

#include <stdlib.h>

#include "viewer/analysis/aggregation/intervals.h"
#include "viewer/analysis/aggregation/thread-time.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"

gsize pm_group_times_slice_rows = 1 << 20;
/* What is kept of so many groups takes too much. */
#define MOST_GROUPS 2048

static int compare_groups(const void *a, const void *b)
{
    const PmGroupTime *x = a, *y = b;
    gint64 waiting_x = 0, waiting_y = 0;
    for (guint f = 0; f < PM_N_FAMILIES; f++) {
        pm_sum_add(&waiting_x, x->family[f]);
        pm_sum_add(&waiting_y, y->family[f]);
    }
    if (waiting_x != waiting_y)
        return waiting_x > waiting_y ? -1 : 1;
    if (x->life != y->life)
        return x->life > y->life ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* ---- each instant of a thread to the wait that it is in ---- */

/* Sums of a group, by family, and what of it cannot be told. */
enum { UNKNOWN = PM_N_FAMILIES, N_SUMS };

typedef struct {
    const PmRecording *recording;
    const PmIntervals *unknown;
    gint64 to;
    gint64 *counted; /* by thread: up to here */
    gint64 *sums;    /* by group, N_SUMS each */
    gint64 sign;     /* of what is added to them; 0: only counted */
} Charging;

/* A thread waits once at a time; should a file say otherwise, the first wait has the time. Waits
 * come in order. */
static inline void charge_wait(Charging *c, gsize t, gint64 from, gint64 to, guint8 category)
{
    const PmThread *thread = &c->recording->threads[t];
    const gint64 begin = MAX(from, c->counted[t]), end = MIN(MIN(to, c->to), thread->end);
    gint64 *sums = &c->sums[(gsize)thread->group * N_SUMS];

    if (end <= begin)
        return;
    c->counted[t] = end;
    if (c->sign == 0)
        return;
    pm_sum_add(&sums[UNKNOWN], -c->sign * pm_intervals_within(c->unknown, begin, end));
    pm_sum_add(&sums[pm_category_family(category)], c->sign * (end - begin));
}

static void charge(Charging *c, gsize row)
{
    const PmWaits *w = &c->recording->waits;

    charge_wait(c, pm_wait_thread(w, row), pm_wait_begin(w, row), pm_wait_end(w, row),
                pm_wait_category(w, row));
}

/* Rows that follow each other. */
static void charge_run(Charging *c, gsize first, gsize end)
{
    enum { AT_ONCE = 512 };
    const PmWaits *w = &c->recording->waits;
    gint64 threads[AT_ONCE], begins[AT_ONCE], lengths[AT_ONCE], categories[AT_ONCE];

    for (gsize i = first; i < end; i += AT_ONCE) {
        const gsize n = MIN(end - i, AT_ONCE);
        pm_wait_columns(w, PM_WAIT_COLUMN_THREAD, i, n, threads);
        pm_wait_columns(w, PM_WAIT_COLUMN_BEGIN, i, n, begins);
        pm_wait_columns(w, PM_WAIT_COLUMN_LENGTH, i, n, lengths);
        pm_wait_columns(w, PM_WAIT_COLUMN_CATEGORY, i, n, categories);
        for (gsize k = 0; k < n; k++)
            charge_wait(c, (gsize)threads[k], begins[k], begins[k] + lengths[k],
                        (guint8)categories[k]);
    }
}

/* Charges of the rows before `limit` those that end after `at`, from `first` on with a sign. */
static void charge_across(Charging *c, gsize first, gsize limit, gint64 at)
{
    const PmRecording *r = c->recording;
    const PmRecordingPrivate *p = pm_recording_private(r);
    const gint64 sign = c->sign;

    for (gsize block = 0; pm_recording_block_begin(r, block) < limit; block++) {
        const gsize end = MIN(pm_recording_block_end(r, block), limit);
        for (gsize i = pm_recording_block_begin(r, block); p->block_end[block] > at && i < end;
             i++) {
            c->sign = i >= first ? sign : 0;
            if (pm_wait_end(&r->waits, i) > at)
                charge(c, i);
        }
    }
    c->sign = sign;
}

/* Where each thread is counted from. Owned. */
static gint64 *counted_from(const PmRecording *r, gint64 from)
{
    gint64 *counted = g_new(gint64, MAX(r->n_threads, 1));

    for (guint32 t = 0; t < r->n_threads; t++)
        counted[t] = MAX(r->threads[t].begin, from);
    return counted;
}

/* Charges rows as they are met after those before them. */
static void charge_rows(Charging *c, gsize first, gsize end)
{
    const PmRecording *r = c->recording;

    if (first >= end)
        return;
    charge_across(c, first, first, pm_wait_begin(&r->waits, first));
    charge_run(c, first, end);
}

/* ---- slices, kept with the recording ---- */

typedef struct {
    const PmRecording *recording;
    PmIntervals *unknown;
    gsize rows;
    guint n;
    gint64 **sums; /* atomic; by slice: as of Charging; NULL: not asked for yet */
} Kept;

static void kept_free(gpointer data)
{
    Kept *kept = data;

    for (guint i = 0; i < kept->n; i++)
        g_free(kept->sums[i]);
    g_free(kept->sums);
    pm_intervals_free(kept->unknown);
    g_free(kept);
}

static Kept *kept_of(const PmRecording *r)
{
    static GMutex lock; /* that of the recording is held as long as causes are found */

    g_mutex_lock(&lock);
    Kept *kept = g_dataset_get_data(r, "group-times");
    if (!kept) {
        kept = g_new0(Kept, 1);
        kept->recording = r;
        kept->unknown = pm_intervals_new_unknown(r);
        kept->rows = pm_group_times_slice_rows;
        kept->n = (guint)(r->waits.n / kept->rows);
        kept->sums = g_new0(gint64 *, kept->n + 1);
        g_dataset_set_data_full(r, "group-times", kept, kept_free);
    }
    g_mutex_unlock(&lock);
    return kept;
}

typedef struct {
    Kept *kept;
    guint first;
    const gint *cancel;
} Asking;

/* All of what its rows are charged, however late that is. */
static void sum_slice(gpointer data, guint index)
{
    const Asking *a = data;
    Kept *kept = a->kept;
    const PmRecording *r = kept->recording;
    const guint slice = a->first + index;

    if (g_atomic_pointer_get(&kept->sums[slice]) || pm_cancelled(a->cancel))
        return;
    g_autofree gint64 *counted = counted_from(r, G_MININT64);
    gint64 *sums = g_new0(gint64, (gsize)r->n_groups * N_SUMS + 1);
    Charging c = {.recording = r,
                  .unknown = kept->unknown,
                  .to = G_MAXINT64,
                  .counted = counted,
                  .sums = sums,
                  .sign = 1};
    charge_rows(&c, slice * kept->rows, (slice + 1) * kept->rows);
    if (!g_atomic_pointer_compare_and_exchange(&kept->sums[slice], NULL, sums))
        g_free(sums); /* another thread was first */
}

/* ---- a range ---- */

/* Sums of slices, without what lies behind the range; and what of cut ones lies in it. */
static void charge_range(Charging *c, const PmView *view, const Kept *kept, guint first, guint end)
{
    const PmRecording *r = view->recording;
    const gsize before = pm_waits_before(&r->waits, view->from),
                behind = pm_waits_before(&r->waits, view->to);
    const gsize inner = first * kept->rows, inner_end = end * kept->rows;

    charge_across(c, 0, before, view->from);
    charge_run(c, before, MIN(inner, behind));
    for (guint s = first; s < end; s++)
        for (gsize i = 0; i < (gsize)r->n_groups * N_SUMS; i++)
            pm_sum_add(&c->sums[i], kept->sums[s][i]);
    if (first < end) {
        g_autofree gint64 *counted = counted_from(r, view->to);
        Charging later = *c;
        later.to = G_MAXINT64;
        later.counted = counted;
        later.sign = -1;
        charge_across(&later, inner, inner_end, view->to);
        charge_rows(c, inner_end, behind);
    } else {
        charge_run(c, MAX(before, inner), behind);
    }
}

/* Lives of the threads, and what of them cannot be told. */
static PmGroupTime *lives_of(const PmView *view, const PmIntervals *unknown)
{
    const PmRecording *r = view->recording;
    PmGroupTime *groups = g_new0(PmGroupTime, MAX(r->n_groups, 1));

    for (guint32 g = 0; g < r->n_groups; g++)
        groups[g].group = g;
    for (guint32 t = 1; t < r->n_threads; t++) {
        const PmThread *thread = &r->threads[t];
        const gint64 begin = MAX(thread->begin, view->from), end = MIN(thread->end, view->to);
        groups[thread->group].n_threads += pm_thread_is_within(thread, view->from, view->to);
        if (end <= begin)
            continue;
        pm_sum_add(&groups[thread->group].life, end - begin);
        pm_sum_add(&groups[thread->group].unknown, pm_intervals_within(unknown, begin, end));
    }
    return groups;
}

static void take_sums(PmGroupTime *group, const gint64 *sums)
{
    for (guint f = 0; f < PM_N_FAMILIES; f++)
        if (f == PM_FAMILY_IDLE)
            pm_sum_add(&group->idle, sums[f]);
        else
            pm_sum_add(&group->family[f], sums[f]);
    pm_sum_add(&group->unknown, sums[UNKNOWN]);
    group->busy = group->life - group->idle - group->unknown;
}

PmGroupTime *pm_group_times_new(const PmView *view, guint *ret_n, const gint *cancel)
{
    const PmRecording *r = view->recording;
    Kept *kept = kept_of(r);
    const gsize before = pm_waits_before(&r->waits, view->from);
    guint first = (guint)((before + kept->rows - 1) / kept->rows);
    guint end = (guint)(pm_waits_before(&r->waits, view->to) / kept->rows), n = 0;

    if (r->n_groups > MOST_GROUPS || end < first)
        first = end = 0;
    Asking asking = {kept, first, cancel};
    pm_workers_run(0, end - first, sum_slice, &asking);
    if (pm_cancelled(cancel))
        return NULL;
    g_autofree gint64 *counted = counted_from(r, view->from);
    g_autofree gint64 *sums = g_new0(gint64, (gsize)r->n_groups * N_SUMS + 1);
    Charging c = {.recording = r,
                  .unknown = kept->unknown,
                  .to = view->to,
                  .counted = counted,
                  .sums = sums,
                  .sign = 1};
    charge_range(&c, view, kept, first, end);
    PmGroupTime *groups = lives_of(view, kept->unknown);
    for (guint32 g = 1; g < r->n_groups; g++) {
        take_sums(&groups[g], &sums[(gsize)g * N_SUMS]);
        if (groups[g].n_threads > 0)
            groups[n++] = groups[g];
    }
    *ret_n = n;
    qsort(groups, n, sizeof *groups, compare_groups);
    return groups;
}

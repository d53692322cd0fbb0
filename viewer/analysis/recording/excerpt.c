#include "viewer/analysis/recording/excerpt.h"

#include <string.h>

#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"
#include "viewer/analysis/recording/chain-blocks.h"
#include "viewer/analysis/recording/recording-private.h"

#define ROWS_AT_ONCE   512
#define BLOCKS_AT_ONCE 16

struct PmExcerpt {
    const PmRecording *whole;
    guint n;
    PmInterval *spans;
    gint64 *before; /* how much of the time before each was chosen */
    PmPacked rows;  /* of the whole */
};

void pm_excerpt_free(PmExcerpt *excerpt)
{
    if (!excerpt)
        return;
    g_free(excerpt->spans);
    g_free(excerpt->before);
    pm_packed_clear(&excerpt->rows);
    g_free(excerpt);
}

const PmRecording *pm_recording_whole(const PmRecording *recording)
{
    const PmExcerpt *excerpt = pm_recording_private(recording)->excerpt;
    return excerpt ? excerpt->whole : recording;
}

/* Spans that begin at `at` or before. */
static guint begun(const PmExcerpt *e, gint64 at)
{
    guint low = 0, high = e->n;

    PM_LOWER_BOUND(low, high, middle, e->spans[middle].begin <= at)
    return low;
}

static gint64 instant(const PmExcerpt *e, gint64 at)
{
    const guint n = e->n == 1 ? 0 : begun(e, at);
    const PmInterval *last = n ? &e->spans[n - 1] : NULL;

    return e->n == 1 ? at : last ? e->before[n - 1] + MIN(at, last->end) - last->begin : 0;
}

const PmInterval *pm_excerpt_spans(const PmRecording *excerpt, guint *ret_n)
{
    const PmExcerpt *e = pm_recording_private(excerpt)->excerpt;

    *ret_n = e->n;
    return e->spans;
}

gint64 pm_excerpt_instant(const PmRecording *excerpt, gint64 at)
{
    return instant(pm_recording_private(excerpt)->excerpt, at);
}

guint32 pm_excerpt_row(const PmRecording *excerpt, guint32 row)
{
    return (guint32)pm_packed_get(&pm_recording_private(excerpt)->excerpt->rows, row);
}

static PmExcerpt *excerpt_new(const PmRecording *whole, const PmInterval *spans, guint n)
{
    PmExcerpt *e = g_new0(PmExcerpt, 1);

    e->whole = whole;
    e->n = n;
    e->spans = g_memdup2(spans, n * sizeof *spans);
    e->before = g_new0(gint64, n);
    for (guint i = 1; i < n; i++)
        e->before[i] = e->before[i - 1] + spans[i - 1].end - spans[i - 1].begin;
    return e;
}

/* Is the instant in a span? The last instant of all belongs to the last one. */
static gboolean is_within(const PmExcerpt *e, gint64 at)
{
    const guint n = begun(e, at);
    const PmInterval *last = n ? &e->spans[n - 1] : NULL;

    return last && (at < last->end || (n == e->n && at == last->end && at == e->whole->duration));
}

/* Does anything of [begin, end] lie in a span? */
static gboolean overlaps(const PmExcerpt *e, gint64 begin, gint64 end)
{
    guint low = 0, high = e->n;

    PM_LOWER_BOUND(low, high, middle, e->spans[middle].end <= begin)
    return (low < e->n && e->spans[low].begin < end) || is_within(e, begin);
}

/* ---- which rows ---- */

typedef struct {
    PmExcerpt *excerpt;
    const guint8 *also; /* by chain: those waits are chosen, too, if they began before; or NULL */
    PmChainSet also_set;
    const PmChainBlocks *blocks; /* where those may lie; NULL: none are asked for */
    guint64 *chosen; /* a bit for each row; a block's are its own but for the first and last word */
    const gint *cancel;
    PmRecording *made;
    gint failed; /* atomic */
} Making;

static void choose_block(const Making *m, gsize block)
{
    const PmRecording *r = m->excerpt->whole;
    const gsize first = pm_recording_block_begin(r, block);
    const gsize end = MIN(pm_recording_block_end(r, block), r->waits.n);
    gint64 begins[ROWS_AT_ONCE], lengths[ROWS_AT_ONCE], chains[ROWS_AT_ONCE];
    const gint64 last = m->excerpt->spans[m->excerpt->n - 1].end;

    if (first >= end || (!(m->also && pm_chain_set_meets(&m->blocks->sets[block], &m->also_set)) &&
                         !overlaps(m->excerpt, pm_wait_begin(&r->waits, first),
                                   pm_sum(pm_recording_private(r)->block_end[block], 1))))
        return;
    for (gsize i = first, n; i < end; i += n) {
        n = MIN(end - i, ROWS_AT_ONCE);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_BEGIN, i, n, begins);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_LENGTH, i, n, lengths);
        if (m->also)
            pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CHAIN, i, n, chains);
        for (gsize k = 0; k < n; k++)
            if ((m->also && m->also[chains[k]] && begins[k] < last) ||
                overlaps(m->excerpt, begins[k], begins[k] + lengths[k]))
                __atomic_fetch_or(&m->chosen[(i + k) / 64], G_GUINT64_CONSTANT(1) << (i + k) % 64,
                                  __ATOMIC_RELAXED);
    }
}

static void choose_blocks(gpointer data, guint index)
{
    const Making *m = data;
    const PmRecording *r = m->excerpt->whole;
    const gsize last = pm_recording_block(r, r->waits.n - 1);

    for (gsize i = 0; i < BLOCKS_AT_ONCE && !pm_cancelled(m->cancel); i++)
        if (index * BLOCKS_AT_ONCE + i <= last)
            choose_block(m, index * BLOCKS_AT_ONCE + i);
}

/* FALSE: cancelled, or no memory. */
static gboolean choose(Making *m)
{
    const PmRecording *r = m->excerpt->whole;
    const gsize n = r->waits.n;
    g_autofree PmPackedWriter *writer = g_new0(PmPackedWriter, 1);

    if (n == 0)
        return TRUE;
    m->chosen = g_new0(guint64, n / 64 + 1);
    if (m->also)
        m->blocks = pm_chain_blocks_of(r);
    for (guint32 i = 0; m->also && i < r->n_chains; i++)
        if (m->also[i])
            pm_chain_set_add(&m->also_set, i);
    pm_workers_run(0, (guint)(pm_recording_block(r, n - 1) / BLOCKS_AT_ONCE + 1), choose_blocks, m);
    writer->list = &m->excerpt->rows;
    for (gsize word = 0; word <= n / 64; word++)
        for (guint64 bits = m->chosen[word]; bits; bits &= bits - 1)
            pm_packed_put(writer, (gint64)(word * 64 + (gsize)__builtin_ctzll(bits)));
    g_clear_pointer(&m->chosen, g_free);
    return pm_packed_end(writer) && !pm_cancelled(m->cancel);
}

/* ---- their columns ---- */

/* `duration`: the excerpt's last instant; waits that last longer are in progress there. */
static gint64 value_of(const PmExcerpt *e, gint64 duration, enum pm_wait_column column, gsize row)
{
    const PmWaits *w = &e->whole->waits;
    const gint64 begin = instant(e, pm_wait_begin(w, row));
    const gint64 real_end = pm_wait_end(w, row), end = MIN(instant(e, real_end), duration);

    switch (column) {
    case PM_WAIT_COLUMN_BEGIN:
        return begin;
    case PM_WAIT_COLUMN_LENGTH:
        return MAX(end - begin, 0);
    case PM_WAIT_COLUMN_WAKE: {
        const gint64 wake = pm_wait_wake(w, row);
        return wake ? 1 + 2 * (end - MIN(instant(e, wake), end)) : 0;
    }
    case PM_WAIT_COLUMN_FLAGS:
        return pm_wait_flags(w, row) |
               (real_end > e->spans[e->n - 1].end ? PM_WAIT_IN_PROGRESS : 0);
    case PM_WAIT_COLUMN_WAKE_CAUSE: { /* a wait that is cut off did not time out there */
        const guint8 cause = pm_wait_wake_cause(w, row);
        return e->n > 1 && cause == PM_WAKE_TIME_OUT && !is_within(e, real_end) ? PM_WAKE_UNKNOWN
                                                                                : cause;
    }
    default:
        return pm_wait_column(w, column, row);
    }
}

static void make_column(gpointer data, guint column)
{
    Making *m = data;
    const PmExcerpt *e = m->excerpt;
    g_autofree PmPackedWriter *writer = g_new0(PmPackedWriter, 1);

    writer->list = &m->made->waits.columns[column];
    for (gsize i = 0; i < e->rows.n; i++) {
        if (i % PM_PACKED_BLOCK == 0 && pm_cancelled(m->cancel))
            break;
        pm_packed_put(writer,
                      value_of(e, m->made->duration, column, (gsize)pm_packed_get(&e->rows, i)));
    }
    if (!pm_packed_end(writer))
        g_atomic_int_set(&m->failed, TRUE);
}

static void find_block_ends(PmRecording *r)
{
    gint64 *ends = g_new(gint64, r->waits.n / PM_PACKED_BLOCK + 1);

    for (gsize i = 0; i < r->waits.n; i++) {
        gint64 *end = &ends[i / PM_PACKED_BLOCK];
        *end = i % PM_PACKED_BLOCK == 0 ? pm_wait_end(&r->waits, i)
                                        : MAX(*end, pm_wait_end(&r->waits, i));
    }
    pm_recording_private(r)->block_end = ends;
}

/* ---- the rest ---- */

static PmInterval *take_intervals(const PmExcerpt *e, const PmInterval *of, guint32 n,
                                  guint32 *ret_n)
{
    PmInterval *taken = g_new(PmInterval, n + 1);

    *ret_n = 0;
    for (guint32 i = 0; i < n; i++) {
        const PmInterval v = {instant(e, of[i].begin), instant(e, of[i].end)};
        if (v.begin < v.end && overlaps(e, of[i].begin, of[i].end))
            taken[(*ret_n)++] = v;
    }
    return taken;
}

static void take_gaps(const PmExcerpt *e, PmRecording *r)
{
    PmGap *gaps = g_new(PmGap, e->whole->n_gaps + 1);

    for (guint32 i = 0; i < e->whole->n_gaps; i++) {
        PmGap gap = e->whole->gaps[i];
        const gint64 length = gap.end - gap.begin;
        if (!overlaps(e, gap.begin, gap.end))
            continue;
        gap.begin = instant(e, gap.begin);
        gap.end = instant(e, gap.end);
        const double part = length > 0 ? (double)(gap.end - gap.begin) / (double)length : 1;
        gap.waits = pm_rounded((double)gap.waits * part);
        gap.thread_time = pm_rounded((double)gap.thread_time * part);
        gaps[r->n_gaps++] = gap;
    }
    r->gaps = gaps;
}

static void take_damage(const PmExcerpt *e, PmRecording *r)
{
    PmDamage *damage = g_new(PmDamage, e->whole->n_damage + 1);

    for (guint32 i = 0; i < e->whole->n_damage; i++) {
        PmDamage its = e->whole->damage[i];
        if (!overlaps(e, its.begin, its.end))
            continue;
        its.begin = instant(e, its.begin);
        its.end = instant(e, its.end);
        damage[r->n_damage++] = its;
    }
    r->damage = damage;
}

static void take_samples(const PmExcerpt *e, PmRecording *r)
{
    const PmRecording *whole = e->whole;
    PmOwnerSample *samples = g_new(PmOwnerSample, whole->n_samples + 1);
    PmCensusRow *census = g_new(PmCensusRow, whole->n_census + 1);
    PmAllocation *allocations = g_new(PmAllocation, whole->n_allocations + 1);

    for (guint32 i = 0; i < whole->n_samples; i++)
        if (is_within(e, whole->samples[i].at)) {
            samples[r->n_samples] = whole->samples[i];
            samples[r->n_samples++].at = instant(e, whole->samples[i].at);
        }
    for (guint32 i = 0; i < whole->n_census; i++) {
        PmCensusRow row = whole->census[i];
        const gint64 length = row.at - row.since;
        if (length <= 0 || !overlaps(e, row.since, row.at))
            continue;
        row.since = instant(e, row.since);
        row.at = instant(e, row.at);
        const double part = (double)(row.at - row.since) / (double)length;
        row.cpu = pm_rounded((double)row.cpu * part);
        row.run_delay = pm_rounded((double)row.run_delay * part);
        census[r->n_census++] = row;
    }
    for (guint32 i = 0; i < whole->n_allocations; i++)
        if (is_within(e, whole->allocations[i].at)) {
            allocations[r->n_allocations] = whole->allocations[i];
            allocations[r->n_allocations++].at = instant(e, whole->allocations[i].at);
        }
    r->samples = samples;
    r->census = census;
    r->allocations = allocations;
}

static void take_threads(const PmExcerpt *e, PmRecording *r)
{
    const PmRecording *whole = e->whole;
    PmThread *threads = g_memdup2(whole->threads, MAX(whole->n_threads, 1) * sizeof *threads);
    PmFormerName *names = g_new(PmFormerName, whole->n_former_names + 1);

    for (guint32 i = 0; i < whole->n_threads; i++) {
        PmThread *t = &threads[i];
        t->ended = t->ended && t->end <= e->spans[e->n - 1].end;
        t->begin = MIN(instant(e, t->begin), r->duration);
        t->end = MIN(instant(e, t->end), r->duration);
    }
    for (guint32 i = 0; i < whole->n_former_names; i++) {
        names[i] = whole->former_names[i];
        names[i].at = instant(e, names[i].at);
    }
    r->threads = threads;
    r->former_names = names;
}

/* What is not of a time is the whole's. */
static PmRecording *recording_new(PmExcerpt *e)
{
    PmRecording *r = g_new0(PmRecording, 1);
    PmRecordingPrivate *p = g_new0(PmRecordingPrivate, 1);
    const PmInterval *last = &e->spans[e->n - 1];

    *r = *e->whole;
    *p = *pm_recording_private(e->whole);
    g_mutex_init(&p->lock);
    p->stores = NULL;
    p->block_end = NULL;
    p->pools = NULL;
    p->own_code = NULL;
    p->charges = NULL;
    p->excerpt = e;
    r->priv = p;
    r->ref_count = 1;
    r->duration = e->n == 1 ? last->end : e->before[e->n - 1] + last->end - last->begin;
    r->window_begin = e->n == 1 ? e->whole->window_begin : 0;
    memset(&r->waits, 0, sizeof r->waits);
    r->waits.n = e->rows.n;
    r->n_samples = r->n_census = r->n_gaps = r->n_allocations = 0;
    r->n_snapshots = r->n_cells = r->n_live = r->n_ledger = r->n_damage = 0;
    r->snapshots = NULL;
    r->cells = NULL;
    r->live = NULL;
    r->ledger = NULL;
    r->listed_at = r->ledger_at = G_MININT64;
    r->gc = take_intervals(e, e->whole->gc, e->whole->n_gc, &r->n_gc);
    r->stopped = take_intervals(e, e->whole->stopped, e->whole->n_stopped, &r->n_stopped);
    take_gaps(e, r);
    take_damage(e, r);
    take_samples(e, r);
    take_threads(e, r);
    return r;
}

PmRecording *pm_excerpt_new(const PmRecording *whole, const PmInterval *spans, guint n,
                            const guint8 *also, const gint *cancel)
{
    g_return_val_if_fail(whole && spans && n > 0, NULL);
    Making m = {.excerpt = excerpt_new(whole, spans, n), .also = also, .cancel = cancel};

    if (!choose(&m)) {
        pm_excerpt_free(m.excerpt);
        return NULL;
    }
    m.made = recording_new(m.excerpt);
    pm_workers_run(0, PM_N_WAIT_COLUMNS, make_column, &m);
    if (m.failed || pm_cancelled(cancel)) {
        pm_recording_unref(m.made);
        return NULL;
    }
    find_block_ends(m.made);
    return m.made;
}

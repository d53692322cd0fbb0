#include "viewer/analysis/aggregation/excerpt-view.h"

#include "viewer/analysis/recording/chain-blocks.h"
#include "viewer/analysis/recording/excerpt.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"

/* A range with so much of all waits uses the excerpt of the whole. */
#define MUCH   8
#define N_KEPT 4 /* excerpts of a recording: of the whole, its end, and the latest ranges */

gsize pm_excerpt_huge = 12000000, pm_excerpt_waits = 2000000;

gboolean pm_recording_is_huge(const PmRecording *recording)
{
    return recording->waits.n > pm_excerpt_huge && pm_recording_whole(recording) == recording;
}

/* When a row begins; of what is behind the last one, the end of all. */
static gint64 begin_of(const PmRecording *r, gsize row)
{
    return row < r->waits.n ? CLAMP(pm_wait_begin(&r->waits, row), 0, r->duration) : r->duration;
}

/* ---- excerpts, kept with the recording ---- */

typedef struct {
    PmInterval first, last;
    PmRecording *recording;
} KeptExcerpt;

static void excerpts_free(gpointer data)
{
    KeptExcerpt *kept = data;
    for (guint i = 0; i < N_KEPT; i++)
        g_clear_pointer(&kept[i].recording, pm_recording_unref);
    g_free(kept);
}

/* Owned. The oldest but the first is forgotten. */
static PmRecording *excerpt_of(PmRecording *r, const PmInterval *spans, guint n, const guint8 *also,
                               const gint *cancel)
{
    PmRecordingPrivate *p = pm_recording_private(r);
    guint i = 0;

    g_mutex_lock(&p->lock);
    KeptExcerpt *kept = g_dataset_get_data(r, "excerpts");
    if (!kept) {
        kept = g_new0(KeptExcerpt, N_KEPT);
        g_dataset_set_data_full(r, "excerpts", kept, excerpts_free);
    }
    while (i < N_KEPT && kept[i].recording &&
           (kept[i].first.begin != spans[0].begin || kept[i].first.end != spans[0].end ||
            kept[i].last.begin != spans[n - 1].begin || kept[i].last.end != spans[n - 1].end))
        i++;
    if (i == N_KEPT) {
        pm_recording_unref(kept[1].recording);
        for (i = 1; i + 1 < N_KEPT; i++)
            kept[i] = kept[i + 1];
        kept[i].recording = NULL;
    }
    if (!kept[i].recording)
        kept[i] = (KeptExcerpt){spans[0], spans[n - 1], pm_excerpt_new(r, spans, n, also, cancel)};
    PmRecording *excerpt = kept[i].recording ? pm_recording_ref(kept[i].recording) : NULL;
    g_mutex_unlock(&p->lock);
    return excerpt;
}

/* ---- which spans ---- */

/* One in each equal part of the time, all of one length, at places without a period; the last one
 * at the end. How many rows begin in them. */
static gsize choose_spans(const PmRecording *r, gint64 from, gint64 to, double part,
                          PmInterval *spans)
{
    gsize n = 0;

    for (guint i = 0; i < PM_EXCERPT_SPANS; i++) {
        const gint64 begin = from + (to - from) / PM_EXCERPT_SPANS * i;
        const gint64 end =
            i + 1 < PM_EXCERPT_SPANS ? from + (to - from) / PM_EXCERPT_SPANS * (i + 1) : to;
        const gint64 length = MAX((gint64)((double)(end - begin) * part), 1);
        const guint32 random = (i + 1) * 2654435769u;
        const gint64 room = end - begin - length;
        spans[i].begin = i + 1 < PM_EXCERPT_SPANS
                             ? begin + (gint64)((double)room * random / 4294967296.0)
                             : begin + room;
        spans[i].end = spans[i].begin + length;
        n += pm_waits_before(&r->waits, spans[i].end) - pm_waits_before(&r->waits, spans[i].begin);
    }
    return n;
}

static PmRecording *spread_excerpt(PmRecording *r, gint64 from, gint64 to, const gint *cancel)
{
    PmInterval spans[PM_EXCERPT_SPANS];
    double part = (double)pm_excerpt_waits /
                  (double)MAX(pm_waits_before(&r->waits, to) - pm_waits_before(&r->waits, from),
                              pm_excerpt_waits);

    double least = 0, most = 1;
    /* Where the waits come in bursts, that part of the time may have far more or fewer. */
    for (guint tries = 0; tries < 30; tries++) {
        const gsize n = choose_spans(r, from, to, part, spans);
        if (n >= pm_excerpt_waits / 2 && n <= 2 * pm_excerpt_waits)
            break;
        *(n < pm_excerpt_waits ? &least : &most) = part;
        part = (least + most) / 2;
    }
    return excerpt_of(r, spans, PM_EXCERPT_SPANS, NULL, cancel);
}

/* All between two rows. */
static PmRecording *whole_excerpt(PmRecording *r, gsize first, gsize end, const guint8 *also,
                                  const gint *cancel)
{
    const PmInterval span = {begin_of(r, first), begin_of(r, end)};
    return span.begin < span.end ? excerpt_of(r, &span, 1, also, cancel) : NULL;
}

/* ---- the views ---- */

typedef struct {
    PmView *view;
    const gint *cancel;
} Asked;

static PmView *view_of(const PmView *view, PmRecording *excerpt, const gint *cancel)
{
    g_autoptr(PmFilter) filter = pm_filter_copy(view->filter);

    filter->from = pm_excerpt_instant(excerpt, view->from);
    filter->to = pm_excerpt_instant(excerpt, view->to);
    return pm_view_new(excerpt, filter, cancel);
}

static gpointer view_for_causes(gpointer data)
{
    const Asked *asked = data;
    const PmView *view = asked->view;
    PmRecording *r = view->recording;
    const gsize first = pm_waits_before(&r->waits, view->from),
                end = pm_waits_before(&r->waits, view->to);
    const gsize n = end - first, pad = n < pm_excerpt_waits ? (pm_excerpt_waits - n) / 2 : 0;
    const gboolean is_much =
        n >= r->waits.n / MUCH && view->to - view->from >= (r->duration - r->window_begin) / MUCH;
    g_autoptr(PmRecording) excerpt =
        n <= pm_excerpt_waits
            ? whole_excerpt(r, first > pad ? first - pad : 0, end + pad, NULL, asked->cancel)
        : is_much ? spread_excerpt(r, r->window_begin, r->duration, asked->cancel)
                  : spread_excerpt(r, view->from, view->to, asked->cancel);

    return excerpt ? view_of(view, excerpt, asked->cancel) : NULL;
}

/* What threads that wait at `at` do there seldom is told by all who ever waited there. By chain;
 * owned. */
static guint8 *seldom_waits(const PmRecording *r, gint64 at)
{
    const PmRecordingPrivate *p = pm_recording_private(r);
    guint8 *chains = g_new0(guint8, r->n_chains + 1);
    g_autofree guint8 *lasts = g_new0(guint8, r->n_methods + 1);
    g_autofree gsize *counts = g_new0(gsize, r->n_methods + 1);
    const PmChainBlocks *blocks = pm_chain_blocks_of(r);

    for (guint32 i = 0; i < r->n_chains; i++)
        counts[p->chain_method[i]] += blocks->counts[i];
    for (gsize i = 0, end; i < r->waits.n; i = end) {
        const gsize block = pm_recording_block(r, i);
        end = MIN(pm_recording_block_end(r, block), r->waits.n);
        if (p->block_end[block] < at)
            continue;
        if (pm_wait_begin(&r->waits, i) >= at)
            break;
        for (; i < end && pm_wait_begin(&r->waits, i) < at; i++)
            if (pm_wait_end(&r->waits, i) >= at)
                lasts[p->chain_method[pm_wait_chain(&r->waits, i)]] = TRUE;
    }
    for (guint32 i = 1; i < r->n_chains; i++) {
        const guint32 method = p->chain_method[i];
        chains[i] = method && lasts[method] && counts[method] <= pm_excerpt_waits / 4;
    }
    return chains;
}

static gpointer view_for_hangs(gpointer data)
{
    const Asked *asked = data;
    PmRecording *r = asked->view->recording;
    const gsize end = pm_waits_before(&r->waits, asked->view->to), n = pm_excerpt_waits / 2;
    g_autofree guint8 *also = seldom_waits(r, asked->view->to);
    g_autoptr(PmRecording) excerpt =
        whole_excerpt(r, end > n ? end - n : 0, end + n / 2, also, asked->cancel);

    return excerpt ? view_of(asked->view, excerpt, asked->cancel) : NULL;
}

PmView *pm_view_for_causes(PmView *view, const gint *cancel)
{
    g_return_val_if_fail(view, NULL);
    Asked asked = {view, cancel};
    return pm_recording_is_huge(view->recording)
               ? pm_kept(&view->for_causes, view_for_causes, &asked, (GDestroyNotify)pm_view_unref,
                         cancel)
               : view;
}

PmView *pm_view_for_hangs(PmView *view, const gint *cancel)
{
    g_return_val_if_fail(view, NULL);
    Asked asked = {view, cancel};
    return pm_recording_is_huge(view->recording) ? pm_kept(&view->for_hangs, view_for_hangs, &asked,
                                                           (GDestroyNotify)pm_view_unref, cancel)
                                                 : view;
}

gboolean pm_view_is_part(const PmView *excerpt, const PmView *view)
{
    return excerpt->to - excerpt->from < view->to - view->from;
}

double pm_view_weight(const PmView *view, const PmView *excerpt)
{
    return excerpt->thread_time > 0
               ? MAX((double)view->thread_time / (double)excerpt->thread_time, 1)
               : 1;
}

char *pm_view_excerpt_text(const PmView *view, const PmView *excerpt)
{
    g_autofree char *part = pm_label_duration(excerpt->to - excerpt->from);
    g_autofree char *all = pm_label_duration(view->to - view->from);

    return g_strdup_printf("%s of %s, with %.1f of %.1f million waits", part, all,
                           (double)excerpt->n / 1e6, (double)view->n / 1e6);
}

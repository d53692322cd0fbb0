#include "viewer/analysis/findings/busy-pool.h"

#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"

#define SECOND      G_GINT64_CONSTANT(1000000000)
#define MIN_SAMPLES 5
#define MIN_TIME    (5 * SECOND)
#define MIN_SHARE   0.2 /* of the recorded time */
#define MIN_AWAY    0.5 /* of the time in tasks */

typedef struct {
    const PmGroupTime *time;
    guint n_samples, n_listening; /* in a call; until something comes */
    gint64 from;                  /* when its last thread had begun */
    gint64 until;                 /* of the idle waits so far, in order: the latest end */
    gint64 nobody;                /* for so long none of its threads was idle */
    gint64 cpu;                   /* used, or wished for in vain */
    gint64 moving;  /* for so long threads went on: between two readings of the census */
    gboolean tasks; /* it runs tasks */
} Pool;

/* A thread that was looked at as it was in no recorded wait and used hardly any processor time. */
static gboolean is_away(const PmView *view, const PmOwnerSample *sample)
{
    return sample->weight == 0 && sample->role == PM_SAMPLE_ENDER && sample->chain &&
           sample->at >= view->from && sample->at <= view->to;
}

/* Does it wait there for events or connections, with which a task begins? */
static gboolean listens(const PmRecording *r, guint32 chain)
{
    static const char *const calls[][2] = {{"sun.nio.ch.EPoll", "wait"},
                                           {"sun.nio.ch.Net", "accept"},
                                           {"java.net.*Socket*", "accept"}};
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
        if (pm_label_is_within(r, chain, 8, calls[i][0], calls[i][1]))
            return TRUE;
    return FALSE;
}

/* By group; FALSE: there is none that was looked at often enough. */
static gboolean gather(const PmSummary *summary, Pool *pools)
{
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    gboolean any = FALSE;
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        if (!is_away(view, sample))
            continue;
        Pool *pool = &pools[r->threads[sample->owner].group];
        pool->tasks |= pm_label_is_in_pool(r, sample->chain);
        if (listens(r, sample->chain))
            pool->n_listening++;
        else
            any |= ++pool->n_samples >= MIN_SAMPLES;
    }
    if (!any)
        return FALSE;
    for (guint i = 0; i < summary->n_groups; i++)
        pools[summary->groups[i].group].time = &summary->groups[i];
    for (guint32 t = 1; t < r->n_threads; t++) {
        Pool *pool = &pools[r->threads[t].group];
        pool->from = MAX(pool->from, MAX(r->threads[t].begin, view->from));
    }
    for (guint i = 0; i < r->n_census; i++) {
        const PmCensusRow *row = &r->census[i];
        Pool *pool = &pools[r->threads[row->thread].group];
        if (row->at <= view->from || row->since >= view->to)
            continue;
        pm_sum_add(&pool->cpu, pm_sum(row->cpu, row->run_delay));
        pm_sum_add(&pool->moving, pm_difference(row->at, row->since));
    }
    return TRUE;
}

/* Did its threads spend their tasks neither in recorded waits nor with a processor? */
static gboolean is_away_from(const PmSummary *summary, guint32 group, const Pool *pool)
{
    const PmGroupTime *time = pool->time;
    gint64 seen = pool->cpu;
    if (pool->n_samples < MIN_SAMPLES || pool->n_samples < pool->n_listening || !time ||
        time->n_threads < 2 || time->unknown > 0 || !(pool->tasks || summary->pools[group]))
        return FALSE;
    for (guint f = 0; f < PM_N_FAMILIES; f++)
        pm_sum_add(&seen, time->family[f]);
    return (double)(time->busy - seen) >= MIN_AWAY * (double)time->busy;
}

static void add_free(Pool *pool, gint64 begin, gint64 end)
{
    if (begin > pool->until)
        pm_sum_add(&pool->nobody, pm_difference(begin, pool->until));
    pool->until = MAX(pool->until, end);
}

/* For how long was no thread free, as an idle one, or in a task that takes from a queue or waits
 * for a signal? Waits are in order of their begins. */
static void measure(const PmView *view, Pool *pools)
{
    enum { AT_ONCE = 512 };
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    gint64 categories[AT_ONCE];
    for (guint g = 0; g < r->n_groups; g++)
        pools[g].until = pools[g].from;
    for (gsize i = 0, n; i < w->n; i += n) {
        n = MIN(w->n - i, AT_ONCE);
        pm_wait_columns(w, PM_WAIT_COLUMN_CATEGORY, i, n, categories);
        for (gsize k = 0; k < n; k++) {
            const PmFamily family = pm_category_family((PmCategory)categories[k]);
            if (family == PM_FAMILY_IDLE || family == PM_FAMILY_SIGNAL)
                add_free(&pools[r->threads[pm_wait_thread(w, i + k)].group],
                         MIN(pm_wait_begin(w, i + k), view->to), pm_wait_end(w, i + k));
        }
    }
    for (guint g = 0; g < r->n_groups; g++)
        add_free(&pools[g], view->to, view->to);
}

/* The innermost own frame that is no helper, unless nothing own calls that; -1: no own code. */
static gint frame_of(const PmRecording *r, guint32 chain)
{
    const PmOwnCode *own = pm_own_code(r);
    gint frame = pm_own_frame(own, chain);
    for (gint caller = frame; frame >= 0 && pm_own_is_helper(own, r, chain, frame) &&
                              (caller = pm_own_next(own, r, chain, frame)) >= 0;)
        frame = caller;
    return frame;
}

/* "Stock.query in Socket.read" */
static char *label_place(const PmRecording *r, guint32 chain)
{
    g_autofree char *method =
        pm_label_method(r, r->chains[chain].frames[frame_of(r, chain)].method);
    g_autofree char *call = pm_label_call(r, chain);
    return g_strconcat(method, call, NULL);
}

/* What tells places apart: the innermost own one, of a helper also who calls that. */
static guint64 place_key(const PmRecording *r, guint32 chain)
{
    const PmOwnCode *own = pm_own_code(r);
    const gint frame = frame_of(r, chain);
    const guint32 caller =
        frame > pm_own_frame(own, chain) ? r->chains[chain].frames[frame].method : 0;
    return (guint64)caller << 32 | pm_own_place(own, chain);
}

/* Where own code was seen most often, and how often; NULL: nowhere. */
static const PmOwnerSample *place_of(const PmView *view, guint32 group, guint *ret_n)
{
    const PmRecording *r = view->recording;
    const PmOwnCode *own = pm_own_code(r);
    const PmOwnerSample *most = NULL;
    g_autoptr(GHashTable) places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    *ret_n = 0;
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        if (!is_away(view, sample) || r->threads[sample->owner].group != group ||
            pm_own_frame(own, sample->chain) < 0 || listens(r, sample->chain))
            continue;
        const guint64 key = place_key(r, sample->chain);
        const guint n = 1 + GPOINTER_TO_UINT(g_hash_table_lookup(places, &key));
        g_hash_table_insert(places, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(n));
        if (n > *ret_n) {
            *ret_n = n;
            most = sample;
        }
    }
    return most;
}

static void add_finding(const PmSummary *summary, guint32 group, const Pool *pool, GArray *findings)
{
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    guint n;
    const PmOwnerSample *seen = place_of(view, group, &n);
    if (!seen)
        return;
    PmFinding finding = {.severity = PM_SEVERITY_NOTE,
                         .category = PM_CATEGORY_OTHER,
                         .chain = seen->chain,
                         .busy_share = (double)pool->nobody / (double)view->known,
                         .mean_threads = (double)pool->moving / (double)view->known,
                         .n_victims = 1,
                         .victims = g_new0(PmVictim, 1),
                         .from = view->from,
                         .to = view->to};
    g_autofree char *who = pm_summary_group_text(r, group, pool->time->n_threads);
    g_autofree char *where = label_place(r, seen->chain);
    g_autofree char *time = pm_label_duration(pool->nobody);
    finding.victims[0] = (PmVictim){group, pool->time->n_threads, 0, finding.busy_share};
    finding.title =
        g_strdup_printf("No thread of %s was free for %.0f %% of the time: most were in "
                        "%s, as seen %u of %u times",
                        who, 100 * finding.busy_share, where, n, pool->n_samples);
    pm_finding_add_cause(&finding, r, PM_CAUSE_WAKER, seen->owner, seen->chain);
    finding.causes[0].share = (double)n / pool->n_samples;
    pm_evidence_add(&finding, TRUE,
                    g_strdup_printf("none of them waited for a task for %s in all", time));
    g_array_append_val(findings, finding);
}

void pm_busy_pool_find(const PmSearch *search, GArray *findings)
{
    const PmSummary *summary = search->summary;
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    if (summary->n_gaps > 0 || view->known < view->to - view->from)
        return;
    g_autofree Pool *pools = g_new0(Pool, MAX(r->n_groups, 1));
    if (!gather(summary, pools))
        return;
    guint n = 0;
    for (guint g = 0; g < r->n_groups; g++) {
        pools[g].tasks = is_away_from(summary, g, &pools[g]);
        n += pools[g].tasks;
    }
    if (n)
        measure(view, pools);
    for (guint g = 0; g < r->n_groups && n; g++)
        if (pools[g].tasks && pools[g].nobody >= MIN_TIME &&
            (double)pools[g].nobody >= MIN_SHARE * (double)view->known)
            add_finding(summary, g, &pools[g], findings);
}

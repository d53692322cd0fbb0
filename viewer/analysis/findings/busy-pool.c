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

#define MAX_LISTENING 64

typedef struct {
    const PmGroupTime *time;
    guint n_samples, n_listening; /* in a call; until something comes */
    gint64 from;                  /* when its last thread had begun */
    gint64 until;                 /* of the idle waits so far, in order: the latest end */
    gint64 nobody;                /* for so long none of its threads was idle */
    gint64 cpu;                   /* used, or wished for in vain */
    gint64 moving;  /* for so long threads went on: between two readings of the census */
    gboolean tasks; /* it runs tasks */
    gboolean loops; /* it handles events in the loop that listens for them */
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

/* Is it in the same loop as who listens, called from another line of it? The loop is the innermost
 * method that both are in. */
static gboolean is_beside(const PmRecording *r, guint32 chain, guint32 listening)
{
    const PmChain *a = &r->chains[chain], *b = &r->chains[listening];
    for (guint32 i = 0; i < b->n_frames; i++)
        for (guint32 k = 0; k < a->n_frames; k++)
            if (a->frames[k].method == b->frames[i].method)
                return a->frames[k].line > 0 && b->frames[i].line > 0 &&
                       a->frames[k].line != b->frames[i].line;
    return FALSE;
}

/* Where threads were seen to listen, at most so many places. */
static guint find_listening(const PmView *view, guint32 *ret_chains)
{
    const PmRecording *r = view->recording;
    guint n = 0;
    for (guint i = 0; i < r->n_samples && n < MAX_LISTENING; i++) {
        const guint32 chain = r->samples[i].chain;
        gboolean is_new = chain && !r->chains[chain].truncated && listens(r, chain);
        for (guint k = 0; k < n && is_new; k++)
            is_new = ret_chains[k] != chain;
        if (is_new)
            ret_chains[n++] = chain;
    }
    return n;
}

/* The stack traces that take from queues. Owned. */
static GHashTable *find_takes(const PmRecording *r)
{
    enum { AT_ONCE = 512 };
    GHashTable *takes = g_hash_table_new(NULL, NULL);
    gint64 categories[AT_ONCE];
    for (gsize i = 0, n; i < r->waits.n; i += n) {
        n = MIN(r->waits.n - i, AT_ONCE);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CATEGORY, i, n, categories);
        for (gsize k = 0; k < n; k++)
            if (categories[k] == PM_CATEGORY_QUEUE)
                g_hash_table_add(takes, GUINT_TO_POINTER(pm_wait_chain(&r->waits, i + k)));
    }
    return takes;
}

/* Notes which groups run tasks beside where they take them from a queue. */
static void find_tasks(const PmView *view, Pool *pools)
{
    const PmRecording *r = view->recording;
    g_autoptr(GHashTable) takes = NULL;
    GHashTableIter iter;
    gpointer chain;
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        Pool *pool = &pools[r->threads[sample->owner].group];
        if (pool->tasks || pool->n_samples < MIN_SAMPLES || !is_away(view, sample) ||
            r->chains[sample->chain].truncated)
            continue;
        if (!takes)
            takes = find_takes(r);
        g_hash_table_iter_init(&iter, takes);
        while (!pool->tasks && g_hash_table_iter_next(&iter, &chain, NULL))
            pool->tasks = is_beside(r, sample->chain, GPOINTER_TO_UINT(chain));
    }
}

/* Notes which groups handle events in their loops. */
static void find_loops(const PmView *view, Pool *pools)
{
    const PmRecording *r = view->recording;
    guint32 listening[MAX_LISTENING];
    const guint n = find_listening(view, listening);
    for (guint i = 0; i < r->n_samples && n; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        if (!is_away(view, sample) || r->chains[sample->chain].truncated ||
            listens(r, sample->chain))
            continue;
        Pool *pool = &pools[r->threads[sample->owner].group];
        for (guint k = 0; k < n && !pool->loops; k++)
            pool->loops = is_beside(r, sample->chain, listening[k]);
    }
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

/* For which part of what they did were they neither in recorded waits nor with a processor? */
static double away_share(const Pool *pool)
{
    gint64 seen = pool->cpu;
    for (guint f = 0; f < PM_N_FAMILIES; f++)
        pm_sum_add(&seen, pool->time->family[f]);
    return pool->time->busy > 0 ? 1 - (double)seen / (double)pool->time->busy : 0;
}

/* Did its threads spend their tasks, or the time that they are to listen, so? */
static gboolean is_away_from(const PmSummary *summary, guint32 group, const Pool *pool)
{
    return pool->n_samples >= MIN_SAMPLES && pool->n_samples >= pool->n_listening && pool->time &&
           pool->time->unknown == 0 &&
           (pool->loops ||
            (pool->time->n_threads >= 2 && (pool->tasks || summary->pools[group]))) &&
           away_share(pool) >= MIN_AWAY;
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

static char *title_of(const PmFinding *finding, const Pool *pool, const char *who,
                      const char *where, guint n)
{
    const double percent = 100 * finding->busy_share;
    return pool->loops
               ? g_strdup_printf(
                     "The event %s of %s %s held up for ~%.0f %% of the time, mostly by "
                     "%s, as seen %u of %u times",
                     pool->time->n_threads == 1 ? "loop" : "loops", who,
                     pool->time->n_threads == 1 ? "is" : "are", percent, where, n,
                     pool->n_samples + pool->n_listening)
               : g_strdup_printf("No thread of %s was free for %.0f %% of the time: most were in "
                                 "%s, as seen %u of %u times",
                                 who, percent, where, n, pool->n_samples);
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
    const guint n_all = pool->n_samples + (pool->loops ? pool->n_listening : 0);
    if (pool->loops)
        finding.busy_share = away_share(pool) * pool->n_samples / n_all;
    g_autofree char *who = pm_summary_group_text(r, group, pool->time->n_threads);
    g_autofree char *where = label_place(r, seen->chain);
    g_autofree char *time = pm_label_duration(pool->nobody);
    finding.victims[0] = (PmVictim){group, pool->time->n_threads, 0, finding.busy_share};
    finding.title = title_of(&finding, pool, who, where, n);
    pm_finding_add_cause(&finding, r, PM_CAUSE_WAKER, seen->owner, seen->chain);
    finding.causes[0].share = (double)n / n_all;
    pm_evidence_add(&finding, TRUE,
                    pool->loops
                        ? g_strdup_printf("looked at %u times when hardly at work: listening %u",
                                          n_all, pool->n_listening)
                        : g_strdup_printf("none of them waited for a task for %s in all", time));
    g_array_append_val(findings, finding);
}

static void find(const PmSearch *search, gboolean loops, GArray *findings)
{
    const PmSummary *summary = search->summary;
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    if (summary->n_gaps > 0 || view->known < view->to - view->from)
        return;
    g_autofree Pool *pools = g_new0(Pool, MAX(r->n_groups, 1));
    if (!gather(summary, pools))
        return;
    find_loops(view, pools);
    find_tasks(view, pools);
    guint n = 0;
    for (guint g = 0; g < r->n_groups; g++) {
        pools[g].tasks = is_away_from(summary, g, &pools[g]);
        n += pools[g].tasks && pools[g].loops == loops;
    }
    if (n)
        measure(view, pools);
    for (guint g = 0; g < r->n_groups && n; g++)
        if (pools[g].tasks && pools[g].loops == loops && pools[g].nobody >= MIN_TIME &&
            (double)pools[g].nobody >= MIN_SHARE * (double)view->known)
            add_finding(summary, g, &pools[g], findings);
}

void pm_busy_pool_find(const PmSearch *search, GArray *findings)
{
    find(search, FALSE, findings);
}

void pm_event_loop_find(const PmSearch *search, GArray *findings)
{
    find(search, TRUE, findings);
}

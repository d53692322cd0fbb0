#include "viewer/analysis/findings/busy-pool.h"

#include "viewer/analysis/base/arrays.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/pair.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"

#define SECOND      G_GINT64_CONSTANT(1000000000)
#define MIN_SAMPLES 5
#define MIN_LOOKS   8 /* of an event loop */
#define MIN_TIME    (5 * SECOND)
#define MIN_SHARE   0.2 /* of the recorded time */
#define MIN_AWAY    0.5 /* of the time in tasks */
#define MAX_FREE    0.5 /* threads of a pool that listen at a time, on average */

#define MAX_SELECTS 64

typedef struct {
    const PmGroupTime *time;
    guint n_samples, n_listening; /* in a call; until something comes */
    guint n_free;                 /* of these, of threads that were also seen in a call */
    gint64 from;                  /* when its last thread had begun */
    gint64 until;                 /* of the idle waits so far, in order: the latest end */
    gint64 nobody;                /* for so long none of its threads was idle */
    gint64 cpu;                   /* used, or wished for in vain */
    gint64 moving;  /* for so long threads went on: between two readings of the census */
    gboolean tasks; /* it runs tasks */
    gboolean loops; /* it handles events in the loop that listens for them */
    gboolean found; /* it is to be told */
} Pool;

/* What is known of a stack trace; 0: nothing yet. */
typedef enum {
    IS_NOT = 1,
    IS,
} Known;

typedef struct {
    const PmView *view;
    Pool *pools;                  /* by group */
    guint8 *listens, *is_looped;  /* Known, by stack trace */
    guint32 selects[MAX_SELECTS]; /* stack traces that listen for events */
    guint n_selects;
} Looks;

/* A thread that was looked at as it was in no recorded wait and used hardly any processor time. */
static gboolean is_away(const PmView *view, const PmOwnerSample *sample)
{
    return sample->weight == 0 && sample->role == PM_SAMPLE_ENDER && sample->chain &&
           sample->at >= view->from && sample->at <= view->to;
}

/* Does it wait there for events? */
static gboolean selects(const PmRecording *r, guint32 chain)
{
    static const char *const calls[][2] = {{"sun.nio.ch.EPoll", "wait"},
                                           {"io.netty.channel.epoll.Native", "epollWait"}};
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
        if (pm_label_is_within(r, chain, 8, calls[i][0], calls[i][1]))
            return TRUE;
    return FALSE;
}

/* For events or connections, with which a task begins? */
static gboolean listens(const Looks *looks, guint32 chain)
{
    static const char *const accepting[] = {"sun.nio.ch.Net", "java.net.*Socket*"};
    const PmRecording *r = looks->view->recording;
    if (looks->listens[chain])
        return looks->listens[chain] == IS;
    gboolean is = selects(r, chain);
    for (guint i = 0; i < G_N_ELEMENTS(accepting) && !is; i++)
        is = pm_label_is_within(r, chain, 8, accepting[i], "accept");
    looks->listens[chain] = is ? IS : IS_NOT;
    return is;
}

/* Is it called from the same library's method as what waits, further on in it? So a loop does that
 * waits for something and then handles it. The loop is the innermost method that both are in; one
 * of the program's own may as well ask first one, then another. */
static gboolean is_looped(const PmRecording *r, guint32 chain, guint32 waits)
{
    const PmChain *a = &r->chains[chain], *b = &r->chains[waits];
    for (guint32 i = 0; i < b->n_frames; i++)
        for (guint32 k = 0; k < a->n_frames; k++)
            if (a->frames[k].method == b->frames[i].method)
                return b->frames[i].line > 0 && a->frames[k].line > b->frames[i].line &&
                       !pm_own_is(pm_own_code(r), r, a->frames[k].method);
    return FALSE;
}

static void find_selects(Looks *looks)
{
    const PmRecording *r = looks->view->recording;
    for (guint i = 0; i < r->n_samples && looks->n_selects < MAX_SELECTS; i++) {
        const guint32 chain = r->samples[i].chain;
        if (!chain || r->chains[chain].truncated || looks->listens[chain] ||
            !listens(looks, chain) || !selects(r, chain))
            continue;
        looks->selects[looks->n_selects++] = chain;
    }
}

/* Does it handle an event in a loop that listens for them? One that always has some may never be
 * seen to listen: a few are known. */
static gboolean handles_event(const Looks *looks, guint32 chain)
{
    static const char *const loops[] = {
        "sun.net.httpserver.ServerImpl$Dispatcher", "io.netty.channel.nio.NioEventLoop",
        "io.netty.channel.epoll.EpollEventLoop", "org.xnio.nio.WorkerThread"};
    const PmRecording *r = looks->view->recording;
    if (looks->is_looped[chain])
        return looks->is_looped[chain] == IS;
    gboolean is = FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(loops) && !is; i++)
        is = pm_label_is_within(r, chain, G_MAXUINT, loops[i], "run");
    for (guint k = 0; k < looks->n_selects && !is && !r->chains[chain].truncated; k++)
        is = is_looped(r, chain, looks->selects[k]);
    looks->is_looped[chain] = is ? IS : IS_NOT;
    return is;
}

/* By group; FALSE: there is none that was looked at often enough. */
static gboolean gather(const PmSummary *summary, Looks *looks)
{
    const PmView *view = looks->view;
    const PmRecording *r = view->recording;
    Pool *pools = looks->pools;
    gboolean any = FALSE;
    g_autofree guint8 *is_in_calls = g_new0(guint8, r->n_threads); /* by thread */
    find_selects(looks);
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        if (!is_away(view, sample))
            continue;
        Pool *pool = &pools[r->threads[sample->owner].group];
        if (listens(looks, sample->chain)) {
            pool->n_listening++;
            continue;
        }
        pool->tasks |= pm_label_is_in_pool(r, sample->chain);
        pool->loops |= handles_event(looks, sample->chain);
        any |= ++pool->n_samples >= MIN_SAMPLES;
        is_in_calls[sample->owner] = TRUE;
    }
    for (guint i = 0; i < r->n_samples && any; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        if (is_in_calls[sample->owner] && is_away(view, sample) && listens(looks, sample->chain))
            pools[r->threads[sample->owner].group].n_free++;
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
    /* Of several threads that were seen to listen each may do so for all. */
    for (guint g = 0; g < r->n_groups; g++)
        pools[g].loops &= pools[g].time && (pools[g].time->n_threads == 1 || !pools[g].n_listening);
    return TRUE;
}

/* A stack trace of a thread of the group, as a key. */
static gpointer group_key(guint32 group, guint32 chain)
{
    return GSIZE_TO_POINTER((gsize)group << 32 | chain);
}

/* Where threads of each group take from queues: the first such stack traces among some rows. */
typedef struct {
    const PmRecording *recording;
    GArray **of_parts; /* of guint64, group << 32 | chain */
} Takes;

#define PART_ROWS (1u << 20)

static void find_in_part(gpointer data, guint part)
{
    enum { AT_ONCE = 512 };
    const Takes *all = data;
    const PmRecording *r = all->recording;
    const gsize end = MIN(((gsize)part + 1) * PART_ROWS, r->waits.n);
    g_autoptr(GHashTable) seen = g_hash_table_new(pm_pair_hash, NULL); /* group_key */
    GArray *takes = all->of_parts[part] = g_array_new(FALSE, FALSE, sizeof(guint64));
    gint64 categories[AT_ONCE], chains[AT_ONCE], threads[AT_ONCE];
    for (gsize i = (gsize)part * PART_ROWS, n; i < end; i += n) {
        n = MIN(end - i, AT_ONCE);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CATEGORY, i, n, categories);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CHAIN, i, n, chains);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_THREAD, i, n, threads);
        for (gsize k = 0; k < n; k++) {
            if (categories[k] != PM_CATEGORY_QUEUE)
                continue;
            const guint32 group = r->threads[threads[k]].group;
            const guint64 take = (guint64)group << 32 | (guint64)chains[k];
            if (g_hash_table_add(seen, group_key(group, (guint32)chains[k])))
                g_array_append_val(takes, take);
        }
    }
}

/* GArray of guint32 by group; found out once, and kept with the recording. */
static GHashTable *takes_of(const PmRecording *r)
{
    static GMutex lock; /* that of the recording is held as long as causes are found */
    const guint n = (guint)((r->waits.n + PART_ROWS - 1) / PART_ROWS);
    g_mutex_lock(&lock);
    GHashTable *takes = g_dataset_get_data(r, "takes");
    if (!takes) {
        g_autofree GArray **of_parts = g_new0(GArray *, n + 1);
        g_autoptr(GHashTable) seen = g_hash_table_new(pm_pair_hash, NULL); /* group_key */
        Takes all = {r, of_parts};
        takes = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
        pm_workers_run(0, n, find_in_part, &all);
        for (guint part = 0; part < n; part++) {
            for (guint i = 0; i < of_parts[part]->len; i++) {
                const guint64 take = g_array_index(of_parts[part], guint64, i);
                const guint32 group = (guint32)(take >> 32), chain = (guint32)take;
                if (g_hash_table_add(seen, group_key(group, chain)))
                    g_array_append_val(pm_arrays_at(takes, GUINT_TO_POINTER(group), sizeof chain),
                                       chain);
            }
            g_array_unref(of_parts[part]);
        }
        g_dataset_set_data_full(r, "takes", takes, (GDestroyNotify)g_hash_table_unref);
    }
    g_mutex_unlock(&lock);
    return takes;
}

/* Notes which groups run tasks in the loop that takes them from a queue. */
static void find_tasks(const Looks *looks, const gint *cancel)
{
    const PmRecording *r = looks->view->recording;
    GHashTable *takes = NULL;
    g_autoptr(GHashTable) seen = g_hash_table_new(pm_pair_hash, NULL); /* group_key */
    for (guint i = 0; i < r->n_samples && !pm_cancelled(cancel); i++) {
        const PmOwnerSample *sample = &r->samples[i];
        const guint32 group = r->threads[sample->owner].group;
        Pool *pool = &looks->pools[group];
        if (pool->tasks || pool->loops || pool->n_samples < MIN_SAMPLES ||
            !is_away(looks->view, sample) || r->chains[sample->chain].truncated ||
            !g_hash_table_add(seen, group_key(group, sample->chain)))
            continue;
        if (!takes)
            takes = takes_of(r);
        const GArray *of_group = g_hash_table_lookup(takes, GUINT_TO_POINTER(group));
        for (guint k = 0; of_group && k < of_group->len && !pool->tasks; k++)
            pool->tasks = is_looped(r, sample->chain, g_array_index(of_group, guint32, k));
    }
}

/* For which part of what they did were they neither in recorded waits nor with a processor? */
static double away_share(const Pool *pool)
{
    gint64 seen = pool->cpu;
    for (guint f = 0; f < PM_N_FAMILIES; f++)
        pm_sum_add(&seen, pool->time->family[f]);
    return pool->time->busy > 0 ? 1 - (double)seen / (double)pool->time->busy : 0;
}

/* How many of its threads listen at a time, on average, which then handle what comes: those are
 * free, and no wait tells of it. Who only listens does so for others. */
static double mean_free(const Pool *pool)
{
    return (double)pool->time->n_threads * pool->n_free / (pool->n_free + pool->n_samples);
}

/* Did its threads spend their tasks, or the time that they are to listen, so? */
static gboolean is_away_from(const PmSummary *summary, guint32 group, const Pool *pool)
{
    return pool->n_samples >= MIN_SAMPLES && pool->n_samples >= pool->n_listening && pool->time &&
           pool->time->unknown == 0 &&
           (pool->loops ? pool->n_samples + pool->n_listening >= MIN_LOOKS
                        : pool->time->n_threads >= 2 && mean_free(pool) <= MAX_FREE &&
                              (pool->tasks || summary->pools[group])) &&
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
static const PmOwnerSample *place_of(const Looks *looks, guint32 group, guint *ret_n)
{
    const PmView *view = looks->view;
    const PmRecording *r = view->recording;
    const PmOwnCode *own = pm_own_code(r);
    const PmOwnerSample *most = NULL;
    g_autoptr(GHashTable) places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    *ret_n = 0;
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        if (!is_away(view, sample) || r->threads[sample->owner].group != group ||
            pm_own_frame(own, sample->chain) < 0 || listens(looks, sample->chain))
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
               : g_strdup_printf("No thread of %s was free for %s%.0f %% of the time: most were in "
                                 "%s, as seen %u of %u times",
                                 who, pool->n_free ? "~" : "", percent, where, n, pool->n_samples);
}

static void add_finding(const Looks *looks, guint32 group, GArray *findings)
{
    const PmView *view = looks->view;
    const PmRecording *r = view->recording;
    const Pool *pool = &looks->pools[group];
    guint n;
    const PmOwnerSample *seen = place_of(looks, group, &n);
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
    else
        finding.busy_share *= 1 - mean_free(pool);
    g_autofree char *who = pm_summary_group_text(r, group, pool->time->n_threads);
    g_autofree char *where = label_place(r, seen->chain);
    g_autofree char *time = pm_label_duration(pool->nobody);
    finding.victims[0] = (PmVictim){group, pool->time->n_threads, 0, finding.busy_share};
    finding.title = title_of(&finding, pool, who, where, n);
    pm_finding_add_cause(&finding, r, PM_CAUSE_WAKER, seen->owner, seen->chain);
    finding.causes[0].share = (double)n / n_all;
    pm_evidence_add(
        &finding, TRUE,
        pool->loops
            ? g_strdup_printf(
                  "sampled %u times while using little processor time, %u of them listening", n_all,
                  pool->n_listening)
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
    g_autofree guint8 *listening = g_new0(guint8, r->n_chains + 1);
    g_autofree guint8 *looped = g_new0(guint8, r->n_chains + 1);
    Looks looks = {.view = view, .pools = pools, .listens = listening, .is_looped = looped};
    if (!gather(summary, &looks))
        return;
    if (!loops)
        find_tasks(&looks, search->cancel);
    guint n = 0;
    for (guint g = 0; g < r->n_groups; g++) {
        pools[g].found = pools[g].loops == loops && is_away_from(summary, g, &pools[g]);
        n += pools[g].found;
    }
    if (n)
        measure(view, pools);
    for (guint g = 0; g < r->n_groups && n; g++)
        if (pools[g].found && pools[g].nobody >= MIN_TIME &&
            (double)pools[g].nobody >= MIN_SHARE * (double)view->known)
            add_finding(&looks, g, findings);
}

void pm_busy_pool_find(const PmSearch *search, GArray *findings)
{
    find(search, FALSE, findings);
}

void pm_event_loop_find(const PmSearch *search, GArray *findings)
{
    find(search, TRUE, findings);
}

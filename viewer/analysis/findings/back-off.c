#include "viewer/analysis/findings/back-off.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/evidence/culprit.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"

#define PARKS_A_SECOND 10.0
#define MIN_SHARE      0.1
/* So many samples of who may make room, and so much of them in the program's code. */
#define MIN_SAMPLES 10
#define MIN_CALLED  0.5

/* The loops of one group of threads at one place. */
typedef struct {
    guint32 group, chain;
    GHashTable *threads;
    gint64 parks, time, longest;
} Loop;

static void loop_free(gpointer data)
{
    Loop *loop = data;
    g_hash_table_unref(loop->threads);
    g_free(loop);
}

static gboolean is_back_off(const PmRecording *r, gsize row)
{
    const PmWaits *w = &r->waits;
    return pm_wait_category(w, row) == PM_CATEGORY_TIMER && pm_wait_kind(w, row) == PM_KIND_PARK &&
           (r->blockers[pm_wait_blocker(w, row)].flags & PM_BLOCKER_NULL) != 0;
}

/* Of each block of rows whether it has such a wait: found out once, and kept with the recording. */
typedef struct {
    PmRecording *recording;
    guint8 *marks;
} Marking;

static void mark_block(gpointer data, guint block)
{
    const Marking *m = data;
    const PmRecording *r = m->recording;
    const gsize end = MIN(pm_recording_block_end(r, block), r->waits.n);
    for (gsize i = pm_recording_block_begin(r, block); i < end && !m->marks[block]; i++)
        m->marks[block] = is_back_off(r, i);
}

static const guint8 *marks_of(PmRecording *r)
{
    static GMutex lock; /* that of the recording is held as long as causes are found */
    const guint n = r->waits.n > 0 ? (guint)pm_recording_block(r, r->waits.n - 1) + 1 : 0;
    g_mutex_lock(&lock);
    guint8 *marks = g_dataset_get_data(r, "back-off");
    if (!marks) {
        Marking m = {r, marks = g_new0(guint8, n + 1)};
        pm_workers_run(0, n, mark_block, &m);
        g_dataset_set_data_full(r, "back-off", marks, g_free);
    }
    g_mutex_unlock(&lock);
    return marks;
}

static void add_park(GHashTable *loops, const PmView *view, guint32 row)
{
    const PmRecording *r = view->recording;
    const guint32 thread = pm_wait_thread(&r->waits, row), chain = pm_wait_chain(&r->waits, row);
    const gint64 time = pm_view_clip(view, row);
    guint64 key =
        (guint64)r->threads[thread].group << 32 | pm_recording_private(r)->chain_method[chain];
    Loop *loop = g_hash_table_lookup(loops, &key);
    if (!loop) {
        loop = g_new0(Loop, 1);
        *loop = (Loop){.group = r->threads[thread].group,
                       .chain = chain,
                       .threads = g_hash_table_new(NULL, NULL)};
        g_hash_table_insert(loops, g_memdup2(&key, sizeof key), loop);
    }
    g_hash_table_add(loop->threads, GUINT_TO_POINTER(thread));
    loop->parks++;
    pm_sum_add(&loop->time, time);
    loop->longest = MAX(loop->longest, time);
}

static gint64 life_of(const PmSummary *summary, guint32 group)
{
    for (guint i = 0; i < summary->n_groups; i++)
        if (summary->groups[i].group == group)
            return summary->groups[i].life;
    return 0;
}

/* A thread that runs nothing but the platform's code, as its timer for sleeping virtual threads. */
static gboolean is_platforms(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    guint32 i = 0;
    while (i < c->n_frames && pm_label_is_platform(pm_recording_class_at(r, c, i)))
        i++;
    return i == c->n_frames && !c->truncated;
}

static gboolean matters(const PmSummary *summary, const Loop *loop)
{
    const double seconds = (double)summary->metrics->view->known / 1e9;
    return seconds > 0 &&
           (double)loop->parks / seconds / g_hash_table_size(loop->threads) >= PARKS_A_SECOND &&
           (double)loop->time >= MIN_SHARE * (double)life_of(summary, loop->group);
}

/* ---- who makes room ---- */

/* The package of the library in which the loop parks; NULL: it is the program's own. */
static char *library_of(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    const gint own = pm_own_frame(pm_own_code(r), chain);
    if (c->site >= c->n_frames || own <= (gint)c->site)
        return NULL;
    const char *name = pm_recording_class_at(r, c, c->site);
    const char *last = strrchr(name, '.');
    return last && !pm_label_is_platform(name) ? g_strndup(name, (gsize)(last + 1 - name)) : NULL;
}

/* Does the library call the program there, which is at something? */
static gboolean is_called_by(const PmRecording *r, guint32 chain, const char *library)
{
    const PmChain *c = &r->chains[chain];
    const gint own = pm_own_frame(pm_own_code(r), chain);
    for (guint32 i = (guint32)(own + 1); own >= 0 && i < c->n_frames; i++)
        if (g_str_has_prefix(pm_recording_class_at(r, c, i), library))
            return TRUE;
    return FALSE;
}

/* The only thread that the library calls, most times that it was looked at, and how often it was;
 * 0: there is none, or are several groups of them. */
static guint32 called_thread(const PmView *view, const Loop *loop, const char *library,
                             guint *ret_samples)
{
    const PmRecording *r = view->recording;
    g_autofree guint *all = g_new0(guint, MAX(r->n_threads, 1));
    g_autofree guint *called = g_new0(guint, MAX(r->n_threads, 1));
    guint32 found = 0;
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        if (sample->at < view->from || sample->at > view->to || !sample->chain)
            continue;
        all[sample->owner]++;
        called[sample->owner] += is_called_by(r, sample->chain, library);
    }
    for (guint32 t = 1; t < r->n_threads; t++) {
        if (r->threads[t].group == loop->group || called[t] < MIN_SAMPLES ||
            called[t] < MIN_CALLED * all[t])
            continue;
        if (found && r->threads[found].group != r->threads[t].group)
            return 0;
        found = !found || called[t] > called[found] ? t : found;
    }
    *ret_samples = all[found];
    return found;
}

/* What that thread does, as causes, each by its part of the samples. */
static void add_causes(PmFinding *finding, const PmView *view, guint32 thread, const char *library,
                       guint n_samples)
{
    const PmRecording *r = view->recording;
    const PmTotals none = {0};
    g_autoptr(GArray) culprits = g_array_new(FALSE, TRUE, sizeof(PmCulprit));
    double known = 0;
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        const PmCulprit culprit = {
            .cause = {.kind = PM_CAUSE_WAKER, .chain = sample->chain, .thread = thread}, .time = 1};
        if (sample->owner == thread && sample->at >= view->from && sample->at <= view->to &&
            is_called_by(r, sample->chain, library))
            g_array_append_val(culprits, culprit);
    }
    pm_culprits_find(r, &none, &none, culprits);
    for (guint i = 0; i < culprits->len; i++) {
        const PmCulprit *culprit = &g_array_index(culprits, PmCulprit, i);
        guint k = 0;
        while (k < finding->n_causes && finding->causes[k].method != culprit->method)
            k++;
        if (k == finding->n_causes) {
            pm_finding_add_cause_from(finding, r, PM_CAUSE_WAKER, thread, culprit->cause.chain,
                                      culprit->frame);
            finding->causes[k].method = culprit->method;
            finding->causes[k].culprit = pm_culprit_name(r, culprit);
            finding->causes[k].share = 0;
        }
        finding->causes[k].share += 1.0 / n_samples;
        known += 1.0 / n_samples;
    }
    for (guint i = 1; i < finding->n_causes; i++)
        for (guint k = i; k > 0 && finding->causes[k].share > finding->causes[k - 1].share; k--) {
            const PmFindingCause less = finding->causes[k - 1];
            finding->causes[k - 1] = finding->causes[k];
            finding->causes[k] = less;
        }
    if (known < 1 - 1e-9) {
        finding->causes = g_renew(PmFindingCause, finding->causes, finding->n_causes + 1);
        finding->causes[finding->n_causes++] =
            (PmFindingCause){.kind = PM_CAUSE_UNKNOWN,
                             .group = PM_GROUP_NONE,
                             .text = g_strdup(pm_cause_pseudo_name(PM_CAUSE_UNKNOWN)),
                             .share = 1 - known};
    }
}

/* Names who makes room, if that is known. */
static void tell_called(const PmSummary *summary, const Loop *loop, PmFinding *finding)
{
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    g_autofree char *library = library_of(r, loop->chain);
    guint n_samples = 0;
    const guint32 thread = library ? called_thread(view, loop, library, &n_samples) : 0;
    if (!thread)
        return;
    finding->severity = PM_SEVERITY_HIGH;
    finding->advice =
        g_strdup("do the slow work elsewhere, or give the buffer more room if it comes "
                 "in bursts");
    g_free(finding->causes[0].text);
    finding->n_causes = 0;
    add_causes(finding, view, thread, library, n_samples);
    const gint64 life = life_of(summary, loop->group);
    const guint n = g_hash_table_size(loop->threads);
    finding->busy_share = life > 0 ? (double)loop->time / (double)life : 0;
    finding->blamed = loop->time;
    g_autofree char *who = pm_summary_group_text(r, loop->group, n);
    g_autofree char *where = pm_label_code(r, loop->chain, 1);
    g_free(finding->title);
    finding->title = g_strdup_printf("%s %s for %.0f %% of the time in %s, because of %s", who,
                                     n == 1 ? "backs off" : "back off", 100 * finding->busy_share,
                                     where, finding->causes[0].culprit);
    pm_evidence_add(
        finding, FALSE,
        g_strdup_printf("the same library calls %s, which was in the program's code in "
                        "%.0f %% of %u samples: it may be what makes room",
                        r->threads[thread].name,
                        100 * (1 - (finding->causes[finding->n_causes - 1].kind == PM_CAUSE_UNKNOWN
                                        ? finding->causes[finding->n_causes - 1].share
                                        : 0)),
                        n_samples));
}

/* ---- all of them ---- */

static PmFinding finding_of(const PmSummary *summary, const Loop *loop)
{
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    const guint n = g_hash_table_size(loop->threads);
    g_autofree char *who = pm_summary_group_text(r, loop->group, n);
    g_autofree char *where = pm_label_code(r, loop->chain, 1);
    PmFinding finding = {.severity = PM_SEVERITY_NOTE,
                         .kind = PM_KIND_PARK,
                         .category = PM_CATEGORY_TIMER,
                         .chain = loop->chain,
                         .thread_time = loop->time,
                         .waits = loop->parks,
                         .longest = loop->longest,
                         .command = g_strdup("--category=timer --by=group,site"),
                         .from = view->from,
                         .to = view->to};
    finding.mean_threads = (double)loop->time / (double)view->known;
    finding.title = g_strdup_printf(
        "%s %s %.0f times a second in %s, left out as idle; what %s for is not recorded", who,
        n == 1 ? "backs off" : "back off", (double)loop->parks / ((double)view->known / 1e9), where,
        n == 1 ? "it waits" : "they wait");
    finding.causes = g_new0(PmFindingCause, 1);
    finding.causes[finding.n_causes++] =
        (PmFindingCause){.kind = PM_CAUSE_UNKNOWN,
                         .group = PM_GROUP_NONE,
                         .text = g_strdup(pm_cause_pseudo_name(PM_CAUSE_UNKNOWN)),
                         .share = 1};
    finding.victims = g_new0(PmVictim, 1);
    finding.victims[finding.n_victims++] = (PmVictim){
        .group = loop->group, .n_threads = n, .thread_time = loop->time, .busy_share = NAN};
    return finding;
}

static int loop_compare(gconstpointer left, gconstpointer right)
{
    const Loop *a = *(const Loop *const *)left, *b = *(const Loop *const *)right;
    if (a->time != b->time)
        return a->time > b->time ? -1 : 1;
    return (a->chain > b->chain) - (a->chain < b->chain);
}

void pm_back_off_find(const PmSearch *search, GArray *findings)
{
    const PmSummary *summary = search->summary;
    const gint *cancel = search->cancel;
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    g_autoptr(GHashTable) loops =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, loop_free);
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    if (view->filter->chips && view->filter->chips->len)
        return;
    const guint8 *marks = marks_of(view->recording);
    const gsize end = pm_waits_before(&r->waits, view->to);
    for (gsize i = 0; i < end; i++) {
        const gsize block = pm_recording_block(r, i);
        if (i == pm_recording_block_begin(r, block)) {
            if (pm_cancelled(cancel))
                return;
            if (!marks[block] || pm_recording_private(r)->block_end[block] <= view->from) {
                i = pm_recording_block_end(r, block) - 1;
                continue;
            }
        }
        if (is_back_off(r, i) && pm_wait_end(&r->waits, i) > view->from)
            add_park(loops, view, (guint32)i);
    }
    GHashTableIter iter;
    gpointer loop;
    g_hash_table_iter_init(&iter, loops);
    while (g_hash_table_iter_next(&iter, NULL, &loop))
        if (matters(summary, loop) && !is_platforms(r, ((const Loop *)loop)->chain))
            g_ptr_array_add(found, loop);
    g_ptr_array_sort(found, loop_compare);
    for (guint i = 0; i < found->len; i++) {
        PmFinding finding = finding_of(summary, g_ptr_array_index(found, i));
        tell_called(summary, g_ptr_array_index(found, i), &finding);
        g_array_append_val(findings, finding);
    }
}

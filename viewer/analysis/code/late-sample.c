#include "viewer/analysis/code/late-sample.h"

#include "viewer/analysis/code/silent-sample.h"
#include "viewer/analysis/base/sum.h"

#define MAX_LATER   8         /* waits of a thread since the one for which another was looked at */
#define MAX_LATE_NS 250000000 /* who is chosen is looked at sooner */

/* Who owns a monitor can often be told only as a thread begins to wait for it. Was that wait over
 * as its owner was looked at? Then that tells nothing of the hold. */
static gboolean is_late(const PmActivity *activity, const PmOwnerSample *sample)
{
    const PmWaits *w = &activity->recording->waits;
    if (sample->role != PM_SAMPLE_OWNER || !sample->waiter)
        return FALSE;
    const guint32 n_waits = pm_activity_n_waits(activity, sample->waiter);
    guint32 nth = pm_activity_first_wait(activity, sample->waiter, sample->at);
    nth += nth < n_waits; /* it may be in the next */
    for (guint looked = 0; nth-- > 0 && looked < MAX_LATER; looked++) {
        const guint32 row = pm_activity_wait(activity, sample->waiter, nth);
        if (pm_wait_blocker(w, row) == sample->blocker && pm_wait_begin(w, row) <= sample->at)
            return pm_wait_kind(w, row) == PM_KIND_ENTER && pm_wait_end(w, row) <= sample->at;
    }
    return FALSE;
}

/* The method in which the sample's waiter waited for its object until before the sample was taken;
 * 0: it waits still, or it is not known. */
static guint32 site_of_ended(const PmActivity *activity, const PmOwnerSample *sample)
{
    const PmWaits *w = &activity->recording->waits;
    if (sample->role != PM_SAMPLE_ENDER || !sample->waiter)
        return 0;
    const guint32 nth = pm_activity_first_wait(activity, sample->waiter, sample->at);
    if (nth < pm_activity_n_waits(activity, sample->waiter)) {
        const guint32 row = pm_activity_wait(activity, sample->waiter, nth);
        if (pm_wait_begin(w, row) <= sample->at && pm_wait_blocker(w, row) == sample->blocker)
            return 0;
    }
    for (guint32 k = nth, looked = 0; k-- > 0 && looked < MAX_LATER; looked++) {
        const guint32 row = pm_activity_wait(activity, sample->waiter, k);
        if (pm_wait_end(w, row) < sample->at - MAX_LATE_NS)
            break;
        if (pm_wait_blocker(w, row) == sample->blocker)
            return pm_recording_site_method(activity->recording, pm_wait_chain(w, row));
    }
    return 0;
}

/* As waits are met in order of their begin. */
typedef struct {
    PmActivity *activity;
    guint32 *sites; /* by sample: as site_of_ended says */
    gint64 *until;  /* by method that is such a site: somebody waits there */
    guint32 next;   /* sample */
} Marking;

/* Marks the samples before `at`, by which all waits that began earlier have been met. */
static void mark_before(Marking *m, gint64 at)
{
    const PmRecording *r = m->activity->recording;
    for (; m->next < r->n_samples && r->samples[m->next].at < at; m->next++) {
        const guint32 site = m->sites[m->next];
        guint8 *use = &m->activity->uses[m->next];
        if (site && *use == PM_SAMPLE_TELLS && m->until[site] <= r->samples[m->next].at)
            *use = PM_SAMPLE_AFTER;
    }
}

/* Marks the samples that have a site at which nobody waits as they are taken. */
static void mark_after(PmActivity *activity, guint32 *sites)
{
    enum { AT_ONCE = 512 };
    const PmRecording *r = activity->recording;
    gint64 begins[AT_ONCE], lengths[AT_ONCE], chains[AT_ONCE];
    g_autofree guint8 *is_site = g_new0(guint8, MAX(r->n_methods, 1));
    g_autofree gint64 *until = g_new(gint64, MAX(r->n_methods, 1));
    Marking m = {activity, sites, until, 0};
    for (guint32 i = 0; i < r->n_methods; i++)
        until[i] = G_MININT64;
    for (guint32 i = 0; i < r->n_samples; i++)
        is_site[sites[i]] = sites[i] != 0;
    for (gsize first = 0; first < r->waits.n; first += AT_ONCE) {
        const gsize n = MIN(r->waits.n - first, AT_ONCE);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_BEGIN, first, n, begins);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_LENGTH, first, n, lengths);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CHAIN, first, n, chains);
        for (gsize i = 0; i < n; i++) {
            const guint32 site = pm_recording_site_method(r, (guint32)chains[i]);
            mark_before(&m, begins[i]);
            if (is_site[site])
                until[site] = MAX(until[site], pm_sum(begins[i], lengths[i]));
        }
    }
    mark_before(&m, G_MAXINT64);
}

void pm_late_samples_mark(PmActivity *activity)
{
    const PmRecording *r = activity->recording;
    g_autofree guint32 *sites = g_new0(guint32, MAX(r->n_samples, 1));
    gboolean any = FALSE;
    for (guint32 i = 0; i < r->n_samples; i++) {
        if (is_late(activity, &r->samples[i])) {
            activity->uses[i] = PM_SAMPLE_LATE;
            continue;
        }
        sites[i] = site_of_ended(activity, &r->samples[i]);
        any |= sites[i] != 0;
    }
    if (any)
        mark_after(activity, sites);
}

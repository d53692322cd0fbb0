#include "viewer/analysis/code/carriers.h"

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/recording/label.h"

#define FAR_NS    1000000000 /* further off in time carriers run something else */
#define MAX_LOOKS 16         /* around an instant */
#define MIN_MORE  4          /* times as often others run as those of one group do not */

struct PmCarriers {
    const PmActivity *activity;
    const PmRecording *recording; /* the activity's, and its own code */
    const PmOwnCode *own;
    GArray *threads; /* of guint32: threads that run virtual ones */
    GArray *samples; /* of guint32: samples of virtual threads in own code, by time */
};

PmCarriers *pm_carriers_new(const PmActivity *activity)
{
    const PmRecording *r = activity->recording;
    PmCarriers *c = g_new0(PmCarriers, 1);
    *c = (PmCarriers){.activity = activity,
                      .recording = r,
                      .own = pm_own_code(r),
                      .threads = g_array_new(FALSE, FALSE, sizeof(guint32)),
                      .samples = g_array_new(FALSE, FALSE, sizeof(guint32))};
    for (guint32 t = 1; t < r->n_threads; t++)
        if (pm_label_is_carrier(&r->threads[t]))
            g_array_append_val(c->threads, t);
    for (guint32 i = 0; i < r->n_samples; i++)
        if (r->threads[r->samples[i].owner].is_virtual && r->samples[i].role == PM_SAMPLE_ENDER &&
            pm_own_frame(c->own, r->samples[i].chain) >= 0)
            g_array_append_val(c->samples, i);
    return c;
}

void pm_carriers_free(PmCarriers *carriers)
{
    if (!carriers)
        return;
    g_array_unref(carriers->threads);
    g_array_unref(carriers->samples);
    g_free(carriers);
}

gint64 pm_carriers_until(const PmCarriers *c, gint64 at, gint64 end, gboolean *ret_busy)
{
    const PmWaits *w = &c->recording->waits;
    gint64 one_rests = G_MAXINT64, none_rests = at;
    for (guint i = 0; i < c->threads->len; i++) {
        const guint32 carrier = g_array_index(c->threads, guint32, i);
        const guint32 nth = pm_activity_first_wait(c->activity, carrier, at);
        if (nth >= pm_activity_n_waits(c->activity, carrier))
            continue;
        const guint32 row = pm_activity_wait(c->activity, carrier, nth);
        if (pm_wait_begin(w, row) > at)
            one_rests = MIN(one_rests, pm_wait_begin(w, row));
        else
            none_rests = MAX(none_rests, pm_wait_end(w, row));
    }
    *ret_busy = c->threads->len > 0 && none_rests == at;
    return c->threads->len ? MIN(*ret_busy ? one_rests : none_rests, end) : end;
}

static const PmOwnerSample *virtual_sample(const PmCarriers *c, guint nth)
{
    return &c->recording->samples[g_array_index(c->samples, guint32, nth)];
}

/* Of the samples of virtual threads before and after `at` the nearest to it that was not met yet;
 * NULL: there is none so near. `low`, `high`: what lies between was met. */
static const PmOwnerSample *next_nearest(const PmCarriers *c, gint64 at, gint64 far, guint *low,
                                         guint *high)
{
    const PmOwnerSample *before = *low ? virtual_sample(c, *low - 1) : NULL,
                        *after = *high < c->samples->len ? virtual_sample(c, *high) : NULL;
    if (before && (!after || at - before->at <= after->at - at)) {
        --*low;
        return at - before->at <= far ? before : NULL;
    }
    ++*high;
    return after && after->at - at <= far ? after : NULL;
}

/* The outermost method of the program's own code; 0: there is none. */
static guint32 outermost(const PmCarriers *c, guint32 chain)
{
    const PmRecording *r = c->recording;
    guint32 method = 0;
    for (gint f = pm_own_frame(c->own, chain); f >= 0; f = pm_own_next(c->own, r, chain, f))
        method = r->chains[chain].frames[f].method;
    return method;
}

/* Does the sample show one of the thread's group, that does what the thread does? Without names
 * all are of one group. */
static gboolean is_like(const PmCarriers *c, const PmOwnerSample *sample, guint32 thread,
                        guint32 outer)
{
    const PmRecording *r = c->recording;
    return r->threads[sample->owner].group == r->threads[thread].group &&
           (!outer || pm_recording_has_method(r, sample->chain, outer));
}

const PmOwnerSample *pm_carriers_seen_running(const PmCarriers *c, guint32 thread, guint32 chain,
                                              gint64 at)
{
    const guint32 outer = outermost(c, chain);
    guint low = 0, high = c->samples->len, running = 0, resting = 0;
    const PmOwnerSample *nearest = NULL, *sample;
    PM_LOWER_BOUND(low, high, middle, virtual_sample(c, (guint)middle)->at < at)
    high = low;
    for (guint i = 0; i < MAX_LOOKS && (sample = next_nearest(c, at, FAR_NS, &low, &high)); i++) {
        const gboolean like = is_like(c, sample, thread, outer);
        const gboolean runs = sample->state == PM_OWNER_RUNNING;
        resting += like && !runs;
        running += !like && runs;
        if (!nearest && (like || runs))
            nearest = sample;
    }
    return running >= MIN_MORE * (resting + 1) ? nearest : NULL;
}

const PmOwnerSample *pm_carriers_nearest_virtual(const PmCarriers *c, guint32 row, gint64 at)
{
    const PmRecording *r = c->recording;
    const guint32 waits = pm_wait_chain(&r->waits, row);
    guint low = 0, high = c->samples->len;
    const PmOwnerSample *sample;
    PM_LOWER_BOUND(low, high, middle, virtual_sample(c, (guint)middle)->at < at)
    high = low;
    for (guint i = 0; i < MAX_LOOKS && (sample = next_nearest(c, at, G_MAXINT64, &low, &high));
         i++) {
        const gint own = pm_own_frame(c->own, sample->chain);
        if (!pm_recording_has_method(r, waits, r->chains[sample->chain].frames[own].method))
            return sample;
    }
    return NULL;
}

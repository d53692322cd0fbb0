/* What carriers run. While none of them runs a virtual thread that has work, nothing tells of that
 * one: what others were seen at meanwhile does. */
#include "viewer/analysis/causes/contention-private.h"

#include "viewer/analysis/base/search.h"
#include "viewer/analysis/recording/label.h"

#define FAR_NS    1000000000 /* further off in time carriers run something else */
#define MAX_LOOKS 16         /* around an instant */
#define MIN_MORE  4          /* times as often others run as those of one group do not */

void pm_contention_find_carriers(PmContention *c)
{
    const PmRecording *r = c->recording;
    c->carriers = g_array_new(FALSE, FALSE, sizeof(guint32));
    c->virtual_samples = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 t = 1; t < r->n_threads; t++)
        if (pm_label_is_carrier(&r->threads[t]))
            g_array_append_val(c->carriers, t);
    for (guint32 i = 0; i < r->n_samples; i++)
        if (r->threads[r->samples[i].owner].is_virtual && r->samples[i].role == PM_SAMPLE_ENDER &&
            pm_own_frame(c->own, r->samples[i].chain) >= 0)
            g_array_append_val(c->virtual_samples, i);
}

gint64 pm_contention_carriers_until(const PmContention *c, gint64 at, gint64 end,
                                    gboolean *ret_busy)
{
    const PmWaits *w = &c->recording->waits;
    gint64 one_rests = G_MAXINT64, none_rests = at;
    for (guint i = 0; i < c->carriers->len; i++) {
        const guint32 carrier = g_array_index(c->carriers, guint32, i);
        const guint32 nth = pm_activity_first_wait(c->activity, carrier, at);
        if (nth >= pm_activity_n_waits(c->activity, carrier))
            continue;
        const guint32 row = pm_activity_wait(c->activity, carrier, nth);
        if (pm_wait_begin(w, row) > at)
            one_rests = MIN(one_rests, pm_wait_begin(w, row));
        else
            none_rests = MAX(none_rests, pm_wait_end(w, row));
    }
    *ret_busy = c->carriers->len > 0 && none_rests == at;
    return c->carriers->len ? MIN(*ret_busy ? one_rests : none_rests, end) : end;
}

static const PmOwnerSample *virtual_sample(const PmContention *c, guint nth)
{
    return &c->recording->samples[g_array_index(c->virtual_samples, guint32, nth)];
}

/* Of the samples of virtual threads before and after `at` the nearest to it that was not met yet;
 * NULL: there is none so near. `low`, `high`: what lies between was met. */
static const PmOwnerSample *next_nearest(const PmContention *c, gint64 at, gint64 far, guint *low,
                                         guint *high)
{
    const PmOwnerSample *before = *low ? virtual_sample(c, *low - 1) : NULL,
                        *after = *high < c->virtual_samples->len ? virtual_sample(c, *high) : NULL;
    if (before && (!after || at - before->at <= after->at - at)) {
        --*low;
        return at - before->at <= far ? before : NULL;
    }
    ++*high;
    return after && after->at - at <= far ? after : NULL;
}

/* The outermost method of the program's own code; 0: there is none. */
static guint32 outermost(const PmContention *c, guint32 chain)
{
    const PmRecording *r = c->recording;
    guint32 method = 0;
    for (gint f = pm_own_frame(c->own, chain); f >= 0; f = pm_own_next(c->own, r, chain, f))
        method = r->chains[chain].frames[f].method;
    return method;
}

/* Does the sample show one of the thread's group, that does what the thread does? Without names
 * all are of one group. */
static gboolean is_like(const PmContention *c, const PmOwnerSample *sample, guint32 thread,
                        guint32 outer)
{
    const PmRecording *r = c->recording;
    return r->threads[sample->owner].group == r->threads[thread].group &&
           (!outer || pm_recording_has_method(r, sample->chain, outer));
}

const PmOwnerSample *pm_contention_on_carriers(const PmContention *c, const PmPart *part, gint64 at)
{
    const guint32 outer = outermost(c, part->chain);
    guint low = 0, high = c->virtual_samples->len, running = 0, resting = 0;
    const PmOwnerSample *nearest = NULL, *sample;
    PM_LOWER_BOUND(low, high, middle, virtual_sample(c, (guint)middle)->at < at)
    high = low;
    for (guint i = 0; i < MAX_LOOKS && (sample = next_nearest(c, at, FAR_NS, &low, &high)); i++) {
        const gboolean like = is_like(c, sample, part->thread, outer);
        const gboolean runs = sample->state == PM_OWNER_RUNNING;
        resting += like && !runs;
        running += !like && runs;
        if (!nearest && (like || runs))
            nearest = sample;
    }
    return running >= MIN_MORE * (resting + 1) ? nearest : NULL;
}

const PmOwnerSample *pm_contention_nearest_virtual(const PmContention *c, guint32 row, gint64 at)
{
    const PmRecording *r = c->recording;
    const guint32 waits = pm_wait_chain(&r->waits, row);
    guint low = 0, high = c->virtual_samples->len;
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

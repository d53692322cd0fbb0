#include "viewer/analysis/causes/activity.h"

#include "viewer/analysis/recording/search.h"

/* Makes positions out of counts: [n] → [0, n, …]. */
static void sum_up(guint32 *starts, guint n)
{
    guint32 total = 0;
    for (guint i = 0; i <= n; i++) {
        guint32 here = i < n ? starts[i] : 0;
        starts[i] = total;
        total += here;
    }
}

/* `before` and `row` are waits of one thread that follow each other. */
static gboolean is_again(const PmWaits *w, guint32 before, guint32 row)
{
    return pm_wait_blocker(w, before) == pm_wait_blocker(w, row) &&
           pm_wait_begin(w, row) - pm_wait_end(w, before) <= PM_ACTIVITY_REPARK_NS;
}

PmActivity *pm_activity_new(const PmRecording *recording, const gint *cancel)
{
    const PmWaits *w = &recording->waits;
    PmActivity *activity = g_new0(PmActivity, 1);
    activity->recording = recording;
    activity->wait_starts = g_new0(guint32, recording->n_threads + 1);
    activity->sample_starts = g_new0(guint32, recording->n_threads + 1);
    activity->waits = g_new(guint32, MAX(w->n, 1));
    activity->samples = g_new(guint32, MAX(recording->n_samples, 1));
    activity->repeated = g_new0(guint8, w->n / 8 + 1);
    for (gsize i = 0; i < w->n; i++)
        activity->wait_starts[pm_wait_thread(w, i)]++;
    for (guint i = 0; i < recording->n_samples; i++)
        activity->sample_starts[recording->samples[i].owner]++;
    sum_up(activity->wait_starts, recording->n_threads);
    sum_up(activity->sample_starts, recording->n_threads);
    g_autofree guint32 *fill =
        g_memdup2(activity->wait_starts, (recording->n_threads + 1) * sizeof(guint32));
    for (gsize i = 0; i < w->n; i++) {
        if (cancel && (i & 65535) == 0 && g_atomic_int_get(cancel)) {
            pm_activity_free(activity);
            return NULL;
        }
        guint32 thread = pm_wait_thread(w, i), position = fill[thread]++;
        activity->waits[position] = (guint32)i;
        if (position > activity->wait_starts[thread]) {
            guint32 before = activity->waits[position - 1];
            activity->repeated[before / 8] |=
                (guint8)(is_again(w, before, (guint32)i) << before % 8);
        }
    }
    g_autofree guint32 *fill_samples =
        g_memdup2(activity->sample_starts, (recording->n_threads + 1) * sizeof(guint32));
    for (guint i = 0; i < recording->n_samples; i++)
        activity->samples[fill_samples[recording->samples[i].owner]++] = i;
    return activity;
}

void pm_activity_free(PmActivity *activity)
{
    if (!activity)
        return;
    g_free(activity->wait_starts);
    g_free(activity->waits);
    g_free(activity->sample_starts);
    g_free(activity->samples);
    g_free(activity->repeated);
    g_free(activity);
}

guint32 pm_activity_first_wait(const PmActivity *activity, guint32 thread, gint64 at)
{
    const PmWaits *w = &activity->recording->waits;
    guint32 low = activity->wait_starts[thread], high = activity->wait_starts[thread + 1];
    PM_LOWER_BOUND(low, high, middle, pm_wait_end(w, activity->waits[middle]) <= at)
    return low;
}

guint32 pm_activity_nearest_sample(const PmActivity *activity, guint32 thread, gint64 from,
                                   gint64 to, gint64 distance)
{
    const PmOwnerSample *samples = activity->recording->samples;
    guint32 first = activity->sample_starts[thread], end = activity->sample_starts[thread + 1];
    guint32 low = first, high = end;
    PM_LOWER_BOUND(low, high, middle, samples[activity->samples[middle]].at < from)
    const PmOwnerSample *after = low < end ? &samples[activity->samples[low]] : NULL;
    const PmOwnerSample *before = low > first ? &samples[activity->samples[low - 1]] : NULL;
    gint64 to_after = after ? MAX(after->at - to, 0) : G_MAXINT64;
    gint64 to_before = before ? from - before->at : G_MAXINT64;
    const PmOwnerSample *nearest = to_after <= to_before ? after : before;
    return nearest && MIN(to_after, to_before) <= distance ? nearest->chain : 0;
}

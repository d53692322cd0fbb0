#include "viewer/analysis/aggregation/thread-time.h"

#include "viewer/analysis/aggregation/intervals.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/sum.h"

gint64 pm_thread_time_waiting(const PmThreadTime *time)
{
    gint64 sum = 0;

    for (guint f = 0; f < PM_N_FAMILIES; f++)
        if (f != PM_FAMILY_IDLE)
            pm_sum_add(&sum, time->family[f]);
    return sum;
}

/* Index 0 of every table is "none", and so no thread. */
static void add_lives(PmThreadTimes *times, const PmIntervals *unknown)
{
    const PmRecording *recording = times->view->recording;

    for (guint32 t = 1; t < times->n_threads; t++) {
        const PmThread *thread = &recording->threads[t];
        PmThreadTime *group = &times->groups[thread->group];
        const gint64 begin = MAX(thread->begin, times->view->from);
        const gint64 end = MIN(thread->end, times->view->to);
        times->threads[t].life = MAX(end - begin, 0);
        times->threads[t].known = times->threads[t].life - pm_intervals_within(unknown, begin, end);
        pm_sum_add(&group->life, times->threads[t].life);
        pm_sum_add(&group->known, times->threads[t].known);
        if (pm_thread_is_within(thread, times->view->from, times->view->to))
            times->n_of_group[thread->group]++;
    }
    for (guint g = 0; g < times->n_groups; g++)
        times->of_group[g] = g_new(guint32, times->n_of_group[g] + 1);
    g_autofree guint32 *filled = g_new0(guint32, times->n_groups + 1);
    for (guint32 t = 1; t < times->n_threads; t++) {
        const PmThread *thread = &recording->threads[t];
        if (pm_thread_is_within(thread, times->view->from, times->view->to))
            times->of_group[thread->group][filled[thread->group]++] = t;
    }
}

PmThreadTimes *pm_thread_times_new(PmView *view, const gint *cancel)
{
    g_return_val_if_fail(view != NULL, NULL);
    const PmRecording *recording = view->recording;
    const PmWaits *waits = &recording->waits;
    PmThreadTimes *times = g_new0(PmThreadTimes, 1);
    g_autoptr(PmIntervals) unknown = pm_intervals_new_unknown(recording);

    *times = (PmThreadTimes){.view = pm_view_ref(view),
                             .n_threads = recording->n_threads,
                             .n_groups = recording->n_groups,
                             .threads = g_new0(PmThreadTime, recording->n_threads + 1),
                             .groups = g_new0(PmThreadTime, recording->n_groups + 1),
                             .n_of_group = g_new0(guint32, recording->n_groups + 1),
                             .of_group = g_new0(guint32 *, recording->n_groups + 1)};
    add_lives(times, unknown);
    for (gsize i = 0; i < view->n; i++) {
        if (i % 65536 == 0 && pm_cancelled(cancel)) {
            pm_thread_times_free(times);
            return NULL;
        }
        const guint32 row = pm_view_row(view, i), t = pm_wait_thread(waits, row);
        PmThreadTime *both[] = {&times->threads[t], &times->groups[recording->threads[t].group]};
        const PmFamily family = pm_category_family(pm_wait_category(waits, row));
        const gint64 time = pm_view_clip(view, row);
        const gint64 begin = MAX(pm_wait_begin(waits, row), view->from);
        const gint64 seen = pm_intervals_within(unknown, begin, begin + time);
        for (guint j = 0; j < G_N_ELEMENTS(both); j++) {
            both[j]->waits += family != PM_FAMILY_IDLE;
            pm_sum_add(&both[j]->family[family], time);
            pm_sum_add(&both[j]->known, seen);
            if (family != PM_FAMILY_IDLE && time > both[j]->longest) {
                both[j]->longest = time;
                both[j]->longest_row = row;
            }
        }
    }
    return times;
}

void pm_thread_times_free(PmThreadTimes *times)
{
    if (!times)
        return;
    for (guint g = 0; g < times->n_groups; g++)
        g_free(times->of_group[g]);
    g_free(times->of_group);
    g_free(times->n_of_group);
    g_free(times->groups);
    g_free(times->threads);
    pm_view_unref(times->view);
    g_free(times);
}

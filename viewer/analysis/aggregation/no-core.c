#include "viewer/analysis/aggregation/no-core.h"

#include "viewer/analysis/base/sum.h"

#define MIN_ROWS 3

static gboolean is_within(const PmView *view, const PmCensusRow *row)
{
    return row->at > view->from && row->at <= view->to;
}

/* How long the census looked, within the view's range. */
static double counted_time(const PmView *view)
{
    const PmRecording *r = view->recording;
    gint64 first = G_MAXINT64, last = G_MININT64;
    for (guint i = 0; i < r->n_census; i++)
        if (is_within(view, &r->census[i])) {
            first = MIN(first, r->census[i].since);
            last = MAX(last, r->census[i].at);
        }
    return first < last ? (double)pm_difference(last, first) : 0;
}

PmNoCore pm_no_core(const PmView *view, guint32 group)
{
    const PmRecording *r = view->recording;
    gint64 cpu = 0, delay = 0;
    guint n = 0;
    for (guint i = 0; i < r->n_census; i++) {
        const PmCensusRow *row = &r->census[i];
        if (!is_within(view, row) || r->threads[row->thread].group != group)
            continue;
        pm_sum_add(&cpu, row->cpu);
        pm_sum_add(&delay, row->run_delay);
        n++;
    }
    gint64 runnable = pm_sum(cpu, delay);
    double time = counted_time(view);
    if (n < MIN_ROWS || runnable <= 0 || time <= 0)
        return (PmNoCore){0};
    return (PmNoCore){.of_runnable = (double)delay / (double)runnable,
                      .threads = (double)delay / time};
}

gboolean pm_no_core_most(const PmView *view, guint32 *ret_group, double *ret_share,
                         double *ret_processors)
{
    const PmRecording *r = view->recording;
    g_autofree gint64 *cpu = g_new0(gint64, MAX(r->n_groups, 1));
    gint64 all = 0;
    for (guint i = 0; i < r->n_census; i++) {
        const PmCensusRow *row = &r->census[i];
        if (!is_within(view, row))
            continue;
        pm_sum_add(&cpu[r->threads[row->thread].group], row->cpu);
        pm_sum_add(&all, row->cpu);
    }
    *ret_group = 0;
    for (guint g = 1; g < r->n_groups; g++)
        if (cpu[g] > cpu[*ret_group])
            *ret_group = g;
    double time = counted_time(view);
    *ret_share = all > 0 ? (double)cpu[*ret_group] / (double)all : 0;
    *ret_processors = time > 0 ? (double)all / time : 0;
    return all > 0;
}

#include "viewer/analysis/aggregation/lane.h"
#include "viewer/analysis/base/cancel.h"

/* A wait adds (share of the slice) to its first and last slice and 1 to all between; those between
 * are two steps of a difference that is summed up once per lane at the end. */
static void lane_add(float *mean, float *step, guint n, double slice_ns, double begin, double end,
                     guint family)
{
    double b = begin / slice_ns, e = end / slice_ns;
    guint first = MIN((guint)b, n - 1), last = MIN((guint)e, n - 1);

    if (first == last) {
        mean[first * PM_N_FAMILIES + family] += (float)(e - b);
        return;
    }
    mean[first * PM_N_FAMILIES + family] += (float)(first + 1 - b);
    mean[last * PM_N_FAMILIES + family] += (float)(e - last);
    if (last > first + 1) {
        step[(first + 1) * PM_N_FAMILIES + family] += 1;
        step[last * PM_N_FAMILIES + family] -= 1;
    }
}

PmLanes *pm_lanes_new(const PmView *view, PmLaneOf of, gint of_group, gint64 from, gint64 to,
                      guint n_slices, const gint *cancel)
{
    g_return_val_if_fail(view != NULL && n_slices > 0, NULL);
    const PmRecording *recording = view->recording;
    const PmWaits *waits = &recording->waits;
    const guint n_cells = n_slices * PM_N_FAMILIES;
    guint n_lanes = 0;

    if (to <= from)
        to = from + 1;
    switch (of) {
    case PM_LANE_GROUP:
        n_lanes = recording->n_groups;
        break;
    case PM_LANE_THREAD:
        n_lanes = recording->n_threads;
        break;
    case PM_LANE_BLOCKER:
    case PM_LANE_ALIKE:
        n_lanes = recording->n_blockers;
        break;
    }
    PmLanes *lanes = g_new0(PmLanes, 1);
    *lanes = (PmLanes){.of = of,
                       .from = from,
                       .to = to,
                       .n_slices = n_slices,
                       .n_lanes = n_lanes,
                       .lanes = g_new0(float *, n_lanes + 1)};
    const double slice_ns = (double)(to - from) / n_slices;

    for (gsize i = 0; i < view->n; i++) {
        if (i % 65536 == 0 && pm_cancelled(cancel)) {
            pm_lanes_free(lanes);
            return NULL;
        }
        const guint32 row = pm_view_row(view, i);
        const gint64 begin = MAX(pm_wait_begin(waits, row), from),
                     end = MIN(pm_wait_end(waits, row), to);
        if (end < begin || (end == begin && pm_wait_end(waits, row) != pm_wait_begin(waits, row)) ||
            begin >= to)
            continue;
        const guint32 thread = pm_wait_thread(waits, row);
        const guint32 group = recording->threads[thread].group;
        if (of_group >= 0 && group != (guint32)of_group)
            continue;
        const guint32 blocker = pm_wait_blocker(waits, row);
        const guint32 lane = of == PM_LANE_GROUP    ? group
                             : of == PM_LANE_THREAD ? thread
                             : of == PM_LANE_ALIKE
                                 ? (guint32)pm_aspects[PM_ASPECT_ALIKE].key(recording, blocker)
                                 : blocker;
        /* Means, then the steps behind them. */
        if (!lanes->lanes[lane])
            lanes->lanes[lane] = g_new0(float, 2 * (gsize)n_cells);
        lane_add(lanes->lanes[lane], lanes->lanes[lane] + n_cells, n_slices, slice_ns,
                 (double)(begin - from), (double)(MAX(end, begin + 1) - from),
                 pm_category_family(pm_wait_category(waits, row)));
    }
    for (guint l = 0; l < n_lanes; l++) {
        float *mean = lanes->lanes[l];
        if (!mean)
            continue;
        for (guint f = 0; f < PM_N_FAMILIES; f++) {
            float running = 0;
            for (guint s = 0; s < n_slices; s++) {
                running += mean[n_cells + s * PM_N_FAMILIES + f];
                mean[s * PM_N_FAMILIES + f] += running;
            }
        }
        lanes->lanes[l] = g_renew(float, mean, n_cells);
    }
    return lanes;
}

void pm_lanes_free(PmLanes *lanes)
{
    if (!lanes)
        return;
    for (guint l = 0; l < lanes->n_lanes; l++)
        g_free(lanes->lanes[l]);
    g_free(lanes->lanes);
    g_free(lanes);
}

double pm_lanes_mean(const PmLanes *lanes, guint lane, guint slice, guint family)
{
    double sum = 0;

    if (lane >= lanes->n_lanes || !lanes->lanes[lane] || slice >= lanes->n_slices)
        return 0;
    const float *means = lanes->lanes[lane] + slice * PM_N_FAMILIES;
    if (family < PM_N_FAMILIES)
        return means[family];
    for (guint f = 0; f < PM_N_FAMILIES; f++)
        if (f != PM_FAMILY_IDLE)
            sum += means[f];
    return sum;
}

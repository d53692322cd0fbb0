#include "viewer/analysis/aggregation/hold.h"

#include <math.h>

PmMeasuredHold pm_hold_measure_by(const PmContention *contention, const PmRecording *recording,
                                  guint32 blocker, guint32 method, gint64 from, gint64 to)
{
    g_autoptr(GArray) holds = g_array_new(FALSE, FALSE, sizeof(PmHold));
    PmMeasuredHold result = {0};
    double squares = 0;

    if (!contention)
        return result;
    pm_contention_holds(contention, blocker, holds);
    for (guint i = 0; i < holds->len; i++) {
        const PmHold *hold = &g_array_index(holds, PmHold, i);
        if (!hold->exact || hold->begin < from || hold->end > to)
            continue;
        if (method && (!hold->chain || !pm_recording_has_method(recording, hold->chain, method)))
            continue;
        /* Welford: exact for many samples of nearly the same length. */
        double ns = (double)(hold->end - hold->begin), delta = ns - result.mean;
        result.n++;
        result.mean += delta / result.n;
        squares += delta * (ns - result.mean);
    }
    if (result.n > 1)
        result.spread = sqrt(squares / (result.n - 1));
    return result;
}

PmMeasuredHold pm_hold_measure(const PmContention *contention, guint32 blocker, gint64 from,
                               gint64 to)
{
    return pm_hold_measure_by(contention, NULL, blocker, 0, from, to);
}

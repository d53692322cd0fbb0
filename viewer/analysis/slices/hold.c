#include "viewer/analysis/slices/hold.h"

#include <math.h>

typedef struct {
    const PmRecording *recording;
    guint32 method; /* within which the hold ended; 0: anywhere */
    gint64 from, to;
    PmMeasuredHold result;
    double squares;
} Measuring;

static void add_hold(const PmHold *hold, gpointer data)
{
    Measuring *m = data;
    if (!hold->exact || hold->begin < m->from || hold->end > m->to)
        return;
    if (m->method &&
        (!hold->chain || !pm_recording_has_method(m->recording, hold->chain, m->method)))
        return;
    /* Welford: exact for many samples of nearly the same length. */
    double ns = (double)(hold->end - hold->begin), delta = ns - m->result.mean;
    m->result.n++;
    m->result.mean += delta / m->result.n;
    m->squares += delta * (ns - m->result.mean);
}

PmMeasuredHold pm_hold_measure_by(const PmContention *contention, const PmRecording *recording,
                                  guint32 blocker, guint32 method, gint64 from, gint64 to)
{
    Measuring m = {recording, method, from, to, {0}, 0};

    if (contention)
        pm_contention_each_hold(contention, blocker, from, to, add_hold, &m);
    if (m.result.n > 1)
        m.result.spread = sqrt(m.squares / (m.result.n - 1));
    return m.result;
}

PmMeasuredHold pm_hold_measure(const PmContention *contention, guint32 blocker, gint64 from,
                               gint64 to)
{
    return pm_hold_measure_by(contention, NULL, blocker, 0, from, to);
}

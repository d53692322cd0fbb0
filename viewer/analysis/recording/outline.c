#include "viewer/analysis/recording/outline.h"

/* Between this and twice as many slices: about a pixel each. */
#define LEAST_SLICES 1024

PmOutlineSums *pm_outline_sums_new(gint64 from, gint64 to)
{
    PmOutlineSums *sums = g_new0(PmOutlineSums, 1);

    sums->from = from;
    sums->to = MAX(to, from + 1);
    while (((guint64)(sums->to - from) >> sums->shift) >= 2 * LEAST_SLICES)
        sums->shift++;
    sums->n = (guint)((guint64)(sums->to - from) >> sums->shift) + 1;
    sums->sums = g_new0(gint64, sums->n);
    sums->steps = g_new0(gint32, sums->n + 1);
    sums->read = g_new0(gint64, sums->n);
    return sums;
}

void pm_outline_sums_free(PmOutlineSums *sums)
{
    if (!sums)
        return;
    g_free(sums->sums);
    g_free(sums->steps);
    g_free(sums->read);
    g_free(sums->guesses);
    g_free(sums->guess_steps);
    g_free(sums);
}

void pm_outline_sums_mark(PmOutlineSums *sums, gint64 begin, gint64 end)
{
    begin = CLAMP(begin, sums->from, sums->to) - sums->from;
    end = CLAMP(end, sums->from + begin, sums->to) - sums->from;
    for (gsize i = (gsize)begin >> sums->shift; i <= (gsize)end >> sums->shift; i++)
        pm_sum_add(&sums->read[i], MIN(end, (gint64)((i + 1) << sums->shift)) -
                                       MAX(begin, (gint64)(i << sums->shift)));
}

void pm_outline_sums_guess(PmOutlineSums *sums, gint64 begin, gint64 end, gint64 thread_time)
{
    const double threads = (double)thread_time / MAX((double)end - (double)begin, 1);

    begin = MAX(begin, sums->from) - sums->from;
    end = MIN(end, sums->to) - sums->from;
    if (end <= begin)
        return;
    if (!sums->guesses) {
        sums->guesses = g_new0(double, sums->n);
        sums->guess_steps = g_new0(double, sums->n + 1);
        sums->guess_to = sums->from;
    }
    sums->guess_to = MAX(sums->guess_to, sums->from + end);
    const gsize first = (gsize)begin >> sums->shift, last = (gsize)end >> sums->shift;
    if (first == last) {
        sums->guesses[first] += threads * (double)(end - begin);
        return;
    }
    sums->guesses[first] += threads * (double)((gint64)((first + 1) << sums->shift) - begin);
    sums->guesses[last] += threads * (double)(end - (gint64)(last << sums->shift));
    sums->guess_steps[first + 1] += threads;
    sums->guess_steps[last] -= threads;
}

void pm_outline_sums_join(PmOutlineSums *sums, const PmOutlineSums *more)
{
    for (guint i = 0; i < sums->n; i++) {
        pm_sum_add(&sums->sums[i], more->sums[i]);
        sums->steps[i] += more->steps[i];
        pm_sum_add(&sums->read[i], more->read[i]);
    }
}

PmOutline *pm_outline_new(const PmOutlineSums *sums, double part)
{
    PmOutline *outline = g_new0(PmOutline, 1);
    gint64 whole = 0;
    double guess = 0;

    outline->ref_count = 1;
    outline->from = sums->from;
    outline->to = sums->to;
    outline->slice = G_GINT64_CONSTANT(1) << sums->shift;
    outline->n = sums->n;
    outline->part = part;
    outline->means = g_new(float, sums->n);
    for (guint i = 0; i < sums->n; i++) {
        const gint64 begin = sums->from + (gint64)i * outline->slice;
        const gint64 length = MAX(MIN(outline->slice, sums->to - begin), 1);
        whole += sums->steps[i];
        outline->means[i] = -1;
        /* Part of a slice would look like few threads; in the end, a part is all there is. */
        if (part >= 1 ? sums->read[i] > 0 : sums->read[i] >= length - length / 64)
            outline->means[i] = (float)((double)whole + (double)sums->sums[i] / (double)length);
        if (!sums->guesses || part >= 1)
            continue;
        guess += sums->guess_steps[i];
        if (outline->means[i] < 0 && begin + length <= sums->guess_to) {
            outline->means[i] = (float)MAX(guess + sums->guesses[i] / (double)length, 0);
            outline->estimated = TRUE;
        }
    }
    return outline;
}

PmOutline *pm_outline_ref(PmOutline *outline)
{
    g_atomic_int_inc(&outline->ref_count);
    return outline;
}

void pm_outline_unref(PmOutline *outline)
{
    if (!outline || !g_atomic_int_dec_and_test(&outline->ref_count))
        return;
    g_free(outline->means);
    g_free(outline);
}

/* A first picture of a recording, before its waits are in memory: how many threads waited, without
 * idle ones, as means of equal time slices. It includes the waits that ended in the parts read so
 * far; means are exact where everything was read, without the peaks in between. Where nothing has
 * been read yet, they are estimates from the counters that the recorder writes between the waits.
 */
#pragma once

#include "viewer/analysis/base/sum.h"

/* Sums to which waits are added, one thread at a time. Slices have a power of two as length, so
 * that finding one is a shift. */
typedef struct {
    gint64 from, to; /* since the recording's begin */
    guint shift;     /* a slice is 1 << shift ns */
    guint n;
    gint64 *sums;  /* partial amounts in the slices where a wait begins and ends */
    gint32 *steps; /* +1 where whole slices begin, −1 behind them; n + 1 */
    gint64 *read;  /* of what was recorded then, how much was read */
    /* Sums and steps for estimates, up to guess_to; NULL: there are none. */
    double *guesses, *guess_steps;
    gint64 guess_to;
} PmOutlineSums;

PmOutlineSums *pm_outline_sums_new(gint64 from, gint64 to);
void pm_outline_sums_free(PmOutlineSums *sums);
/* Everything recorded from `begin` to `end` has been read. */
void pm_outline_sums_mark(PmOutlineSums *sums, gint64 begin, gint64 end);
/* An estimate: `thread_time` of waiting, evenly spread from `begin` to `end`. */
void pm_outline_sums_guess(PmOutlineSums *sums, gint64 begin, gint64 end, gint64 thread_time);
/* Of the same times; without estimates. */
void pm_outline_sums_join(PmOutlineSums *sums, const PmOutlineSums *more);

static inline void pm_outline_sums_add(PmOutlineSums *sums, gint64 begin, gint64 end)
{
    begin = MAX(begin, sums->from) - sums->from;
    end = MIN(end, sums->to) - sums->from;
    if (end <= begin)
        return;
    const gsize first = (gsize)begin >> sums->shift, last = (gsize)end >> sums->shift;
    if (first == last) {
        pm_sum_add(&sums->sums[first], end - begin);
        return;
    }
    pm_sum_add(&sums->sums[first], (gint64)((first + 1) << sums->shift) - begin);
    pm_sum_add(&sums->sums[last], end - (gint64)(last << sums->shift));
    sums->steps[first + 1]++;
    sums->steps[last]--;
}

/* Immutable, counted. */
typedef struct {
    int ref_count;
    gint64 from, to;
    gint64 slice; /* ns; the last one may reach behind `to` */
    guint n;
    float *means;       /* threads; < 0: not known yet */
    gboolean estimated; /* some of them are estimates */
    double part;        /* of the chunks, how much was read: 1 = all */
} PmOutline;

PmOutline *pm_outline_new(const PmOutlineSums *sums, double part);
PmOutline *pm_outline_ref(PmOutline *outline);
void pm_outline_unref(PmOutline *outline);

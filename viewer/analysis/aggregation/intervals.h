/* Intervals of time that may overlap: how much they cover, in total or of another interval. */
#pragma once

#include "viewer/analysis/recording/recording.h"

typedef struct PmIntervals PmIntervals;

/* Of PmInterval, which are sorted in place. O(n log n) */
PmIntervals *pm_intervals_new(GArray *intervals);
/* When threads cannot be told to wait or to run: the recorder was stopped or only counted, its file
 * could not be written, or that part of it was not or cannot be read. */
PmIntervals *pm_intervals_new_unknown(const PmRecording *recording);
void pm_intervals_free(PmIntervals *intervals);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmIntervals, pm_intervals_free)
/* How much of [begin, end) they cover; 0 if that is empty. O(log n) */
gint64 pm_intervals_within(const PmIntervals *intervals, gint64 begin, gint64 end);

typedef struct {
    gint64 n, time, longest; /* those that overlap the range, clipped to it */
} PmIntervalSum;

/* For intervals ordered by begin; overlaps count for the first. O(n) */
PmIntervalSum pm_interval_sum(const PmInterval *intervals, guint n, gint64 from, gint64 to);

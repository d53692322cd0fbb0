/* Asking all waits of a huge recording for their causes takes minutes and gigabytes. What stands
 * for a view of one: a view, with the same filter, of an excerpt of its recording
 * (recording/excerpt.h). Ids are the same; shares are estimates, and times and counts are to be
 * multiplied by pm_view_weight. All are borrowed from the view; NULL when cancelled. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"

/* A recording of more waits is huge; an excerpt has about so many, in so many spans, evenly spread.
 * Tests reduce them. */
extern gsize pm_excerpt_huge, pm_excerpt_waits;
#define PM_EXCERPT_SPANS 64

gboolean pm_recording_is_huge(const PmRecording *recording);
/* For causes: the view itself, unless its recording is huge. Of a range with few enough waits it
 * has all of them. */
PmView *pm_view_for_causes(PmView *view, const gint *cancel);
/* For what has lasted at the view's end: what came shortly before and after, at its own times. */
PmView *pm_view_for_hangs(PmView *view, const gint *cancel);
/* Whether the excerpt leaves out some of the view's time, so that shares are estimates. */
gboolean pm_view_is_part(const PmView *excerpt, const PmView *view);
/* By how much the waiting in the view is more than that in its excerpt; at least 1. */
double pm_view_weight(const PmView *view, const PmView *excerpt);
/* "31.2 s of 16 min, with 4.1 of 129.0 million waits". Owned by the caller. */
char *pm_view_excerpt_text(const PmView *view, const PmView *excerpt);

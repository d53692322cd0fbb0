/* The margin of error of a share that is not exact, as of an opinion poll.
 *
 * Each sample stands for an equal part of the time that was attributed by samples. The margin is
 * that of Wilson's score interval for a proportion. But more samples do not make a share as sure as
 * one likes: what was not sampled is taken for like what was, who kept what a pool lends is
 * inferred, and a sample that cannot be taken at any instant is missing at those. Such errors do
 * not become less with the samples, so they are counted as if there were only a poll of so many, by
 * what the time of most causes rests on: on the owner of a lock, which is known, on who keeps one
 * of a resource, which is estimated, or on who ended a wait in the end. As many as let the true
 * share be within the margin in 19 of 20 cases, for programs that know it (docs/accuracy.md). */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/evidence/culprit.h"

/* As good as so many samples, however many there are. */
#define PM_MARGIN_OF_OWNERS  60
#define PM_MARGIN_OF_ENDERS  40
#define PM_MARGIN_OF_KEEPERS 25

/* Sets the margins of `n` causes, whose time consists of `culprits` (PmCulprit): `of[i]` is the
 * cause of the `i`th. `charged`: the time of all causes. 0 if less than half of a cause's time is
 * attributed by samples, or inferred. */
void pm_margins_find(const PmView *view, const GArray *culprits, const guint *of, gint64 charged,
                     PmFindingCause *causes, guint n);

/* The margin of a share that is estimated from `n` samples; `n` need not be whole. */
double pm_margin_of(double share, double n);

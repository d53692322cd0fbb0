/* The margin of error of a share that is estimated from samples, as of an opinion poll.
 *
 * Each sample stands for an equal part of the time that was attributed by samples. The margin is
 * that of Wilson's score interval for a proportion: in 19 of 20 cases the true share is within it,
 * unless something else is wrong. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/evidence/culprit.h"

/* Sets the margins of `n` causes, whose time consists of `culprits` (PmCulprit): `of[i]` is the
 * cause of the `i`th. `charged`: the time of all causes. 0 if less than half of a cause's time is
 * attributed by samples. */
void pm_margins_find(const PmView *view, const GArray *culprits, const guint *of, gint64 charged,
                     PmFindingCause *causes, guint n);

/* The margin of a share that is estimated from `n` samples; `n` need not be whole. */
double pm_margin_of(double share, double n);

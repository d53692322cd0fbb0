/* How far off a share may be that rests on samples: what a thread was in at some instants tells
 * what it was in all the time only as well as a poll tells an election.
 *
 * The time that samples place is divided by as many of them as were taken, each counting for what
 * it places; the margin is that of Wilson's score interval for such a part: 19 times of 20 the true
 * share is that near, as far as nothing else is wrong. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/evidence/culprit.h"

/* Of each of `n` causes, of whose time `culprits` (PmCulprit) are parts: `of[i]` is the cause of
 * the `i`th. `charged`: the time of all causes. 0 where samples tell less than half. */
void pm_margins_find(const PmView *view, const GArray *culprits, const guint *of, gint64 charged,
                     PmFindingCause *causes, guint n);

/* Of a share of which `n` equal ones, some of many, tell; `n` need not be whole. */
double pm_margin_of(double share, double n);

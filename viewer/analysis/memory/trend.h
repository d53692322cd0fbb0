/* Whether a series rises, or only seems to: Mann and Kendall's test. */
#pragma once

#include <glib.h>

#define PM_TREND_MOST 48

/* The chance that values in random order would rise as much: in as many of the pairs of an earlier
 * and a later one. 1: they do not rise. At most PM_TREND_MOST values. */
double pm_trend_chance(const double *values, guint n);

/* Numbers in tables (docs/ui.md, Five encodings): one unit per column, chosen by the column's
 * largest value, three significant digits for that, fixed decimals below. */
#pragma once

#include <glib.h>

#include "viewer/report/unit.h"

PmUnit pm_number_unit(gint64 biggest_ns);
/* The same for a column in which one value may dwarf the rest: if most would be close to zero, the
 * next smaller unit is used, unless a number would have more than five digits. `values` is sorted
 * in place; NANs are ignored. */
PmUnit pm_number_unit_of(double *values_ns, gsize n);
/* "1 891.6 s", with a narrow space between thousands; "–" for NAN. Owned by the caller. */
char *pm_number_time(const PmUnit *unit, double ns);
/* "24 118" */
char *pm_number_count(gint64 count);
/* "43.9 %"; "–" for NAN; "<0.1 %" for a small nonzero share. */
char *pm_number_percent(double fraction);
/* "1 thread", "24 118 waits": `one` and `many` without the number. */
char *pm_number_plural(gint64 count, const char *one, const char *many);
/* "≥ 3.83 s", or as it is. Owned by the caller. */
char *pm_number_bound(gboolean bound, const char *text);
/* Threads on average: "14.4", "0.39", "<0.01": three significant digits, at most two decimals. */
char *pm_number_mean(double threads);
/* The same in a column, where points stand below each other: "4 509.1". Owned by the caller. */
char *pm_number_tenths(double threads);

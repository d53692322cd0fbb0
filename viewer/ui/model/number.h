/* Numbers in tables (docs/ui.md, Five encodings): one unit per column, chosen by the column's
 * biggest value, three significant digits there, fixed decimals below. */
#pragma once

#include <glib.h>

#include "viewer/report/unit.h"

PmUnit pm_number_unit(gint64 biggest_ns);
/* The same for a column of which one value may dwarf the rest: where most would be nearly nothing
 * the unit is the next smaller one. `values` is sorted in place; NANs do not count. */
PmUnit pm_number_unit_of(double *values_ns, gsize n);
/* "1 891.6 s", with a narrow space between thousands; "–" for NAN. Owned by the caller. */
char *pm_number_time(const PmUnit *unit, double ns);
/* "24 118" */
char *pm_number_count(gint64 count);
/* "43.9 %"; "–" for NAN; "<0.1 %" for a small part that is not nothing. */
char *pm_number_percent(double fraction);
/* "1 thread", "24 118 waits": `one` and `many` without the number. */
char *pm_number_plural(gint64 count, const char *one, const char *many);
/* Threads on average: "14.4", "0.39", "<0.01": three significant digits, two decimals at most. */
char *pm_number_mean(double threads);

/* Numbers of a column share one unit and one number of decimals (docs/ui.md, Five encodings). */
#pragma once

#include <glib.h>

typedef struct {
    const char *name; /* "s", "ms", "µs", "ns" */
    double ns;
    int decimals;
} PmUnit;

typedef enum { PM_UNIT_S, PM_UNIT_MS, PM_UNIT_US, PM_UNIT_NS } PmUnitStep;

/* The unit for a column with this largest value: `preferred`, or a smaller one if the value would
 * be less than ten of its last decimal, or a larger one if it would have more than five digits
 * before the point. */
PmUnit pm_unit_choose(double max_ns, PmUnitStep preferred, int decimals);
/* A value in it; "" for NAN. Owned. */
char *pm_unit_text(PmUnit unit, double ns);
/* A count with its noun: "1 wait", "2 waits". Owned. */
char *pm_unit_count(gint64 n, const char *one, const char *many);

/* The instants at which waits begin and end. Sorting them is the inner loop of metrics and
 * series. */
#pragma once

#include <glib.h>

/* Sorts `n` instants upwards. `scratch` holds `n` more, or is NULL (then allocated when needed).
 * Cost: linear for large n (radix over the bytes in which they differ). */
void pm_transition_sort(gint64 *times, gsize n, gint64 *scratch);

/* The k-th smallest (0-based) of `n` instants; reorders them. */
gint64 pm_transition_select(gint64 *times, gsize n, gsize k);

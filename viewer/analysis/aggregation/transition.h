/* The instants at which waits begin and end. Sorting them is the inner loop of series. */
#pragma once

#include <glib.h>

/* Sorts `n` instants upwards. `scratch` holds `n` more, or is NULL (then allocated when needed).
 * Cost: linear for large n (radix over the bytes in which they differ). */
void pm_transition_sort(gint64 *times, gsize n, gint64 *scratch);

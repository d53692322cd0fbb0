/* Sums and differences of times and counts that stay within what 64 bits hold: a file may claim any
 * time, and ten thousand threads that wait for a fortnight are more nanoseconds than that. What
 * does not fit stays at the most, so that it is still the biggest of all. */
#pragma once

#include <glib.h>

static inline gint64 pm_sum(gint64 a, gint64 b)
{
    gint64 sum;
    return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? G_MININT64 : G_MAXINT64) : sum;
}

static inline gint64 pm_difference(gint64 a, gint64 b)
{
    gint64 difference;
    return __builtin_sub_overflow(a, b, &difference) ? (b > 0 ? G_MININT64 : G_MAXINT64)
                                                     : difference;
}

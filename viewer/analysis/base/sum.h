/* Saturating sums and differences of times and counts in 64 bits: a file may claim any time, and
 * ten thousand threads that wait for a fortnight overflow them. A value that does not fit stays at
 * the limit, so that it is still the largest of all. */
#pragma once

#include <glib.h>
#include <math.h>

/* a + b */
static inline gint64 pm_sum(gint64 a, gint64 b)
{
    gint64 sum;
    return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? G_MININT64 : G_MAXINT64) : sum;
}

/* a - b */
static inline gint64 pm_difference(gint64 a, gint64 b)
{
    gint64 difference;
    return __builtin_sub_overflow(a, b, &difference) ? (b > 0 ? G_MININT64 : G_MAXINT64)
                                                     : difference;
}

/* *sum += more */
static inline void pm_sum_add(gint64 *sum, gint64 more)
{
    *sum = pm_sum(*sum, more);
}

/* a * b; b > 0 */
static inline gint64 pm_product(gint64 a, gint64 b)
{
    gint64 product;
    return __builtin_mul_overflow(a, b, &product) ? (a < 0 ? G_MININT64 : G_MAXINT64) : product;
}

/* The nearest whole number; 0 for NaN. */
static inline gint64 pm_rounded(double value)
{
    if (!(value < 9.2e18))
        return isnan(value) ? 0 : G_MAXINT64;
    if (value <= -9.2e18)
        return G_MININT64;
    const gint64 whole = (gint64)value; /* what is left is exact */
    const double rest = value - (double)whole;
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

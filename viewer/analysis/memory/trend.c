#include "viewer/analysis/memory/trend.h"

#define MOST_PAIRS (PM_TREND_MOST * (PM_TREND_MOST - 1) / 2)

/* Of all orders of n values the share in which at most so many pairs fall. The k-th value falls
 * behind 0 to k of those before it, each equally often. */
static double share_of_orders(guint n, guint most_falls)
{
    double share[MOST_PAIRS + 1] = {1}, sum = 0;
    for (guint k = 1; k < n; k++) {
        const guint pairs = k * (k + 1) / 2;
        double window = 0, next[MOST_PAIRS + 1];
        for (guint falls = 0; falls <= pairs; falls++) {
            window += share[falls] - (falls > k ? share[falls - k - 1] : 0);
            next[falls] = window / (k + 1);
        }
        for (guint falls = 0; falls <= pairs; falls++)
            share[falls] = next[falls];
    }
    for (guint falls = 0; falls <= most_falls; falls++)
        sum += share[falls];
    return MIN(sum, 1);
}

double pm_trend_chance(const double *values, guint n)
{
    g_return_val_if_fail(n <= PM_TREND_MOST, 1);
    guint twice_falls = 0; /* of two that are equal one half falls */
    for (guint i = 0; i < n; i++)
        for (guint k = i + 1; k < n; k++)
            twice_falls += values[k] < values[i] ? 2 : values[k] > values[i] ? 0 : 1;
    return n < 2 ? 1 : share_of_orders(n, (twice_falls + 1) / 2);
}

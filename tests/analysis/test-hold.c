#include "viewer/analysis/slices/hold.h"

#include <math.h>

#include "tests/analysis/made.h"

static const PmHold *any_exact(const GArray *holds)
{
    for (guint i = 0; i < holds->len; i++)
        if (g_array_index(holds, PmHold, i).exact)
            return &g_array_index(holds, PmHold, i);
    return NULL;
}

/* Beside a mean and a deviation in two passes over the holds, on random recordings. */
static void measures_what_lies_in_the_range(void)
{
    guint n_measured = 0;

    for (guint32 seed = 1; seed <= 8; seed++) {
        const gint64 duration = 1000000;
        g_autoptr(PmRecording) r = pm_made_random(seed, 2000, 12, duration);
        const PmContention *contention = pm_recording_contention(r, NULL);
        for (guint32 blocker = 1; blocker < r->n_blockers; blocker++) {
            g_autoptr(GArray) holds = g_array_new(FALSE, FALSE, sizeof(PmHold));
            pm_contention_owned(contention, blocker, G_MININT64, G_MAXINT64, holds);
            const PmHold *one = any_exact(holds);
            const gint64 ranges[][2] = {{0, duration},
                                        {one ? one->begin : 0, one ? one->end : 0},
                                        {one ? one->begin + 1 : 0, duration},
                                        {0, one ? one->end - 1 : 0}};
            for (guint k = 0; k < G_N_ELEMENTS(ranges); k++) {
                double sum = 0, squares = 0;
                guint n = 0;
                for (guint pass = 0; pass < 2; pass++) {
                    for (guint i = 0; i < holds->len; i++) {
                        const PmHold *hold = &g_array_index(holds, PmHold, i);
                        double ns = (double)(hold->end - hold->begin);
                        if (!hold->exact || hold->begin < ranges[k][0] || hold->end > ranges[k][1])
                            continue;
                        n += pass == 0;
                        sum += pass == 0 ? ns : 0;
                        squares += pass == 1 ? (ns - sum / n) * (ns - sum / n) : 0;
                    }
                }
                PmMeasuredHold hold =
                    pm_hold_measure(contention, blocker, ranges[k][0], ranges[k][1]);
                g_assert_cmpuint(hold.n, ==, n);
                g_assert_cmpfloat_with_epsilon(hold.mean, n ? sum / n : 0, 1e-3);
                g_assert_cmpfloat_with_epsilon(hold.spread, n > 1 ? sqrt(squares / (n - 1)) : 0,
                                               1e-3);
                n_measured += n;
            }
        }
    }
    g_assert_cmpuint(n_measured, >, 0);
}

/* Each hold is measured under the methods that it was in, and under no other. */
static void measures_by_code(void)
{
    g_autoptr(PmRecording) r = pm_made_random(5, 2000, 12, 1000000);
    const PmContention *contention = pm_recording_contention(r, NULL);
    guint n_measured = 0;
    for (guint32 blocker = 1; blocker < r->n_blockers; blocker++) {
        g_autoptr(GArray) holds = g_array_new(FALSE, FALSE, sizeof(PmHold));
        pm_contention_owned(contention, blocker, G_MININT64, G_MAXINT64, holds);
        for (guint32 method = 1; method < r->n_methods; method++) {
            guint n = 0;
            for (guint i = 0; i < holds->len; i++) {
                const PmHold *hold = &g_array_index(holds, PmHold, i);
                const PmChain *c = &r->chains[hold->chain];
                gboolean within = FALSE;
                for (guint f = 0; hold->chain && f < c->n_frames; f++)
                    within |= c->frames[f].method == method;
                n += hold->exact && within;
            }
            PmMeasuredHold hold =
                pm_hold_measure_by(contention, r, blocker, method, 0, r->duration);
            g_assert_cmpuint(hold.n, ==, n);
            n_measured += n;
        }
    }
    g_assert_cmpuint(n_measured, >, 0);
}

static void nothing_is_measured_without_contention(void)
{
    PmMeasuredHold hold = pm_hold_measure(NULL, 1, 0, 1000);

    g_assert_cmpuint(hold.n, ==, 0);
    g_assert_cmpfloat(hold.mean, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/hold/measures-by-code", measures_by_code);
    g_test_add_func("/analysis/hold/measures-what-lies-in-the-range",
                    measures_what_lies_in_the_range);
    g_test_add_func("/analysis/hold/nothing-is-measured-without-contention",
                    nothing_is_measured_without_contention);
    return g_test_run();
}

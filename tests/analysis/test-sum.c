/* Sums that do not fit, beside 128 bits in which they do. */
#include "viewer/analysis/base/sum.h"

static gint64 cut(__int128 exact)
{
    return exact > G_MAXINT64 ? G_MAXINT64 : exact < G_MININT64 ? G_MININT64 : (gint64)exact;
}

static void what_does_not_fit_stays_at_the_most(void)
{
    static const gint64 values[] = {G_MININT64,
                                    G_MININT64 + 1,
                                    -(G_GINT64_CONSTANT(1) << 62),
                                    -1,
                                    0,
                                    1,
                                    2,
                                    1000000000,
                                    G_GINT64_CONSTANT(1) << 62,
                                    G_MAXINT64 - 1,
                                    G_MAXINT64};

    for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
        for (guint k = 0; k < G_N_ELEMENTS(values); k++) {
            const gint64 a = values[i], b = values[k];
            gint64 sum = a;
            pm_sum_add(&sum, b);
            g_assert_cmpint(sum, ==, cut((__int128)a + b));
            g_assert_cmpint(pm_sum(a, b), ==, sum);
            g_assert_cmpint(pm_difference(a, b), ==, cut((__int128)a - b));
            if (b > 0)
                g_assert_cmpint(pm_product(a, b), ==, cut((__int128)a * b));
        }
    }
}

static void any_number_is_rounded(void)
{
    static const struct {
        double value;
        gint64 rounded;
    } cases[] = {{0, 0},
                 {0.4, 0},
                 {0.5, 1},
                 {-0.5, -1},
                 {1e18, 1e18},
                 {1e19, G_MAXINT64},
                 {-1e19, G_MININT64},
                 {1e300, G_MAXINT64},
                 {INFINITY, G_MAXINT64},
                 {-INFINITY, G_MININT64},
                 {NAN, 0}};

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
        g_assert_cmpint(pm_rounded(cases[i].value), ==, cases[i].rounded);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/sum/what-does-not-fit-stays-at-the-most",
                    what_does_not_fit_stays_at_the_most);
    g_test_add_func("/analysis/sum/any-number-is-rounded", any_number_is_rounded);
    return g_test_run();
}

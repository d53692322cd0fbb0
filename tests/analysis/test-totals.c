/* Totals by id hold what a hash table of the same sums holds. */
#include "viewer/analysis/base/totals.h"

static void test_sums_as_a_hash_table_does(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    /* Around each size at which it grows, and ids that are near each other or far apart. */
    for (guint n_ids = 1; n_ids <= 300; n_ids++) {
        g_autoptr(GHashTable) plain = g_hash_table_new_full(NULL, NULL, NULL, g_free);
        PmTotals totals = {0};
        for (guint i = 0; i < 4 * n_ids; i++) {
            const guint32 key =
                (guint32)g_rand_int_range(rand, 0, (gint32)n_ids) * (n_ids % 2 ? 1 : 0x01000193);
            const gint64 more = g_rand_int_range(rand, -5, 100);
            gint64 *sum = g_hash_table_lookup(plain, GUINT_TO_POINTER(key));
            if (!sum)
                g_hash_table_insert(plain, GUINT_TO_POINTER(key), sum = g_new0(gint64, 1));
            *sum += more;
            *pm_totals_at(&totals, key) += more;
        }
        g_assert_cmpuint(totals.n, ==, g_hash_table_size(plain));
        gint64 greatest, best = G_MININT64;
        for (guint32 i = 0; i < totals.n; i++) {
            const guint32 key = totals.items[i].key;
            g_assert_cmpint(totals.items[i].total, ==,
                            *(gint64 *)g_hash_table_lookup(plain, GUINT_TO_POINTER(key)));
            g_assert_true(pm_totals_find(&totals, key) == &totals.items[i].total);
            best = MAX(best, totals.items[i].total);
        }
        const guint32 most = pm_totals_most(&totals, &greatest);
        g_assert_cmpint(greatest, ==, best);
        g_assert_cmpint(*pm_totals_find(&totals, most), ==, best);
        g_assert_null(pm_totals_find(&totals, G_MAXUINT32));
        pm_totals_clear(&totals);
        g_assert_null(pm_totals_find(&totals, 0));
    }
}

static void test_the_most_of_equals_is_the_least_id(void)
{
    PmTotals totals = {0};
    gint64 total;
    g_assert_cmpuint(pm_totals_most(&totals, &total), ==, 0);
    g_assert_cmpint(total, ==, -1);
    for (guint32 key = 20; key > 2; key--)
        *pm_totals_at(&totals, key) = key > 12 ? 1 : 7;
    g_assert_cmpuint(pm_totals_most(&totals, &total), ==, 3);
    g_assert_cmpint(total, ==, 7);
    pm_totals_clear(&totals);
}

static void test_a_join_adds_and_saturates(void)
{
    PmTotals one = {0}, other = {0};
    *pm_totals_at(&one, 1) = G_MAXINT64 - 1;
    for (guint32 key = 0; key < 100; key++)
        *pm_totals_at(&other, key) = 2;
    pm_totals_join(&one, &other);
    g_assert_cmpuint(one.n, ==, 100);
    g_assert_cmpint(*pm_totals_find(&one, 1), ==, G_MAXINT64);
    g_assert_cmpint(*pm_totals_find(&one, 99), ==, 2);
    pm_totals_clear(&one);
    pm_totals_clear(&other);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/totals/sums-as-a-hash-table-does", test_sums_as_a_hash_table_does);
    g_test_add_func("/totals/the-most-of-equals-is-the-least-id",
                    test_the_most_of_equals_is_the_least_id);
    g_test_add_func("/totals/a-join-adds-and-saturates", test_a_join_adds_and_saturates);
    return g_test_run();
}

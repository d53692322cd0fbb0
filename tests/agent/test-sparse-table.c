/* recorder/agent/base/sparse-table.h: what is put down is found, and opens what lies nearby only.
 */
#include <glib.h>
#include <pthread.h>

#include "recorder/agent/base/sparse-table.h"
#include "tests/agent/memory.h"

#define LARGE ((size_t)4 << 20)

static void test_opens_what_is_used(void)
{
    if (!pm_memory_is_ours())
        return;
    static const size_t sizes[] = {8, 4096, 5000, 100000, 1 << 20, LARGE};
    for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++) {
        struct pm_sparse_table table;
        size_t size = sizes[s], last = (size - 8) / 8 * 8;
        const uint64_t before = pm_reservation_memory();
        g_assert_cmpint(pm_sparse_table_init(&table, size), ==, 0);
        for (size_t at = 0; at < size; at += 8)
            g_assert_null(pm_sparse_table_at(&table, at));
        g_assert_cmpint(pm_memory_flagged_kib(table.reservation.base, size, "ac"), ==, 0);
        char *end = pm_sparse_table_open(&table, last), *begin = pm_sparse_table_open(&table, 0);
        g_assert_true(begin == table.reservation.base && end == begin + last);
        g_assert_true(pm_sparse_table_at(&table, last) == end);
        g_assert_cmpint(pm_memory_flagged_kib(begin, size, "ac") << 10, <=,
                        2 * MAX(size / 32, 4096));
        g_assert_cmpint((long)(pm_reservation_memory() - before) >> 10, ==,
                        pm_memory_flagged_kib(begin, table.reservation.size, "ac"));
        for (size_t at = 0; at < size; at += 8) {
            char *there = pm_sparse_table_open(&table, at);
            g_assert_true(there == begin + at && *there == 0);
            *there = 1;
        }
        g_assert_cmpint((long)(pm_reservation_memory() - before) >> 10, ==,
                        pm_memory_flagged_kib(begin, table.reservation.size, "ac"));
        pm_sparse_table_clear(&table);
        g_assert_cmpuint(pm_reservation_memory(), ==, before);
        g_assert_null(pm_sparse_table_at(&table, 0));
        g_assert_null(pm_sparse_table_open(&table, 0));
    }
}

static void test_refused_and_granted(void)
{
    if (!pm_memory_is_ours())
        return;
    struct pm_sparse_table table;
    guint n_refused = 0;
    g_assert_cmpint(pm_sparse_table_init(&table, LARGE), ==, 0);
    g_assert_nonnull(pm_sparse_table_open(&table, 0));
    pm_memory_allow_more(256);
    for (size_t at = 0; at < LARGE; at += LARGE / 64)
        n_refused += !pm_sparse_table_open(&table, at);
    g_assert_cmpuint(n_refused, >=, 56);
    g_assert_cmpuint(n_refused, <=, 62);
    g_assert_nonnull(pm_sparse_table_open(&table, 0));
    g_assert_null(pm_sparse_table_at(&table, LARGE - 8));
    pm_memory_allow_all();
    g_assert_nonnull(pm_sparse_table_open(&table, LARGE - 8));
    pm_sparse_table_clear(&table);
}

static struct pm_sparse_table shared;

static void *count_all(void *context)
{
    for (size_t i = 0; i < LARGE / 64; i++) {
        size_t at = i * 7919 % (LARGE / 64) * 64;
        _Atomic uint64_t *there = pm_sparse_table_open(&shared, at);
        g_assert_nonnull(there);
        atomic_fetch_add(there, 1);
    }
    return NULL;
}

static void test_many_open_at_once(void)
{
    pthread_t threads[4];
    g_assert_cmpint(pm_sparse_table_init(&shared, LARGE), ==, 0);
    for (int i = 0; i < 4; i++)
        g_assert_cmpint(pthread_create(&threads[i], NULL, count_all, NULL), ==, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (size_t at = 0; at < LARGE; at += 64)
        g_assert_cmpuint(*(uint64_t *)pm_sparse_table_at(&shared, at), ==, 4);
    pm_sparse_table_clear(&shared);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/sparse-table/opens-what-is-used", test_opens_what_is_used);
    g_test_add_func("/agent/sparse-table/refused-and-granted", test_refused_and_granted);
    g_test_add_func("/agent/sparse-table/many-open-at-once", test_many_open_at_once);
    return g_test_run();
}

/* recorder/agent/base/registry.h: rows that come and go, under ids and keys. */
#include <glib.h>
#include <string.h>

#include "recorder/agent/base/registry.h"
#include "tests/agent/memory.h"

struct row {
    int64_t key;
    uint32_t value;
};

#define MAX_ROWS 500

static bool is_even(const void *row, void *context)
{
    return ((const struct row *)row)->value % 2 == 0;
}

static bool agree(void *row, void *context)
{
    return true;
}

/* What there should be, by hand. */
struct kept {
    uint32_t id;
    struct row row;
    bool keyed;
};

static struct kept *kept_at(GArray *all, guint i)
{
    return &g_array_index(all, struct kept, i);
}

static void compare(struct pm_registry *registry, GArray *all)
{
    g_assert_cmpuint(pm_registry_count(registry), ==, all->len);
    for (guint i = 0; i < all->len; i++) {
        struct row row;
        const struct kept *kept = kept_at(all, i);
        g_assert_true(pm_registry_get(registry, kept->id, &row));
        g_assert_cmpuint(row.value, ==, kept->row.value);
        if (kept->keyed)
            g_assert_cmpuint(pm_registry_find(registry, kept->row.key), ==, kept->id);
    }
}

/* Few buckets, so that many rows share one. */
static void test_like_a_list_by_hand(void)
{
    struct pm_registry registry;
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct kept));
    g_assert_cmpint(pm_registry_init(&registry, sizeof(struct row), MAX_ROWS, 4), ==, 0);
    for (uint32_t i = 1; i <= 20000; i++) {
        guint at = all->len ? (guint)g_test_rand_int_range(0, (gint)all->len) : 0;
        gint deed = g_test_rand_int_range(0, 100);
        if (deed < 60 || all->len == 0) {
            struct kept kept = {.row = {.key = i, .value = i}, .keyed = true};
            kept.id = pm_registry_add(&registry, kept.row.key, &kept.row);
            g_assert_cmpint(kept.id != 0, ==, all->len < MAX_ROWS);
            if (kept.id) {
                g_array_append_val(all, kept);
                g_assert_cmpuint(pm_registry_add(&registry, kept.row.key, &kept.row), ==, kept.id);
            }
        } else if (deed < 80) {
            struct kept kept = *kept_at(all, at);
            g_assert_true(pm_registry_remove(&registry, kept.id));
            g_assert_false(pm_registry_remove(&registry, kept.id));
            g_assert_cmpuint(pm_registry_find(&registry, kept.row.key), ==, 0);
            g_array_remove_index_fast(all, at);
        } else if (deed < 99) {
            struct kept *kept = kept_at(all, at);
            g_assert_true(pm_registry_unkey(&registry, kept->id, agree, NULL));
            g_assert_cmpuint(pm_registry_find(&registry, kept->row.key), ==, 0);
            kept->keyed = false;
        } else {
            for (uint32_t first = 0; pm_registry_remove_where(&registry, first, 64, is_even, NULL);)
                first += 64;
            for (guint k = all->len; k-- > 0;)
                if (kept_at(all, k)->row.value % 2 == 0)
                    g_array_remove_index_fast(all, k);
        }
        if (i % 100 == 0)
            compare(&registry, all);
    }
    compare(&registry, all);
    pm_registry_clear(&registry);
}

static void test_ids_come_round(void)
{
    struct pm_registry registry;
    struct row row = {.key = 0}, got;
    g_assert_cmpint(pm_registry_init(&registry, sizeof row, MAX_ROWS, 0), ==, 0);
    for (row.value = 1; row.value <= 3; row.value++)
        g_assert_cmpuint(pm_registry_add(&registry, 0, &row), ==, row.value);
    g_assert_true(pm_registry_remove(&registry, 2));
    atomic_store(&registry.last_id, UINT32_MAX - 1);
    row.value = 100;
    g_assert_cmpuint(pm_registry_add(&registry, 0, &row), ==, UINT32_MAX);
    g_assert_cmpuint(pm_registry_add(&registry, 0, &row), ==, 2);
    g_assert_cmpuint(pm_registry_add(&registry, 0, &row), ==, 4);
    g_assert_true(pm_registry_get(&registry, 1, &got));
    g_assert_cmpuint(got.value, ==, 1);
    g_assert_true(pm_registry_get(&registry, 3, &got));
    g_assert_cmpuint(got.value, ==, 3);
    g_assert_true(pm_registry_get(&registry, UINT32_MAX, &got));
    g_assert_cmpuint(got.value, ==, 100);
    pm_registry_clear(&registry);
}

#define MANY_ROWS (1u << 18)

static uint32_t add(struct pm_registry *registry, uint32_t value)
{
    struct row row = {.key = value * INT64_C(0x123456789) | 1, .value = value};
    return pm_registry_add(registry, row.key, &row);
}

/* What is charged follows what is in it, wherever the keys fall. */
static void test_charges_what_is_used(void)
{
    if (!pm_memory_is_ours())
        return;
    struct pm_registry registry;
    long before = pm_memory_kib("VmData");
    g_assert_cmpint(pm_registry_init(&registry, 200, MANY_ROWS, 0), ==, 0);
    g_assert_cmpint(pm_memory_kib("VmData") - before, <=, 16);
    g_assert_cmpuint(pm_registry_find(&registry, 77), ==, 0);
    g_assert_false(pm_registry_remove(&registry, 77));
    /* Numbers that follow one another, as ids of threads do. */
    char row[200] = {0};
    for (int64_t key = 100000; key < 100100; key++)
        g_assert_cmpuint(pm_registry_add(&registry, key, row), !=, 0);
    g_assert_cmpint(pm_memory_kib("VmData") - before, <=, 128);
    pm_registry_clear(&registry);
}

/* No memory for more: it is as full as it is, and goes on with the places that it has. */
static void test_refused_memory_is_a_full_set(void)
{
    if (!pm_memory_is_ours())
        return;
    struct pm_registry registry;
    struct row got;
    uint32_t n = 0;
    g_assert_cmpint(pm_registry_init(&registry, sizeof got, MANY_ROWS, 4096), ==, 0);
    g_assert_cmpuint(pm_registry_limit(&registry), ==, MANY_ROWS);
    pm_memory_allow_more(512);
    while (n < MANY_ROWS && add(&registry, n + 1) == n + 1)
        n++;
    g_assert_cmpuint(n, >=, 4000);
    g_assert_cmpuint(n, <=, 14000);
    g_assert_cmpuint(pm_registry_limit(&registry), >=, n);
    g_assert_cmpuint(pm_registry_limit(&registry), <, 2 * n);
    for (uint32_t id = 1; id <= n; id++) {
        g_assert_true(pm_registry_get(&registry, id, &got));
        g_assert_cmpuint(got.value, ==, id);
        g_assert_cmpuint(pm_registry_find(&registry, got.key), ==, id);
    }
    for (uint32_t id = n + 1; id < 2 * n; id++)
        g_assert_false(pm_registry_get(&registry, id, &got));
    g_assert_cmpuint(add(&registry, 5), ==, 5); /* known */
    g_assert_true(pm_registry_remove(&registry, 5));
    uint32_t again = add(&registry, 5);
    g_assert_true(again == n + 1 || again == 0); /* its id may fall where nothing is open */
    pm_memory_allow_all();
    for (uint32_t value = n + 10; value < n + 1000; value++)
        g_assert_cmpuint(add(&registry, value), !=, 0);
    g_assert_cmpuint(pm_registry_limit(&registry), ==, MANY_ROWS);
    pm_registry_clear(&registry);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/registry/like-a-list-by-hand", test_like_a_list_by_hand);
    g_test_add_func("/agent/registry/ids-come-round-past-those-that-are-there",
                    test_ids_come_round);
    g_test_add_func("/agent/registry/charges-what-is-used", test_charges_what_is_used);
    g_test_add_func("/agent/registry/refused-memory-is-a-full-set",
                    test_refused_memory_is_a_full_set);
    return g_test_run();
}

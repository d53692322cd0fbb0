/* recorder/agent/registry.h: rows that come and go, under ids and keys. */
#include <glib.h>
#include <string.h>

#include "recorder/agent/registry.h"

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
            for (uint32_t first = 0; pm_registry_sweep(&registry, first, 64, is_even, NULL);)
                first += 64;
            for (guint k = all->len; k-- > 0;) {
                if (kept_at(all, k)->row.value % 2 == 0)
                    g_array_remove_index_fast(all, k);
            }
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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/registry/like-a-list-by-hand", test_like_a_list_by_hand);
    g_test_add_func("/agent/registry/ids-come-round-past-those-that-are-there",
                    test_ids_come_round);
    return g_test_run();
}

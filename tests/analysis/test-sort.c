/* Sorting: upwards, and what is equal stays in its order. */
#include "viewer/analysis/base/sort.h"

typedef struct {
    gint64 at;
    gint64 nth;
} Element;

/* `spread`: how far from their place elements are, at the most. */
static void check(guint n, gint32 spread, gint64 step)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(n + (guint32)spread);
    g_autoptr(GArray) array = g_array_new(FALSE, FALSE, sizeof(Element));
    for (guint i = 0; i < n; i++) {
        Element element = {step * i + g_rand_int_range(rand, 0, spread) - 1000, i};
        g_array_append_val(array, element);
    }
    pm_sort_array(array, sizeof(Element));
    g_assert_cmpuint(array->len, ==, n);
    for (guint i = 0; i < n; i++) {
        const Element *it = &g_array_index(array, Element, i), *before = it - 1;
        if (i > 0)
            g_assert_true(before->at < it->at || (before->at == it->at && before->nth < it->nth));
    }
}

static void is_upwards_and_stable(void)
{
    static const guint sizes[] = {0, 1, 2, 1000, 65535, 65536, 65537, 131072, 200000};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        check(sizes[i], 1, 1);
        check(sizes[i], 500, 1);
        check(sizes[i], 300000, 1);
        check(sizes[i], 100, 0);
        check(sizes[i], 500, -1);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/sort/is-upwards-and-stable", is_upwards_and_stable);
    return g_test_run();
}

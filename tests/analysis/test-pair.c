#include "viewer/analysis/base/pair.h"

#define N_OBJECTS 20000
#define N_THREADS 4

/* How many keys share their place in a table with room for all of them, one or more before. */
static guint n_shared(GHashFunc hash, gboolean at)
{
    const guint n_places = 1 << 17;
    g_autofree guint8 *taken = g_new0(guint8, n_places);
    guint n = 0;
    for (guint64 object = 0; object < N_OBJECTS; object++)
        for (guint64 thread = 0; thread < N_THREADS; thread++) {
            const guint64 key = object << 32 | thread;
            const guint place = hash(at ? &key : GSIZE_TO_POINTER(key)) % n_places;
            n += taken[place];
            taken[place] = TRUE;
        }
    return n;
}

/* A table would pass all of those one by one. */
static void test_objects_of_few_threads(void)
{
    g_assert_cmpuint(n_shared(g_direct_hash, FALSE), >, N_OBJECTS);
    g_assert_cmpuint(n_shared(pm_pair_hash, FALSE), <, N_OBJECTS * N_THREADS / 2);
    g_assert_cmpuint(n_shared(pm_pair_at_hash, TRUE), <, N_OBJECTS * N_THREADS / 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/pair/objects-of-few-threads", test_objects_of_few_threads);
    return g_test_run();
}

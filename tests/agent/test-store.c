/* recorder/agent/store.h: pieces never overlap, and what was given back is used again. */
#include <glib.h>
#include <string.h>

#include "recorder/agent/store.h"

#define CAPACITY (1u << 20)
#define N_PIECES 512

static void test_pieces_keep_what_they_hold(void)
{
    struct pm_store store;
    struct piece {
        unsigned char *bytes;
        size_t size;
        unsigned char mark;
    } pieces[N_PIECES] = {0};
    GRand *random = g_rand_new_with_seed(7);
    guint refused = 0;
    g_assert_cmpint(pm_store_init(&store, CAPACITY), ==, 0);
    for (int i = 0; i < 200000; i++) {
        struct piece *piece = &pieces[g_rand_int_range(random, 0, N_PIECES)];
        if (piece->bytes) {
            for (size_t b = 0; b < piece->size; b++)
                g_assert_cmpuint(piece->bytes[b], ==, piece->mark);
            pm_store_give_back(&store, piece->bytes, piece->size);
            piece->bytes = NULL;
        } else {
            piece->size = (size_t)g_rand_int_range(random, 1, i % 50 ? 200 : 9000);
            piece->mark = (unsigned char)i;
            piece->bytes = pm_store_append(&store, piece->size);
            if (piece->bytes)
                memset(piece->bytes, piece->mark, piece->size);
            refused += !piece->bytes;
        }
        g_assert_cmpuint(store.used, <=, CAPACITY);
        g_assert_cmpuint(store.available, <=, store.used);
    }
    g_assert_cmpuint(refused, <, 2000); /* large ones, when all is in parts */
    pm_store_clear(&store);
    g_rand_free(random);
}

static void test_full_store_takes_again_what_came_back(void)
{
    struct pm_store store;
    char *pieces[CAPACITY / 64];
    g_assert_cmpint(pm_store_init(&store, CAPACITY), ==, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++)
        g_assert_nonnull(pieces[i] = pm_store_append(&store, 64));
    g_assert_null(pm_store_append(&store, 1));
    g_assert_true(pm_store_is_pressed(&store));
    for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++)
        pm_store_give_back(&store, pieces[i], 64);
    g_assert_false(pm_store_is_pressed(&store));
    /* In parts: eight of eight bytes for each. */
    for (size_t i = 0; i < CAPACITY / 8; i++)
        g_assert_nonnull(pm_store_append(&store, 8));
    g_assert_null(pm_store_append(&store, 8));
    pm_store_empty(&store);
    g_assert_nonnull(pm_store_append(&store, CAPACITY));
    pm_store_clear(&store);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/store/pieces-keep-what-they-hold", test_pieces_keep_what_they_hold);
    g_test_add_func("/agent/store/full-store-takes-again-what-came-back",
                    test_full_store_takes_again_what_came_back);
    return g_test_run();
}

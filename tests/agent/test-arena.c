/* recorder/agent/base/arena.h: pieces never overlap, what was given back is used again, and what is
 * not used costs its host nothing. */
#include <glib.h>
#include <string.h>

#include "recorder/agent/base/arena.h"
#include "tests/agent/memory.h"

#define CAPACITY (1u << 20)
#define LARGE    (256u << 20)
#define N_PIECES 512

static void test_pieces_keep_what_they_hold(void)
{
    struct pm_arena arena;
    struct piece {
        unsigned char *bytes;
        size_t size;
        unsigned char mark;
    } pieces[N_PIECES] = {0};
    GRand *random = g_rand_new_with_seed(7);
    guint refused = 0;
    g_assert_cmpint(pm_arena_init(&arena, CAPACITY), ==, 0);
    for (int i = 0; i < 200000; i++) {
        struct piece *piece = &pieces[g_rand_int_range(random, 0, N_PIECES)];
        if (piece->bytes) {
            for (size_t b = 0; b < piece->size; b++)
                g_assert_cmpuint(piece->bytes[b], ==, piece->mark);
            pm_arena_give_back(&arena, piece->bytes, piece->size);
            piece->bytes = NULL;
        } else {
            piece->size = (size_t)g_rand_int_range(random, 1, i % 50 ? 200 : 9000);
            piece->mark = (unsigned char)i;
            piece->bytes = pm_arena_append(&arena, piece->size);
            if (piece->bytes)
                memset(piece->bytes, piece->mark, piece->size);
            refused += !piece->bytes;
        }
        g_assert_cmpuint(arena.used, <=, CAPACITY);
        g_assert_cmpuint(arena.available, <=, arena.used);
    }
    g_assert_cmpuint(refused, <, 2000); /* large ones, when all is in parts */
    pm_arena_clear(&arena);
    g_rand_free(random);
}

static void test_full_store_takes_again_what_came_back(void)
{
    struct pm_arena arena;
    char *pieces[CAPACITY / 64];
    g_assert_cmpint(pm_arena_init(&arena, CAPACITY), ==, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++)
        g_assert_nonnull(pieces[i] = pm_arena_append(&arena, 64));
    g_assert_null(pm_arena_append(&arena, 1));
    g_assert_true(pm_arena_is_pressed(&arena));
    for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++)
        pm_arena_give_back(&arena, pieces[i], 64);
    g_assert_false(pm_arena_is_pressed(&arena));
    /* In parts: eight of eight bytes for each. */
    for (size_t i = 0; i < CAPACITY / 8; i++)
        g_assert_nonnull(pm_arena_append(&arena, 8));
    g_assert_null(pm_arena_append(&arena, 8));
    pm_arena_empty(&arena);
    g_assert_nonnull(pm_arena_append(&arena, CAPACITY));
    pm_arena_clear(&arena);
}

static void fill(struct pm_arena *arena, size_t bytes)
{
    for (size_t i = 0; i < bytes / 4096; i++) {
        char *piece = pm_arena_append(arena, 4096);
        g_assert_nonnull(piece);
        memset(piece, 1, 4096);
    }
}

/* What a host whose kernel does not overcommit is charged is what is used. */
static void test_unused_is_not_charged(void)
{
    if (!pm_memory_is_ours())
        return;
    struct pm_arena arena;
    long before = pm_memory_kib("VmData");
    g_assert_cmpint(pm_arena_init(&arena, LARGE), ==, 0);
    g_assert_cmpint(pm_memory_kib("VmData") - before, <=, 64);
    fill(&arena, 1 << 20);
    g_assert_cmpint(pm_memory_kib("VmData") - before, >=, 1024);
    g_assert_cmpint(pm_memory_kib("VmData") - before, <=, 2048);
    g_assert_cmpint(pm_memory_flagged_kib(arena.base, LARGE, "ac"), >=, 1024);
    g_assert_cmpint(pm_memory_flagged_kib(arena.base, LARGE, "ac"), <=, 2048);
    pm_arena_clear(&arena);
    g_assert_cmpint(pm_memory_kib("VmData") - before, <=, 512);
}

static void test_host_locked_before(void)
{
    struct pm_arena arena;
    if (!pm_memory_in_process_that_locks())
        return;
    g_assert_cmpint(mlockall(MCL_CURRENT | MCL_FUTURE), ==, 0);
    long resident = pm_memory_kib("VmRSS"), locked = pm_memory_kib("VmLck");
    g_assert_cmpint(pm_arena_init(&arena, LARGE), ==, 0);
    fill(&arena, 1 << 20);
    g_assert_cmpint(pm_memory_kib("VmRSS") - resident, <=, 2048);
    g_assert_cmpint(pm_memory_kib("VmLck") - locked, <=, 2048);
}

static void test_host_locks_later(void)
{
    struct pm_arena arena;
    if (!pm_memory_in_process_that_locks())
        return;
    g_assert_cmpint(pm_arena_init(&arena, LARGE), ==, 0);
    fill(&arena, 1 << 20);
    long resident = pm_memory_kib("VmRSS");
    g_assert_cmpint(mlockall(MCL_CURRENT | MCL_FUTURE), ==, 0);
    g_assert_cmpint(pm_memory_kib("VmRSS") - resident, <=, 8192); /* of which most is libraries */
    resident = pm_memory_kib("VmRSS");
    fill(&arena, 1 << 20); /* pages come as they are touched all the same */
    g_assert_cmpint(pm_memory_kib("VmRSS") - resident, <=, 1536);
}

/* No memory for more: the arena is full, and goes on with what it has; later there is some. */
static void test_refused_memory_is_a_full_store(void)
{
    if (!pm_memory_is_ours())
        return;
    struct pm_arena arena;
    size_t n = 0;
    char *piece, *last = NULL;
    g_assert_cmpint(pm_arena_init(&arena, LARGE), ==, 0);
    pm_memory_allow_more(1024);
    while ((piece = pm_arena_append(&arena, 4096))) {
        last = memset(piece, 1, 4096);
        n++;
    }
    g_assert_cmpuint(n, >=, 128);
    g_assert_cmpuint(n, <=, 256);
    g_assert_true(pm_arena_is_pressed(&arena));
    pm_arena_give_back(&arena, last, 4096);
    g_assert_nonnull(pm_arena_append(&arena, 2048));
    pm_memory_allow_all();
    fill(&arena, 1 << 20);
    g_assert_false(pm_arena_is_pressed(&arena));
    pm_arena_clear(&arena);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/arena/pieces-keep-what-they-hold", test_pieces_keep_what_they_hold);
    g_test_add_func("/agent/arena/full-arena-takes-again-what-came-back",
                    test_full_store_takes_again_what_came_back);
    g_test_add_func("/agent/arena/unused-is-not-charged", test_unused_is_not_charged);
    g_test_add_func("/agent/arena/host-locked-before", test_host_locked_before);
    g_test_add_func("/agent/arena/host-locks-later", test_host_locks_later);
    g_test_add_func("/agent/arena/refused-memory-is-a-full-arena",
                    test_refused_memory_is_a_full_store);
    return g_test_run();
}
